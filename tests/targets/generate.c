/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs: eight functions that are traced, blocks that call them, and contexts that run blocks: in threads,
 * in fibers, with another base of fs, and so on, nested in each other. runtime/ has the code for these.
 */
#include "generate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 8, DEPTH = 3, ALL_FULL = DO_RAISE | DO_DEEP };

struct gen {
	FILE *out;
	feature_set has, drawn;    /* what the program has, and what it would have if nothing were forbidden */
	unsigned kinds[FUNCTIONS]; /* of each function; n_features: a plain one */
	unsigned below[FUNCTIONS]; /* the function that it calls, or ends as */
	unsigned blocks;
};

uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a + 0x9e3779b97f4a7c15u * (b + 1);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* A random number below n, from a stream of its own. */
static unsigned draw(uint64_t *s, unsigned n)
{
	*s = mix(*s, 1);
	return (unsigned)((*s >> 11) % n);
}

struct program draw_program(uint64_t seed, unsigned number, feature_set allowed, feature_set must)
{
	struct program p = {.seed = seed, .number = number};
	uint64_t s = mix(mix(seed, number), 0);
	unsigned odds;

	p.phases = 1 + draw(&s, 3);
	p.status = (int)draw(&s, 64);
	p.level = draw(&s, 4);
	odds = 2 + draw(&s, 3);
	for (unsigned i = 0; i < n_features; i++) {
		/* Those of the whole program are many things at once. */
		bool picked = draw(&s, features[i].kind == PROGRAM_KIND ? 4 : odds) == 0;

		if (picked)
			p.features |= one_feature(i);
	}
	p.drawn = p.features | must;
	p.features = (p.features & allowed) | must;
	return p;
}

static bool is(const struct gen *g, unsigned k, const char *kind)
{
	return g->kinds[k] < n_features && strcmp(features[g->kinds[k]].name, kind) == 0;
}

/* Can another function end as this one, as it has the same arguments and says the same? */
static bool is_plain(const struct gen *g, unsigned k)
{
	return g->kinds[k] == n_features || is(g, k, "exits") || is(g, k, "calls") || is(g, k, "tails");
}

static void draw_functions(struct gen *g, uint64_t s)
{
	for (unsigned k = 0; k < FUNCTIONS; k++) {
		unsigned kind = draw(&s, 14), below = draw(&s, k ? k : 1);

		g->kinds[k] = kind < n_features && features[kind].kind == FUNCTION_KIND && g->has >> kind & 1
				      ? kind
				      : n_features;
		g->below[k] = below;
		if ((k == 0 && is(g, k, "calls")) || (is(g, k, "tails") && (k == 0 || !is_plain(g, below))))
			g->kinds[k] = n_features;
	}
}

/*
 * The text of each kind of function: $K is its number, $B that of the function below. It begins with what callers need.
 */
static const struct {
	const char *kind, *text;
} texts[] = {
	{"plain", "#define BITS_$K 0\n#define VALUE_$K VALUE\n#define call_$K t_$K\n"
		  "TRACED t_$K(u64 x, u64 t)\n{\n\t(void)t;\n\tBEGIN($K, x);\n\tMIDDLE(x);\n\treturn END($K, "
		  "VALUE(x));\n}\n"},
	{"exits", "#define BITS_$K 0\n#define VALUE_$K VALUE\n#define call_$K t_$K\n"
		  "TRACED t_$K(u64 x, u64 t)\n{\n\tBEGIN($K, x);\n\tif (t == 77)\n\t\treturn END($K, 5);\n"
		  "\tif (x >> SHIFT & 1) {\n\t\tMIDDLE(x);\n\t\treturn END($K, VALUE(x));\n\t}\n"
		  "\tif (x >> SHIFT & 2)\n\t\tMIDDLE(x);\n\telse if (x & ACTION)\n\t\tmiddle(x);\n\treturn END($K, "
		  "VALUE(x));\n}\n"},
	{"calls", "#define BITS_$K 0\n#define VALUE_$K VALUE\n#define call_$K t_$K\n"
		  "TRACED t_$K(u64 x, u64 t)\n{\n\tu64 r;\n\n\t(void)t;\n\tBEGIN($K, x);\n"
		  "\tif ((x & ACTION) == THROW)\n\t\tcount(&T->f[$K].thrown, 1);\n"
		  "\tif ((x & ACTION) == JUMP || (x & ACTION) == LEAVE)\n\t\tcount(&T->f[$K].jumped, 1);\n"
		  "\tr = CALL($B, x & ~(u64)((x & ACTION) == DEEP ? ACTION : 0));\n"
		  "\tif ((x & ACTION) == DEEP)\n\t\tmiddle(x);\n"
		  "\treturn END($K, r == 1 ? r : VALUE(x));\n}\n"},
	{"tails", "#define BITS_$K ODD\n#define VALUE_$K(x) VALUE_$B(TAG($B, x))\n#define call_$K t_$K\n"
		  "TRACED t_$K(u64 x, u64 t)\n{\n\tBEGIN($K, x);\n\tcount(&T->f[$K].ended, 1);\n"
		  "\treturn TAIL($B, x, t);\n}\n"},
	{"timed", "#define BITS_$K TIMED\n#define VALUE_$K(x) 0\n#define call_$K t_$K\n"
		  "TRACED t_$K(u64 x, u64 t)\n{\n\tu64 at = now(x);\n\n\t(void)t;\n\tBEGIN($K, x);\n\tMIDDLE(x);\n"
		  "\treturn END($K, now(x) - at);\n}\n"},
	{"varargs",
		"#define BITS_$K 0\n#define VALUE_$K VALUE\n#define call_$K(x, t) t_$K(x, t, 1.5, (x) ^ 3, 2.5)\n"
		"TRACED t_$K(u64 x, u64 t, ...)\n{\n\t__builtin_va_list list;\n\n\tBEGIN($K, "
		"x);\n\t__builtin_va_start(list, t);\n"
		"\tif (__builtin_va_arg(list, double) != 1.5 || __builtin_va_arg(list, u64) != (x ^ 3) || "
		"__builtin_va_arg(list, double) != 2.5)\n"
		"\t\tcount(&T->wrong, 1);\n\t__builtin_va_end(list);\n\tMIDDLE(x);\n\treturn END($K, VALUE(x));\n}\n"},
	{"many", "#define BITS_$K 0\n#define VALUE_$K VALUE\n#define call_$K(x, t) t_$K(x, t, 3, 4, 5, (x) + 6, (x) + "
		 "7, 8, (x) + 9)\n"
		 "TRACED t_$K(u64 x, u64 t, int c, int d, int e, u64 f, u64 g, int h, u64 "
		 "i)\n{\n\t(void)t;\n\tBEGIN($K, x);\n"
		 "\tif (c != 3 || d != 4 || e != 5 || f != x + 6 || g != x + 7 || h != 8 || i != x + 9)\n"
		 "\t\tcount(&T->wrong, 1);\n\tMIDDLE(x);\n\treturn END($K, VALUE(x));\n}\n"},
	{"doubles", "#define BITS_$K 0\n#define VALUE_$K VALUE\nstruct pair_$K {\n\tu64 u;\n\tdouble d;\n};\n"
		    "static KEEP struct pair_$K t_$K(u64 x, u64 t, double a, double b, double c, double d, double e, "
		    "double f, double g, double h)\n"
		    "{\n\t(void)t;\n\tBEGIN($K, x);\n\tMIDDLE(x);\n"
		    "\tif (a != 1 || b != 2 || c != 3 || d != 4 || e != 5 || f != 6 || g != 7 || h != "
		    "8)\n\t\tcount(&T->wrong, 1);\n"
		    "\treturn (struct pair_$K){END($K, VALUE(x)), a + h};\n}\n"
		    "static inline u64 call_$K(u64 x, u64 t)\n{\n\tstruct pair_$K p = t_$K(x, t, 1, 2, 3, 4, 5, 6, 7, "
		    "8);\n\n"
		    "\tif (p.d != 9)\n\t\tcount(&T->wrong, 1);\n\treturn p.u;\n}\n"},
	{"wide", "#define BITS_$K 0\n#define VALUE_$K VALUE\n"
		 "static KEEP unsigned __int128 t_$K(u64 x, u64 t)\n{\n\t(void)t;\n\tBEGIN($K, x);\n\tMIDDLE(x);\n"
		 "\treturn (unsigned __int128)(x ^ 5) << 64 | END($K, VALUE(x));\n}\n"
		 "static inline u64 call_$K(u64 x, u64 t)\n{\n\tunsigned __int128 v = t_$K(x, t);\n\n"
		 "\tif ((u64)(v >> 64) != (x ^ 5))\n\t\tcount(&T->wrong, 1);\n\treturn (u64)v;\n}\n"},
	{"chain", "#define BITS_$K 0\n#define VALUE_$K VALUE\nstatic __attribute__((used, noinline)) u64 body_$K(u64 "
		  "x, u64 t, u64 chain)\n{\n"
		  "\t(void)t;\n\tBEGIN($K, x);\n\tif (chain != x + 99)\n\t\tcount(&T->wrong, 1);\n\tif ((x & ACTION) "
		  "!= THROW)\n\t\tMIDDLE(x);\n"
		  "\treturn END($K, VALUE(x));\n}\n"
		  "static KEEP __attribute__((naked)) u64 t_$K(u64 x, u64 t)\n{\n"
		  "\t__asm__(\"push %rbp; mov %r10, %rdx; call body_$K; pop %rbp; ret\");\n}\n"
		  "static __attribute__((used, noinline, naked)) u64 call_$K(u64 x, u64 t)\n{\n"
		  "\t__asm__(\"push %rbx; lea 99(%rdi), %r10; call t_$K; pop %rbx; ret\");\n}\n"},
	{"carry", "#define BITS_$K 0\n#define VALUE_$K VALUE\nstatic __attribute__((used, noinline)) u64 body_$K(u64 "
		  "x, u64 t)\n{\n"
		  "\t(void)t;\n\tBEGIN($K, x);\n\tif ((x & ACTION) != THROW)\n\t\tMIDDLE(x);\n\treturn END($K, "
		  "VALUE(x));\n}\n"
		  "u64 t_$K(u64 x, u64 t);\n__asm__(ASSEMBLY(\"t_$K\", \"push %rbx; mov %rdi, %rbx; call body_$K; bt "
		  "$16, %rbx; pop %rbx; ret\"));\n"
		  "static __attribute__((used, noinline, naked)) u64 carry_$K(u64 x, u64 t, u64 *carry)\n{\n"
		  "\t__asm__(\"push %rbx; mov %rdx, %rbx; call t_$K; setc (%rbx); pop %rbx; ret\");\n}\n"
		  "static inline u64 call_$K(u64 x, u64 t)\n{\n\tu64 carry = 0, r = carry_$K(x, t, &carry);\n\n"
		  "\tif (carry != (x >> SHIFT & 1))\n\t\tcount(&T->wrong, 1);\n\treturn r;\n}\n"},
};

static void put_text(struct gen *g, const char *text, unsigned k)
{
	for (const char *p = text; *p; p++) {
		if (p[0] == '$' && (p[1] == 'K' || p[1] == 'B'))
			fprintf(g->out, "%u", *++p == 'K' ? k : g->below[k]);
		else
			putc(*p, g->out);
	}
	putc('\n', g->out);
}

static void put_function(struct gen *g, unsigned k)
{
	const char *kind = g->kinds[k] < n_features ? features[g->kinds[k]].name : "plain";

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i].kind, kind) == 0)
			put_text(g, texts[i].text, k);
}

/* Does an exception that is thrown in a call of this function get through it, and what it calls? */
static bool lets_through(const struct gen *g, unsigned k)
{
	if (is(g, k, "chain") || is(g, k, "carry"))
		return false;
	return !(is(g, k, "calls") || is(g, k, "tails")) || lets_through(g, g->below[k]);
}

/* What a call does, if anything: the bits of x. */
static void put_how(struct gen *g, FILE *out, uint64_t *s, unsigned allowed, unsigned k)
{
	static const struct {
		unsigned bit;
		const char *name, *needs;
	} actions[] = {
		{DO_YIELD, "YIELD", NULL},
		{DO_RAISE, "RAISE", "signals"},
		{DO_LEAVE, "LEAVE", NULL},
		{DO_THROW, "THROW", NULL},
		{DO_JUMP, "JUMP", NULL},
	};
	unsigned a = draw(s, 5), odds = draw(s, 3), every = 1 + draw(s, 7);
	unsigned limit = draw(s, 60), deeper = 120 + draw(s, 200), deep = draw(s, 8);

	fprintf(out, "X(i + n, 0)%s", allowed & NO_TIME ? " | NOTIME" : "");
	if (allowed & BARE)
		return;
	if (deep == 0 && (allowed & DO_DEEP) && has_feature(g->has, "recursion"))
		fprintf(out, " | DEEP | %uul << LIMIT_SHIFT", limit);
	else if (deep == 1 && (allowed & DO_DEEP) && has_feature(g->has, "deep"))
		fprintf(out, " | DEEP | %uul << LIMIT_SHIFT", deeper);
	else if (odds && (allowed & actions[a].bit) && (!actions[a].needs || has_feature(g->has, actions[a].needs)) &&
		 (actions[a].bit != DO_THROW || lets_through(g, k)))
		fprintf(out, " | (i %% %u ? NONE : %s)", every, actions[a].name);
}

static unsigned put_block(struct gen *g, uint64_t s, unsigned allowed, unsigned depth);

/* A block within a block, if the program has what runs it. Returns whether there is one. */
static bool put_context(struct gen *g, FILE *out, uint64_t s, unsigned allowed, unsigned depth, unsigned rounds)
{
	unsigned pick = draw(&s, n_features), times, block, inner, at = draw(&s, rounds);
	const struct feature *f;

	/* One of those that the program was drawn with. */
	for (unsigned i = 0; i < n_features && !(features[pick].kind == CONTEXT_KIND && g->drawn >> pick & 1); i++)
		pick = (pick + 1) % n_features;
	f = &features[pick];
	times = f->kind == CONTEXT_KIND ? f->least + draw(&s, f->most - f->least + 1) : 0;
	if (f->kind != CONTEXT_KIND || !(g->has >> pick & 1) || (allowed & ALONE & ~f->keeps))
		return false;
	inner = (allowed & f->keeps) | f->gives;
	block = put_block(g, mix(s, 7), inner, depth + 1);
	fprintf(out, "\t\tif (i == %u)\n\t\t\t%s(%u, block_%u);\n", at, f->runs, times, block);
	return true;
}

static unsigned put_block(struct gen *g, uint64_t s, unsigned allowed, unsigned depth)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	unsigned rounds = 2 + draw(&s, depth == 0 ? 60 : 24 >> depth), calls = 1 + draw(&s, 4), number;

	if (!out)
		abort();
	fprintf(out, "\tu64 a = n, b = n * 5 + 1, c = 3;\n\n\tfor (u64 i = 0; i < %u; i++) {\n", rounds);
	for (unsigned i = 0; i < calls; i++) {
		unsigned k = draw(&s, FUNCTIONS);

		fprintf(out, "\t\t%c %c= CALL(%u, ", 'a' + (int)draw(&s, 3), "+^-"[draw(&s, 3)], k);
		put_how(g, out, &s, allowed, k);
		fprintf(out, ") + (%c >> %u);\n", 'a' + (int)draw(&s, 3), 1 + draw(&s, 9));
		if (depth < DEPTH && !(allowed & BARE) && draw(&s, 3) >= (depth ? 2 : 1))
			put_context(g, out, mix(s, i), allowed, depth, rounds);
	}
	fprintf(out, "\t}\n%s",
		allowed & NO_SUM ? "\tif (a + b + c == 1)\n\t\tcount(&T->wrong, 0);\n" : "\tsum(a ^ (b + c));\n");
	fclose(out);
	number = g->blocks++;
	fprintf(g->out, "PLAIN void block_%u(u64 n)\n{\n%s}\n\n", number, text);
	free(text);
	return number;
}

static void put_handler(struct gen *g, uint64_t s)
{
	unsigned calls = 1 + draw(&s, 3);

	fputs("static void in_handler(u64 n)\n{\n", g->out);
	for (unsigned i = 0; i < calls; i++)
		fprintf(g->out, "\tCALL(%u, X(n + %u, HANDLER));\n", draw(&s, FUNCTIONS), i);
	fputs("}\n\n", g->out);
}

static void put_main(struct gen *g, const struct program *p, const unsigned *blocks)
{
	for (unsigned i = 0; i < p->phases; i++) {
		fprintf(g->out, "static void phase_%u(u64 n)\n{\n", i);
		if ((i == 0 && has_feature(g->has, "moved")) || has_feature(g->has, "moves"))
			fputs("\tmove_text();\n", g->out);
		fprintf(g->out, "\tblock_%u(n);\n}\n\n", blocks[i]);
	}
	fputs("int main(int argc, char **argv)\n{\n\tblock_fn *const phases[] = {", g->out);
	for (unsigned i = 0; i < p->phases; i++)
		fprintf(g->out, "%sphase_%u", i ? ", " : "", i);
	fprintf(g->out, "};\n\n\treturn run(argc, argv, phases, %u, %d);\n}\n", p->phases, p->status);
}

void write_program(FILE *out, const struct program *p)
{
	struct gen g = {.out = out, .has = p->features, .drawn = p->drawn};
	uint64_t s = mix(mix(p->seed, p->number), 2);
	unsigned blocks[8];

	draw_functions(&g, mix(s, 1));
	fprintf(out, "/* Seed %llu, program %u:", (unsigned long long)p->seed, p->number);
	for (unsigned i = 0; i < n_features; i++)
		if (p->features >> i & 1)
			fprintf(out, " %s", features[i].name);
	fputs(" */\n", out);
	if (has_feature(p->features, "throws"))
		fputs("#define WITH_THROWS\n", out);
	if (has_feature(p->features, "moved") || has_feature(p->features, "moves"))
		fputs("#define WITH_MOVED\n", out);
	else
		fputs("char __start_traced_text[1], __stop_traced_text[1];\n", out);
	if (has_feature(p->features, "parked"))
		fprintf(out, "#define WITH_PARKED %u\n", (unsigned)(mix(s, 4) % 64));
	fputs("#include \"phases.h\"\n\n", out);
	for (unsigned k = 0; k < FUNCTIONS; k++)
		put_function(&g, k);
	fputs("static u64 call_any(u64 x)\n{\n\tswitch (x & NUMBER) {\n", out);
	for (unsigned k = 0; k < FUNCTIONS; k++)
		fprintf(out, "\tcase %u:\n\t\treturn CALL(%u, x);\n", k, k);
	fputs("\t}\n\treturn 0;\n}\n\n", out);
	put_handler(&g, mix(s, 3));
	for (unsigned i = 0; i < p->phases; i++)
		blocks[i] = put_block(&g, mix(s, 10 + i), ALL_FULL, 0);
	put_main(&g, p, blocks);
}
