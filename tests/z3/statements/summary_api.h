/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions on a state promise, where they call one another; see distance.c. */
#ifndef WARD_Z3_SUMMARY_API_H
#define WARD_Z3_SUMMARY_API_H

#include "tests/z3/engine/arith.h"
#include "queries.h"
#include "tests/z3/model/symbolic_state.h"

enum { MAX_FACTS = 8, MAX_SUMS = 4, SLOTS = 2 };

extern struct memory state_memory;
/* What the row assumes to be true of what the symbols stand for: what it is told, and what it finds in the state. */
void suppose(term t);
extern term assumed; /* … all of it is so */

/* Begin a row: no values yet. A state; its slots are cut off behind SLOTS. */
void begin_row(const struct query *q);
struct value new_state(void);
struct value new_value(struct held *h);            /* a value that is well kept, and holds what it says if `assumed` */
struct value new_numbered(struct held *h, term x); /* … whose number alone counts: it has x */

/* x op y is z where `when` holds; `law` is true, and from it this is shown at once. */
void follows(enum wv_op op, term x, term y, term z, term when, term law);
/*
 * What follows from sums and differences alone, of words of any width. It is shown once, of values of which nothing is
 * known, and then known of `v`. Its equations have names (equation), so that who is told of them need not take the sums
 * apart.
 */
typedef void law_form(const term *v, term *given, term *then);
void use_law(law_form *form, unsigned n, const term *v);
term equation(term a, term b);
term by_name(term t); /* anything else that they say */
/* `law` is shown to be one at once, from `given`, and then known. */
void known_law(term given, term law);
/* … and known of the names of its parts, so that what these mean need not be looked at. */
void named_law(term given, term law);
/* The constant `value` is x where `when` holds. */
void constant_is(term value, term x, term when);
/* What is moved is what wv_state_distance told last, and becomes this; that it does is a goal. */
extern term moved_to;
extern void (*moved_from)(term given, term apart, term by); /* asked before, for goals on the way */
/* Numbers are multiplied by scales of facts, and divided by them: of these something is to be said. */
void multiplied(term x);
/* wv_num_assume compares these. */
void compared(term x, term y);
/* Where x is y, and one of them is a member, so is the other. */
void same_members(const struct number *n, term x, term y, term when);

/* What a fact says; `at` is a struct wv_distance. */
struct fact_held {
	term a, b, scale, apart; /* b - scale * a, of symbols */
	struct number d;
};
struct fact_held fact_load(const struct memory *m, const struct value *at);
term fact_is_true(const struct fact_held *f);
term scaled(term scale, term x);

/* A struct wv_sum. */
struct sum_held {
	term sum, x, y, low, c;
	struct number n;
};
struct sum_held sum_load(const struct memory *m, const struct value *at);
term adds_up(const struct sum_held *s); /* sum = x + y + c, or its low half */
term sum_is_true(const struct sum_held *s);

/* The facts that calls of find and room led to, and what they were. */
enum { MAX_GIVEN = 4 };
extern struct value fact_given[MAX_GIVEN];
extern struct fact_held fact_before[MAX_GIVEN];
extern unsigned n_facts_given;

/* What floor_of and ceiling_of are asked of: the quotient by the first factor. */
extern const struct product *rounded_product;

/* v is what a holder of the symbol plus this is; and what is said of what was found. */
term is_holder(const struct held *v, term symbol, term by, term low);
extern void (*holder_found)(const struct held *v);

/* What values that are refined may be equal to. */
extern term refined_is;

/* What functions that are called promise, for a row that asks others first. */
bool promised(const char *name, const struct value *args, struct memory *m, term guard, struct value *result);
/* What wv_state_refine and its like are told is true. */
term true_telling(const struct memory *m, const struct value *of, const struct value *known);
term returned_true(const struct value *r);

#endif
