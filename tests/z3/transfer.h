/* What statements about a whole state have in common (transfer.c, stack.c): the state, values that tell the truth, and what is proven unless something is reported. */
#ifndef WARD_Z3_TRANSFER_H
#define WARD_Z3_TRANSFER_H

#include "machine.h"
#include "promise.h"
#include "state.h"

extern struct value state, context, instruction, module;
extern struct memory *now; /* of the place where the run is */
extern term reported;      /* a violation */

/* A new state with so many slots, and all that is told beside it; nothing is known of them. */
void begin_state(unsigned slots);
/* … and what an instruction of this form, at this width, makes of it on the machine; `kinds`: what the registers that are read hold (machine.h). */
void begin_transfer(const struct form *f, unsigned width, unsigned kinds);
extern struct run before; /* the machine before it; `taken` is there, too */
/* In a search for counterexamples and in a replay: numbers alone, no identities, and nothing is taken by its word. */
bool plainly(void);
/* If nothing is reported, this is so. */
void claim(const char *name, term t);
void prove_claims(void);

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
/* wv_val_valid; and a pointer has one of the numbers of bits that are the probe's own, too, as all that make one give it. */
term is_whole(const struct content *c);
struct value register_at(unsigned reg);
struct content register_now(unsigned reg);

term same_truth(term a, term b);

/* A new value that tells the truth of x, of which the number is asked about that; `shared`: who has its symbol has its number. */
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

/* Sums with a carry, by their word (carries.c). */
void call_with_carry(const struct called *c);
void call_carried(const struct called *c);

#endif
