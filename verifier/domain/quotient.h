/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quotients by constants as compilers compute them, without a division, and the remainders that compilers compute
 * from them.
 */
#ifndef WARD_VERIFIER_QUOTIENT_H
#define WARD_VERIFIER_QUOTIENT_H

#include "state.h"

/*
 * Numbers, no pointers, `a` and `b` of `width` bits were multiplied, unsigned: `low` is the lower half, `high` the
 * upper one; either may be NULL.
 */
void wv_quotient_product(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b,
	const struct wv_val *low, const struct wv_val *high);
/* `r` is `v` of `width` bits shifted by `count` < width to the right, or to the left. */
void wv_quotient_right(struct wv_ctx *ctx, const struct wv_val *v, unsigned count, const struct wv_val *r);
void wv_quotient_left(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *v, unsigned count, const struct wv_val *r);
/* `r` is `v` of `width` bits less what it has of the bits of `off`: the low ones up to some bit. */
void wv_quotient_rounded(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *v, uint64_t off, const struct wv_val *r);
/* `r` is a + b·scale modulo 2^width, or a - b. Either of the first two may be NULL, for zero. */
void wv_quotient_sum(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, unsigned scale,
	struct wv_val *r);
void wv_quotient_difference(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, struct wv_val *r);

#endif
