/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws random numbers, abstract numbers around concrete ones, and the meaning of an abstract number. Deterministic
 * from a seed.
 */
#ifndef WARD_TESTS_DRAW_H
#define WARD_TESTS_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "verifier/domain/num.h"

struct draw {
	uint64_t state;
};

/* Any 64 bits (SplitMix64). */
uint64_t draw_bits(struct draw *d);
/* 0 … n - 1; n > 0 */
uint64_t draw_below(struct draw *d, uint64_t n);
/* True one time in n. */
bool draw_one_in(struct draw *d, unsigned n);
/*
 * A value, with a bias to where arithmetic goes wrong: 0, ±1, powers of two and their neighbours, the ends of each
 * width.
 */
uint64_t draw_value(struct draw *d);
/*
 * An abstract number that `value` belongs to: from constant to anything, each view drawn on its own, synchronised or
 * not.
 */
struct wv_num draw_num(struct draw *d, uint64_t value);
/* Another member of `n`, or `value` (a member) if none was found. */
uint64_t draw_member(struct draw *d, const struct wv_num *n, uint64_t value);

/* What num.h says that the fields mean, written a second time. */
bool num_means(const struct wv_num *n, uint64_t value);

#endif
