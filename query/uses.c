/* SPDX-License-Identifier: Apache-2.0 */
/* What the final stage uses of what it is given: which constants of the sessions, which results of what was kept. */
#include "uses.h"

#include <stddef.h>
#include <string.h>

#include "emitter.h"

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
	       (any(&q->plan, is_session, SESSION_PROCESS) ? QUERY_BY_PROCESS : 0u) |
	       (any(&q->plan, is_session, SESSION_MACHINE) ? QUERY_BY_MACHINE : 0u) |
	       (q->other ? query_sessions_apart(q->other) : 0u);
}

/* The probe's text has them if it reads them; in the text of the query they may go by any name. */
bool query_has_times(const struct query *q)
{
	static const char *const words[] = {"ev->time", "ev->elapsed", "ward_query_ns", "ward_clock"};
	const char *probe = query_probe(q);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(probe, words[i]))
			return true;
	return false;
}

bool query_has_day(const struct query *q)
{
	for (size_t i = 0; i < q->plan.n_keeps; i++)
		if (q->plan.keeps[i].of && q->plan.keeps[i].of->type.kind == TYPE_INSTANT)
			return true;
	return q->plan.has_day || (q->other && query_has_day(q->other));
}

bool query_windows_by_difference(const struct query *q)
{
	return !any_is_windowed(&q->plan) && (!q->other || query_windows_by_difference(q->other));
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

bool keep_is_there(const struct plan_keep *k)
{
	return !k->counted_by && !k->is_unused;
}

bool keep_is_windowed(const struct plan *p, size_t i)
{
	/* the reader knows of each event which window it is in */
	return p->window.step && (p->pair.kind == PAIR_RECORDS || !keep_has_difference(p, i));
}

bool any_is_windowed(const struct plan *p)
{
	for (size_t i = 0; i < p->n_keeps; i++)
		if (keep_is_there(&p->keeps[i]) && keep_is_windowed(p, i))
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

static bool is_called(const struct expr *e, uint64_t unused)
{
	(void)unused;
	return e->kind == EXPR_READ || e->kind == EXPR_STRING ||
	       (e->kind == EXPR_FIELD && (e->value == FIELD_PID || e->value == FIELD_PROCESS));
}

bool expr_calls(const struct expr *e)
{
	return has(e, is_called, 0);
}

/* ---- R8: what nobody uses isn't kept ---- */

static bool is_keep(const struct expr *e, uint64_t keep)
{
	return e->kind == EXPR_KEEP && (e->value == keep || e->which == keep + 1);
}

static bool is_history(const struct expr *e, uint64_t history)
{
	return (e->kind == EXPR_NOW || e->kind == EXPR_BEFORE) && e->value == history;
}

/* Does anything use it but the step that takes it in? */
static bool history_is_used(const struct plan *p, uint64_t history)
{
	for (size_t i = 0; i < p->n_filters; i++)
		if (has(p->filters[i], is_history, history))
			return true;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < p->pair.before[side].n; i++)
			if (has(p->pair.before[side].at[i], is_history, history))
				return true;
		for (size_t i = 0; i < p->pair.n_keys; i++)
			if (has(p->pair.keys[side][i], is_history, history))
				return true;
	}
	for (size_t i = 0; i < p->n_captures; i++)
		if (has(p->captures[i].of, is_history, history))
			return true;
	for (size_t i = 0; i < p->n_uses; i++)
		for (size_t k = 0; k < p->uses[i].n_args; k++)
			if (has(p->uses[i].args[k], is_history, history))
				return true;
	for (size_t i = 0; i < p->n_keeps; i++)
		if (!p->keeps[i].is_unused &&
			(has(p->keeps[i].of, is_history, history) || has(p->keeps[i].when, is_history, history)))
			return true;
	return any(p, is_history, history);
}

/* A step that may leave an event out stays, as its division is a part of the text's meaning. */
static void drop_histories(struct plan *p)
{
	for (size_t i = p->n_filters; i-- > 0;) {
		const struct expr *step = p->filters[i];

		if (step->kind != EXPR_STEP || may_divide_by_zero(step->a) || history_is_used(p, step->value))
			continue;
		memmove(p->filters + i, p->filters + i + 1, (--p->n_filters - i) * sizeof(p->filters[0]));
		p->histories[step->value].of = NULL;
		p->made |= QUERY_R8;
	}
}

/* One has to stay: it says that there was an event, and so a row. A count is the cheapest. */
static size_t last_keep(const struct plan *p)
{
	for (size_t i = 0; i < p->n_keeps; i++)
		if (p->keeps[i].kind == KEEP_COUNT && !p->keeps[i].when)
			return i;
	return 0;
}

static bool drop_keeps(struct plan *p, bool *all)
{
	bool some = false;

	*all = true;
	for (size_t i = 0; i < p->n_keeps; i++) {
		struct plan_keep *k = &p->keeps[i];

		k->is_unused =
			!k->use && !any(p, is_keep, i) && !may_divide_by_zero(k->of) && !may_divide_by_zero(k->when);
		*all &= k->is_unused;
		some |= k->is_unused;
	}
	return some;
}

void rewrite_unused(struct query *q)
{
	struct plan *p = &q->plan;
	bool all, some = drop_keeps(p, &all);

	if (some && all) {
		p->keeps[last_keep(p)].is_unused = false;
		some = p->n_keeps > 1;
	}
	if (some)
		p->made |= QUERY_R8;
	drop_histories(p);
}
