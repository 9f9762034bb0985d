/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites of the plan, by their numbers in spec/query.md. Each can be switched off, and the rows stay the same. Some
 * are made where the plan is: R5 (one number is kept once, plan.c).
 */
#include <string.h>

#include "chain.h"
#include "emit.h"
#include "range.h"
#include "uses.h"

/* ---- R1: conjunctions apart, and what is always true left out ---- */

void plan_add_filter(struct query *q, struct expr_maker *m, struct expr *cond)
{
	struct plan *p = &q->plan;
	bool rewrite = !(q->options.without & QUERY_R1);

	if (rewrite && cond->kind == EXPR_BINARY && cond->op == OP_AND) {
		plan_add_filter(q, m, cond->a);
		plan_add_filter(q, m, cond->b);
		return;
	}
	if (rewrite && cond->kind == EXPR_CONST && cond->value)
		return;
	if (p->n_filters == PLAN_FILTERS)
		query_fail(m->err, cond->span, NULL, "more than %d conditions", PLAN_FILTERS);
	else
		p->filters[p->n_filters++] = cond;
}

static void drop_filter(struct expr **filters, size_t *n, size_t i)
{
	--*n;
	memmove(filters + i, filters + i + 1, (*n - i) * sizeof(filters[0]));
}

/* ---- R3: a bound on time ends the query; a process's number chooses the process ---- */

static bool is_field(const struct expr *e, uint64_t field)
{
	return e->kind == EXPR_FIELD && e->value == field;
}

/* The instant below which, or (`upper` is false) above which, it wants the event's time; or NULL. */
static const struct expr *time_bound(const struct expr *cond, bool upper)
{
	bool below, above;

	if (cond->kind != EXPR_BINARY)
		return NULL;
	below = cond->op == OP_LT || cond->op == OP_LE;
	above = cond->op == OP_GT || cond->op == OP_GE;
	if ((upper ? below : above) && is_field(cond->a, FIELD_TIME) && cond->b->kind == EXPR_CONST)
		return cond->b;
	if ((upper ? above : below) && is_field(cond->b, FIELD_TIME) && cond->a->kind == EXPR_CONST)
		return cond->a;
	return NULL;
}

/* The constant that it wants this constant of the session to be. */
static const struct expr *session_wanted(const struct expr *cond, uint64_t which, enum expr_kind constant)
{
	if (cond->kind != EXPR_BINARY || cond->op != OP_EQ)
		return NULL;
	if (cond->a->kind == EXPR_SESSION && cond->a->value == which && cond->b->kind == constant)
		return cond->b;
	if (cond->b->kind == EXPR_SESSION && cond->b->value == which && cond->a->kind == constant)
		return cond->a;
	return NULL;
}

int64_t plan_process(const struct plan *p)
{
	for (size_t i = 0; i < p->n_filters && !p->pid; i++)
		if (session_wanted(p->filters[i], SESSION_PID, EXPR_CONST))
			return (int64_t)session_wanted(p->filters[i], SESSION_PID, EXPR_CONST)->value;
	return p->pid;
}

/* It is past: the query ends, and isn't tested any more. */
static bool bound_end(struct query *q, const struct expr *bound)
{
	struct plan *p = &q->plan;
	int64_t ns = (int64_t)bound->value - q->options.now;

	ns = ns < 0 ? 0 : ns;
	if (p->until < 0 || ns < p->until)
		p->until = ns;
	p->made |= QUERY_R3;
	return !q->options.exact;
}

/*
 * It is yet to come: the probes are attached a moment before, unless there are pairs, which may have begun before that.
 * One that was before `now` is true for all events.
 */
static bool bound_start(struct query *q, const struct expr *bound)
{
	struct plan *p = &q->plan;
	int64_t ns = (int64_t)bound->value - q->options.now;

	if (p->pair.kind == PAIR_NONE)
		p->from = ns > p->from ? ns : p->from;
	p->made |= QUERY_R3;
	return ns < 0 && !q->options.exact;
}

static void rewrite_bounds(struct query *q, struct expr **filters, size_t *n)
{
	struct plan *p = &q->plan;
	bool rewrite = !(q->options.without & QUERY_R3);

	for (size_t i = 0; i < *n;) {
		const struct expr *end = time_bound(filters[i], true), *start = time_bound(filters[i], false),
				  *pid = session_wanted(filters[i], SESSION_PID, EXPR_CONST),
				  *process = session_wanted(filters[i], SESSION_PROCESS, EXPR_TEXT);
		bool drop = (rewrite && end && bound_end(q, end)) || (rewrite && start && bound_start(q, start));

		if (pid)
			p->pid = (int64_t)pid->value;
		if (process)
			p->process = process->text;
		if (drop || pid || process)
			drop_filter(filters, n, i);
		else
			i++;
	}
}

/* ---- R5: where a ward_stat is kept of all events, it has their count ---- */

static void rewrite_count(struct plan *p)
{
	for (size_t i = 0; i < p->n_keeps; i++)
		for (size_t k = 0; k < p->n_keeps && keep_is_there(&p->keeps[i]); k++)
			if (!p->keeps[k].is_unused && p->keeps[i].kind == KEEP_COUNT && !p->keeps[i].when &&
				p->keeps[k].kind == KEEP_STAT && !p->keeps[k].use && !p->keeps[k].when &&
				keep_is_windowed(p, i) == keep_is_windowed(p, k)) {
				p->keeps[i].counted_by = k + 1;
				p->made |= QUERY_R5;
			}
}

/*
 * R6: a key of nothing but constants is no part of the probe. Whether there was an event, and so a row, is what its
 * count says.
 */
static void count_constant_group(struct plan *p, const struct query *q, struct expr_maker *m)
{
	for (size_t i = 0; i < p->n_keys; i++)
		if (!key_is_constant(q, i))
			return;
	for (size_t i = 0; i < p->n_keeps; i++)
		if (!p->keeps[i].is_unused && !p->keeps[i].when && !p->keeps[i].use &&
			(p->keeps[i].kind == KEEP_COUNT || p->keeps[i].kind == KEEP_STAT)) {
			p->counts_group = i + 1;
			return;
		}
	if (p->n_keeps == PLAN_KEEPS) {
		query_fail(m->err, (struct query_span){0, 1}, NULL, "more than %d aggregates", PLAN_KEEPS);
		return;
	}
	p->keeps[p->n_keeps++] = (struct plan_keep){.kind = KEEP_COUNT};
	p->counts_group = p->n_keeps;
}

/* ---- R9: cheap tests come first ---- */

/* Classes of cost: a test of registers, one that reads the clock, one that reads the target's memory. */
static unsigned cost_of(const struct expr *e)
{
	unsigned cost = 0, part;

	if (!e)
		return 0;
	if (e->kind == EXPR_CAPTURE)
		return 0;
	if (e->kind == EXPR_STRING || e->kind == EXPR_READ)
		return 2;
	if (is_field(e, FIELD_TIME) || is_field(e, FIELD_ELAPSED) || is_field(e, FIELD_CPU) || is_field(e, FIELD_PID))
		return 1;
	for (int i = 0; i < 3; i++) {
		part = cost_of(i == 0 ? e->a : i == 1 ? e->b : e->c);
		cost = part > cost ? part : cost;
	}
	return cost;
}

/* Does it keep something of the events that come to it, so that none may be put before or behind it? */
static bool is_stateful(const struct expr *e)
{
	return e->kind == EXPR_GATE || e->kind == EXPR_STEP || e->kind == EXPR_RECALL;
}

/* Those of one class stay in the order of the text, and none passes one that keeps something. */
static void rewrite_order(struct plan *p, struct expr **filters, size_t n_filters)
{
	struct expr *sorted[PLAN_FILTERS];
	size_t n = 0;

	for (size_t begin = 0, end; begin < n_filters; begin = end) {
		for (end = begin; end < n_filters && !is_stateful(filters[end]);)
			end++;
		for (unsigned cost = 0; cost <= 2; cost++)
			for (size_t i = begin; i < end; i++)
				if (cost_of(filters[i]) == cost)
					sorted[n++] = filters[i];
		if (end < n_filters)
			sorted[n++] = filters[end++];
	}
	if (memcmp(sorted, filters, n * sizeof(sorted[0])) != 0)
		p->made |= QUERY_R9;
	memcpy(filters, sorted, n * sizeof(sorted[0]));
}

/* ---- R12: a map has room for as many keys as there can be ---- */

enum { LEAST_SLOTS = 16 };

/* Twice as many slots as keys: then each finds one near its home. */
static void rewrite_slots(struct query *q)
{
	uint64_t keys = 1, slots = LEAST_SLOTS;

	for (size_t i = 0; i < q->plan.n_keys; i++) {
		keys *= key_is_constant(q, i) ? 1 : range_count(q->plan.keys[i].of);
		if (keys >= RANGE_MOST)
			return;
	}
	while (slots < 2 * keys)
		slots *= 2;
	q->plan.slots = slots;
	q->plan.made |= QUERY_R12;
}

/* ---- R14: where counts may be estimates, the most frequent keys need no map ---- */

enum { MOST_TOP = 128, LEAST_COUNTERS = 64 };

unsigned top_counters(uint64_t k)
{
	return k * 8 < LEAST_COUNTERS ? LEAST_COUNTERS : (unsigned)k * 8;
}

/* Are its rows those with the largest count, and is that all that is kept? */
static bool is_top_of_counts(const struct plan *p)
{
	const struct expr *by = p->n_orders == 1 && p->orders[0].down ? p->orders[0].value : NULL;

	return by && by->kind == EXPR_KEEP && by->part == PART_COUNT && p->n_keeps == 1 &&
	       p->keeps[0].kind == KEEP_COUNT && !p->keeps[0].when && !p->n_having && !p->steps && !p->skip &&
	       p->take <= MOST_TOP;
}

static void rewrite_top(struct query *q)
{
	struct plan *p = &q->plan;

	for (size_t i = 0; i < p->n_keys; i++)
		if (p->is_about && !key_is_constant(q, i) && !p->window.step && !p->is_scaled && is_top_of_counts(p)) {
			p->counters = top_counters(p->take);
			p->made |= QUERY_R14;
			return;
		}
}

/* ---- R15: both ends of a function are a call; without its beginning, that is a return ---- */

static void drop_call(struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sites; i++)
		if (!p->sites[i].is_first)
			p->sites[n++] = p->sites[i];
	p->n_sites = n;
	p->pair.kind = PAIR_NONE;
	p->made |= QUERY_R15;
}

static bool is_bare_call(const struct plan *p)
{
	return p->pair.kind == PAIR_CALL && !p->n_captures && !p->pair.within && !p->pair.before[0].n &&
	       !p->pair.before[1].n;
}

/* Of what the probe keeps. */
static void rewrite_kept(struct query *q)
{
	struct plan *p = &q->plan;

	if (!(q->options.without & QUERY_R8))
		rewrite_unused(q);
	if (p->pair.kind == PAIR_RECORDS)
		return;
	if (!(q->options.without & QUERY_R14))
		rewrite_top(q);
	if (p->has_key && keys_are_small(q))
		p->made |= QUERY_R11;
}

void plan_rewrite(struct query *q, struct expr_maker *m)
{
	struct plan_filters *before = q->plan.pair.before;

	rewrite_bounds(q, q->plan.filters, &q->plan.n_filters);
	for (int i = 0; i < 2; i++)
		rewrite_bounds(q, before[i].at, &before[i].n);
	if (q->plan.take_events != UINT64_MAX && !q->plan.before && !(q->options.without & QUERY_R13))
		q->plan.made |= QUERY_R13;
	if (is_bare_call(&q->plan) && !(q->options.without & QUERY_R15))
		drop_call(&q->plan);
	rewrite_window(q, m);
	if (q->plan.module.kind == MODULE_NONE)
		rewrite_kept(q);
	if (q->plan.has_key && !q->plan.slots && !plan_array(q) && !(q->options.without & QUERY_R12))
		rewrite_slots(q);
	if (q->plan.has_key)
		count_constant_group(&q->plan, q, m);
	if (!(q->options.without & QUERY_R5))
		rewrite_count(&q->plan);
	if (!(q->options.without & QUERY_R9))
		rewrite_order(&q->plan, q->plan.filters, q->plan.n_filters);
	for (int i = 0; i < 2 && !(q->options.without & QUERY_R9); i++)
		rewrite_order(&q->plan, before[i].at, before[i].n);
	rewrite_apart(q, m);
	if (!(q->options.without & QUERY_R10))
		rewrite_reads(q);
}
