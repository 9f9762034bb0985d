/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements about the functions of num.c, and how one proof runs.
 *
 * Each function has one statement of its soundness. It is proven of the function's body. Where another function calls
 * it, only the statement is used, and the result is otherwise unknown (summaries.c). A statement that holds for all
 * values is used for the values that a proof is about: those are its witnesses.
 */
#ifndef WARD_Z3_STATEMENT_H
#define WARD_Z3_STATEMENT_H

#include "tests/z3/engine/facts.h"
#include "tests/z3/model/number.h"

/* --- what a proof is made of --- */

/* `name` is kept, not copied. What is proven may be used for what comes after. */
void prove(const char *name, term t);
/* This can be so: else all that is proven of it would say nothing. */
void possible(term t);
/* … and is, if this is, where that is easily seen; nothing is proven less. */
void likely(term t);
extern term supposed, likely_so; /* what was told so, or NULL */
void witness(term x);
/* What a callee computes is the witness `named`: shown at once, from the law alone. */
void same_result(term computed, term named, term law);
/*
 * What num.h does not promise, but string instructions rely on: a product of members x and y is at most that of the
 * greatest ones, if that has 64 bits.
 */
term product_is_bounded(const struct number *a, const struct number *b, const struct number *r, term x, term y);
/* The statement is about the product of these. */
void factors(term x, term y);
/* The statement is about the quotient of these, the divisor being of 64 bits and signed or of less. */
void dividing(term dividend, term divisor);
/* What widen() asks for: divisors of one sign, in order, and dividends whose quotients don't overflow. */
term quotients_fit(term min, term max, term from, term to);
/* The number wv_num_range(min, max) has these ends, if it is all numbers of so many bits. */
term range_of_bits(const struct number *r, term min, term max);
/* What is asked of struct interval f(n, d); and x is one of the dividends, y of the divisors, and not zero. */
term division_fits(const struct memory *memory, const struct value *n, const struct value *d);
term division_within(const struct memory *memory, const struct value *n, const struct value *d, term x, term y);
/* Where `given` holds, x is a member of every number that is narrowed: proven first, then used. */
void member_throughout(term given, term x);
/*
 * A number that is narrowed step by step from *n lies within it after each step: proven first, then used. *n must last.
 */
void narrower_throughout(const struct number *n);
const term *witnesses(unsigned *n);

struct goal {
	const char *name;
	term t;
};
extern struct goal goals[];
extern unsigned n_goals;

/* --- statements --- */

/* bool f(struct wv_num *n, …): `before` has become `after`, `told` was returned. x: any value. */
term keeps(const struct number *before, const struct number *after, term told, term x);
term narrows(const struct number *before, const struct number *after, term told);
/* g = gcd(a, b). */
term is_gcd(term a, term b, term g);

/* --- summaries --- */

/* Forget the last proof. Without summaries, only loops are summarised, and in a replay nothing. */
void begin_statement(bool summaries);
/*
 * A call that a statement stands for: what the callee presupposes becomes a goal, and of what it returns and writes
 * only what is proven of it is known.
 */
struct call {
	const struct value *args;
	struct memory *memory;
	term guard;
	struct value *result;
	unsigned changes;
};
void need(const struct call *c, term t);
/*
 * The condition of this number, which may depend on the path, holds of x and y. Those that are no order say nothing of
 * them.
 */
term any_cond(term number, unsigned width, term x, term y);
/* Inside flags.c. */
void summarise_comparison_of(const struct call *c);
void summarise_is_comparable(const struct call *c);
void summarise_assume_order(const struct call *c);
void summarise_assume_distance(const struct call *c);
/* In this proof, ask this one first. What flags.c claims is then not asked. */
void also_summarise(exec_summary *s);
/* In this proof, ask this one alone, in a search and a replay as well. */
void summarise_always(exec_summary *s);
/* What flags.c calls: each call is something that it claims. */
bool flags_refining(const struct value *args, const struct memory *memory, term guard, struct value *result);
bool flags_distance(const struct value *args, const struct memory *memory, term guard, struct value *result);
bool flags_order(const struct value *args, const struct memory *memory, term guard, struct value *result);
bool flags_addresses(const struct value *args, const struct memory *memory, term guard, struct value *result);
/* What the function may change of its first argument, according to its summary. */
unsigned may_change(const char *function);
/* Never summarise this function in this proof. */
void without_summary(const char *function);
/* The greatest common divisors that came up, for instances of laws. */
const term *gcds_met(unsigned *n);

/* --- the statements to prove --- */

struct query {
	const char *function;
	const char *detail; /* operation or condition */
	unsigned width;     /* 0: does not matter */
	int op;
	void (*build)(const struct query *q);
	bool takes_long; /* left to make soak */
};

const struct query *queries(unsigned *n);

#endif
