/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program is a state of arrays, scalars and linked nodes, some constant tables and globals, a few helper functions,
 * and one probe function, or sometimes two. A helper may call those before it, or have an array of its own
 * (queues.c).
 *
 * Everything is defined. Shifts and indices are masked, reduced modulo a size, or compared first. Divisors are made
 * non-zero. Signed overflow wraps by the flags of both compilers. Nodes point to later nodes only, so that lists end.
 * Loops that count by data are short. The compiler must guard what it can't prove of that, and no guard may ever stop
 * a run.
 */
#include "generate.h"

#include <stdarg.h>
#include <stdlib.h>

#include "gen.h"

enum { MAX_DEPTH = 4, FUNCTIONS = 3, CALLS = 4 };

const char *const types[8] = {"u64", "i64", "u32", "i32", "u16", "i16", "u8", "i8"};

static uint64_t bits(struct gen *g)
{
	g->s ^= g->s << 13;
	g->s ^= g->s >> 7;
	g->s ^= g->s << 17;
	return g->s * 0x2545f4914f6cdd1du >> 11;
}

unsigned below(struct gen *g, unsigned n)
{
	return (unsigned)(bits(g) % n);
}

void put(struct gen *g, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(g->out, fmt, args);
	va_end(args);
}

void line(struct gen *g)
{
	put(g, "\n%*s", (int)g->indent * 2, "");
}

/* ---- expressions ---- */

/* An index that is below n. */
void index_below(struct gen *g, unsigned n, unsigned depth)
{
	unsigned power = 1;

	while (power * 2 <= n)
		power *= 2;
	switch (below(g, 4)) {
	case 0: put(g, "%u", below(g, n)); break;
	case 1:
		put(g, "((u64)(");
		expression(g, depth + 1);
		put(g, ") %% %uu)", n);
		break;
	case 2:
		put(g, "limit((u64)(");
		expression(g, depth + 1);
		put(g, "), %u)", n - 1);
		break;
	default:
		put(g, "((");
		expression(g, depth + 1);
		put(g, ") & %u)", power - 1);
		break;
	}
}

static void leaf(struct gen *g, unsigned depth)
{
	const struct array *a = &g->arrays[below(g, 5)];
	static const char *const constants[] = {
		"0", "1", "-1", "255", "0x7fffffff", "0x80000000u", "0xffffffffu", "0x7fffffffffffffff", "4096", "31"};

	switch (below(g, 12)) {
	case 0: put(g, "%s", constants[below(g, 10)]); break;
	case 1: put(g, "(i64)0x%llx", (unsigned long long)(bits(g) >> below(g, 53))); break;
	case 2: put(g, "ev->arg[%u]", below(g, 6)); break;
	case 3:
		put(g, "st->%s[", a->name);
		index_below(g, a->n, depth);
		put(g, "]");
		break;
	case 4:
		put(g, "table[");
		index_below(g, g->table, depth);
		put(g, "]");
		break;
	case 5: put(g, below(g, 2) ? "shared" : "st->sum"); break;
	case 7:
		if (g->other && below(g, 3) == 0) {
			put(g, "(tally_%u ^ scale_%u[", g->number, g->number);
			index_below(g, 4, depth);
			put(g, "])");
			break;
		} /* fall through */
	case 8: form_leaf(g, depth); break;
	case 6:
		if (g->n_counters) {
			put(g, "k%d", g->counters[below(g, (unsigned)g->n_counters)]);
			break;
		} /* fall through */
	default: put(g, "v%u", below(g, LOCALS)); break;
	}
}

static void binary(struct gen *g, unsigned depth, const char *op)
{
	put(g, "(");
	expression(g, depth + 1);
	put(g, " %s ", op);
	expression(g, depth + 1);
	put(g, ")");
}

void expression(struct gen *g, unsigned depth)
{
	static const char *const plain[] = {"+", "-", "*", "&", "|", "^"}, *const compare[] = {
										   "<", "<=", ">", ">=", "==", "!="};
	static const char *const builtins[] = {"__builtin_popcountll((u64)(", "__builtin_clzll(1 | (u64)(",
		"__builtin_ctzll(1ull << 63 | (u64)(", "(i64)__builtin_bswap64((u64)(", "(i64)__builtin_bswap32((u32)(",
		"__builtin_popcount((u32)("};
	unsigned kind = depth >= MAX_DEPTH ? 0 : below(g, 18);

	if (kind < 4) {
		leaf(g, depth);
	} else if (kind < 8) {
		binary(g, depth, plain[below(g, 6)]);
	} else if (kind == 8) {
		binary(g, depth, compare[below(g, 6)]);
	} else if (kind == 9) {
		put(g, "(i64)(%s)(", types[below(g, 8)]);
		expression(g, depth + 1);
		put(g, ")");
	} else if (kind == 10) { /* the first operand's type decides: 64 bits */
		put(g, "((%s)(", below(g, 2) ? "u64" : "i64");
		expression(g, depth + 1);
		put(g, ") %s ((", below(g, 2) ? ">>" : "<<");
		expression(g, depth + 1);
		put(g, ") & 63))");
	} else if (kind == 11) {
		put(g, "((%s)(", types[below(g, 8)]);
		expression(g, depth + 1);
		put(g, ") %s (i64)(((", below(g, 2) ? "/" : "%");
		expression(g, depth + 1);
		put(g, ") & 0xffff) + 1))");
	} else if (kind == 12) {
		put(g, "divide_%c((u64)(", "qr"[below(g, 2)]);
		expression(g, depth + 1);
		put(g, "), (u64)(");
		expression(g, depth + 1);
		put(g, "))");
	} else if (kind == 13) {
		put(g, "(");
		expression(g, depth + 1);
		put(g, " ? ");
		expression(g, depth + 1);
		put(g, " : ");
		expression(g, depth + 1);
		put(g, ")");
	} else if (kind == 14) {
		put(g, "%s", builtins[below(g, 6)]);
		expression(g, depth + 1);
		put(g, "))");
	} else if (kind == 15) {
		form_trick(g, depth);
	} else if (kind == 16) {
		binary(g, depth, below(g, 2) ? "&&" : "||");
	} else {
		leaf(g, depth);
	}
}

/* ---- statements ---- */

static void assign(struct gen *g)
{
	const struct array *a = &g->arrays[below(g, 5)];
	static const char *const ops[] = {"=", "+=", "-=", "^=", "|=", "*="};

	line(g);
	switch (below(g, 5)) {
	case 0: put(g, "st->sum %s ", ops[below(g, 6)]); break;
	case 1:
	case 2:
		put(g, "st->%s[", a->name);
		index_below(g, a->n, 1);
		put(g, "] %s ", ops[below(g, 6)]);
		break;
	case 3:
		if (g->other && below(g, 2))
			put(g, "tally_%u", g->number);
		else
			put(g, "shared");
		put(g, " %s ", ops[below(g, 6)]);
		break;
	default: put(g, "v%u %s ", below(g, LOCALS), ops[below(g, 6)]); break;
	}
	expression(g, 1);
	put(g, ";");
}

/* A call stands alone: C doesn't say whether what it changes is read before it or after. */
static void call(struct gen *g)
{
	line(g);
	if (!g->function && !g->other) {
		put(g, "v0++;");
		return;
	}
	if (g->calls && below(g, 2)) {
		put(g, "v%u += calls[", below(g, LOCALS));
		index_below(g, CALLS, 1);
		put(g, "](ev, st, (i64)(");
	} else if (!g->function || (g->other && below(g, 3) == 0))
		put(g, "v%u += other_%u(ev, st, (i64)(", below(g, LOCALS), g->number);
	else
		put(g, "v%u += f%u(ev, st, (i64)(", below(g, LOCALS), below(g, g->function));
	expression(g, 2);
	put(g, "), (u32)(");
	expression(g, 2);
	put(g, "));");
}

/* A table of the helper functions, which the probe functions call some of them by. */
static void call_table(struct gen *g)
{
	put(g, "static i64 (*%scalls[])(const struct ward_event *, struct ward_state *, i64, u32) = {",
		below(g, 2) ? "const " : "");
	for (unsigned i = 0; i < CALLS; i++)
		put(g, "f%u, ", below(g, FUNCTIONS));
	put(g, "};\n");
	g->calls = true;
}

/* What comes after an index was compared. */
static void compared(struct gen *g, unsigned depth)
{
	const struct array *a = &g->arrays[below(g, 5)];
	int name = g->names++;
	bool is_signed = below(g, 2);

	line(g);
	put(g, "%s x%d = (%s)(", is_signed ? "i32" : "u64", name, is_signed ? "i32" : "u64");
	expression(g, 1);
	put(g, ");");
	line(g);
	if (is_signed)
		put(g, "if (x%d >= 0 && x%d < %u) {", name, name, a->n);
	else
		put(g, "if (x%d < %u) {", name, a->n);
	g->indent++;
	line(g);
	put(g, "st->%s[x%d] += ", a->name, name);
	expression(g, 2);
	put(g, ";");
	if (depth < 2)
		block(g, depth + 1);
	g->indent--;
	line(g);
	put(g, "}");
}

static void body(struct gen *g, unsigned depth, int counter)
{
	bool known = counter >= 0 && g->n_counters < 8;

	put(g, " {");
	g->indent++;
	g->loops++;
	if (known)
		g->counters[g->n_counters++] = counter;
	block(g, depth + 1);
	if (below(g, 3) == 0) {
		line(g);
		put(g, "if (");
		expression(g, 2);
		put(g, ") %s;", below(g, 2) ? "break" : "continue");
	}
	if (known)
		g->n_counters--;
	g->loops--;
	g->indent--;
	line(g);
	put(g, "}");
}

static void loop(struct gen *g, unsigned depth)
{
	int k = g->names++;
	const struct array *a = &g->arrays[below(g, 5)];

	line(g);
	switch (below(g, 6)) {
	case 0: put(g, "for (u32 k%d = 0; k%d < %u; k%d++)", k, k, below(g, 12) + 1, k); break;
	case 1: put(g, "for (i32 k%d = %u; k%d >= 0; k%d -= %u)", k, below(g, 12), k, k, below(g, 2) + 1); break;
	case 2:
		put(g, "WARD_BOUND(64) for (u64 k%d = (u64)(", k);
		expression(g, 2);
		put(g, ") & 31; k%d; k%d >>= 1)", k, k);
		break;
	case 3:
		put(g, "WARD_BOUND(64) for (u32 k%d = 0, n%d = (u32)(", k, k);
		expression(g, 2);
		put(g, ") %% 10u; k%d != n%d; k%d++)", k, k, k);
		break;
	case 4: /* over an array, by pointer */
		put(g, "for (%s *p%d = st->%s, *e%d = st->%s + %u; p%d < e%d; p%d++) {", a->type, k, a->name, k,
			a->name, a->n, k, k, k);
		g->indent++;
		line(g);
		put(g, "*p%d ^= (%s)(", k, a->type);
		expression(g, 2);
		put(g, ");");
		g->indent--;
		line(g);
		put(g, "}");
		return;
	default: /* along a list, or down a tree */
		if (below(g, 2))
			put(g, "WARD_BOUND(64) for (struct node *p%d = st->head; p%d; p%d = p%d->next) {", k, k, k, k);
		else
			put(g, "WARD_BOUND(64) for (struct node *p%d = st->%s; p%d; p%d = p%d->kid[p%d->%s & 1]) {", k,
				below(g, 2) ? "head" : "cursor", k, k, k, k, below(g, 2) ? "key" : "value");
		g->indent++;
		if (below(g, 3) == 0) {
			line(g);
			put(g, "p%d->small[", k);
			index_below(g, 4, 2);
			put(g, "] ^= p%d->small[", k);
			index_below(g, 4, 2);
			put(g, "] + (i16)(");
			expression(g, 2);
			put(g, ");");
		}
		line(g);
		put(g, "p%d->%s += ", k, below(g, 2) ? "key" : "value");
		expression(g, 2);
		put(g, ";");
		if (below(g, 2)) {
			line(g);
			put(g, "if (p%d->key == %u) { st->cursor = p%d; break; }", k, below(g, 4), k);
		}
		g->indent--;
		line(g);
		put(g, "}");
		return;
	}
	body(g, depth, k);
}

/* Link a node to a later one, or to none. */
static void relink(struct gen *g)
{
	int k = g->names++;

	line(g);
	put(g, "{ u32 a%d = (u32)(", k);
	expression(g, 2);
	put(g, ") %% %uu, b%d = a%d + 1 + (u32)(", g->pool, k, k);
	expression(g, 2);
	put(g, ") %% %uu; st->pool[a%d].%s = b%d < %u ? &st->pool[b%d] : 0; }", g->pool, k,
		below(g, 2)   ? "next"
		: below(g, 2) ? "kid[0]"
			      : "kid[1]",
		k, g->pool, k);
}

static void copies(struct gen *g)
{
	int k = g->names++;

	line(g);
	switch (below(g, 4)) {
	case 0:
		put(g, "{ struct node t%d = st->pool[", k);
		index_below(g, g->pool, 2);
		put(g, "]; v%u += t%d.key ^ t%d.value; }", below(g, LOCALS), k, k);
		break;
	case 1:
		put(g,
			"__builtin_memcpy(st->%s, table, sizeof(st->%s) < sizeof(table) ? sizeof(st->%s) : "
			"sizeof(table));",
			g->arrays[1].name, g->arrays[1].name, g->arrays[1].name);
		break;
	case 2: put(g, "if (st->cursor) st->cursor->value ^= v%u;", below(g, LOCALS)); break;
	default:
		put(g, "st->head = &st->pool[");
		index_below(g, g->pool, 2);
		put(g, "];");
		break;
	}
}

static void choose(struct gen *g, unsigned depth)
{
	unsigned n = below(g, 5) + 2;

	line(g);
	put(g, "switch ((");
	expression(g, 2);
	put(g, ") & %u) {", n < 4 ? 3 : 7);
	for (unsigned i = 0; i < n; i++) {
		line(g);
		put(g, "case %u:", i);
		g->indent++;
		if (depth < 2)
			block(g, depth + 1);
		else
			assign(g);
		g->indent--;
		if (below(g, 4)) {
			line(g);
			put(g, "  break;");
		}
	}
	line(g);
	put(g, "default: v0++;");
	line(g);
	put(g, "}");
}

static void statement(struct gen *g, unsigned depth)
{
	unsigned kind = depth >= 3 || g->budget == 0 ? 0 : below(g, 18);

	g->budget -= g->budget > 0;
	if (kind && g->keeps && below(g, 4) == 0) {
		pointer_statement(g);
		return;
	}
	if (kind && g->cells && g->loops == 0 && below(g, 4) == 0) {
		link_statement(g);
		return;
	}
	switch (kind) {
	case 5:
		line(g);
		put(g, "if (");
		expression(g, 1);
		put(g, ") {");
		g->indent++;
		block(g, depth + 1);
		g->indent--;
		line(g);
		if (below(g, 2)) {
			put(g, "} else {");
			g->indent++;
			block(g, depth + 1);
			g->indent--;
			line(g);
		}
		put(g, "}");
		break;
	case 6:
	case 7:
		if (g->loops < 2)
			loop(g, depth);
		else
			assign(g);
		break;
	case 8: compared(g, depth); break;
	case 9: relink(g); break;
	case 10: copies(g); break;
	case 11: choose(g, depth); break;
	case 12: call(g); break;
	case 17:
		if (g->loops < 2)
			queue_statement(g);
		else
			assign(g);
		break;
	case 13:
	case 14:
	case 15: form_statement(g, depth); break;
	case 16:
		if (g->loops < 2)
			form_loop(g, depth);
		else
			assign(g);
		break;
	default: assign(g); break;
	}
}

void block(struct gen *g, unsigned depth)
{
	unsigned n = below(g, 3) + 1;

	for (unsigned i = 0; i < n; i++)
		statement(g, depth);
}

/* ---- the program ---- */

static void locals(struct gen *g)
{
	for (unsigned i = 0; i < LOCALS; i++)
		put(g, "\n  %s v%u = (%s)0x%llx;", types[below(g, 8)], i, "i64", (unsigned long long)(bits(g) >> 40));
	g->indent = 1;
	g->names = 0;
	g->n_counters = 0;
}

static void head(struct gen *g)
{
	bool keeps = below(g, 3) == 0;

	put(g, "#pragma clang diagnostic ignored \"-Weverything\"\n#include <ward/probe.h>\n#include <string.h>\n"
	       "typedef uint64_t u64;\ntypedef int64_t i64;\ntypedef uint32_t u32;\ntypedef int32_t i32;\n"
	       "typedef uint16_t u16;\ntypedef int16_t i16;\ntypedef uint8_t u8;\ntypedef int8_t i8;\n"
	       "struct node { struct node *next; i64 key; struct node *kid[2]; i32 value; u8 pad[3]; i16 small[4]; "
	       "};\n");
	form_types(g);
	if (keeps)
		pointer_types(g);
	if (g->cells)
		link_types(g);
	put(g, "struct ward_state {\n");
	if (keeps)
		pointer_fields(g);
	put(g, "  u64 sum;\n");
	for (unsigned i = 0; i < 5; i++)
		put(g, "  %s %s[%u];\n", g->arrays[i].type, g->arrays[i].name, g->arrays[i].n);
	put(g, "  struct node pool[%u];\n  struct node *head, *cursor;\n", g->pool);
	form_fields(g);
	queue_fields(g);
	if (g->cells)
		link_fields(g);
	put(g, "};\n");
	if (keeps)
		pointer_count(g);
	put(g, "static const %s table[%u] = {", types[below(g, 8)], g->table);
	for (unsigned i = 0; i < g->table; i++)
		put(g, "%u, ", below(g, 127));
	put(g,
		"};\nstatic i64 shared = %u;\n"
		"static u64 limit(u64 x, u64 most) { return x < most ? x : most; }\n"
		"static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }\n"
		"static u64 divide_r(u64 a, u64 b) { return b ? a %% b : a; }\n",
		below(g, 1000));
	form_helpers(g);
	queue_functions(g);
}

static void function(struct gen *g)
{
	put(g, "(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)\n{");
	locals(g);
	g->budget = 8;
	put(g, "\n  v0 += x; v1 ^= y;");
	block(g, 1);
	put(g, "\n  return v0 + v1 * 3 + v2 - v3;\n}\n");
}

/*
 * Half of the module in a file of its own, which is this one with SECOND_number defined: types, and what is static, are
 * in both; a function, a variable and a constant are in the second and used in the first.
 */
static void second_file(struct gen *g)
{
	put(g,
		"i64 other_%u(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y);\nextern i64 "
		"tally_%u;\nextern const i64 scale_%u[4];\n",
		g->number, g->number, g->number);
	put(g, "#ifdef SECOND_%u\ni64 tally_%u = %u;\nconst i64 scale_%u[4] = {%u, -1, %u};\ni64 other_%u", g->number,
		g->number, below(g, 999), g->number, below(g, 99), below(g, 99999), g->number);
	function(g);
	put(g, "#else\n");
	g->other = true;
}

static void again(struct gen *g)
{
	put(g, "WARD_ENTRY(\"x!z\")\nvoid again_%u(const struct ward_event *ev, struct ward_state *st)\n{", g->number);
	locals(g);
	g->budget = 12;
	statement(g, 0);
	statement(g, 0);
	put(g, "\n  st->sum ^= v0 + v1 + v2 + v3;\n}\n");
}

void generate(FILE *out, uint64_t seed, unsigned number)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct gen g = {.out = out, .s = (seed + 1) * 0x9e3779b97f4a7c15u + number * 0xd1342543de82ef95u};

	bool second;

	for (unsigned i = 0; i < 8; i++)
		bits(&g);
	for (unsigned i = 0; i < 5; i++)
		g.arrays[i] = (struct array){names[i], types[below(&g, 8)], below(&g, 60) + 1};
	g.pool = below(&g, 12) + 2;
	g.table = below(&g, 30) + 1;
	form_sizes(&g);
	g.cells = below(&g, 3) == 0 ? below(&g, 7) + 2 : 0;
	g.number = number;
	head(&g);
	second = below(&g, 6) == 0;
	if (second)
		second_file(&g);
	for (g.function = 0; g.function < FUNCTIONS; g.function++) {
		put(&g, "static i64 f%u", g.function);
		function(&g);
	}
	if (number % 4 == 3)
		call_table(&g);
	put(&g, "WARD_ENTRY(\"x!y\")\nvoid probe_%u(const struct ward_event *ev, struct ward_state *st)\n{", number);
	locals(&g);
	g.budget = 24;
	put(&g,
		"\n  if (!st->head) {\n    for (u32 i = 0; i + 1 < %u; i++) st->pool[i].next = st->pool[i].kid[i & 1] "
		"= &st->pool[i + 1];\n    st->head = st->pool;\n",
		g.pool);
	if (g.cells)
		link_first(&g);
	put(&g, "  }");
	for (unsigned i = 0; i < 5; i++)
		statement(&g, 0);
	put(&g, "\n  st->sum += v0 ^ v1 ^ v2 ^ v3;\n}\n");
	if (below(&g, 4) == 0)
		again(&g);
	if (second)
		put(&g, "#endif\n");
}
