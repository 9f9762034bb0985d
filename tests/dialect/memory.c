/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of <string.h>: copies, moves, fills, compares and searches whose sizes and places are computed, and
 * loops that a compiler may turn into such calls. No size exceeds its object, and a string that is searched without a
 * length ends in its object.
 */
#include "gen.h"

static const struct array *any_array(struct gen *g)
{
	return &g->arrays[below(g, ARRAYS)];
}

/* A number from 0 to the C expression `most`, which is not negative. */
static void number_to(struct gen *g, const char *most)
{
	unsigned kind = below(g, 3);

	if (kind == 0)
		put(g, "(u32)((u64)(");
	else
		put(g, kind == 1 ? "limit((u64)(" : "(u32)limit((u32)(");
	expression(g, 2);
	put(g, kind ? "), %s)" : ") %% ((u64)(%s) + 1))", most);
}

/* Declares a place in the array, at, which is no name of a type as i8 would be, and n, a size from there on. */
static void declare_part(struct gen *g, int k, const struct array *a)
{
	char most[64];

	snprintf(most, sizeof(most), "sizeof(st->%s)", a->name);
	put(g, "u32 at%d = ", k);
	number_to(g, most);
	snprintf(most, sizeof(most), "sizeof(st->%s) - at%d", a->name, k);
	put(g, "; %s n%d = ", below(g, 2) ? "u32" : "u64", k);
	number_to(g, most);
	put(g, "; ");
}

static void smaller(char text[128], const struct array *a, const struct array *b)
{
	snprintf(text, 128, "sizeof(st->%s) < sizeof(st->%s) ? sizeof(st->%s) : sizeof(st->%s)", a->name, b->name,
		a->name, b->name);
}

static void copy_some(struct gen *g, int k)
{
	const struct array *a = any_array(g), *b = any_array(g);
	char most[128];

	switch (below(g, 5)) {
	case 0:
		put(g, "memcpy(st->%s, table, ", a->name);
		snprintf(most, sizeof(most), "sizeof(table) < sizeof(st->%s) ? sizeof(table) : sizeof(st->%s)", a->name,
			a->name);
		number_to(g, most);
		put(g, ");");
		break;
	case 1:
		put(g, "{ ");
		declare_part(g, k, a);
		put(g, "if (n%d <= sizeof(global)) memcpy(global, (u8 *)st->%s + at%d, n%d); }", k, a->name, k, k);
		break;
	case 2: /* towards and away from itself */
		put(g, "{ ");
		declare_part(g, k, a);
		put(g, "u32 j%d = ", k);
		snprintf(most, sizeof(most), "sizeof(st->%s) - n%d", a->name, k);
		number_to(g, most);
		put(g, "; memmove((u8 *)st->%s + j%d, (u8 *)st->%s + at%d, n%d); }", a->name, k, a->name, k, k);
		break;
	case 3: /* of elements that may be one */
		put(g, "if (st->pp) memmove(st->pp, &st->pairs[");
		index_below(g, g->pairs, 2);
		put(g, "], ");
		number_to(g, "sizeof(struct pair)");
		put(g, ");");
		break;
	default:
		smaller(most, a, b);
		put(g, "%s(st->%s, st->%s, ", a == b ? "memmove" : "memcpy", a->name, b->name);
		number_to(g, most);
		put(g, ");");
		break;
	}
}

/*
 * A local array, perhaps smaller than what a copy takes at once, of which one element has been stored at a place that
 * isn't known.
 */
static void copy_local(struct gen *g, int k)
{
	const struct array *a = any_array(g);
	unsigned n = below(g, 18) + 1;

	put(g, "{ u8 s%d[%u] = {%u}; s%d[(u64)v%u %% %u] = (u8)v%u; ", k, n, below(g, 256), k, below(g, LOCALS), n,
		below(g, LOCALS));
	put(g, "mem%s(st->%s, s%d, limit((u64)v%u %% %u, sizeof(st->%s))); }", below(g, 2) ? "cpy" : "move", a->name, k,
		below(g, LOCALS), n + 1, a->name);
}

static void fill_some(struct gen *g, int k)
{
	const struct array *a = any_array(g);

	put(g, "{ ");
	if (below(g, 3)) {
		declare_part(g, k, a);
		put(g, "memset((u8 *)st->%s + at%d, (i32)(", a->name, k);
		expression(g, 2);
		put(g, "), n%d); }", k);
		return;
	}
	put(g, "u8 t%d[%u] = {%u}; memset(t%d, %u, ", k, below(g, 60) + 1, below(g, 99), k, below(g, 256));
	put(g,
		"limit(v%u, sizeof(t%d))); memcpy(t%d, st->%s, limit(v%u, sizeof(t%d) < sizeof(st->%s) ? sizeof(t%d) : "
		"sizeof(st->%s))); v%u += t%d[sizeof(t%d) / 2] + t%d[0]; }",
		below(g, LOCALS), k, k, a->name, below(g, LOCALS), k, a->name, k, a->name, below(g, LOCALS), k, k, k);
}

static void compare_some(struct gen *g, int k)
{
	const struct array *a = any_array(g), *b = any_array(g);
	char most[128];

	switch (below(g, 4)) {
	case 0:
		smaller(most, a, b);
		put(g, "v%u += sign(memcmp(st->%s, st->%s, ", below(g, LOCALS), a->name, b->name);
		number_to(g, most);
		put(g, "));");
		break;
	case 1:
		put(g, "if (!memcmp(&st->words[");
		index_below(g, g->words, 2);
		put(g, "], &st->words[");
		index_below(g, g->words, 2);
		put(g, "], %u)) v%u ^= %u;", below(g, 9), below(g, LOCALS), below(g, 999));
		break;
	case 2:
		put(g, "{ ");
		declare_part(g, k, a);
		put(g, "v%u -= sign(strncmp((char *)st->%s + at%d, \"%s\", n%d)); }", below(g, LOCALS), a->name, k,
			below(g, 2) ? "abc" : "\\1", k);
		break;
	default:
		put(g,
			"((u8 *)st->%s)[sizeof(st->%s) - 1] = 0; ((u8 *)st->%s)[sizeof(st->%s) - 1] = 0; v%u += "
			"sign(strcmp((char *)st->%s, (char *)st->%s));",
			a->name, a->name, b->name, b->name, below(g, LOCALS), a->name, b->name);
		break;
	}
}

static void search_some(struct gen *g, int k)
{
	const struct array *a = any_array(g);

	put(g, "{ ");
	declare_part(g, k, a);
	switch (below(g, 4)) {
	case 0: put(g, "v%u += strnlen((char *)st->%s + at%d, n%d); }", below(g, LOCALS), a->name, k, k); break;
	case 1:
		put(g,
			"((u8 *)st->%s)[sizeof(st->%s) - 1] = 0; if (at%d < sizeof(st->%s)) v%u += strlen((char "
			"*)st->%s + at%d) * 3 + strnlen((char *)st->%s + at%d, 100 + n%d); }",
			a->name, a->name, k, a->name, below(g, LOCALS), a->name, k, a->name, k, k);
		break;
	case 2:
		put(g, "u8 *p%d = memchr((u8 *)st->%s + at%d, (i32)(", k, a->name, k);
		expression(g, 2);
		put(g, "), n%d); if (p%d) { *p%d += %u; v%u += p%d - (u8 *)st->%s; } }", k, k, k, below(g, 9),
			below(g, LOCALS), k, a->name);
		break;
	default:
		put(g, "((u8 *)st->%s)[sizeof(st->%s) - 1] = 0; char *p%d = %s((char *)st->%s, (i8)(", a->name, a->name,
			k, below(g, 2) ? "strchr" : "strrchr", a->name);
		expression(g, 2);
		put(g, ")); v%u += p%d ? p%d - (char *)st->%s : -1; }", below(g, LOCALS), k, k, a->name);
		break;
	}
}

void memory_statement(struct gen *g)
{
	int k = g->names++;

	switch (below(g, 4)) {
	case 0: below(g, 3) ? copy_some(g, k) : copy_local(g, k); break;
	case 1: fill_some(g, k); break;
	case 2: compare_some(g, k); break;
	default: search_some(g, k); break;
	}
}

/* What a compiler may know again. */
void memory_loop(struct gen *g)
{
	const struct array *a = any_array(g), *b = any_array(g);
	int k = g->names++;
	char most[128];

	put(g, "{ u8 *a%d = (u8 *)st->%s, *b%d = (u8 *)st->%s; u32 n%d = ", k, a->name, k, b->name, k);
	smaller(most, a, b);
	number_to(g, most);
	switch (below(g, 5)) {
	case 0:
		put(g, "; for (u32 k%d = 0; k%d < n%d; k%d++) a%d[k%d] = %u; }", k, k, k, k, k, k, below(g, 256));
		break;
	case 1: put(g, "; for (u32 k%d = 0; k%d < n%d; k%d++) a%d[k%d] = b%d[k%d]; }", k, k, k, k, k, k, k, k); break;
	case 2:
		put(g, "; u32 k%d = 0; while (k%d < n%d && a%d[k%d]) k%d++; v%u += k%d; }", k, k, k, k, k, k,
			below(g, LOCALS), k);
		break;
	case 3: put(g, "; while (n%d--) a%d[n%d] = b%d[n%d]; }", k, k, k, k, k); break;
	default:
		put(g, "; u32 k%d = 0; for (; k%d < n%d; k%d++) if (a%d[k%d] != b%d[k%d]) break; v%u ^= k%d; }", k, k,
			k, k, k, k, k, k, below(g, LOCALS), k);
		break;
	}
}
