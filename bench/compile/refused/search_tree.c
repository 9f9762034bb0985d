/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of which nobody says how deep it is, nor how many keys a node has. */
#include <ward/probe.h>

struct node {
	unsigned n;
	unsigned long key[14];
	struct node *kid[15];
};

struct ward_state {
	ward_count found;
	struct node *root;
	struct node pool[64];
};

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	struct node *p = st->root;

	while (p) {
		unsigned i = 0, n = p->n;

		while (i < n && p->key[i] < ev->arg[0])
			i++;
		if (i < n && p->key[i] == ev->arg[0]) {
			st->found++;
			return;
		}
		p = p->kid[i];
	}
}
