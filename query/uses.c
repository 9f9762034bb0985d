/* SPDX-License-Identifier: Apache-2.0 */
/* What the final stage uses of what it is given: which constants of the sessions, which results of what was kept. */
#include "uses.h"

#include <stddef.h>

static bool has(const struct expr *e, bool (*is)(const struct expr *e, uint64_t value), uint64_t value)
{
	return e && (is(e, value) || has(e->a, is, value) || has(e->b, is, value) || has(e->c, is, value));
}

static bool rows_have(const struct plan_rows *r, bool (*is)(const struct expr *e, uint64_t value), uint64_t value)
{
	for (size_t i = 0; i < r->n_having; i++)
		if (has(r->having[i], is, value))
			return true;
	for (size_t i = 0; i < r->n_orders; i++)
		if (has(r->orders[i].value, is, value))
			return true;
	for (size_t i = 0; i < r->n_columns; i++)
		if (has(r->columns[i].value, is, value))
			return true;
	return false;
}

static bool any(const struct plan *p, bool (*is)(const struct expr *e, uint64_t value), uint64_t value)
{
	for (size_t i = 0; i < p->n_keys; i++)
		if (has(p->keys[i].of, is, value))
			return true;
	for (const struct plan_step *step = p->steps; step; step = step->next)
		if (rows_have(&step->rows, is, value))
			return true;
	return rows_have(&p->rows, is, value);
}

static bool is_session(const struct expr *e, uint64_t which)
{
	return e->kind == EXPR_SESSION && e->value == which;
}

unsigned query_sessions_apart(const struct query *q)
{
	return (any(&q->plan, is_session, SESSION_PID) ? QUERY_BY_PID : 0u) |
	       (any(&q->plan, is_session, SESSION_PROCESS) ? QUERY_BY_PROCESS : 0u);
}

static bool is_extreme(const struct expr *e, uint64_t keep)
{
	return e->kind == EXPR_KEEP && e->value == keep && (e->part == PART_MIN || e->part == PART_MAX);
}

static bool has_difference(const struct plan *p, size_t i)
{
	switch (p->keeps[i].kind) {
	case KEEP_COUNT: return !p->counters;
	case KEEP_SUM:
	case KEEP_LOG2:
	case KEEP_LINEAR:
	case KEEP_BITS:
	case KEEP_QUANTILES: return true;
	case KEEP_STAT: return !any(p, is_extreme, i);
	default: return false;
	}
}

/* All of a struct is in one place. */
bool keep_has_difference(const struct plan *p, size_t i)
{
	if (!p->keeps[i].use)
		return has_difference(p, i);
	for (size_t k = 0; k < p->n_keeps; k++)
		if (p->keeps[k].use == p->keeps[i].use && !has_difference(p, k))
			return false;
	return true;
}

bool keep_is_windowed(const struct plan *p, size_t i)
{
	return p->window.step && !keep_has_difference(p, i);
}

bool any_is_windowed(const struct plan *p)
{
	for (size_t i = 0; i < p->n_keeps; i++)
		if (!p->keeps[i].counted_by && keep_is_windowed(p, i))
			return true;
	return false;
}

bool expr_has_session(const struct plan *p, const struct expr *e, uint64_t which)
{
	if (!e)
		return false;
	if (e->kind == EXPR_KEY)
		return expr_has_session(p, p->keys[e->value].of, which);
	for (const struct member *m = e->kind == EXPR_RECORD ? e->members : NULL; m; m = m->next)
		if (expr_has_session(p, m->value, which))
			return true;
	return is_session(e, which) || expr_has_session(p, e->a, which) || expr_has_session(p, e->b, which) ||
	       expr_has_session(p, e->c, which);
}

static bool is_time(const struct expr *e, uint64_t unused)
{
	(void)unused;
	return e->kind == EXPR_FIELD && e->value == FIELD_TIME;
}

bool expr_has_time(const struct expr *e)
{
	return has(e, is_time, 0);
}
