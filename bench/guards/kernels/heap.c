/* SPDX-License-Identifier: Apache-2.0 */
/* A priority queue in a binary heap: all elements are inserted, and removed in order. */
#include "kernel.h"

enum { SIZE = 16384 };

struct ward_state {
	uint64_t result;
	uint32_t input[SIZE];
	uint32_t a[SIZE + 1]; /* from 1 */
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0xd2ca0d0a42a4564u;

void setup(struct ward_state *st)
{
	uint64_t s = 13;

	for (uint32_t i = 0; i < SIZE; i++)
		st->input[i] = (uint32_t)kernel_random(&s);
}
#else
static void push(struct ward_state *st, uint32_t at, uint32_t v)
{
	for (; at > 1 && st->a[at / 2] > v; at /= 2)
		st->a[at] = st->a[at / 2];
	st->a[at] = v;
}

/* The least of n. */
static uint32_t pop(struct ward_state *st, uint32_t n)
{
	uint32_t least = st->a[1], v = st->a[n], at = 1;

	for (uint32_t child = 2; child < n; child = 2 * at) {
		if (child + 1 < n && st->a[child + 1] < st->a[child])
			child++;
		if (st->a[child] >= v)
			break;
		st->a[at] = st->a[child];
		at = child;
	}
	st->a[at] = v;
	return least;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE), last = 0;
	uint64_t sum = 0, wrong = 0;

	for (uint32_t i = 0; i < n; i++)
		push(st, i + 1, st->input[i]);
	for (uint32_t i = n; i > 0; i--) {
		uint32_t v = pop(st, i);

		wrong += v < last;
		sum = sum * 31 + v;
		last = v;
	}
	st->result = wrong ? 1 : sum;
}
#endif
