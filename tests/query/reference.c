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

/* Of typed(), in events.c. */
static const char *const typed_parameters[] = {"sbyte", "ushort", "int", "uint", "long", "ulong"};

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

/* ---- events that came before ---- */

enum { MOST_HISTORIES = 64 };

/* A call of Previous, Delta or MovingAverage: all numbers so far, and what it is of this event. */
struct history {
	const struct node *call;
	struct number *seen, now, value;
	size_t n;
};
static struct history histories[MOST_HISTORIES];
static size_t n_histories;

static struct number eval(const struct node *n, const struct numbers *e);

static struct history *find_history(const struct node *call)
{
	for (size_t i = 0; i < n_histories; i++)
		if (histories[i].call == call)
			return &histories[i];
	if (n_histories == MOST_HISTORIES)
		abort();
	histories[n_histories] = (struct history){.call = call};
	return &histories[n_histories++];
}

static bool is_history(const struct node *n)
{
	return n->kind == NODE_CALL && !n->a &&
	       (n->name[0] == 'P' || n->name[0] == 'D' || !strcmp(n->name, "MovingAverage"));
}

/* Of the last n, rounded to zero; of all with weights, in fixed point. */
static uint64_t mean_of(const struct history *h, uint64_t n, bool is_signed)
{
	const int64_t most = INT64_C(1) << 58;
	uint64_t sum = 0;
	int64_t scaled = 0;

	for (size_t i = n < h->n ? h->n - n : 0; n && i < h->n; i++)
		sum += h->seen[i].value;
	n = n < h->n ? n : h->n;
	if (h->call->args->next)
		return is_signed ? (uint64_t)((int64_t)sum / (int64_t)n) : sum / n;
	for (size_t i = 0; i < h->n; i++) {
		int64_t v = (int64_t)h->seen[i].value;

		if (!is_signed)
			v = h->seen[i].value > (uint64_t)most ? most : v;
		v = v > most ? most : v < -most ? -most : v;
		scaled = i ? scaled + v - (scaled >> 4) : v * 16;
	}
	return (uint64_t)(scaled >> 4);
}

static struct number history_value(const struct history *h)
{
	struct number v = h->now, last = h->n ? h->seen[h->n - 1] : h->now;

	v.is_literal = false;
	if (h->call->name[0] == 'D') {
		v.value -= last.value;
		v.is_signed = true;
		v.is_free = false;
	} else if (h->call->name[0] == 'P') {
		v.value = last.value;
	} else if (h->n) {
		v.value = mean_of(h, h->call->args->next ? h->call->args->next->integer : 0, v.is_signed && !v.is_free);
	}
	return v;
}

/* Take in all numbers that calls in this tree are of, those inside first. False: one can't be computed. */
static bool take_in(const struct node *n, const struct numbers *e)
{
	struct history *h;

	if (!n)
		return true;
	for (const struct node *arg = n->args; arg; arg = arg->next)
		if (!take_in(arg, e))
			return false;
	if (!take_in(n->kind == NODE_CALL ? NULL : n->a, e) || !take_in(n->b, e) || !take_in(n->c, e))
		return false;
	if (!is_history(n))
		return true;
	h = find_history(n);
	h->now = eval(n->args, e);
	if (h->now.failed)
		return false;
	h->value = history_value(h);
	h->seen = realloc(h->seen, (h->n + 1) * sizeof(*h->seen));
	if (!h->seen)
		abort();
	h->seen[h->n++] = h->now;
	return true;
}

static struct number eval(const struct node *n, const struct numbers *e)
{
	struct number a, b;

	switch (n->kind) {
	case NODE_CALL:
		if (strcmp(n->name, "Log2") == 0) {
			a = eval(n->args, e);
			b = make(0, false);
			b.failed = a.failed;
			for (; a.value > 1; a.value /= 2)
				b.value++;
			return b;
		}
		if (!is_history(n))
			abort();
		return find_history(n)->value;
	case NODE_INT:
		a = make(n->integer, true);
		a.is_literal = n->integer <= INT64_MAX;
		a.is_signed = a.is_literal;
		return a;
	case NODE_NAME:
	case NODE_MEMBER:
		if (n->name[0] >= 'a' && n->name[0] <= 'f' && !n->name[1])
			return convert(make(e->arg[n->name[0] - 'a'], false), typed_parameters[n->name[0] - 'a']);
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
		uint64_t count, sum, min, max, any, all, odd;
		bool is_signed;
		uint64_t *seen; /* QUANTILE */
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
	g->of[i].any |= v.value;
	g->of[i].odd ^= v.value;
	g->of[i].all = first ? v.value : g->of[i].all & v.value;
	if (first || (s ? (int64_t)v.value < (int64_t)g->of[i].min : v.value < g->of[i].min))
		g->of[i].min = v.value;
	if (first || (s ? (int64_t)v.value > (int64_t)g->of[i].max : v.value > g->of[i].max))
		g->of[i].max = v.value;
}

static void see(struct group *g, size_t i, uint64_t value)
{
	g->of[i].seen = realloc(g->of[i].seen, (g->n + 1) * sizeof(value));
	if (!g->of[i].seen)
		abort();
	g->of[i].seen[g->n] = value;
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

/* What an aggregate is of: x in Sum(x), and in Aggregate(seed, (a, x) => a + x); or NULL. */
static const struct node *element_of(const struct node *call)
{
	const struct node *body;

	if (call->kind != NODE_CALL || !call->args)
		return NULL;
	if (strcmp(call->name, "Aggregate") != 0)
		return call->args;
	body = call->args->next->a;
	return body->kind == NODE_CALL ? body->args->next : body->b;
}

static bool counts(const char *name)
{
	return !strcmp(name, "Count") || !strcmp(name, "Any") || !strcmp(name, "All");
}

static void count_event(struct table *t, const struct node *group, const struct node *record, const struct numbers *e)
{
	struct number key, values[MOST_AGGREGATES] = {{0}};
	struct group *g;
	size_t i = 0;

	if (!take_in(group->args, e))
		return;
	for (const struct node *m = record->args; m; m = m->next)
		if (!take_in(element_of(m->a), e))
			return;
	key = eval(group->args, e);
	if (key.failed)
		return;
	for (const struct node *m = record->args; m; m = m->next, i++)
		if (element_of(m->a)) {
			values[i] = eval(element_of(m->a), e);
			if (values[i].failed)
				return;
		}
	g = find_group(t, key);
	i = 0;
	for (const struct node *m = record->args; m; m = m->next, i++) {
		if (m->a->kind != NODE_CALL)
			continue;
		if (counts(m->a->name)) {
			g->of[i].count += m->a->args ? values[i].value != 0 : 1;
			continue;
		}
		add(g, i, values[i], g->n == 0);
		see(g, i, values[i].value);
	}
	g->n++;
}

static void print_number(FILE *out, uint64_t value, bool is_signed)
{
	fprintf(out, is_signed ? "%" PRId64 : "%" PRIu64, value);
}

static int by_size(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* The number of this rank, known by the five bits behind its first one: the middle of those that have the same. */
static uint64_t quantile(const struct group *g, size_t i, double rank)
{
	uint64_t *seen = g->of[i].seen, x, width = 1;
	size_t at = 0;

	qsort(seen, g->n, sizeof(*seen), by_size);
	if (rank <= 0) /* the least is known */
		return seen[0];
	while ((double)(at + 1) < rank * (double)g->n)
		at++;
	x = seen[at];
	while (x / width >= 64)
		width *= 2;
	x = x / width * width + (width - 1) / 2;
	x = x < seen[0] ? seen[0] : x;
	return x > seen[g->n - 1] ? seen[g->n - 1] : x;
}

static uint64_t folded(const struct group *g, size_t i, const struct node *call)
{
	const struct node *seed = call->args, *body = call->args->next->a;
	uint64_t from = seed->kind == NODE_UNARY ? 0 - seed->a->integer : seed->integer;
	bool s = g->of[i].is_signed;

	if (body->kind == NODE_CALL && body->name[1] == 'i')
		return (s ? (int64_t)from < (int64_t)g->of[i].min : from < g->of[i].min) ? from : g->of[i].min;
	if (body->kind == NODE_CALL)
		return (s ? (int64_t)from > (int64_t)g->of[i].max : from > g->of[i].max) ? from : g->of[i].max;
	switch (body->op[0]) {
	case '+': return from + g->of[i].sum;
	case '|': return from | g->of[i].any;
	case '&': return from & g->of[i].all;
	default: return from ^ g->of[i].odd;
	}
}

static void print_result(const struct group *g, size_t i, const struct node *call, FILE *out)
{
	const char *name = call->name;

	if (!strcmp(name, "Count"))
		print_number(out, g->of[i].count, false);
	else if (!strcmp(name, "Any"))
		fputs(g->of[i].count ? "true" : "false", out);
	else if (!strcmp(name, "All"))
		fputs(g->of[i].count == g->n ? "true" : "false", out);
	else if (!strcmp(name, "Aggregate"))
		print_number(out, folded(g, i, call), g->of[i].is_signed);
	else if (!strcmp(name, "Quantile"))
		print_number(out, quantile(g, i, call->args->next->real), false);
	else
		print_number(out,
			!strcmp(name, "Sum")   ? g->of[i].sum
			: !strcmp(name, "Min") ? g->of[i].min
					       : g->of[i].max,
			g->of[i].is_signed);
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
			fprintf(out, "%s\"%s\":", i ? "," : "", m->name);
			if (m->a->kind != NODE_CALL)
				print_number(out, g->key.value, g->key.is_signed && !g->key.is_free);
			else
				print_result(g, i, m->a, out);
			free(g->of[i].seen);
		}
		fputc('}', out);
	}
	fputc(']', out);
}

/* ---- samples ---- */

/* How many events came to this operator, and the state of its dice. */
struct sample {
	const struct node *call;
	uint64_t n, dice;
};
static struct sample samples[16];
static size_t n_samples;

static bool is_sampled(const struct node *call)
{
	uint64_t of = call->args->integer, x;
	struct sample *s = NULL;

	for (size_t i = 0; i < n_samples; i++)
		s = samples[i].call == call ? &samples[i] : s;
	if (!s) {
		s = &samples[n_samples++];
		*s = (struct sample){.call = call, .dice = 0x9e3779b97f4a7c15};
	}
	if (strcmp(call->name, "SampleEvery") == 0)
		return s->n++ % of == 0;
	x = s->dice;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	s->dice = x;
	return ((x * 0x2545f4914f6cdd1d >> 32) * of) >> 32 == 0;
}

/* Do all conditions of the chain hold? They are tested in the order of the text. */
static bool passes(const struct node *n, const struct numbers *e)
{
	struct number v;

	if (n->kind != NODE_CALL || !n->a)
		return true;
	if (!passes(n->a, e))
		return false;
	if (strncmp(n->name, "Sample", 6) == 0)
		return is_sampled(n);
	if (!take_in(n->args, e))
		return false;
	v = eval(n->args, e);
	return !v.failed && v.value;
}

static void forget(void)
{
	for (size_t i = 0; i < n_histories; i++)
		free(histories[i].seen);
	n_histories = n_samples = 0;
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
	forget();
	query_arena_free(&arena);
	return rows;
}
