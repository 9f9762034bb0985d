/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranking a loop: arithmetic on the range of the location that counts its iterations. The check and proof inference
 * share it.
 */
#ifndef WARD_VERIFIER_RANK_H
#define WARD_VERIFIER_RANK_H

#include "proof.h"

/*
 * Does the range of `n` in this view, moved by `step` (not zero), stay within what the view can hold, so that nothing
 * wraps?
 */
bool wv_rank_moves(enum wv_view view, const struct wv_num *n, int64_t step);
/* The greatest difference of two values of the range. */
uint64_t wv_rank_width(enum wv_view view, const struct wv_num *n);
/* The number or pointer that a location holds, or as much of it as is kept; NULL if it holds neither. */
const struct wv_val *wv_rank_value(const struct wv_state *st, const struct wv_loc *loc);
/*
 * A value is at one of the distances `d` from a number that is `ahead` of a cursor. So far at least it is ahead of the
 * cursor itself; negative: it may be behind.
 */
int64_t wv_rank_ahead(const struct wv_num *d, bool down, uint32_t ahead);
/* How many bits of a location that is: 64, of a slot perhaps 32. */
unsigned wv_rank_bits(const struct wv_state *st, const struct wv_loc *loc);

#endif
