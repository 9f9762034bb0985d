/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R2 and R4: conditions are tested, and groups counted, where the event is, in the probe. This is the other way, for
 * --no-rewrite: the probe hands on a record of each event, with what is asked of it, and the reader tests (R2) and
 * counts (R4) by the same expressions, as it does with pairs of events of different threads (join.c).
 *
 * What keeps something of earlier events stays in the probe, with all conditions before it.
 */
#include <string.h>

#include "chain.h"
#include "emitter.h"
#include "pair.h"
#include "uses.h"

/* What only the probe can know; all else is computed from it. Texts are compared there, as far as they go. */
static bool is_leaf(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_FIELD:
	case EXPR_STRING:
	case EXPR_LENGTH:
	case EXPR_READ:
	case EXPR_NOW:
	case EXPR_BEFORE: return true;
	case EXPR_BINARY: return e->a->type.kind == TYPE_TEXT || (e->op == OP_DIV && e->a->type.kind == TYPE_INSTANT);
	default: return false;
	}
}

/* A sample is drawn where it is written, and a leaf that left an event out would do so before it is tested. */
static bool can_be_apart(const struct expr *e)
{
	if (!e)
		return true;
	if (e->kind == EXPR_GATE || e->kind == EXPR_STEP || e->kind == EXPR_RECALL)
		return false;
	if (is_leaf(e))
		return !may_divide_by_zero(e);
	return can_be_apart(e->a) && can_be_apart(e->b) && can_be_apart(e->c);
}

static struct expr *apart_of(struct resolver *r, struct expr *e)
{
	struct expr *copy;

	if (!e || e->kind == EXPR_CONST || e->kind == EXPR_TEXT || e->kind == EXPR_SESSION)
		return e;
	if (is_leaf(e))
		return capture_value(r, e, SIDE_SECOND);
	copy = query_alloc(r->maker.arena, sizeof(*copy));
	*copy = *e;
	copy->a = apart_of(r, e->a);
	copy->b = apart_of(r, e->b);
	copy->c = apart_of(r, e->c);
	return copy;
}

/* Up to where conditions stay in the probe. */
static size_t kept_filters(const struct query *q)
{
	size_t n = q->plan.n_filters;

	if (q->options.without & QUERY_R2)
		while (n > 0 && can_be_apart(q->plan.filters[n - 1]))
			n--;
	return n;
}

static bool plan_can_be_apart(const struct query *q)
{
	const struct plan *p = &q->plan;

	if (q->other || p->pair.kind != PAIR_NONE || p->module.kind != MODULE_NONE || p->window.step || p->counters ||
		p->before || p->n_uses || p->take_events != UINT64_MAX)
		return false;
	for (size_t i = 0; i < p->n_keys; i++)
		if (!key_is_constant(q, i) && !can_be_apart(p->keys[i].of))
			return false;
	for (size_t i = 0; i < p->n_keeps; i++) /* of different values the probe has an estimate, and the reader all */
		if (p->keeps[i].kind == KEEP_DISTINCT || !can_be_apart(p->keeps[i].of) ||
			!can_be_apart(p->keeps[i].when))
			return false;
	for (size_t i = 0; p->is_records && i < p->n_columns; i++)
		if (!can_be_apart(p->columns[i].value))
			return false;
	return true;
}

void rewrite_apart(struct query *q, struct expr_maker *m)
{
	struct plan *p = &q->plan;
	struct resolver r = {.maker = *m, .query = q, .plan = p};
	size_t kept = kept_filters(q);
	bool groups = q->options.without & QUERY_R4 && !p->is_records;

	if ((!groups && kept == p->n_filters) || !plan_can_be_apart(q))
		return;
	p->pair = (struct plan_pair){.kind = PAIR_RECORDS, .is_alone = true};
	p->pair.before[1].n = kept;
	memcpy(p->pair.before[1].at, p->filters, kept * sizeof(p->filters[0]));
	p->n_filters -= kept;
	memmove(p->filters, p->filters + kept, p->n_filters * sizeof(p->filters[0]));
	for (size_t i = 0; i < p->n_filters; i++)
		p->filters[i] = apart_of(&r, p->filters[i]);
	for (size_t i = 0; i < p->n_keys; i++)
		if (!key_is_constant(q, i))
			p->keys[i].of = apart_of(&r, p->keys[i].of);
	for (size_t i = 0; i < p->n_keeps; i++) {
		if (!keep_is_there(&p->keeps[i])) {
			p->keeps[i].of = p->keeps[i].when = NULL;
			continue;
		}
		p->keeps[i].of = apart_of(&r, p->keeps[i].of);
		p->keeps[i].when = apart_of(&r, p->keeps[i].when);
	}
	for (size_t i = 0; p->is_records && i < p->n_columns; i++)
		p->columns[i].value = apart_of(&r, p->columns[i].value);
}
