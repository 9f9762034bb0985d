/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary search tree of pointers: the same few keys are looked up again and again, so that the processor learns the
 * paths.
 */
#include "kernel.h"

enum { NODES = 255, LOOKUPS = 256, WANTED = 16 };

struct node {
	struct node *less, *more;
	uint64_t key, value;
};

struct ward_state {
	uint64_t result;
	struct node *root;
	uint64_t wanted[WANTED];
	struct node pool[NODES];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x5b4a9682a73aa340u;

/* The node in the middle of [from, to), with what is below it. */
static struct node *grow(struct ward_state *st, uint32_t from, uint32_t to)
{
	uint32_t middle = (from + to) / 2;
	struct node *n = &st->pool[middle * 97 % NODES];

	if (from >= to)
		return 0;
	n->key = 5 * middle;
	n->value = middle;
	n->less = grow(st, from, middle);
	n->more = grow(st, middle + 1, to);
	return n;
}

void setup(struct ward_state *st)
{
	uint64_t s = 24;

	st->root = grow(st, 0, NODES);
	for (uint32_t i = 0; i < WANTED; i++)
		st->wanted[i] = kernel_random(&s) % (5 * NODES) + i % 2;
	for (uint32_t i = 0; i < WANTED; i += 2)
		st->wanted[i] -= st->wanted[i] % 5;
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t lookups = kernel_length(ev, LOOKUPS);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < lookups; i++) {
		uint64_t key = st->wanted[i % WANTED];
		const struct node *n = st->root;

		WARD_BOUND(64)
		while (n && n->key != key)
			n = key < n->key ? n->less : n->more;
		sum = sum * 3 + (n ? n->value : key);
	}
	st->result = sum;
}
#endif
