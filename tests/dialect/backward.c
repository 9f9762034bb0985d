/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indices below zero, and pointers that move back: arrays that are counted from their middle, and elements before the
 * one that a pointer leads to. An optimiser moves constants of an index into the address, so the rest of the index
 * may be below zero even in a program that has none of these.
 */
#include "gen.h"

static const struct array *wide_array(struct gen *g)
{
	const struct array *a = &g->arrays[below(g, ARRAYS)];

	for (unsigned i = 0; i < ARRAYS && a->n < 3; i++)
		a = &g->arrays[i];
	return a->n < 3 ? NULL : a;
}

/* A number from -n to n. */
static void around_zero(struct gen *g, unsigned n)
{
	switch (below(g, 4)) {
	case 0:
		put(g, "-(i64)((");
		expression(g, 2);
		put(g, ") & %u)", n > 6 ? 7 : n > 2 ? 3 : 1);
		break;
	case 1:
		put(g, "pick((i64)(");
		expression(g, 2);
		put(g, "), -%u, %u)", n, n);
		break;
	case 2:
		put(g, "(i32)(");
		expression(g, 2);
		put(g, ") %% %d", (int)n + 1);
		break;
	default:
		put(g, "(i64)(");
		expression(g, 2);
		put(g, ") %% %d", (int)n + 1);
		break;
	}
}

static void from_middle(struct gen *g, const struct array *a, int k)
{
	unsigned most = (a->n - 1) / 2;
	bool local = below(g, 3) == 0;

	if (local)
		put(g, "{ %s s%d[%u] = {%u, 7}, *m%d = s%d + %u; m%d[", a->type, k, a->n, below(g, 99), k, k, most, k);
	else
		put(g, "{ %s *m%d = st->%s + %u; m%d[", a->type, k, a->name, most, k);
	around_zero(g, most);
	put(g, "] += (%s)(", a->type);
	expression(g, 2);
	put(g, "); v%u ^= m%d[", below(g, LOCALS), k);
	around_zero(g, most);
	put(g, "]; }");
}

/* The sum of an index and a constant is what must not be below zero. */
static void made_good(struct gen *g, const struct array *a, int k)
{
	unsigned most = (a->n - 1) / 2;
	bool narrow = below(g, 2);

	put(g, "{ %s by%d = ", narrow ? "i32" : "i64", k);
	around_zero(g, most);
	put(g, "; st->%s[by%d + %u] ^= (%s)(", a->name, k, most, a->type);
	expression(g, 2);
	put(g, "); if (by%d > -%u) st->%s[by%d + %u]++; }", k, most, a->name, k, most - 1);
}

static void before_pointer(struct gen *g, const struct array *a, int k)
{
	unsigned most = (a->n - 1) / 2;

	put(g, "{ %s *p%d = &st->%s[%u + ", a->type, k, a->name, most);
	index_below(g, a->n - most, 2);
	put(g, "]; p%d[-(i64)", k);
	index_below(g, most + 1, 2);
	put(g, "] -= (%s)(", a->type);
	expression(g, 2);
	put(g, "); v%u += p%d[-%u]; }", below(g, LOCALS), k, below(g, most + 1));
}

static void before_kept(struct gen *g)
{
	unsigned of = below(g, 2), far = below(g, 3) + 1;
	const char *p = of ? "pb" : "pa", *name = g->arrays[of].name;

	put(g, "if (st->%s && st->%s - st->%s >= %u) { st->%s[-(i64)", p, p, name, far, p);
	index_below(g, far + 1, 2);
	put(g, "]++; st->%s -= %u; }", p, below(g, far + 1));
}

static void back_in_grid(struct gen *g, int k)
{
	put(g, "{ i32 (*r%d)[%u] = st->grid + %u; r%d[-(i64)", k, g->columns, g->rows - 1, k);
	index_below(g, g->rows, 2);
	put(g, "][");
	index_below(g, g->columns, 2);
	put(g, "] ^= v%u; struct pair *q%d = st->pairs + %u; q%d[-(i64)", below(g, LOCALS), k, g->pairs - 1, k);
	index_below(g, g->pairs, 2);
	put(g, "].in.q -= 3; }");
}

void backward_statement(struct gen *g)
{
	const struct array *a = wide_array(g);
	int k = g->names++;

	switch (a ? below(g, 7) : 6) {
	case 0:
	case 1: from_middle(g, a, k); break;
	case 2:
	case 3: made_good(g, a, k); break;
	case 4: before_pointer(g, a, k); break;
	case 5: before_kept(g); break;
	default: back_in_grid(g, k); break;
	}
}

void backward_loop(struct gen *g)
{
	const struct array *a = wide_array(g);
	int k = g->names++;

	if (!a || below(g, 3) == 0) {
		a = &g->arrays[below(g, ARRAYS)];
		put(g, "for (%s *p%d = st->%s + %u; p%d > st->%s;) { p%d--; *p%d ^= (%s)(", a->type, k, a->name, a->n,
			k, a->name, k, k, a->type);
	} else {
		unsigned most = (a->n - 1) / 2;
		const char *type = below(g, 2) ? "i32" : "i64";

		put(g, "for (%s *m%d = st->%s + %u, *e%d = m%d; e%d; e%d = 0) ", a->type, k, a->name, most, k, k, k, k);
		if (below(g, 2))
			put(g, "for (%s k%d = -%d; k%d <= %d; k%d++) { m%d[k%d] += (%s)(", type, k, (int)most, k,
				(int)most, k, k, k, a->type);
		else
			put(g, "for (%s k%d = %d; k%d >= -%d; k%d -= %u) { m%d[k%d] += (%s)(", type, k, (int)most, k,
				(int)most, k, below(g, 3) + 1, k, k, a->type);
	}
	expression(g, 2);
	put(g, "); }");
}
