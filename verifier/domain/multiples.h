/* SPDX-License-Identifier: Apache-2.0 */
/* Multiples of one number by constants, and the difference of two such multiples. */
#ifndef WARD_VERIFIER_MULTIPLES_H
#define WARD_VERIFIER_MULTIPLES_H

#include "state.h"

/* `r` is `v` of `width` bits, shifted to the left by `count` < width. */
void wv_scaled_left(struct wv_ctx *ctx, unsigned width, const struct wv_val *v, unsigned count, const struct wv_val *r);
/* `r` is a + b·scale modulo 2^width, or a - b. Either of the first two may be NULL, for zero. */
void wv_scaled_sum(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, unsigned scale,
	const struct wv_val *r);
void wv_scaled_difference(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, struct wv_val *r);

#endif
