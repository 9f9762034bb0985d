/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local arrays of functions that are called in loops, such as work lists. They are never set as a whole, and read
 * only where they were set. A program must not see what such an array holds of the call before, or of another
 * function's array.
 */
#include "gen.h"

enum { QUEUES = 2, MOST = 22 };

/* Where one goes from u. */
static void step(struct gen *g, unsigned n)
{
	const struct array *a = &g->arrays[below(g, 5)];

	put(g, "(u32)((u64)st->%s[u %% %uu] * %uu + u + %u) %% %uu", a->name, a->n, below(g, 7), below(g, 20), n);
}

/* All that can be reached, each once, and how far it is: by pointers or by indices. */
static void spread(struct gen *g, unsigned k, unsigned n, const char *type)
{
	bool pointers = below(g, 2);

	put(g, "static u64 spread_%u(struct ward_state *st, u32 x)\n{\n  %s q[%u]", k, type, n);
	put(g, pointers ? ", *h = q, *e = q;\n" : ";\n  %s h = 0, e = 0;\n", below(g, 2) ? "u32" : "i32");
	put(g, "  u32 u = %s;\n  u64 r = 0;\n  for (u32 i = 0; i < %u; i++) st->level[i] = -1;\n",
		below(g, 2) ? "0" : "x & 1", n);
	put(g, "  st->level[%s = (%s)u] = 0;\n", pointers ? "*e++" : "q[e++]", type);
	put(g, "  WARD_BOUND(%u) while (h < e) {\n    u = (u32)%s;\n", n + 1, pointers ? "*h++" : "q[h++]");
	if (below(g, 2))
		put(g, "    r = r * 31 + u;\n");
	put(g, "    u32 v = ");
	step(g, n);
	put(g,
		";\n    if (st->level[v] < 0) { st->level[v] = st->level[u] + 1; %s = (%s)v; }\n  }\n  return r + "
		"(u64)(e - %s);\n}\n",
		pointers ? "*e++" : "q[e++]", type, pointers ? "q" : "0");
}

/* The way to some place, and back. */
static void walk(struct gen *g, unsigned k, unsigned n, const char *type)
{
	put(g,
		"static u64 walk_%u(const struct ward_state *st, u32 x)\n{\n  %s path[%u];\n  u32 n = 0, u = x %% "
		"%uu;\n  u64 r = x;\n",
		k, type, n, n);
	put(g, "  WARD_BOUND(%u) while (n < %u && u != %u) {\n    path[n++] = (%s)u;\n    u = ", n + 1, n, below(g, n),
		type);
	step(g, n);
	put(g, ";\n  }\n");
	if (below(g, 2))
		put(g, "  for (u32 i = 0; i < n; i++) r = r * 31 + (u64)path[i];\n  return r;\n}\n");
	else
		put(g, "  WARD_BOUND(%u) while (n) r = r * 31 + (u64)path[--n];\n  return r;\n}\n", n + 1);
}

/* One element, and all from some place on. */
static void partly(struct gen *g, unsigned k, unsigned n, const char *type)
{
	unsigned one = below(g, n);

	put(g,
		"static u64 partly_%u(const struct ward_state *st, u32 x)\n{\n  %s of[%u];\n  u32 from = x %% %uu;\n  "
		"u64 r = 0;\n  of[%u] = %u;\n",
		k, type, n, n, one, below(g, 2) ? 0 : below(g, 100));
	put(g, "  for (u32 i = from; i < %u; i++) if (i != %u) of[i] = (%s)(x >> (i & 15));\n", n, one, type);
	put(g,
		"  of[%u] += (%s)st->sum;\n  for (u32 i = from; i < %u; i++) r = r * 31 + (u64)of[i];\n  return r + "
		"(u64)of[%u];\n}\n",
		one, type, n, one);
}

void queue_fields(struct gen *g)
{
	put(g, "  i32 level[%u];\n", MOST);
}

void queue_functions(struct gen *g)
{
	for (unsigned k = 0; k < QUEUES; k++) {
		unsigned n = below(g, MOST - 2) + 2;
		const char *type = types[below(g, 8)];

		spread(g, k, n, type);
		walk(g, k, below(g, 2) ? n : below(g, MOST - 2) + 2, below(g, 2) ? type : types[below(g, 8)]);
		partly(g, k, below(g, 2) ? n : below(g, MOST - 2) + 2, type);
	}
}

void queue_statement(struct gen *g)
{
	static const char *const functions[] = {"spread", "walk", "partly"};
	int k = g->names++;

	line(g);
	put(g, "for (u32 w%d = 0; w%d < %u; w%d++) {", k, k, below(g, 4) + 2, k);
	g->indent++;
	for (unsigned i = 0, n = below(g, 3) + 1, from = below(g, 3); i < n; i++) {
		line(g);
		put(g, "v%u %s %s_%u(st, w%d + (u32)(", below(g, LOCALS),
			below(g, 2) ? "+=" : "^=", functions[(from + i) % 3], below(g, QUEUES), k);
		expression(g, 2);
		put(g, "));");
		if (below(g, 3) == 0) {
			line(g);
			put(g, "st->sum += w%d;", k);
		}
	}
	g->indent--;
	line(g);
	put(g, "}");
}
