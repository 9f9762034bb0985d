/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of each group: Count, Sum and their like as members of the probe's state. */
#include <string.h>

#include "chain.h"

bool is_numeric(struct type t)
{
	return t.kind == TYPE_INT || t.kind == TYPE_WORD || t.kind == TYPE_ADDRESS || t.kind == TYPE_DURATION ||
	       t.kind == TYPE_BOOL;
}

static bool same_when(const struct plan_keep *a, const struct plan_keep *b)
{
	return (!a->when && !b->when) || expr_equal(a->when, b->when);
}

/*
 * Where it is kept. R5: a sum, least, largest and mean of one number are kept once, in a ward_stat; a sum that is alone
 * stays a sum.
 */
static size_t find_keep(struct chain *c, const struct plan_keep *keep, struct query_span at)
{
	struct plan *p = c->plan;
	bool share = !(c->r->query->options.without & QUERY_R5);

	for (size_t i = 0; share && i < p->n_keeps; i++) {
		struct plan_keep *o = &p->keeps[i];
		bool both_add = (o->kind == KEEP_SUM || o->kind == KEEP_STAT) &&
				(keep->kind == KEEP_SUM || keep->kind == KEEP_STAT);

		if ((o->kind != keep->kind && !both_add) || !same_when(o, keep) || o->lo != keep->lo ||
			o->hi != keep->hi || o->step != keep->step)
			continue;
		if (!keep->of != !o->of || (keep->of && !expr_equal(o->of, keep->of)))
			continue;
		if (keep->kind == KEEP_STAT)
			o->kind = KEEP_STAT;
		p->made |= QUERY_R5;
		return i;
	}
	if (p->n_keeps == PLAN_KEEPS) {
		query_fail(c->r->maker.err, at, NULL, "more than %d aggregates", PLAN_KEEPS);
		return 0;
	}
	p->keeps[p->n_keeps] = *keep;
	return p->n_keeps++;
}

struct expr *keep_value(
	struct chain *c, const struct plan_keep *keep, enum keep_part part, struct type type, struct query_span at)
{
	struct expr *e = expr_new(&c->r->maker, EXPR_KEEP, type, at);

	e->value = find_keep(c, keep, at);
	e->part = part;
	return e;
}

/* What a number becomes when many are added up, or when one of them is chosen. */
static struct type total_type(struct type t)
{
	if (t.kind == TYPE_DURATION)
		return t;
	return t.kind == TYPE_INT && t.is_signed ? TYPE_LONG : TYPE_ULONG;
}

static struct expr *make_stat(struct chain *c, struct expr *of, struct query_span at)
{
	static const struct {
		const char *name;
		enum keep_part part;
	} parts[] = {
		{"count", PART_COUNT}, {"sum", PART_SUM}, {"min", PART_MIN}, {"max", PART_MAX}, {"mean", PART_MEAN}};
	struct plan_keep keep = {.kind = KEEP_STAT, .of = of};
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), at);
	struct member **end = &record->members;

	record->in_final = true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct type type = parts[i].part == PART_COUNT ? TYPE_ULONG
				   : parts[i].part == PART_MEAN && of->type.kind != TYPE_DURATION
					   ? TYPE_A(REAL)
					   : total_type(of->type);
		struct member *m = chain_alloc(c, sizeof(*m));

		*m = (struct member){parts[i].name, keep_value(c, &keep, parts[i].part, type, at), NULL};
		*end = m;
		end = &m->next;
	}
	return record;
}

static struct expr *make_hist(struct chain *c, struct expr *of, struct node *n)
{
	struct plan_keep keep = {.kind = KEEP_LOG2, .of = of};
	struct node *lo = n->args->next;

	if (lo) {
		struct node *hi = lo->next, *step = hi ? hi->next : NULL;
		enum { MOST = 1 << 30 };

		keep.kind = KEEP_LINEAR;
		if (!step) {
			query_fail(c->r->maker.err, n->span, "Hist(x, 0, 4096, 128)",
				"a histogram of equal steps has a least, a largest, and a step");
			return of;
		}
		if (resolve_constant(c->r, lo, -MOST, MOST, &keep.lo) &&
			resolve_constant(c->r, hi, -MOST, MOST, &keep.hi) &&
			resolve_constant(c->r, step, 1, MOST, &keep.step) &&
			(keep.hi <= keep.lo || (keep.hi - keep.lo + keep.step - 1) / keep.step > 1024))
			query_fail(c->r->maker.err, n->span, "a larger step", "a histogram has 1 to 1024 steps");
		if (of->type.kind == TYPE_DURATION)
			query_fail(c->r->maker.err, n->args->span, "Hist(elapsed / 1.us, 0, 100, 5)",
				"steps of what? A duration has units");
	}
	return keep_value(c, &keep, PART_BUCKETS, TYPE_A(BUCKETS), n->span);
}

/* Count, Sum and their like, of the elements of a group or of all events. `of`: what they are of, or NULL. */
struct expr *make_aggregate(struct chain *c, struct node *n, struct expr *of)
{
	struct plan_keep keep = {.kind = KEEP_STAT, .of = of};
	struct query_span at = n->span;

	if (strcmp(n->name, "Count") == 0) {
		keep = (struct plan_keep){.kind = KEEP_COUNT, .when = of ? expr_bool(&c->r->maker, of) : NULL};
		return keep_value(c, &keep, PART_COUNT, TYPE_ULONG, at);
	}
	if (strcmp(n->name, "Distinct") == 0) {
		keep.kind = KEEP_DISTINCT;
		if (!is_numeric(of->type) && of->type.kind != TYPE_SITE)
			query_fail(c->r->maker.err, at, NULL, "Distinct of %s", type_name(of->type));
		return keep_value(c, &keep, PART_ESTIMATE, TYPE_ULONG, at);
	}
	if (!is_numeric(of->type)) {
		query_fail(c->r->maker.err, n->args->span, "of a number or a duration: Sum(e => e.elapsed)",
			"%s of what? %s is no number", n->name,
			of->type.kind == TYPE_EVENT ? "An event" : type_name(of->type));
		return of;
	}
	if (of->type.kind == TYPE_BOOL)
		keep.of = of = expr_cond(&c->r->maker, of, expr_number(&c->r->maker, TYPE_ULONG, 1, at),
			expr_number(&c->r->maker, TYPE_ULONG, 0, at), at);
	if (strcmp(n->name, "Stat") == 0)
		return make_stat(c, of, at);
	if (strcmp(n->name, "Hist") == 0)
		return make_hist(c, of, n);
	if (strcmp(n->name, "Sum") == 0) {
		keep.kind = KEEP_SUM;
		return keep_value(c, &keep, PART_SUM, total_type(of->type), at);
	}
	if (strcmp(n->name, "Average") == 0)
		return keep_value(c, &keep, PART_MEAN, of->type.kind == TYPE_DURATION ? of->type : TYPE_A(REAL), at);
	return keep_value(c, &keep, n->name[1] == 'i' ? PART_MIN : PART_MAX, total_type(of->type), at);
}
