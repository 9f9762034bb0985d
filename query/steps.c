/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators on finished rows: Pivot, Normalise, KMeans, MovingAverage. Each is a step of the plan: it takes the rows as
 * they are so far, and what follows in the text is of the table that it makes. analysis.c does the work.
 */
#include <string.h>

#include "chain.h"

bool is_key_part(const struct plan *p, const struct expr *e)
{
	const struct plan_step *last = p->steps;

	if (e->kind != EXPR_CELL)
		return e->kind == EXPR_KEY || e->kind == EXPR_SESSION;
	while (last->next)
		last = last->next;
	return last->is_key[e->value];
}

bool is_summable(struct type t)
{
	return t.kind == TYPE_INT || t.kind == TYPE_WORD || t.kind == TYPE_REAL || t.kind == TYPE_DURATION;
}

bool is_counted(const struct plan *p, const struct expr *e)
{
	if (e->kind == EXPR_CELL)
		return !is_key_part(p, e) && is_summable(e->type);
	return e->kind == EXPR_KEEP && e->type.kind != TYPE_BUCKETS;
}

/* Is it computed of nothing but parts of the key, and constants? */
static bool is_of_keys(const struct plan *p, const struct expr *e)
{
	if (e->kind == EXPR_KEEP || (e->kind == EXPR_CELL && !is_key_part(p, e)))
		return false;
	return (!e->a || is_of_keys(p, e->a)) && (!e->b || is_of_keys(p, e->b)) && (!e->c || is_of_keys(p, e->c));
}

enum query_role query_role_of(const struct query *q, size_t column)
{
	const struct expr *e = q->plan.columns[column].value;

	if (is_of_keys(&q->plan, e))
		return QUERY_KEY;
	/* an estimate may step back, and so may what a probe written by hand counts */
	if (!q->plan.is_scaled && q->plan.module.kind == MODULE_NONE && e->kind == EXPR_KEEP &&
		(e->part == PART_COUNT || (e->part == PART_SUM && !e->type.is_signed)))
		return QUERY_TOTAL;
	return QUERY_MEASURE;
}

bool query_quantile_of(const struct query *q, size_t column, struct query_quantile *quantile)
{
	const struct expr *e = q->plan.columns[column].value;

	if (e->kind != EXPR_KEEP || e->part != PART_QUANTILE)
		return false;
	*quantile = (struct query_quantile){.rank = e->real, .of = e->value};
	return true;
}

/* Rows end here, and a step begins. */
struct plan_step *begin_step(struct chain *c, enum step_kind kind, const struct node *n)
{
	struct plan *p = c->plan;
	struct plan_step *step = chain_alloc(c, sizeof(*step)), **end = &p->steps;
	size_t before = 0;

	*step = (struct plan_step){.kind = kind, .rows = p->rows};
	for (size_t i = 0; i < p->n_columns; i++) {
		step->is_key[i] = is_key_part(p, p->columns[i].value);
		step->is_number[i] = !step->is_key[i] && is_summable(p->columns[i].value->type);
	}
	for (; *end; end = &(*end)->next)
		before++;
	if (before == PLAN_STEPS)
		query_fail(c->r->maker.err, n->at, NULL, "more than %d steps of analysis", PLAN_STEPS);
	*end = step;
	p->rows = (struct plan_rows){.take = UINT64_MAX};
	c->taken = false;
	return step;
}

/* A column of the step's table. */
struct expr *add_cell(struct chain *c, const char *name, struct type type, const struct node *n)
{
	struct expr *cell = expr_new(&c->r->maker, EXPR_CELL, type, n->span);

	cell->type.is_literal = false;
	cell->value = c->plan->n_columns;
	add_column(c, name, cell, n->span);
	return cell;
}

/* The first n columns of the step's rows are in its table, too. */
static void add_cells(struct chain *c, const struct plan_step *step, size_t n_columns, const struct node *n)
{
	for (size_t i = 0; i < n_columns; i++) {
		struct type type = step->rows.columns[i].value->type;

		if (step->kind == STEP_NORMALISE && !step->rows.is_whole && step->is_number[i])
			type = TYPE_A(REAL);
		add_cell(c, step->rows.columns[i].name, type, n);
	}
}

static void check_new_column(struct chain *c, const char *name, const struct node *n)
{
	for (size_t i = 0; i < c->plan->n_columns; i++)
		if (strcmp(c->plan->columns[i].name, name) == 0)
			query_fail(c->r->maker.err, n->at, "Select gives the first one another name",
				"%s adds a column %s, and there is one", n->name, name);
}

/* Are there numbers to analyse: those that Pivot finds, or columns that are no keys? */
static void check_numbers(struct chain *c, const struct plan_step *step, const struct node *n)
{
	bool any = step->rows.is_whole;

	for (size_t i = 0; i < step->rows.n_columns; i++)
		any |= step->is_number[i];
	if (!any)
		query_fail(c->r->maker.err, n->at, "Pivot(row => key, row => column, row => value) makes columns",
			"%s of rows without numbers", n->name);
}

/* Its rows have the parts of the key, then the new columns' name, then the value. */
void apply_pivot(struct chain *c, struct node *n)
{
	struct expr *key = resolve_here(c, n->args), *column = resolve_here(c, n->args->next),
		    *value = resolve_here(c, n->args->next->next);
	struct plan_step *step;

	if (chain_failed(c))
		return;
	if (!is_summable(value->type))
		query_fail(c->r->maker.err, n->args->next->next->span, "Pivot(key, column, count)",
			"Pivot adds values up, and %s is no number", type_name(value->type));
	if (column->type.kind == TYPE_RECORD || column->type.kind == TYPE_BUCKETS)
		query_fail(c->r->maker.err, n->args->next->span, "Pivot(key, site, count)", "%s names no column",
			type_name(column->type));
	c->plan->n_columns = 0;
	c->plan->is_whole = false;
	add_column(c, "Key", key, n->span);
	add_column(c, "column", column, n->span);
	add_column(c, "value", value, n->span);
	for (size_t i = 0; i + 2 < c->plan->n_columns; i++)
		if (c->plan->columns[i].value->type.kind == TYPE_BUCKETS)
			query_fail(c->r->maker.err, n->args->span, NULL, "%s is no part of a key",
				type_name(c->plan->columns[i].value->type));
	if (chain_failed(c))
		return;
	step = begin_step(c, STEP_PIVOT, n);
	for (size_t i = 0; i < step->rows.n_columns; i++)
		step->is_key[i] = i + 2 < step->rows.n_columns;
	add_cells(c, step, step->rows.n_columns - 2, n);
	c->plan->is_whole = true;
}

void apply_normalise(struct chain *c, struct node *n)
{
	struct plan_step *step = begin_step(c, STEP_NORMALISE, n);

	check_numbers(c, step, n);
	add_cells(c, step, step->rows.n_columns, n);
	c->plan->is_whole = step->rows.is_whole;
}

void apply_kmeans(struct chain *c, struct node *n)
{
	struct plan_step *step;
	int64_t clusters;

	if (!resolve_constant(c->r, n->args, 1, 64, &clusters))
		return;
	check_new_column(c, "cluster", n);
	step = begin_step(c, STEP_KMEANS, n);
	check_numbers(c, step, n);
	step->n = (uint64_t)clusters;
	add_cells(c, step, step->rows.n_columns, n);
	add_cell(c, "cluster", TYPE_ULONG, n);
	c->plan->is_whole = step->rows.is_whole;
}

/* The number is the last column of its rows; its mean takes the same place. */
void apply_moving_average(struct chain *c, struct node *n)
{
	struct expr *of = resolve_here(c, n->args);
	bool is_duration = of->type.kind == TYPE_DURATION, is_whole = c->plan->is_whole;
	struct plan_step *step;
	int64_t rows = 10;

	if (chain_failed(c) || (n->args->next && !resolve_constant(c->r, n->args->next, 1, 10000, &rows)))
		return;
	if (!is_summable(of->type))
		query_fail(c->r->maker.err, n->args->span, "MovingAverage(count, 10)",
			"an average of what? %s is no number", type_name(of->type));
	check_new_column(c, "movingAverage", n);
	add_column(c, "movingAverage", of, n->span);
	if (chain_failed(c))
		return;
	step = begin_step(c, STEP_MOVING_AVERAGE, n);
	step->n = (uint64_t)rows;
	add_cells(c, step, step->rows.n_columns - 1, n);
	add_cell(c, "movingAverage", is_duration ? TYPE_A(DURATION) : TYPE_A(REAL), n);
	c->plan->is_whole = is_whole;
}
