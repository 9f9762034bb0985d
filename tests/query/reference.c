/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/ast.h"

/* A number with what its type says of it. A free one takes the sign of what it meets. */
struct number {
	uint64_t value;
	bool is_signed, is_free, is_literal;
	bool failed; /* a division by zero: the event is left out */
};

static struct number make(uint64_t value, bool is_signed)
{
	return (struct number){.value = value, .is_signed = is_signed};
}

static struct number convert(struct number n, const char *type)
{
	static const struct {
		const char *name;
		unsigned bits;
		bool is_signed;
	} types[] = {{"byte", 8, 0}, {"sbyte", 8, 1}, {"short", 16, 1}, {"ushort", 16, 0}, {"int", 32, 1},
		{"uint", 32, 0}, {"long", 64, 1}, {"ulong", 64, 0}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		unsigned shift = 64 - types[i].bits;

		if (strcmp(types[i].name, type) != 0)
			continue;
		n.value = types[i].is_signed ? (uint64_t)((int64_t)(n.value << shift) >> shift)
					     : n.value << shift >> shift;
		n.is_signed = types[i].is_signed;
		n.is_free = n.is_literal = false;
		return n;
	}
	abort();
}

static bool adapts(struct number n)
{
	return n.is_free || (n.is_literal && (int64_t)n.value >= 0);
}

static bool is_signed_together(struct number a, struct number b)
{
	if (a.is_literal && b.is_literal)
		return true;
	if (adapts(a) && adapts(b))
		return false;
	if (adapts(a))
		return b.is_signed;
	return adapts(b) ? a.is_signed : a.is_signed || b.is_signed;
}

static struct number divide(bool rest, bool is_signed, struct number a, struct number b)
{
	struct number n = make(0, is_signed);

	if (b.value == 0)
		n.failed = true;
	else if (!is_signed)
		n.value = rest ? a.value % b.value : a.value / b.value;
	else if ((int64_t)b.value == -1)
		n.value = rest ? 0 : 0 - a.value;
	else
		n.value = (uint64_t)(rest ? (int64_t)a.value % (int64_t)b.value : (int64_t)a.value / (int64_t)b.value);
	return n;
}

static struct number binary(const char *op, struct number a, struct number b)
{
	bool s = is_signed_together(a, b), less = s ? (int64_t)a.value < (int64_t)b.value : a.value < b.value,
	     equal = a.value == b.value;
	struct number n = make(0, s);

	n.is_literal = a.is_literal && b.is_literal;
	n.is_free = !n.is_literal && adapts(a) && adapts(b);
	if (!strcmp(op, "<<") || !strcmp(op, ">>")) {
		n.is_signed = a.is_signed;
		n.is_free = a.is_free;
		n.value = op[0] == '<'  ? a.value << (b.value & 63)
			  : a.is_signed ? (uint64_t)((int64_t)a.value >> (b.value & 63))
					: a.value >> (b.value & 63);
		return n;
	}
	if (!strcmp(op, "/") || !strcmp(op, "%")) {
		struct number d = divide(op[0] == '%', s, a, b);

		n.value = d.value;
		n.failed = d.failed;
		return n;
	}
	switch (op[0]) {
	case '+': n.value = a.value + b.value; break;
	case '-': n.value = a.value - b.value; break;
	case '*': n.value = a.value * b.value; break;
	case '&': n.value = a.value & b.value; break;
	case '|': n.value = a.value | b.value; break;
	case '^': n.value = a.value ^ b.value; break;
	case '=': n.value = equal; break;
	case '!': n.value = !equal; break;
	case '<': n.value = op[1] ? less || equal : less; break;
	default: n.value = op[1] ? !less : !less && !equal;
	}
	return n;
}

/* && and ||: what stands behind one is not computed where it doesn't matter. */
static struct number both(const char *op, struct number a, struct number b)
{
	struct number n = make(0, false);

	n.is_literal = a.is_literal && b.is_literal;
	if (op[0] == '&' ? !a.value : a.value != 0) {
		n.value = op[0] != '&';
	} else {
		n.value = b.value != 0;
		n.failed = b.failed;
	}
	return n;
}

static struct number eval(const struct node *n, const struct numbers *e)
{
	struct number a, b;

	switch (n->kind) {
	case NODE_INT:
		a = make(n->integer, true);
		a.is_literal = n->integer <= INT64_MAX;
		a.is_signed = a.is_literal;
		return a;
	case NODE_NAME:
		if (strncmp(n->name, "arg", 3) != 0)
			abort();
		a = make(e->arg[n->name[3] - '0'], false);
		a.is_free = true;
		return a;
	case NODE_CAST: return convert(eval(n->a, e), n->type);
	case NODE_UNARY:
		a = eval(n->a, e);
		a.value = n->op[0] == '-' ? 0 - a.value : n->op[0] == '~' ? ~a.value : !a.value;
		if (n->op[0] == '-') {
			a.is_signed = true;
			a.is_free = false;
		}
		return a;
	case NODE_COND:
		a = eval(n->a, e);
		if (a.failed)
			return a;
		{
			struct number x = eval(n->b, e), y = eval(n->c, e), z = a.value ? x : y;
			bool s = is_signed_together(x, y);

			z.is_literal = x.is_literal && y.is_literal && a.is_literal;
			z.is_free = !(x.is_literal && y.is_literal) && adapts(x) && adapts(y);
			z.is_signed = s;
			return z;
		}
	case NODE_BINARY:
		a = eval(n->a, e);
		if (a.failed)
			return a;
		b = eval(n->b, e);
		return n->op[1] == n->op[0] && (n->op[0] == '&' || n->op[0] == '|') ? both(n->op, a, b)
		       : b.failed                                                   ? b
										    : binary(n->op, a, b);
	default: abort();
	}
}

/* ---- groups ---- */

enum { MOST_AGGREGATES = 16 };

struct group {
	struct number key;
	struct {
		uint64_t count, sum, min, max;
		bool is_signed;
	} of[MOST_AGGREGATES];
	uint64_t n;
};

struct table {
	struct group *groups;
	size_t n;
};

static struct group *find_group(struct table *t, struct number key)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->groups[i].key.value == key.value)
			return &t->groups[i];
	t->groups = realloc(t->groups, (t->n + 1) * sizeof(*t->groups));
	if (!t->groups)
		abort();
	t->groups[t->n] = (struct group){.key = key};
	return &t->groups[t->n++];
}

static void add(struct group *g, size_t i, struct number v, bool first)
{
	bool s = v.is_signed && !v.is_free;

	g->of[i].is_signed = s;
	g->of[i].sum += v.value;
	if (first || (s ? (int64_t)v.value < (int64_t)g->of[i].min : v.value < g->of[i].min))
		g->of[i].min = v.value;
	if (first || (s ? (int64_t)v.value > (int64_t)g->of[i].max : v.value > g->of[i].max))
		g->of[i].max = v.value;
}

static int compare_keys(const void *x, const void *y)
{
	const struct group *a = x, *b = y;
	bool s = a->key.is_signed && !a->key.is_free;

	if (s)
		return ((int64_t)a->key.value > (int64_t)b->key.value) -
		       ((int64_t)a->key.value < (int64_t)b->key.value);
	return (a->key.value > b->key.value) - (a->key.value < b->key.value);
}

static void count_event(struct table *t, const struct node *group, const struct node *record, const struct numbers *e)
{
	struct number key = eval(group->args, e), values[MOST_AGGREGATES] = {{0}};
	struct group *g;
	size_t i = 0;

	if (key.failed)
		return;
	for (const struct node *m = record->args; m; m = m->next, i++)
		if (m->a->kind == NODE_CALL && m->a->args) {
			values[i] = eval(m->a->args, e);
			if (values[i].failed)
				return;
		}
	g = find_group(t, key);
	i = 0;
	for (const struct node *m = record->args; m; m = m->next, i++) {
		if (m->a->kind != NODE_CALL)
			continue;
		if (strcmp(m->a->name, "Count") == 0)
			g->of[i].count += m->a->args ? values[i].value != 0 : 1;
		else
			add(g, i, values[i], g->n == 0);
	}
	g->n++;
}

static void print_number(FILE *out, uint64_t value, bool is_signed)
{
	fprintf(out, is_signed ? "%" PRId64 : "%" PRIu64, value);
}

static void print_groups(struct table *t, const struct node *record, FILE *out)
{
	if (t->n)
		qsort(t->groups, t->n, sizeof(*t->groups), compare_keys);
	fputc('[', out);
	for (size_t k = 0; k < t->n; k++) {
		const struct group *g = &t->groups[k];
		size_t i = 0;

		fputs(k ? ",{" : "{", out);
		for (const struct node *m = record->args; m; m = m->next, i++) {
			const char *name = m->a->name;

			fprintf(out, "%s\"%s\":", i ? "," : "", m->name);
			if (m->a->kind != NODE_CALL)
				print_number(out, g->key.value, g->key.is_signed && !g->key.is_free);
			else if (!strcmp(name, "Count"))
				print_number(out, g->of[i].count, false);
			else
				print_number(out,
					!strcmp(name, "Sum")   ? g->of[i].sum
					: !strcmp(name, "Min") ? g->of[i].min
							       : g->of[i].max,
					g->of[i].is_signed);
		}
		fputc('}', out);
	}
	fputc(']', out);
}

/* Do all conditions of the chain hold? They are tested in the order of the text. */
static bool passes(const struct node *n, const struct numbers *e)
{
	struct number v;

	if (n->kind != NODE_CALL || strcmp(n->name, "Where") != 0)
		return true;
	if (!passes(n->a, e))
		return false;
	v = eval(n->args, e);
	return !v.failed && v.value;
}

char *reference_rows(const char *text, uint64_t seed, long n)
{
	struct query_text t = {text, (uint32_t)strlen(text)};
	struct query_arena arena = {0};
	struct query_error err = {0};
	struct query_tree tree;
	struct table table = {0};
	uint64_t state = first_state(seed);
	char *rows = NULL;
	size_t size;
	FILE *out;

	if (!query_parse(&t, &arena, &tree, &err))
		abort();
	const struct node *select = tree.pipeline, *group = select->a, *record = select->args->a;
	for (long i = 0; i < n; i++) {
		struct numbers e = next_event(&state);

		if (passes(group->a, &e))
			count_event(&table, group, record, &e);
	}
	out = open_memstream(&rows, &size);
	if (!out)
		abort();
	print_groups(&table, record, out);
	fclose(out);
	free(table.groups);
	query_arena_free(&arena);
	return rows;
}
