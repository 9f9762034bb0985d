/* SPDX-License-Identifier: Apache-2.0 */
/* Searching a linked list, node by node, with its pointers in the state: the first of the three classical kernels. */
#include "kernel.h"

enum { NODES = 512, SEARCHES = 64 };

struct node {
	struct node *next;
	uint32_t key, value;
};

struct ward_state {
	uint64_t result;
	struct node *head;
	uint32_t wanted[SEARCHES];
	struct node pool[NODES];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x40003bfau;

void setup(struct ward_state *st)
{
	uint64_t s = 1;
	uint32_t order[NODES];

	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	for (uint32_t i = NODES - 1; i > 0; i--) {
		uint32_t k = (uint32_t)(kernel_random(&s) % (i + 1)), t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		st->pool[order[i]].next = st->head;
		st->pool[order[i]].key = (uint32_t)kernel_random(&s);
		st->pool[order[i]].value = i;
		st->head = &st->pool[order[i]];
	}
	for (uint32_t i = 0; i < SEARCHES; i++)
		st->wanted[i] = st->pool[kernel_random(&s) % NODES].key;
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < SEARCHES; i++) {
		uint32_t key = st->wanted[i];

		WARD_BOUND(4096)
		for (struct node *n = st->head; n; n = n->next) {
			if (n->key == key) {
				sum += n->value;
				break;
			}
		}
	}
	st->result = sum + ev->arg[0];
}
#endif
