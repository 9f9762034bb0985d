/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for a byte, and for the end of a string. The object may end before the given length does. So a step takes
 * eight bytes only while there surely are as many, and one byte after that.
 */
#include "mem_runtime.h"

#define ONES 0x0101010101010101u

size_t ward_form_scan(const unsigned char *s, int byte, size_t n, size_t room)
{
	uint64_t wanted = (uint64_t)(unsigned char)byte * ONES;
	size_t sure, i = 0, last;

	n = opaque(n);
	sure = n < room ? n : room;
	if (sure >= STEP) {
		for (last = opaque(sure - STEP); i <= last; i += STEP) {
			uint64_t differs = get_step(s + i) ^ wanted, zero = (differs - ONES) & ~differs & ONES << 7;

			if (zero) /* the lowest bit says which byte is zero; higher ones may be a borrow's */
				return i + ((unsigned)__builtin_ctzll(zero) >> 3);
		}
	}
	for (; i < n; i++)
		if (s[i] == (unsigned char)byte)
			return i;
	return n;
}

size_t ward_form_find(const unsigned char *s, int byte, size_t n)
{
	n = opaque(n);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == (unsigned char)byte)
			return i;
		if (!s[i])
			break;
	}
	return n;
}

size_t ward_form_last(const unsigned char *s, int byte, size_t n)
{
	size_t found;

	found = n = opaque(n);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == (unsigned char)byte)
			found = i;
		if (!s[i])
			break;
	}
	return found;
}

int ward_form_order(const unsigned char *a, const unsigned char *b, size_t n)
{
	n = opaque(n);
	for (size_t i = 0; i < n; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
		if (!a[i])
			break;
	}
	return 0;
}
