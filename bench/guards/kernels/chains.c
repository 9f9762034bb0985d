/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching short linked lists that are close together, as in a hash table with chains: ten elements each, all of
 * which are read.
 */
#include "kernel.h"

enum { LISTS = 64, LENGTH = 10 };

struct node {
	struct node *next;
	uint32_t key, value;
};

struct ward_state {
	uint64_t result;
	struct node *head[LISTS];
	struct node pool[LISTS * LENGTH];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x31ec0u;

void setup(struct ward_state *st)
{
	uint64_t s = 23;

	for (uint32_t i = 0; i < LISTS * LENGTH; i++) {
		st->pool[i].next = st->head[i % LISTS];
		st->pool[i].key = (uint32_t)kernel_random(&s) | 1;
		st->pool[i].value = i;
		st->head[i % LISTS] = &st->pool[i];
	}
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t lists = kernel_length(ev, LISTS);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < lists; i++) {
		uint32_t key = i * 2;

		WARD_BOUND(64)
		for (const struct node *n = st->head[i]; n; n = n->next) {
			if (n->key == key)
				break;
			sum += n->value;
		}
	}
	st->result = sum;
}
#endif
