/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and trees as programs keep them: built, searched, repaired and reversed through pointers to links, some of
 * which are kept as numbers with a mark in them. All nodes are cells of one array. The program rebuilds the list from
 * all of them or repairs it, and rebuilds the tree, so both always end.
 */
#include "gen.h"

void link_types(struct gen *g)
{
	put(g, "struct ring { struct ring *after, *before; };\n"
	       "struct cell { struct cell *next, *left, *right; u64 up; i64 key; u32 n; struct ring in; };\n");
}

void link_fields(struct gen *g)
{
	put(g, "  struct cell cells[%u], *top, *root, *by[%u];\n  struct ring all;\n", g->cells, g->cells);
}

/* What nobody keeps as a number nobody may take out of one. */
void link_first(struct gen *g)
{
	put(g, "    for (u32 i = 1; i < %u; i++) st->cells[i].up = (u64)&st->cells[i - 1] | 1;\n", g->cells);
}

/* No loop goes round more often than once for each cell. */
static void bound(struct gen *g)
{
	put(g, "WARD_BOUND(%u) ", g->cells + 1);
}

static void each_cell(struct gen *g, int k)
{
	put(g, "for (u32 at%d = 0; at%d < %u; at%d++) { struct cell *c%d = &st->cells[at%d]; ", k, k, g->cells, k, k,
		k);
}

static void key(struct gen *g, int k)
{
	put(g, "c%d->key = (i64)(", k);
	expression(g, 2);
	put(g, ") %% 16 + at%d; ", k);
}

static void make_list(struct gen *g, int k)
{
	put(g, "st->top = 0; ");
	each_cell(g, k);
	if (below(g, 2)) {
		key(g, k);
		put(g, "struct cell **l%d = &st->top; ", k);
		bound(g);
		put(g, "while (*l%d && (*l%d)->key < c%d->key) l%d = &(*l%d)->next; c%d->next = *l%d; *l%d = c%d; }", k,
			k, k, k, k, k, k, k, k);
	} else {
		key(g, k);
		put(g, "c%d->next = st->top; st->top = c%d; }", k, k);
	}
}

static void make_tree(struct gen *g, int k)
{
	put(g, "st->root = 0; ");
	each_cell(g, k);
	key(g, k);
	put(g, "struct cell **l%d = &st->root, *above%d = 0; ", k, k);
	bound(g);
	put(g, "while (*l%d) { above%d = *l%d; ", k, k, k);
	if (below(g, 2))
		put(g,
			"if (above%d->key == c%d->key) above%d->n++; l%d = c%d->key < above%d->key ? &above%d->left : "
			"&above%d->right; } ",
			k, k, k, k, k, k, k, k);
	else
		put(g, "l%d = (*l%d)->key < c%d->key ? &(*l%d)->right : &(*l%d)->left; } ", k, k, k, k, k);
	put(g, "c%d->left = c%d->right = 0; c%d->up = (u64)above%d | (c%d->key & 3); *l%d = c%d; }", k, k, k, k, k, k,
		k);
}

static void mend_list(struct gen *g, int k)
{
	switch (below(g, 4)) {
	case 0:
		put(g, "{ struct cell *r%d = 0; ", k);
		bound(g);
		put(g,
			"while (st->top) { struct cell *c%d = st->top; st->top = c%d->next; c%d->next = r%d; r%d = "
			"c%d; } st->top = r%d; }",
			k, k, k, k, k, k, k);
		break;
	case 1:
		put(g, "{ struct cell **l%d = &st->top; ", k);
		bound(g);
		put(g,
			"while (*l%d) { struct cell *c%d = *l%d; if ((c%d->key ^ v%u) & 1) *l%d = c%d->next; else l%d "
			"= &c%d->next; } }",
			k, k, k, k, below(g, LOCALS), k, k, k, k);
		break;
	case 2: /* two neighbours change places */
		bound(g);
		put(g,
			"for (struct cell **l%d = &st->top; *l%d && (*l%d)->next; l%d = &(*l%d)->next) if ((*l%d)->key "
			"> (*l%d)->next->key) { struct cell *c%d = *l%d; *l%d = c%d->next; c%d->next = (*l%d)->next; "
			"(*l%d)->next = c%d; }",
			k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
		break;
	default: /* the second half comes first */
		put(g, "if (st->top) { struct cell *s%d = st->top, *f%d = st->top->next; ", k, k);
		bound(g);
		put(g,
			"while (f%d && f%d->next) { s%d = s%d->next; f%d = f%d->next->next; } f%d = s%d->next; "
			"s%d->next = 0; if (f%d) { struct cell *e%d = f%d; ",
			k, k, k, k, k, k, k, k, k, k, k, k);
		bound(g);
		put(g, "while (e%d->next) e%d = e%d->next; e%d->next = st->top; st->top = f%d; } }", k, k, k, k, k);
		break;
	}
}

static void look(struct gen *g, int k)
{
	unsigned v = below(g, LOCALS);

	switch (below(g, 5)) {
	case 4: /* up from the least */
		put(g, "{ struct cell *c%d = st->root; ", k);
		bound(g);
		put(g, "while (c%d && c%d->left) c%d = c%d->left; ", k, k, k, k);
		bound(g);
		put(g,
			"while (c%d) { v%u = v%u * 3 + (c%d->up & 3); c%d->n++; c%d = (struct cell *)(c%d->up & "
			"~3ull); } }",
			k, v, v, k, k, k, k);
		break;
	case 0:
		bound(g);
		put(g, "for (const struct cell *c%d = st->top; c%d; c%d = c%d->next) v%u = v%u * 31 + c%d->key;", k, k,
			k, k, v, v, k);
		break;
	case 1:
		put(g, "{ struct cell *c%d = st->root; i64 x%d = (i64)(", k, k);
		expression(g, 2);
		put(g, ") %% 20; ");
		bound(g);
		put(g,
			"while (c%d && c%d->key != x%d) c%d = x%d < c%d->key ? c%d->left : c%d->right; if (c%d) { "
			"c%d->n++; v%u ^= c%d->n; } }",
			k, k, k, k, k, k, k, k, k, k, v, k);
		break;
	case 2: /* what leads to the least */
		put(g, "if (st->root) { struct cell **l%d = &st->root; ", k);
		bound(g);
		put(g,
			"while ((*l%d)->left) l%d = &(*l%d)->left; struct cell *c%d = *l%d; *l%d = c%d->right; "
			"c%d->right = 0; v%u += c%d->key; }",
			k, k, k, k, k, k, k, k, v, k);
		break;
	default: /* all of the tree, by a stack */
		put(g, "{ struct cell *stack%d[%u]; u32 n%d = 0; if (st->root) stack%d[n%d++] = st->root; ", k,
			g->cells + 2, k, k, k);
		bound(g);
		put(g,
			"while (n%d) { struct cell *c%d = stack%d[--n%d]; v%u = v%u * 7 + c%d->key; if (c%d->left && "
			"n%d < %u) stack%d[n%d++] = c%d->left; if (c%d->right && n%d < %u) stack%d[n%d++] = "
			"c%d->right; } }",
			k, k, k, k, v, v, k, k, k, g->cells + 2, k, k, k, k, k, g->cells + 2, k, k, k);
		break;
	}
}

/* An array of pointers, put in order. */
static void order(struct gen *g, int k)
{
	each_cell(g, k);
	put(g,
		"st->by[at%d] = c%d; } for (u32 at%d = 1; at%d < %u; at%d++) { struct cell *c%d = st->by[at%d]; u32 "
		"j%d = at%d; ",
		k, k, k, k, g->cells, k, k, k, k, k);
	put(g,
		"for (; j%d > 0 && st->by[j%d - 1]->key > c%d->key; j%d--) st->by[j%d] = st->by[j%d - 1]; st->by[j%d] "
		"= c%d; } v%u ^= st->by[0]->key - st->by[%u]->n;",
		k, k, k, k, k, k, k, k, below(g, LOCALS), g->cells - 1);
}

/* A list that is linked both ways, and begins and ends in a head of its own. */
static void both_ways(struct gen *g, int k)
{
	put(g, "{ struct ring *h%d = &st->all; h%d->after = h%d->before = h%d; ", k, k, k, k);
	each_cell(g, k);
	put(g,
		"struct ring *r%d = &c%d->in; if ((c%d->key ^ at%d) & 1) { r%d->before = h%d; r%d->after = h%d->after; "
		"} else { r%d->after = h%d; r%d->before = h%d->before; } r%d->before->after = r%d; r%d->after->before "
		"= r%d; } ",
		k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
	bound(g);
	put(g,
		"for (struct ring *r%d = h%d->after; r%d != h%d; r%d = r%d->after) { struct cell *c%d = (struct cell "
		"*)((char *)r%d - __builtin_offsetof(struct cell, in)); v1 = v1 * 5 ^ c%d->key; } ",
		k, k, k, k, k, k, k, k, k);
	put(g,
		"if (h%d->before != h%d) { struct ring *r%d = h%d->before; r%d->before->after = r%d->after; "
		"r%d->after->before = r%d->before; r%d->after = r%d->before = 0; } }",
		k, k, k, k, k, k, k, k, k, k);
}

void link_statement(struct gen *g)
{
	int k = g->names++;

	line(g);
	switch (below(g, 8)) {
	case 0: make_list(g, k); break;
	case 1: make_tree(g, k); break;
	case 2:
	case 3: mend_list(g, k); break;
	case 4: order(g, k); break;
	case 5: both_ways(g, k); break;
	default: look(g, k); break;
	}
}
