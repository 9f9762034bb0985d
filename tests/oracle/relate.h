/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which registers are related, and short pieces of code that only compute with registers. */
#ifndef WARD_TESTS_RELATE_H
#define WARD_TESTS_RELATE_H

#include "machine.h"

/*
 * Give a few registers new values, many of them near 2^31, 2^32 and 2^63, and sums, differences, multiples and halves
 * of each other; to the state, facts that say so: distances of all scales, sums that hold modulo 2^64 or 2^32 only,
 * shared identities. All of them are true.
 */
void world_relate(struct world *w);

struct walk_count {
	unsigned long steps, branches, distances;
};

/*
 * Up to so many random instructions and branches between these registers. Each is run by both machines and stepped over
 * by the verifier; at a branch the state is what it is on the way that the processor would go. False: the state, or a
 * distance that was asked of it, isn't true of the machines; w->wrong says why. `spare` is room for a state.
 */
bool world_walk(struct world *w, unsigned most, struct wv_state *spare, struct walk_count *count);

#endif
