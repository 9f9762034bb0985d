/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in a B-tree whose nodes are linked by pointers in the state. */
#include "kernel.h"

enum { ORDER = 16, NODES = 600, KEYS = 4096, LOOKUPS = 8192, HEIGHT = 8 };

struct node {
	uint32_t n; /* keys; an inner node has n + 1 children */
	uint32_t leaf;
	uint64_t key[ORDER - 1];
	union {
		struct node *child[ORDER];
		uint64_t value[ORDER];
	};
};

struct ward_state {
	uint64_t result;
	struct node *root;
	uint64_t wanted[LOOKUPS];
	struct node pool[NODES];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0xbf7468u;

/*
 * Leaves of 8 sorted keys each, and upon them level by level nodes of up to 9 children; first[] is the least key below
 * a node.
 */
void setup(struct ward_state *st)
{
	static uint64_t first[NODES];
	uint32_t used = 0, from = 0, count;
	uint64_t s = 14;

	for (uint32_t k = 0; k < KEYS; k += 8, used++) {
		struct node *node = &st->pool[used];

		node->leaf = 1;
		node->n = 8;
		for (uint32_t i = 0; i < 8; i++) {
			node->key[i] = (k + i) * 1000003ull + 17;
			node->value[i] = k + i;
		}
		first[used] = node->key[0];
	}
	for (count = used; count > 1; count = used - from) {
		uint32_t end = used;

		for (uint32_t k = from; k < end; used++) {
			struct node *node = &st->pool[used];

			first[used] = first[k];
			node->child[0] = &st->pool[k++];
			for (; node->n < 8 && k < end; k++) {
				node->key[node->n++] = first[k];
				node->child[node->n] = &st->pool[k];
			}
		}
		from = end;
	}
	st->root = &st->pool[used - 1];
	for (uint32_t i = 0; i < LOOKUPS; i++)
		st->wanted[i] = (kernel_random(&s) % KEYS) * 1000003 + 17 + (kernel_random(&s) % 4 == 0);
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, LOOKUPS);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct node *node = st->root;
		uint64_t key = st->wanted[i];

		for (uint32_t depth = 0; depth < HEIGHT && node; depth++) {
			uint32_t k = 0, keys = node->n < ORDER - 1 ? node->n : ORDER - 1;

			while (k < keys && key >= node->key[k])
				k++;
			if (node->leaf) {
				if (k > 0 && node->key[k - 1] == key)
					sum += node->value[k - 1];
				break;
			}
			node = node->child[k];
		}
	}
	st->result = sum;
}
#endif
