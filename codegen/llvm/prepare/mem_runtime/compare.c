/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares of memory. The first byte that differs decides. It is the lowest differing byte of both words. In reversed
 * order it is the highest, and the words compare as numbers do.
 */
#include "mem_runtime.h"

static inline int order_of(uint64_t a, uint64_t b)
{
	return __builtin_bswap64(a) < __builtin_bswap64(b) ? -1 : 1;
}

static inline int compare_few(const unsigned char *a, const unsigned char *b, size_t n)
{
	uint64_t x = 0, y = 0;
	size_t last;

	if (n >= STEP / 2) {
		last = opaque(n - STEP / 2);
		x = get_half(a + last);
		y = get_half(b + last);
		x = x << 32 | get_half(a);
		y = y << 32 | get_half(b);
	} else if (n) {
		last = opaque(n - 1);
		x = (uint64_t)a[last] << 16;
		y = (uint64_t)b[last] << 16;
		x |= (uint64_t)a[n / 2] << 8 | a[0];
		y |= (uint64_t)b[n / 2] << 8 | b[0];
	}
	return x == y ? 0 : order_of(x, y);
}

int ward_form_compare(const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t last;
	uint64_t x, y, i;

	n = opaque(n);
	if (n < STEP)
		return compare_few(a, b, n);
	last = opaque(n - STEP);
	x = get_step(a + last);
	y = get_step(b + last);
	for (i = 0; i < last; i += STEP) {
		uint64_t v = get_step(a + i), w = get_step(b + i);

		if (v != w)
			return order_of(v, w);
	}
	return x == y ? 0 : order_of(x, y);
}
