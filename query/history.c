/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of events that came before: Previous(x), Delta(x), MovingAverage(x [, n]). They are of the events of one
 * thread that come to the operator they are written in. So each has a place among the filters, a step that every event
 * passes: it takes the number in, and gives what was known before. At the first event that is the number itself.
 */
#include "history.h"

#include <string.h>

enum { MOST_WINDOW = 4096 };

static const char *const names[] = {"Previous", "Delta", "MovingAverage"};

bool is_history(const struct node *call)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!call->a && strcmp(call->name, names[i]) == 0)
			return true;
	return false;
}

static bool can_be_kept(const struct type *t, bool is_mean)
{
	return t->kind == TYPE_INT || t->kind == TYPE_WORD || t->kind == TYPE_DURATION ||
	       (!is_mean && (t->kind == TYPE_INSTANT || t->kind == TYPE_ADDRESS));
}

/* The same of the same events is kept once: those behind the last condition are the same. */
static bool find_history(const struct plan *p, const struct plan_history *h, uint64_t *which)
{
	for (size_t i = p->n_filters; i > 0 && p->filters[i - 1]->kind == EXPR_STEP; i--) {
		const struct plan_history *o = &p->histories[p->filters[i - 1]->value];

		*which = p->filters[i - 1]->value;
		if (o->kind == h->kind && o->n == h->n && expr_equal(o->of, h->of))
			return true;
	}
	return false;
}

static bool add_history(struct resolver *r, const struct plan_history *h, uint64_t *which, struct query_span at)
{
	struct plan *p = r->plan;
	struct expr *step;

	if (find_history(p, h, which))
		return true;
	if (p->n_histories == PLAN_HISTORIES) {
		query_fail(r->maker.err, at, NULL, "more than %d numbers of earlier events", PLAN_HISTORIES);
		return false;
	}
	*which = p->n_histories++;
	p->histories[*which] = *h;
	step = expr_new(&r->maker, EXPR_STEP, TYPE_A(BOOL), at);
	step->value = *which;
	step->a = h->of;
	step->size += h->of->size;
	plan_add_filter(r->query, &r->maker, step);
	return true;
}

static struct expr *history_value(
	struct resolver *r, enum expr_kind kind, uint64_t which, struct type type, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, kind, type, at);

	if (type.kind == TYPE_INT)
		e->type.bits = 64;
	e->type.is_literal = false;
	e->value = which;
	return e;
}

static struct expr *make_delta(struct resolver *r, struct expr *now, struct expr *before, struct query_span at)
{
	if (now->type.kind == TYPE_DURATION || now->type.kind == TYPE_INSTANT)
		return expr_binary(&r->maker, OP_SUB, now, before, at);
	return expr_binary(
		&r->maker, OP_SUB, expr_cast(&r->maker, "long", now, at), expr_cast(&r->maker, "long", before, at), at);
}

struct expr *resolve_history(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct plan_history h = {.kind = n->name[0] == 'M' ? HISTORY_MEAN : HISTORY_LAST};
	struct expr *nothing = expr_number(&r->maker, TYPE_LONG, 0, n->span), *before;
	bool is_mean = h.kind == HISTORY_MEAN;
	uint64_t which;

	if (!n->args || (n->args->next && (!is_mean || n->args->next->next))) {
		query_fail(r->maker.err, n->span, is_mean ? "MovingAverage(arg0), MovingAverage(arg0, 100)" : NULL,
			"%s of what?", n->name);
		return nothing;
	}
	h.of = resolve(r, n->args, scope, implicit);
	if (n->args->next && !resolve_constant(r, n->args->next, 1, MOST_WINDOW, &h.n))
		return nothing;
	if (r->maker.err->is_set)
		return nothing;
	if (h.of->in_final || !can_be_kept(&h.of->type, is_mean)) {
		query_fail(r->maker.err, n->args->span, "a number or a duration of each event: Delta(time)", "%s of %s",
			n->name, h.of->in_final ? "what was counted of many events" : type_name(h.of->type));
		return nothing;
	}
	if (!add_history(r, &h, &which, n->span))
		return nothing;
	before = history_value(r, EXPR_BEFORE, which, h.of->type, n->span);
	return n->name[0] == 'D'
		       ? make_delta(r, history_value(r, EXPR_NOW, which, h.of->type, n->span), before, n->span)
		       : before;
}
