/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract numbers under products and quotients of double width. Operands of `width` bits are given zero-extended,
 * results come zero-extended and contain every possible one.
 */
#ifndef WARD_VERIFIER_MUL_DIV_H
#define WARD_VERIFIER_MUL_DIV_H

#include "num.h"

/* Both halves of a product. */
void wv_num_product(unsigned width, bool is_signed, const struct wv_num *a, const struct wv_num *b, struct wv_num *low,
	struct wv_num *high);

/* A dividend of up to twice the divisor's width, as an interval. */
struct wv_dividend {
	__extension__ __int128 min, max;            /* of idiv */
	__extension__ unsigned __int128 umin, umax; /* of div */
};

/* high:low, halves of `width` bits. */
struct wv_dividend wv_dividend_of(unsigned width, const struct wv_num *high, const struct wv_num *low);
/* One number of `width` bits; for idiv sign-extended. */
struct wv_dividend wv_dividend_narrow(unsigned width, const struct wv_num *n);

enum wv_division { WV_DIVIDES, WV_DIVIDES_BY_ZERO, WV_DIVIDES_TOO_BIG };

/* Quotient and remainder, or why the processor may trap; then the results are any numbers. */
enum wv_division wv_num_divide(unsigned width, bool is_signed, const struct wv_dividend *n,
	const struct wv_num *divisor, struct wv_num *quotient, struct wv_num *remainder);

#endif
