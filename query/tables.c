/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables meet: Join and Diff of finished rows. The second table is a query of its own, with a plan of its own; both
 * are one probe, whose state has the second one's as the member "other" (emit_other.c). The rows meet in a step of the
 * first one's plan, which rows_join.c makes.
 */
#include <stdlib.h>
#include <string.h>

#include "chain.h"

/* ---- the second query ---- */

/* What isn't of one plan alone. */
static void check_tables(struct chain *c, const struct plan *o, struct query_span at)
{
	const struct plan *p = c->plan;
	struct query_error *err = c->r->maker.err;

	if (p->module.file || o->module.file)
		query_fail(err, at, "ask two questions", "a table of a probe in C beside another one");
	else if (p->window.step || o->window.step)
		query_fail(err, at, "Until(1.min), and ask again", "windows of two tables are not supported yet");
	else if (p->pair.kind == PAIR_RECORDS || o->pair.kind == PAIR_RECORDS)
		query_fail(err, at, "join events of one thread: its tid is a part of both keys",
			"a table of events that the reader joins, beside another one, is not supported yet");
	else if (p->n_uses || o->n_uses)
		query_fail(err, at, "ask two questions", "Use beside another table is not supported yet");
	else if (p->rows.is_whole || o->rows.is_whole)
		query_fail(err, at, "join or compare first, then Pivot", "two tables of columns that Pivot finds");
	else if (o->sites[0].is_kernel != p->sites[0].is_kernel)
		query_fail(err, at, "ask two questions", "sites of the kernel and of a process");
}

/* What both say of the whole, when conditions on it are no filters any more. */
void merge_tables(struct chain *c, struct query_span at)
{
	struct plan *p = c->plan;
	const struct plan *o = &c->r->query->other->plan;

	if (p->is_scaled || o->is_scaled)
		query_fail(c->r->maker.err, at, "multiply by the number of Sample",
			"Scaled of two tables is not supported yet");
	if ((p->pid && o->pid && p->pid != o->pid) || (p->process && o->process && strcmp(p->process, o->process) != 0))
		query_fail(c->r->maker.err, at, "both are of one process, or of all", "tables of two processes");
	if (o->until >= 0 && (p->until < 0 || o->until < p->until))
		p->until = o->until;
	p->from = p->from < o->from ? p->from : o->from;
	p->pid = p->pid ? p->pid : o->pid;
	p->process = p->process ? p->process : o->process;
}

static bool begin_other(struct chain *c, struct chain *second, const struct node *n)
{
	struct query *q = c->r->query, *o;

	if (c->r->is_other || q->other) {
		query_fail(c->r->maker.err, n->at, "two at a time: CountBy(new { site, … }) has several sources in one",
			"a third table is not supported yet");
		return false;
	}
	o = q->other = calloc(1, sizeof(*o));
	if (!o) {
		query_fail(c->r->maker.err, n->at, NULL, "out of memory");
		return false;
	}
	q->is_half = o->is_half = true;
	o->options = q->options;
	o->text = q->text;
	o->plan.until = -1;
	o->plan.take = o->plan.take_events = UINT64_MAX;
	*second = (struct chain){.r = c->r, .plan = &o->plan, .stage = E, .depth = c->depth};
	return true;
}

/* Its chain, and the parts of the key that it is joined by (`key` may be NULL), as last columns. */
static bool walk_other(struct chain *c, struct node *n, struct node *key, struct expr **parts)
{
	struct resolver *r = c->r, before = *r;
	struct chain second;

	make_rows(c, n->span);
	if (chain_failed(c) || !begin_other(c, &second, n))
		return false;
	r->query = r->query->other;
	r->plan = &r->query->plan;
	r->is_other = true;
	walk_chain(&second, n->args);
	if (!chain_failed(c))
		make_rows(&second, n->args->span);
	if (!chain_failed(c) && second.stage != R)
		query_fail(r->maker.err, n->args->span, "CountBy(caller), GroupBy(…).Select(g => …)",
			"%s of a table with events", n->name);
	else if (!chain_failed(c) && second.plan->take_events != UINT64_MAX)
		query_fail(r->maker.err, n->args->span, "put Take behind the group, where it chooses rows",
			"a count of the first events of each thread says little");
	*parts = key && !chain_failed(c) ? resolve_here(&second, key) : NULL;
	if (!chain_failed(c))
		check_tables(c, second.plan, n->at);
	r->query = before.query;
	r->plan = before.plan;
	r->element = before.element;
	r->maker.types = before.maker.types;
	r->is_other = false;
	return !chain_failed(c);
}

/* ---- Join ---- */

enum { MOST_PARTS = PLAN_KEYS };

static size_t parts_of(struct expr *key, struct expr **parts)
{
	size_t n = 0;

	if (key->kind != EXPR_RECORD) {
		parts[0] = key;
		return 1;
	}
	for (const struct member *m = key->members; m && n < MOST_PARTS + 1; m = m->next)
		parts[n++] = m->value;
	return n;
}

/* Both keys become the last columns of their tables. Returns how many there are; 0: an error. */
static size_t add_keys(struct chain *c, struct expr *a, struct expr *b, struct query_span at)
{
	struct chain second = {.r = c->r, .plan = &c->r->query->other->plan, .stage = R};
	struct expr *parts[2][MOST_PARTS + 1];
	size_t n = parts_of(a, parts[0]);

	if (n > MOST_PARTS || parts_of(b, parts[1]) != n) {
		query_fail(c->r->maker.err, at, "on new { a.caller, a.site } equals new { b.caller, b.site }",
			"both keys have the same parts, and at most %d", MOST_PARTS);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		expr_binary(&c->r->maker, OP_EQ, parts[0][i], parts[1][i], at);
		add_column(c, "key", parts[0][i], at);
		add_column(&second, "key", parts[1][i], at);
	}
	return chain_failed(c) ? 0 : n;
}

static bool has_column(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_columns; i++)
		if (strcmp(p->columns[i].name, name) == 0)
			return true;
	return false;
}

/* Columns of the step's table that are those of rows, but for the last ones; and a record of them. */
static struct expr *add_cells_of(
	struct chain *c, struct plan_step *step, const struct plan_rows *from, const bool *is_key, const struct node *n)
{
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), n->span);
	struct member **end = &record->members;

	record->in_final = true;
	for (size_t i = 0; i + step->n < from->n_columns && !chain_failed(c); i++) {
		const char *name = from->columns[i].name, *own = name;
		struct member *m = chain_alloc(c, sizeof(*m));
		struct type type = from->columns[i].value->type;

		type.number = 0; /* names that types know are texts by now */
		if (has_column(c->plan, name))
			own = query_format(c->r->maker.arena, "other_%s", name);
		if (c->plan->n_columns < PLAN_COLUMNS)
			step->is_key[c->plan->n_columns] = is_key[i];
		*m = (struct member){name, add_cell(c, own, type, n), NULL};
		*end = m;
		end = &m->next;
	}
	return record;
}

static void add_name(struct chain *c, const char *name, struct expr *value)
{
	struct binding *b = chain_alloc(c, sizeof(*b));

	*b = (struct binding){name, value, c->lets};
	c->lets = b;
}

/* (a, b) => new { … }: the columns that are wanted. */
static void select_pair(struct chain *c, struct node *lambda, struct expr *a, struct expr *b)
{
	struct binding second = {lambda->params[1], b, NULL}, first = {lambda->params[0], a, &second};
	struct expr *value = resolve(c->r, lambda->a, &first, NULL);

	c->plan->n_columns = 0;
	if (!chain_failed(c))
		add_column(c, "value", value, lambda->span);
}

void join_tables(struct chain *c, struct node *n)
{
	struct node *key = n->args->next, *lambda = key->next->next;
	struct expr *a, *b;
	struct plan_step *step;
	const struct plan *o;
	bool is_key[2][PLAN_COLUMNS] = {{false}};
	size_t parts;

	if (lambda && (lambda->kind != NODE_LAMBDA || lambda->n_params != 2)) {
		query_fail(c->r->maker.err, lambda->span, "Join(b, key, key, (x, y) => new { x.caller, x.count })",
			"a function of a row of both tables is expected here");
		return;
	}
	if (!walk_other(c, n, key->next, &b))
		return;
	a = resolve_here(c, key);
	parts = chain_failed(c) ? 0 : add_keys(c, a, b, n->span);
	if (!parts)
		return;
	o = &c->r->query->other->plan;
	for (size_t i = 0; i < o->n_columns; i++)
		is_key[1][i] = is_key_part(o, o->columns[i].value);
	step = begin_step(c, STEP_JOIN, n);
	step->n = parts;
	memcpy(is_key[0], step->is_key, sizeof(is_key[0]));
	a = add_cells_of(c, step, &step->rows, is_key[0], n);
	b = add_cells_of(c, step, &o->rows, is_key[1], n);
	c->lets = NULL;
	c->stage = R;
	if (n->params[0]) {
		add_name(c, n->params[0], a);
		add_name(c, n->params[1], b);
	}
	if (lambda && !chain_failed(c))
		select_pair(c, lambda, a, b);
}

/* ---- Diff ---- */

/* Do both have the same columns? Parts of keys are what rows are matched by; all else is subtracted. */
static bool check_columns(struct chain *c, const struct plan *o, const struct node *n, bool *by)
{
	const struct plan *p = c->plan;
	bool same = p->n_columns == o->n_columns;

	for (size_t i = 0; same && i < p->n_columns; i++) {
		by[i] = is_key_part(p, p->columns[i].value);
		same = strcmp(p->columns[i].name, o->columns[i].name) == 0 &&
		       by[i] == is_key_part(o, o->columns[i].value) &&
		       p->columns[i].value->type.kind == o->columns[i].value->type.kind;
	}
	if (!same) {
		query_fail(c->r->maker.err, n->args->span, "a.CountBy(caller).Diff(b.CountBy(caller)); or Join",
			"Diff of tables with other columns");
		return false;
	}
	for (size_t i = 0; i < p->n_columns; i++)
		if (!by[i] && !is_summable(p->columns[i].value->type))
			query_fail(c->r->maker.err, n->at, "Select(g => new { g.Key, n = g.Count() })",
				"Diff of %s, which has no difference", p->columns[i].name);
	return !chain_failed(c);
}

static void add_change(struct chain *c, const char *name, struct type type, const struct node *n)
{
	struct type change = type.kind == TYPE_DURATION || type.kind == TYPE_REAL ? type : TYPE_LONG;

	add_cell(c, name, type, n);
	add_cell(c, query_format(c->r->maker.arena, "other_%s", name), type, n);
	add_cell(c, query_format(c->r->maker.arena, "%s_change", name), change, n);
}

/* a.Diff(b): of each key both numbers, and how much more a's is. */
void apply_diff(struct chain *c, struct node *n)
{
	bool by[PLAN_COLUMNS] = {false};
	struct plan_step *step;
	struct expr *none;

	if (!walk_other(c, n, NULL, &none) || !check_columns(c, &c->r->query->other->plan, n, by))
		return;
	step = begin_step(c, STEP_DIFF, n);
	memcpy(step->by, by, sizeof(by));
	memset(step->is_key, 0, sizeof(step->is_key));
	for (size_t i = 0; i < step->rows.n_columns && !chain_failed(c); i++) {
		const struct plan_column *column = &step->rows.columns[i];
		struct type type = column->value->type;

		type.number = 0;
		if (by[i])
			step->is_key[c->plan->n_columns] = true;
		if (by[i])
			add_cell(c, column->name, type, n);
		else
			add_change(c, column->name, type, n);
	}
	c->lets = NULL;
	c->stage = R;
}
