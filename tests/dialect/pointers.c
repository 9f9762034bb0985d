/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers to things outside the state: strings, constants, shared and local variables. Those that are kept stand
 * first in the state, and each version has its own. The test compares which of them are set, and what is read through
 * them. fixed and own have three more elements than any pointer reaches, so four elements can be copied from wherever
 * a pointer leads.
 */
#include "gen.h"

enum { WORDS = 4, FIXED = 7, MOVABLE = 6, OWN = 8, MORE = 3 };

void pointer_types(struct gen *g)
{
	put(g, "static const i64 fixed[%u] = {", FIXED + MORE);
	for (unsigned i = 0; i < FIXED + MORE; i++)
		put(g, "%u, ", below(g, 5000));
	put(g, "};\nstatic i64 movable[%u] = {%u, %u};\n", MOVABLE + MORE, below(g, 99), below(g, 99));
	put(g,
		"static const char *word(u64 n) { switch (n %% 6) { case 0: return \"\"; case 1: return \"a\"; case 2: "
		"return \"two words\"; case 3: return \"three words, and a few more\"; case 4: return \"%u\"; default: "
		"return 0; } }\n",
		below(g, 99999));
}

void pointer_fields(struct gen *g)
{
	put(g, "  const char *name; i64 *at; const i64 *from; const void *any;\n  i64 own[%u];\n", OWN + MORE);
	g->keeps = true;
}

/* How many words of the state are pointers: for the test, not for the probe. */
void pointer_count(struct gen *g)
{
	put(g, "#ifndef SECOND_%u\nconst unsigned pointers_%u = %u;\n#endif\n", g->number, g->number, WORDS);
}

static void value(struct gen *g, const char *before, const char *after)
{
	put(g, "%s", before);
	expression(g, 2);
	put(g, "%s", after);
}

static void element(struct gen *g, const char *name, unsigned n)
{
	put(g, "&%s[", name);
	index_below(g, n, 2);
	put(g, "]");
}

/* Set one of them. */
static void keep(struct gen *g)
{
	switch (below(g, 7)) {
	case 0: value(g, "st->name = word((u64)(", "));"); break;
	case 1:
		put(g, "st->at = ");
		element(g, "movable", MOVABLE);
		put(g, ";");
		break;
	case 2:
		value(g, "st->at = (", ") & 1 ? ");
		element(g, "movable", MOVABLE);
		put(g, " : ");
		element(g, "st->own", OWN);
		put(g, ";");
		break;
	case 3:
		put(g, "st->from = ");
		element(g, "fixed", FIXED);
		put(g, ";");
		break;
	case 4:
		value(g, "st->from = (", ") > 3 ? ");
		element(g, "fixed", FIXED);
		put(g, " : ");
		element(g, "st->own", OWN);
		put(g, ";");
		break;
	case 5: put(g, "st->any = st->%s;", below(g, 2) ? "at" : "from"); break;
	default: put(g, "st->from = st->at;"); break;
	}
}

static void follow(struct gen *g, int k)
{
	unsigned v = below(g, LOCALS);

	switch (below(g, 9)) {
	case 0: put(g, "if (st->name) v%u += (i64)strlen(st->name) * 3 + *st->name;", v); break;
	case 1: put(g, "if (st->name) v%u ^= strcmp(st->name, \"two words\") == 0;", v); break;
	case 2:
		put(g, "WARD_BOUND(64) for (const char *p%d = st->name; p%d && *p%d; p%d++) v%u = v%u * 31 + *p%d;", k,
			k, k, k, v, v, k);
		break;
	case 3: value(g, "if (st->at) *st->at += ", ";"); break;
	case 4: put(g, "if (st->from) v%u += *st->from - st->from[%u];", v, below(g, MORE + 1)); break;
	case 5: put(g, "if (st->any) { i64 w%d; memcpy(&w%d, st->any, 8); v%u ^= w%d; }", k, k, v, k); break;
	case 6: put(g, "if (st->from) memmove(st->own, st->from, %u);", (MORE + 1) * 8); break;
	case 7: put(g, "if (st->at == st->own + %u) v%u++;", below(g, OWN), v); break;
	default:
		put(g, "if (st->at) { struct { i64 *p; i64 n; } s%d = {st->at, ", k);
		expression(g, 2);
		put(g, "}, t%d[2] = {s%d, s%d}; t%d[", k, k, k, k);
		index_below(g, 2, 2);
		put(g, "].n ^= 5; *t%d[", k);
		index_below(g, 2, 2);
		put(g, "].p += t%d[0].n; }", k);
		break;
	}
}

/* An array of pointers that is local. */
static void local_array(struct gen *g, int k)
{
	put(g, "{ i64 l%d[2] = {%u}, m%d = ", k, below(g, 99), k);
	expression(g, 2);
	put(g, "; i64 *q%d[4] = {", k);
	element(g, "st->own", OWN);
	put(g, ", ");
	if (below(g, 2))
		element(g, "movable", MOVABLE);
	else
		put(g, "&m%d", k);
	put(g, ", &m%d, &l%d[1]}; *q%d[", k, k, k);
	index_below(g, 4, 2);
	put(g, "] += ");
	expression(g, 2);
	put(g, "; v%u ^= l%d[1] + m%d; }", below(g, LOCALS), k, k);
}

void pointer_statement(struct gen *g)
{
	int k = g->names++;

	line(g);
	switch (below(g, 7)) {
	case 0: local_array(g, k); break;
	case 1:
	case 2: keep(g); break;
	default: follow(g, k); break;
	}
}
