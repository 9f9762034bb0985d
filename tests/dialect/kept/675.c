/* A descent in a tree after another one, each of two loops: with all guards each has a counter that never runs out. */
#include <ward/probe.h>

enum { NODES = 200, KEYS = 5 };

struct node {
	uint8_t n, leaf;
	uint16_t child[KEYS + 1];
	uint32_t key[KEYS];
};

struct ward_state {
	struct node node[NODES];
	uint16_t root;
	ward_count found, begun;
};

static bool search(const struct ward_state *st, uint32_t key)
{
	for (uint16_t at = st->root; at;) {
		const struct node *x = st->node + at;
		int i = 0;

		while (i < x->n && key > x->key[i])
			i++;
		at = x->child[i];
	}
	return false;
}

static void insert(struct ward_state *st, uint32_t key)
{
	uint16_t at = st->root;

	for (;;) {
		struct node *x = &st->node[at];
		int i = x->n - 1;

		if (x->leaf) {
			while (i >= 0 && key < x->key[i])
				i--;
			x->key[i + 1] = key;
			return;
		}
		while (i >= 0 && key < x->key[i])
			i--;
		at = x->child[i + 1];
	}
}

WARD_ENTRY("x!put")
void on_put(const struct ward_event *ev, struct ward_state *st)
{
	if (!st->begun++) {
		st->root = 1;
		st->node[1] = (struct node){.n = 2, .child = {2, 3, 4}, .key = {50, 150}};
		for (int i = 2; i < 5; i++)
			st->node[i].leaf = 1;
	}
	st->found += search(st, (uint32_t)(ev->arg[0] % 200));
	insert(st, (uint32_t)(ev->arg[1] % 200));
}
