/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies. Each step moves eight bytes; the last step ends where the copy ends, whatever of it was copied before.
 * Fewer than eight bytes are two halves that may overlap, or three bytes that may be the same. All of them are read
 * before any is written, so source and destination may overlap.
 */
#include "mem_runtime.h"

static inline void copy_few(unsigned char *to, const unsigned char *from, size_t n)
{
	if (n >= STEP / 2) {
		size_t last = opaque(n - STEP / 2);
		uint32_t end = get_half(from + last), start = get_half(from);

		put_half(to + last, end);
		put_half(to, start);
	} else if (n) {
		size_t last = opaque(n - 1), middle = n / 2;
		unsigned char end = from[last], between = from[middle], start = from[0];

		to[last] = end;
		to[middle] = between;
		to[0] = start;
	}
}

void ward_form_copy(unsigned char *to, const unsigned char *from, size_t n)
{
	size_t last;

	n = opaque(n);
	if (n < STEP) {
		copy_few(to, from, n);
		return;
	}
	last = opaque(n - STEP);
	put_step(to + last, get_step(from + last));
	for (size_t i = 0; i < last; i += STEP)
		put_step(to + i, get_step(from + i));
}

/*
 * Towards the end, unless that writes what is still to be read; then towards the start. The step at the other end is
 * read before all others, because it may overlap the one beside it, and written at last.
 */
void ward_form_move(unsigned char *to, const unsigned char *from, size_t n)
{
	size_t last, i;
	uint64_t end, start;

	n = opaque(n);
	if (n < STEP) {
		copy_few(to, from, n);
		return;
	}
	last = opaque(n - STEP);
	end = get_step(from + last);
	if ((uintptr_t)to - (uintptr_t)from >= n) {
		(void)*(const volatile step_type *)(to + last); /* only to reach for it */
		for (i = 0; i < last; i += STEP)
			put_step(to + i, get_step(from + i));
		put_step(to + last, end);
	} else {
		start = get_step(from);
		put_step(to + last, end);
		for (i = last; i >= STEP;) {
			i -= STEP;
			put_step(to + i, get_step(from + i));
		}
		put_step(to, start);
	}
}
