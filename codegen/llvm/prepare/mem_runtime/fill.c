/* SPDX-License-Identifier: Apache-2.0 */
/* Fills: like copies, of one byte repeated eight times. */
#include "mem_runtime.h"

void ward_form_fill(unsigned char *to, int byte, size_t n)
{
	uint64_t step = (uint64_t)(unsigned char)byte * 0x0101010101010101u;
	size_t last;

	n = opaque(n);
	if (n >= STEP) {
		last = opaque(n - STEP);
		put_step(to + last, step);
		for (size_t i = 0; i < last; i += STEP)
			put_step(to + i, step);
	} else if (n >= STEP / 2) {
		last = opaque(n - STEP / 2);
		put_half(to + last, (uint32_t)step);
		put_half(to, (uint32_t)step);
	} else if (n) {
		last = opaque(n - 1);
		to[last] = (unsigned char)byte;
		to[n / 2] = (unsigned char)byte;
		to[0] = (unsigned char)byte;
	}
}
