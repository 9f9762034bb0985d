/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of time. What has a difference is kept as a total, and the reader subtracts what there was at the beginning
 * of a window from what there is at its end; all else is kept by window in the probe (emit_window.c).
 */
#include <string.h>

#include "chain.h"
#include "uses.h"

#define LEAST_WINDOW 100000000 /* ns: the reader is no quicker */
enum { MOST_STEPS = 1000, WINDOW_KEY = 8 };

static bool window_time(struct chain *c, struct node *n, int64_t *ns, bool *is_given)
{
	struct expr *e = resolve(c->r, n, NULL, NULL);

	if (chain_failed(c))
		return false;
	if (e->kind != EXPR_CONST || e->type.kind != TYPE_DURATION || e->value < LEAST_WINDOW ||
		e->value > 86400000000000) {
		query_fail(c->r->maker.err, n->span, "Window(1.s)", "a window lasts from 100 ms to a day");
		return false;
	}
	*ns = (int64_t)e->value;
	*is_given = e->is_given;
	return true;
}

/* Window(1.s), or sliding: Window(10.s, 1.s). */
void apply_window(struct chain *c, struct node *n)
{
	struct plan_window *w = &c->plan->window;

	if (w->step)
		query_fail(c->r->maker.err, n->at, NULL, "windows of windows");
	if (chain_failed(c) || !window_time(c, n->args, &w->length, &w->is_given))
		return;
	w->step = w->length;
	if (n->args->next && !window_time(c, n->args->next, &w->step, &w->is_given))
		return;
	if (w->length % w->step || w->length / w->step > MOST_STEPS)
		query_fail(c->r->maker.err, n->args->next->span, "Window(10.s, 1.s)",
			"a window is a multiple of its step, and at most %d steps", MOST_STEPS);
}

void add_window_column(struct chain *c, const struct expr *value, struct query_span at)
{
	const struct plan *p = c->plan;
	struct expr *window;

	if (!p->window.step || p->steps || expr_has_session(p, value, SESSION_WINDOW))
		return;
	for (size_t i = 0; !value && i < p->n_keys; i++)
		if (expr_has_session(p, p->keys[i].of, SESSION_WINDOW))
			return;
	window = expr_new(&c->r->maker, EXPR_SESSION, TYPE_A(INSTANT), at);
	window->value = SESSION_WINDOW;
	add_column(c, "window", window, at);
}

/* What was counted, for each second. */
void apply_rate(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	struct expr *seconds = expr_new(&c->r->maker, EXPR_SESSION, TYPE_A(REAL), n->span);
	bool any = false;

	seconds->value = SESSION_SECONDS;
	if (!p->window.step || p->steps)
		query_fail(c->r->maker.err, n->at, "Window(1.s) comes behind the source",
			"a rate is of what was counted in windows");
	for (size_t i = 0; !chain_failed(c) && i < p->n_columns; i++) {
		struct expr *e = p->columns[i].value;

		if (e->kind != EXPR_KEEP || (e->part != PART_COUNT && e->part != PART_SUM) ||
			e->type.kind == TYPE_DURATION)
			continue;
		p->columns[i].value = expr_binary(&c->r->maker, OP_DIV, e, seconds, n->span);
		any = true;
	}
	if (!any)
		query_fail(c->r->maker.err, n->at, "Count, Sum", "there is nothing that has a rate");
}

static bool is_period(const struct expr *e)
{
	return e->kind == EXPR_BINARY && e->op == OP_DIV && e->a->kind == EXPR_FIELD && e->a->value == FIELD_TIME &&
	       e->b->value >= LEAST_WINDOW;
}

/* Does nothing but this part of the key read the clock? */
static bool is_only_time(const struct plan *p, size_t key)
{
	for (size_t i = 0; i < p->n_keys; i++)
		if (i != key && expr_has_time(p->keys[i].of))
			return false;
	for (size_t i = 0; i < p->n_filters; i++)
		if (expr_has_time(p->filters[i]))
			return false;
	for (size_t i = 0; i < p->n_keeps; i++)
		if (!keep_has_difference(p, i) || expr_has_time(p->keeps[i].of) || expr_has_time(p->keeps[i].when))
			return false;
	return true;
}

void rewrite_window(struct query *q, struct expr_maker *m)
{
	struct plan *p = &q->plan;

	if (p->window.step || p->is_records || q->options.exact || q->options.without & QUERY_R7)
		return;
	for (size_t i = 0; i < p->n_keys; i++) {
		const struct expr *of = p->keys[i].of;

		if (!is_period(of) || !is_only_time(p, i))
			continue;
		p->window.length = p->window.step = (int64_t)of->b->value;
		p->keys[i].of = expr_new(m, EXPR_SESSION, of->type, of->span);
		p->keys[i].of->value = SESSION_WINDOW_NUMBER;
		p->made |= QUERY_R7;
		return;
	}
}

static unsigned window_key_bytes(const struct plan *p)
{
	unsigned bytes = WINDOW_KEY;

	for (size_t i = 0; i < p->n_keys; i++)
		bytes += p->keys[i].of->kind == EXPR_STRING ? (unsigned)p->keys[i].of->value : 8;
	return bytes;
}

void check_windows(struct chain *c, struct query_span at)
{
	const struct plan *p = c->plan;

	if (!p->window.step)
		return;
	if (p->is_records)
		query_fail(c->r->maker.err, at, "Select(new { second = time / 1.s, tid })",
			"windows are of what is counted, and here are rows of events");
	else if (p->counters)
		query_fail(c->r->maker.err, at, "CountBy(…), and of the rows Top(n)",
			"the most frequent values of each window are not supported yet");
	else if (p->module.kind == MODULE_SEQUENCE && !p->module.has_times)
		query_fail(c->r->maker.err, at, "a member `unsigned long time` of its records",
			"windows of records without a time");
	else if (p->pair.kind != PAIR_RECORDS && any_is_windowed(p) && window_key_bytes(p) > PLAN_KEY_BYTES)
		query_fail(c->r->maker.err, at, "bound its texts: Str(0, 32), Str(path, 32)",
			"the key has %u bytes with its window; a map takes %d", window_key_bytes(p), PLAN_KEY_BYTES);
	for (size_t i = 0; p->window.step != p->window.length && i < p->n_keeps; i++)
		if (p->keeps[i].kind == KEEP_DISTINCT)
			query_fail(c->r->maker.err, at, "Window(10.s)",
				"different values of a sliding window are not supported yet");
}
