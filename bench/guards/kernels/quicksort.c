/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quicksort with a stack of its own, the median of three as pivot, and insertion sort for short ranges. Each run
 * sorts other numbers than the last, so that the processor can't learn them.
 */
#include "kernel.h"

enum { SIZE = 2048, INPUTS = 32, STACK = 32, SHORT = 12 };

struct range {
	uint32_t low, high;
};

struct ward_state {
	uint64_t result;
	uint32_t turn;
	uint32_t input[INPUTS][SIZE];
	uint32_t a[SIZE];
	struct range stack[STACK];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x1c25a2728236b881u;

void setup(struct ward_state *st)
{
	uint64_t s = 12;

	for (uint32_t i = 0; i < INPUTS; i++)
		for (uint32_t k = 0; k < SIZE; k++)
			st->input[i][k] = (uint32_t)kernel_random(&s);
}
#else
static void swap(struct ward_state *st, uint32_t i, uint32_t k)
{
	uint32_t t = st->a[i];

	st->a[i] = st->a[k];
	st->a[k] = t;
}

/* a[low … high - 1] */
static void insertion(struct ward_state *st, uint32_t low, uint32_t high)
{
	for (uint32_t i = low + 1; i < high && i < SIZE; i++) {
		uint32_t v = st->a[i], k = i;

		for (; k > low && st->a[k - 1] > v; k--)
			st->a[k] = st->a[k - 1];
		st->a[k] = v;
	}
}

/* Where the first of the upper part is: what lies below is at most the pivot, what lies above at least. */
static uint32_t partition(struct ward_state *st, uint32_t low, uint32_t high)
{
	uint32_t middle = low + (high - low) / 2, i = low, k = high - 1, pivot;

	if (st->a[middle] < st->a[low])
		swap(st, middle, low);
	if (st->a[k] < st->a[low])
		swap(st, k, low);
	if (st->a[k] < st->a[middle])
		swap(st, k, middle);
	pivot = st->a[middle];
	WARD_BOUND(2048)
	for (;;) {
		WARD_BOUND(2048)
		while (st->a[i] < pivot)
			i++;
		WARD_BOUND(2048)
		while (st->a[k] > pivot)
			k--;
		if (i >= k)
			return k + 1;
		swap(st, i, k);
		i++;
		k--;
	}
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE), top = 0, low = 0, high = n, turn = st->turn++ % INPUTS;
	uint64_t sum = 0, wrong = 0;

	for (uint32_t i = 0; i < n; i++)
		st->a[i] = st->input[turn][i];
	WARD_BOUND(4096)
	for (;;) {
		if (high - low > SHORT) {
			uint32_t middle = partition(st, low, high);

			if (top == STACK)
				break;
			if (middle - low > high - middle) { /* the longer part waits */
				st->stack[top++] = (struct range){low, middle};
				low = middle;
			} else {
				st->stack[top++] = (struct range){middle, high};
				high = middle;
			}
			continue;
		}
		insertion(st, low, high);
		if (top == 0)
			break;
		top--;
		low = st->stack[top].low;
		high = st->stack[top].high;
	}
	for (uint32_t i = 1; i < n; i++)
		wrong += st->a[i - 1] > st->a[i];
	for (uint32_t i = 0; i < n; i += 7)
		sum = sum * 31 + st->a[i];
	st->result = wrong ? 1 : sum;
}
#endif
