/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What statements about a whole state have in common (transfer.c, stack.c): the state, values that are true of the
 * machine, and what is proven unless something is reported.
 */
#ifndef WARD_Z3_TRANSFER_H
#define WARD_Z3_TRANSFER_H

#include "tests/z3/model/machine.h"
#include "summary_api.h"
#include "queries.h"
#include "verifier/domain/state.h"

extern struct value state, context, instruction, module;
extern struct memory *now; /* of the place where the run is */
extern term reported;      /* a violation */

/* A new state with so many slots, and all that is told beside it; nothing is known of them. */
void begin_state(unsigned slots);
/*
 * … and what an instruction of this form, at this width, makes of it on the machine; `kinds`: what the registers that
 * are read hold (machine.h).
 */
void begin_transfer(const struct form *f, unsigned width, unsigned kinds);
extern const struct form nothing_at_all;
/* Are operands' reads, and writes, taken by their word? */
void take_operands(bool reads, bool writes);
/* What the function is about is not the whole instruction: the machine stays as it was. */
void not_carried_out(void);
/*
 * All that is true of the state, the context and the machine then, `was` being what memory was, and `defined` the flags
 * that were set; `told`: the row is of registers that are set, and what is said then is not about nothing.
 */
void end_transfer(const struct memory *was, term defined, bool told);
bool all_set(unsigned kinds);
/* The kind of a value of which the row says that it is this (A_NUMBER, …). */
term kind_said(unsigned kind);
extern struct run before; /* the machine before it; `taken` is there, too */
/* In a search for counterexamples and in a replay: numbers alone, no identities, and nothing is taken by its word. */
bool plainly(void);
/* If nothing is reported, this is so. */
void claim(const char *name, term t);
void prove_claims(void);

/*
 * A step: the state and the machine before the form's instruction, registers of which hold what `kinds` says
 * (machine.h); it is carried out by the machine; by the verifier; and what is true then.
 */
void begin_step(const struct query *q, const struct form *f, unsigned kinds);
void run_step(const struct query *q, const struct form *f);
void end_step(unsigned kinds);
term register_before(unsigned reg);

/* A value, and what it says of who holds it. */
struct content {
	struct held h;
	term region, init;
};
struct content content_load(const struct value *at);
term is_kind(const struct content *c, enum wv_kind kind);
/* What holds such a value holds this; `other`: where nothing is said of it. */
term held_by(const struct content *c, term other);
/* The number of such a value has what its identity says. */
term has_its_number(const struct content *c);
/*
 * wv_val_valid; and a pointer has one of the numbers of bits that are the probe's own, too, as all that make one give
 * it.
 */
term is_whole(const struct content *c);
struct value register_at(unsigned reg);
struct content register_now(unsigned reg);

term same_truth(term a, term b);

/* Sums and differences are written in one way, so that the same ones are the same terms; of choices each side. */
term same_sums(term t);
term sum_of(term a, term b);
term difference_of(term a, term b);
/* a = b, side by side where they are choices, and without what both sums have. */
term same_sum(term a, term b);
/* A value that is there afterwards tells the truth of x. */
void claim_value(const char *name, const struct content *c, term x, term when);
/*
 * A new value that tells the truth of x, of which the number is asked about that; `shared`: who has its symbol has its
 * number.
 */
struct content given_about(const struct value *at, term x, bool shared);
/* Operations on this number are about this value of it. */
void ask_about(const struct number *n, term about);
/* If *n has what it is asked about and this is x, it has x. */
void same_member(const struct number *n, term x);
/* What numbers stand for that may be anything. */
extern term any_is;

/* A call that is taken by its word. */
struct called {
	const struct value *args;
	struct memory *memory;
	term guard;
	struct value *result;
};
/* Something may be reported; else this is so. */
void report_or(const struct called *c, term t);
/* Where argument i points to, a number that has x, if `given`; it is valid, if those are that it was made of. */
struct number answer_number(const struct called *c, unsigned i, term x, term fit, term given);
unsigned constant_at(const struct called *c, unsigned i);
/* What callees promise (exec_summary). */
bool called(const char *name, const struct value *args, struct memory *m, term guard, struct value *result);

/* Sums of values, and addresses, by their word (values.c). */
void call_val_add(const struct called *c);
void call_val_sub(const struct called *c);
void call_sum_of_registers(const struct called *c);
/* Sums with a carry (carries.c). */
void call_with_carry(const struct called *c);
void call_carry_sum(const struct called *c);

#endif
