/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other forms of data and control than arrays of numbers and plain loops. As in generate.c, everything is defined and
 * nothing may stop a run: a pointer in the state is set to an element or to null, and used only if it isn't null.
 */
#include "gen.h"

static const char *const pair_fields[] = {"x", "y", "z", "w", "in.p", "in.q"};
static const char *const bit_fields[] = {"a", "b", "c", "d", "e"};
static const char *const ops[] = {"=", "+=", "-=", "^=", "|=", "*="};

static const char *any(struct gen *g, const char *const *of, unsigned n)
{
	return of[below(g, n)];
}

void form_sizes(struct gen *g)
{
	g->pairs = below(g, 9) + 1;
	g->words = below(g, 9) + 1;
	g->rows = below(g, 6) + 1;
	g->columns = below(g, 7) + 1;
	g->globals = below(g, 20) + 1;
	g->odds = below(g, 20) + 1;
	g->odd = below(g, 3) ? below(g, 40) + 1 : 1u << (below(g, 4) + 2);
	g->odd -= g->odd > 3 && below(g, 2) ? below(g, 2) + 1 : 0;
}

void form_types(struct gen *g)
{
	put(g, "struct odd { u8 b[%u]; };\n", g->odd);
	put(g, "struct pair { i32 x; u16 y; i8 z; u64 w; struct { u8 p; i16 q; } in; };\n"
	       "union word { u64 w; i64 s; u32 h[2]; u16 q[4]; u8 b[8]; };\n"
	       "struct bits { u32 a : 5, b : 11, c : 16; i32 d : 7; i64 e : 40; };\n"
	       "enum kind { NONE, SOME = 3, MANY = 77, FAR = -5 };\n");
}

void form_fields(struct gen *g)
{
	put(g, "  struct odd odds[%u], *odd;\n", g->odds);
	put(g,
		"  struct pair pairs[%u];\n  union word words[%u];\n  struct bits bits;\n  i32 grid[%u][%u];\n  _Bool "
		"flag;\n  enum kind kind;\n",
		g->pairs, g->words, g->rows, g->columns);
	put(g, "  %s *pa;\n  %s *pb;\n  struct pair *pp;\n  union word *pw;\n", g->arrays[0].type, g->arrays[1].type);
}

void form_helpers(struct gen *g)
{
	put(g,
		"static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {%u, 400}, {0, -30000}, {4000000000u, "
		"%u}};\n",
		below(g, 99999), below(g, 999));
	put(g, "static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {%u, 0, 32767, -32768}};\n",
		below(g, 999));
	put(g, "static const i16 *const waves[4] = {wave[%u], wave[0], wave[2], wave[1]};\n", below(g, 3));
	put(g,
		"static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } "
		"links[4] = {{\"alpha\", wave[%u], &links[1], %u}, {\"\", wave[1], 0, 9}, {0, 0, &links[3], 12}, "
		"{\"omega!\", wave[2], &links[%u], 4}};\n",
		below(g, 3), below(g, 999), below(g, 4));
	put(g,
		"static struct pair known[3] = {{%u, 2, -3, 4, {5, -6}}, {.w = %u, .in.q = -77}};\nstatic union word "
		"join = {.q = {1, %u, 3}};\n"
		"static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {%u, {.y = 9}, \"probe\", "
		"{{1, 2, 3}, {-1}}};\n",
		below(g, 99999), below(g, 999), below(g, 999), below(g, 99));
	put(g, "static %s global[%u] = {%u};\n", types[below(g, 8)], g->globals, below(g, 99));
	put(g,
		"static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }\n"
		"static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }\n"
		"static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & "
		"0x00ff00ff00ff00ff; }\n"
		"static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }\n"
		"static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }\n"
		"static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }\n"
		"static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? "
		"a ^ b : r; }\n"
		"static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + %u : r; }\n"
		"static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; "
		"}\n"
		"static i32 sign(i32 x) { return (x > 0) - (x < 0); }\n"
		"_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, \"\");\n"
		"static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }\n"
		"static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w "
		"| 1; a.in = b.in; return a; }\n"
		"static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }\n"
		"static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : "
		"&st->pairs[n %% sizeof(st->pairs) %% (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }\n",
		below(g, 99));
}

/* ---- expressions ---- */

/* Of a constant that holds addresses. */
static void link_leaf(struct gen *g, unsigned depth, const char *what)
{
	put(g, "({ const struct link *l = &links[");
	index_below(g, 4, depth);
	put(g, "]; %s; })", what);
}

void form_leaf(struct gen *g, unsigned depth)
{
	switch (below(g, 20)) {
	case 18:
	case 19:
		put(g, "st->odds[");
		index_below(g, g->odds, depth);
		put(g, "].b[");
		index_below(g, g->odd, depth);
		put(g, "]");
		break;
	case 15:
		put(g, "known[");
		index_below(g, 3, depth);
		put(g, "].%s", any(g, pair_fields, 6));
		break;
	case 16: put(g, "config.%s", below(g, 3) == 0 ? "n" : below(g, 2) ? "name[3]" : "odd[1][2]"); break;
	case 17:
		put(g, "mix((struct pair){.x = (i32)(");
		expression(g, depth + 1);
		put(g, "), .w = join.w}, st->pairs[");
		index_below(g, g->pairs, depth);
		put(g, "]).%s", any(g, pair_fields, 6));
		break;
	case 0:
		put(g, "st->pairs[");
		index_below(g, g->pairs, depth);
		put(g, "].%s", any(g, pair_fields, 6));
		break;
	case 1: {
		static const char *const views[] = {"w", "s", "h[1]", "q[2]", "b[7]", "b[0]"};

		put(g, "st->words[");
		index_below(g, g->words, depth);
		put(g, "].%s", any(g, views, 6));
		break;
	}
	case 2: put(g, "(i64)st->bits.%s", any(g, bit_fields, 5)); break;
	case 3:
		put(g, "st->grid[");
		index_below(g, g->rows, depth);
		put(g, "][");
		index_below(g, g->columns, depth);
		put(g, "]");
		break;
	case 4: put(g, "(st->pa ? *st->pa : %u)", below(g, 9)); break;
	case 5: put(g, "(st->pb ? (i64)(st->pb - st->%s) : -1)", g->arrays[1].name); break;
	case 6: put(g, "(st->pp ? st->pp->%s : %u)", any(g, pair_fields, 6), below(g, 9)); break;
	case 7:
		put(g, "rows[");
		index_below(g, 4, depth);
		put(g, "].%s", below(g, 2) ? "a" : "b");
		break;
	case 8:
		put(g, "wave[");
		index_below(g, 3, depth);
		put(g, "][");
		index_below(g, 4, depth);
		put(g, "]");
		break;
	case 9:
		put(g, "global[");
		index_below(g, g->globals, depth);
		put(g, "]");
		break;
	case 10:
		put(g, "(st->pw ? st->pw->h[");
		index_below(g, 2, depth);
		put(g, "] : 7)");
		break;
	case 11:
		put(g, "waves[");
		index_below(g, 4, depth);
		put(g, "][");
		index_below(g, 4, depth);
		put(g, "]");
		break;
	case 12: link_leaf(g, depth, "l->word ? l->word[0] : 1"); break;
	case 13:
		link_leaf(g, depth,
			below(g, 2) ? "l->next ? (i64)l->next->n : -1"
				    : "l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n");
		break;
	default: put(g, below(g, 2) ? "st->flag" : "(i64)st->kind"); break;
	}
}

void form_trick(struct gen *g, unsigned depth)
{
	static const char *const one[] = {"spread((u64)(", "(i64)__builtin_parityll((u64)(",
		"(i64)__builtin_ffsll((i64)(", "(i64)(~(u64)(", "(i64)(-(u64)(", "(i64)(!(",
		"(i64)__builtin_bswap16((u16)(", "(i64)__builtin_clz(1 | (u32)(",
		"(i64)__builtin_ctz(1u << 31 | (u32)(", "(i64)__builtin_expect(!!("};
	static const char *const two[] = {"turn((u64)(", "(i64)turn32((u32)(", "adds((u64)(", "subs((i64)(",
		"high((u64)(", "mul((i64)(", "add32((u32)(", "sub16((i64)("};
	unsigned kind = below(g, 19);

	if (kind < 10) {
		put(g, "%s", one[kind]);
		expression(g, depth + 1);
		put(g, kind == 9 ? "), %u)" : "))", below(g, 2));
	} else if (kind < 18) {
		put(g, "%s", two[kind - 10]);
		expression(g, depth + 1);
		put(g, "), (i64)(");
		expression(g, depth + 1);
		put(g, "))");
	} else {
		put(g, "pick((i64)(");
		expression(g, depth + 1);
		put(g, "), -%u, %u)", below(g, 999), below(g, 9999));
	}
}

/* ---- statements ---- */

static void set_pointer(struct gen *g)
{
	unsigned kind = below(g, 5);

	if (below(g, 4) == 0) {
		put(g, "st->%s = 0;", kind == 0 ? "pa" : kind == 1 ? "pb" : kind == 2 ? "pp" : "pw");
		return;
	}
	switch (kind) {
	case 0:
	case 1:
		put(g, "st->%s = &st->%s[", kind ? "pb" : "pa", g->arrays[kind].name);
		index_below(g, g->arrays[kind].n, 2);
		break;
	case 2:
		put(g, "st->pp = &st->pairs[");
		index_below(g, g->pairs, 2);
		break;
	case 3:
		put(g, "st->pw = &st->words[");
		index_below(g, g->words, 2);
		break;
	default:
		put(g, "st->pp = chosen(st, (u64)(");
		expression(g, 2);
		put(g, "));");
		return;
	}
	put(g, "];");
}

static void use_pointer(struct gen *g)
{
	switch (below(g, 4)) {
	case 0: put(g, "if (st->pa) *st->pa %s ", any(g, ops, 6)); break;
	case 1: put(g, "if (st->pb && st->pb != &st->%s[0]) *st->pb %s ", g->arrays[1].name, any(g, ops, 6)); break;
	case 2: put(g, "if (st->pp) st->pp->%s %s ", any(g, pair_fields, 6), any(g, ops, 6)); break;
	default:
		put(g, "if (st->pw) st->pw->b[");
		index_below(g, 8, 2);
		put(g, "] %s ", any(g, ops, 6));
		break;
	}
	expression(g, 1);
	put(g, ";");
}

static void set_field(struct gen *g)
{
	switch (below(g, 8)) {
	case 7:
		if (below(g, 3) == 0) {
			put(g, "st->odd = &st->odds[");
			index_below(g, g->odds, 2);
			put(g, "]; { struct odd t = *st->odd; st->odds[");
			index_below(g, g->odds, 2);
			put(g, "] = t; } if (st->odd) st->odd->b[%u] ^= ", below(g, g->odd));
			break;
		}
		put(g, "st->odds[");
		index_below(g, g->odds, 2);
		put(g, "].b[");
		index_below(g, g->odd, 2);
		put(g, "] %s ", any(g, ops, 6));
		break;
	case 0:
		put(g, "st->pairs[");
		index_below(g, g->pairs, 2);
		put(g, "].%s %s ", any(g, pair_fields, 6), any(g, ops, 6));
		break;
	case 1:
		put(g, "st->words[");
		index_below(g, g->words, 2);
		put(g, "].q[");
		index_below(g, 4, 2);
		put(g, "] %s ", any(g, ops, 6));
		break;
	case 2: put(g, "st->bits.%s %s ", any(g, bit_fields, 5), any(g, ops, 6)); break;
	case 3:
		put(g, "st->grid[");
		index_below(g, g->rows, 2);
		put(g, "][");
		index_below(g, g->columns, 2);
		put(g, "] %s ", any(g, ops, 6));
		break;
	case 4:
		put(g, "global[");
		index_below(g, g->globals, 2);
		put(g, "] %s ", any(g, ops, 6));
		break;
	case 5: put(g, "st->flag = "); break;
	default:
		put(g, "st->kind = (");
		expression(g, 2);
		put(g, ") & 1 ? MANY : ");
		put(g, "%s;", below(g, 2) ? "SOME" : "FAR");
		return;
	}
	expression(g, 1);
	put(g, ";");
}

/* Copies of constant size: whole objects, parts of them, to the stack and back. */
static void copy(struct gen *g)
{
	const struct array *a = &g->arrays[below(g, ARRAYS)], *b = &g->arrays[below(g, ARRAYS)];
	int k = g->names++;

	switch (below(g, 7)) {
	case 0:
		put(g, "st->pairs[");
		index_below(g, g->pairs, 2);
		put(g, "] = st->pairs[");
		index_below(g, g->pairs, 2);
		put(g, "];");
		break;
	case 1:
		put(g, "{ struct pair a%d = st->pairs[", k);
		index_below(g, g->pairs, 2);
		put(g, "], b%d = {.x = (i32)(", k);
		expression(g, 2);
		put(g, "), .w = %u}; st->pairs[", below(g, 999));
		index_below(g, g->pairs, 2);
		put(g, "] = mix(a%d, b%d); }", k, k);
		break;
	case 2: put(g, "__builtin_memset(st->%s, %u, sizeof(st->%s));", a->name, below(g, 256), a->name); break;
	case 3:
		if (a == b)
			put(g, "__builtin_memmove(st->%s, st->%s, sizeof(st->%s[0]));", a->name, a->name, a->name);
		else
			put(g,
				"__builtin_memcpy(st->%s, st->%s, sizeof(st->%s) < sizeof(st->%s) ? sizeof(st->%s) : "
				"sizeof(st->%s));",
				a->name, b->name, a->name, b->name, a->name, b->name);
		break;
	case 4:
		put(g, "{ union word t%d; u64 from%d = (u64)(", k, k);
		expression(g, 2);
		put(g, "); __builtin_memcpy(&t%d, &from%d, 8); t%d.q[", k, k, k);
		index_below(g, 4, 2);
		put(g, "] ^= 0x55; v%u ^= t%d.w; }", below(g, LOCALS), k);
		break;
	case 5: put(g, "__builtin_memset(&st->grid[0], %u, sizeof(st->grid[0]));", below(g, 3)); break;
	default:
		put(g, "__builtin_memcpy(&st->words[0], &st->pairs[");
		index_below(g, g->pairs, 2);
		put(g, "], 8);");
		break;
	}
}

/* An array on the stack, written and read at indices that are computed. */
static void scratch(struct gen *g)
{
	int k = g->names++;
	unsigned n = below(g, 14) + 2;

	put(g, "{ %s t%d[%u] = {%u, %u}; t%d[", types[below(g, 8)], k, n, below(g, 99), below(g, 99), k);
	index_below(g, n, 2);
	put(g, "] %s ", any(g, ops, 6));
	expression(g, 2);
	put(g, "; v%u %s t%d[", below(g, LOCALS), any(g, ops, 6), k);
	index_below(g, n, 2);
	put(g, "]; }");
}

/* A value far from 0, values far from each other, and a table that a compiler may make of constants. */
static void sparse(struct gen *g)
{
	unsigned base = below(g, 1000000), n = below(g, 6) + 2;

	put(g, "switch ((u32)(");
	expression(g, 1);
	put(g, ") %% %uu + %uu) {", n + 1, base);
	for (unsigned i = 0; i < n; i++)
		put(g, " case %uu: v%u %s %u; %s", base + i, below(g, LOCALS), any(g, ops, 6), below(g, 99999),
			below(g, 5) ? "break;" : "");
	put(g, " default: v1 ^= 3; }");
	line(g);
	put(g, "switch ((i16)(");
	expression(g, 2);
	put(g, ")) { case -1: case 7 ... 19: v0 += 5; break; case 300: v2 = v1; case -32768: v3--; break; }");
}

static void by_address(struct gen *g)
{
	int k = g->names++;

	put(g, "{ i64 t%d = (i64)(", k);
	expression(g, 2);
	put(g, "); bump(&t%d, v%u); bump(%s, t%d); }", k, below(g, LOCALS), below(g, 2) ? "&shared" : "(i64 *)&st->sum",
		k);
}

/* Out of the middle of something, forward. */
static void leave(struct gen *g, unsigned depth)
{
	int k = g->names++;

	put(g, "if (");
	expression(g, 2);
	put(g, ") goto out%d;", k);
	if (depth < 2)
		block(g, depth + 1);
	line(g);
	put(g, "if (");
	expression(g, 2);
	put(g, " && v0) goto out%d;", k);
	line(g);
	put(g, "v%u++;", below(g, LOCALS));
	line(g);
	put(g, "out%d:;", k);
}

/*
 * Variables of the module beyond numbers: structs and unions that begin with something, and such as only one function
 * sees.
 */
static void module_variable(struct gen *g)
{
	int k = g->names++;

	switch (below(g, 4)) {
	case 0:
		put(g, "known[");
		index_below(g, 3, 2);
		put(g, "].%s %s ", any(g, pair_fields, 6), any(g, ops, 6));
		break;
	case 1:
		put(g, "config.%s[", below(g, 2) ? "name" : "odd[1]");
		index_below(g, 3, 2);
		put(g, "] %s ", any(g, ops, 6));
		break;
	case 2: put(g, "config.p = known[2], join.%s %s ", below(g, 2) ? "w" : "b[5]", any(g, ops, 6)); break;
	default:
		put(g, "{ static i64 s%d = %u; static u16 t%d[5] = {1, %u}; s%d += t%d[", k, below(g, 99), k,
			below(g, 99), k, k);
		index_below(g, 5, 2);
		put(g, "]; t%d[", k);
		index_below(g, 5, 2);
		put(g, "] ^= s%d; v%u -= s%d; } config.n %s ", k, below(g, LOCALS), k, any(g, ops, 6));
		break;
	}
	expression(g, 2);
	put(g, ";");
}

void form_statement(struct gen *g, unsigned depth)
{
	line(g);
	switch (below(g, 19)) {
	case 17:
	case 18: backward_statement(g); break;
	case 15:
	case 16: module_variable(g); break;
	case 12:
	case 13:
	case 14: memory_statement(g); break;
	case 0:
	case 1: set_pointer(g); break;
	case 2:
	case 3: use_pointer(g); break;
	case 4:
	case 5: set_field(g); break;
	case 6:
	case 7: copy(g); break;
	case 8: scratch(g); break;
	case 9: sparse(g); break;
	case 10: by_address(g); break;
	default: leave(g, depth); break;
	}
}

/* ---- loops ---- */

/* Two entrances: the second comes into the middle. */
static void entwined(struct gen *g)
{
	int k = g->names++;

	put(g, "{ u32 n%d = (u32)(", k);
	expression(g, 2);
	put(g, ") %% 9u; if (v0 & 1) goto in%d;", k);
	line(g);
	put(g, "top%d: v1 += n%d;", k, k);
	line(g);
	put(g, "in%d: v2 ^= n%d; if (n%d-- > 1) { if (v2 & 2) goto top%d; goto in%d; } }", k, k, k, k, k);
}

/* A loop that a state leads through, and that its cases leave, go on with, or fall out of. */
static void machine(struct gen *g, int k)
{
	unsigned n = below(g, 5) + 2;

	put(g, "{ u32 s%d = 0; WARD_BOUND(32) for (u32 k%d = 0; ; k%d++) { if (k%d > %u) break; switch (s%d) {", k, k,
		k, k, below(g, 20), k);
	for (unsigned i = 0; i < n; i++) {
		static const char *const ends[] = {
			"break;", "continue;", "", "if (v0 & 1) break; continue;", "goto done%d;"};
		const char *end = i + 1 < n ? ends[below(g, 5)] : "break;";

		line(g);
		put(g, "  case %u: s%d = (u32)(", i, k);
		expression(g, 2);
		put(g, ") %% %uu; v%u %s %u; ", n + 1, below(g, LOCALS), any(g, ops, 6), below(g, 999));
		put(g, end, k);
	}
	line(g);
	put(g, "  default: v%u--; s%d = 0; } v%u += s%d; } done%d:; }", below(g, LOCALS), k, below(g, LOCALS), k, k);
}

/* Loops at once within each other, some with bounds of their own, whose heads a compiler may put into one. */
static void nest(struct gen *g, int k)
{
	put(g, "{ u32 n%d = (u32)(", k);
	expression(g, 2);
	put(g, ") & 15, m%d = 0; WARD_BOUND(16) while (n%d) { WARD_BOUND(40) while (m%d & %u) { m%d--; v%u += m%d; } ",
		k, k, k, below(g, 2) ? 7 : 3, k, below(g, LOCALS), k);
	if (below(g, 2))
		put(g, "if (v%u == n%d) break; ", below(g, LOCALS), k);
	put(g,
		"m%d += %u; n%d--; for (i32 j%d = %u; j%d > 0; j%d -= 2) for (u32 i%d = 0; i%d < n%d; i%d++) v%u ^= "
		"i%d * j%d; } }",
		k, below(g, 9), k, k, below(g, 9), k, k, k, k, k, k, below(g, LOCALS), k, k);
}

void form_loop(struct gen *g, unsigned depth)
{
	const struct array *a = &g->arrays[below(g, ARRAYS)];
	int k = g->names++;

	line(g);
	switch (below(g, 11)) {
	case 10: backward_loop(g); break;
	case 9: /* of which nobody says how often it goes round: 127 times at most */
		put(g, "{ u64 n%d = (u64)(", k);
		expression(g, 2);
		put(g, ") & 255; for (;;) { if (n%d < 2) break; n%d = n%d & 1 ? n%d * 3 + 1 : n%d / 2; v%u += n%d; } }",
			k, k, k, k, k, below(g, LOCALS), k);
		break;
	case 6: memory_loop(g); break;
	case 7: machine(g, k); break;
	case 8: nest(g, k); break;
	case 0:
		put(g, "{ u32 k%d = 0; do {", k);
		g->loops++;
		g->indent++;
		block(g, depth + 1);
		g->indent--;
		g->loops--;
		line(g);
		put(g, "} while (++k%d < (u32)((", k);
		expression(g, 2);
		put(g, ") & 7)); }");
		break;
	case 1: /* a triangle */
		put(g,
			"for (u32 k%d = 0; k%d < %u; k%d++) for (u32 j%d = k%d; j%d < %u; j%d++) st->grid[k%d][j%d] += "
			"(i32)(",
			k, k, g->rows, k, k, k, k, g->columns, k, k, k);
		expression(g, 2);
		put(g, ");");
		break;
	case 2: /* two counters towards each other */
		put(g,
			"for (i32 k%d = 0, j%d = %u; k%d < j%d; k%d++, j%d--) { %s t%d = st->%s[k%d]; st->%s[k%d] = "
			"st->%s[j%d]; st->%s[j%d] = t%d; }",
			k, k, a->n - 1, k, k, k, k, a->type, k, a->name, k, a->name, k, a->name, k, a->name, k, k);
		break;
	case 3: /* a search that may find nothing */
		put(g, "{ u32 k%d; for (k%d = 0; k%d < %u; k%d++) if (st->%s[k%d] == (%s)(", k, k, k, a->n, k, a->name,
			k, a->type);
		expression(g, 2);
		put(g, ")) break; if (k%d < %u) st->%s[k%d]++; else v%u--; }", k, a->n, a->name, k, below(g, LOCALS));
		break;
	case 4: /* bits that are set */
		put(g, "WARD_BOUND(64) for (u64 k%d = (u64)(", k);
		expression(g, 2);
		put(g, "); k%d; k%d &= k%d - 1) v%u += __builtin_ctzll(k%d);", k, k, k, below(g, LOCALS), k);
		break;
	default: entwined(g); break;
	}
}
