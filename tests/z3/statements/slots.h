/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the statements about the stack (stack.c, slots.c): the slots that are present in the state, one by one.
 */
#ifndef WARD_Z3_SLOTS_H
#define WARD_Z3_SLOTS_H

#include "stack.h"

enum { MOST_NEAR = 5, MOST_HERE = MOST_NEAR + 1 };

extern unsigned n_near, n_here;
extern term index_of[MOST_HERE];             /* near ones first, going up; then any other one */
extern term word[MOST_HERE], own[MOST_HERE]; /* what the machine's hold; a bit for each byte */
void stands_for(unsigned k, term index);

/* What is kept of one. */
struct kept {
	struct content c;
	term width, init;
};
struct value slot_at(unsigned k);
struct kept kept_now(unsigned k);
term is_there(unsigned k, term n_slots);
typedef void say(const char *name, term t);
/* What is kept of it, if it is `there`, is true of these bytes. */
void say_of_slot(say *says, const struct kept *s, term there, term holds, term mask);

term bit_of(term t, unsigned i);
/* Where the byte at this position of the near slots is. */
term position_offset(unsigned at);
/* Of `slot`, a bit for each of its bytes: is it in [lo, hi)? */
term bytes_between(term lo, term hi);

/* As it was before the run, or the turn of a loop. */
extern struct memory *was;
void claim_same(const struct value *what, bool may_change(uint64_t at), const char *name);

/* What functions promise that go through slots in a loop. */
extern const struct callee slot_callees[];

#endif
