/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What loops count: the location that ranks a loop, those that move with it, and what the loop compares with a bound.
 */
#ifndef WARD_INFER_RANKING_H
#define WARD_INFER_RANKING_H

#include "interpret.h"

/* The size of a step. */
static inline uint64_t magnitude_of(int64_t step)
{
	return step > 0 ? (uint64_t)step : (uint64_t)0 - (uint64_t)step;
}

/* Find the ranks anew, and what each ranked loop counts. False: no memory. */
bool find_ranks(struct machine *k);
/*
 * The same; *changed says whether a loop is now ranked or counted otherwise than before. With `no_more` no location
 * is counted that wasn't counted before.
 */
bool find_ranks_again(struct machine *k, bool no_more, bool *changed);
/* Loops that nothing ranks yet: what do they compare? False: no memory. */
bool find_ordered(struct machine *k);

#endif
