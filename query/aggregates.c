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

		if (o->use || (o->kind != keep->kind && !both_add) || !same_when(o, keep) || o->lo != keep->lo ||
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
	p->keeps[p->n_keeps].span = at;
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
struct type total_type(struct type t)
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

/* ---- quantiles ---- */

enum { PRECISION = 5, MOST_PRECISION = 10 };

/* p50, p99_9 */
const char *quantile_name(struct chain *c, double rank)
{
	char text[24];

	snprintf(text, sizeof(text), "p%.6g", rank * 100);
	for (char *p = text; *p; p++)
		*p = *p == '.' ? '_' : *p;
	return query_copy(c->r->maker.arena, text, strlen(text));
}

static bool may_be_negative(const struct expr *of)
{
	return of->type.kind == TYPE_INT && of->type.is_signed;
}

/* How far numbers with a sign are from 0, on one side of it: so buckets are as exact there as on the other. */
static struct expr *side_of(
	struct chain *c, const struct plan_keep *keep, bool negative, struct type type, struct query_span at)
{
	struct expr_maker *m = &c->r->maker;
	struct plan_keep side = *keep;

	side.when = expr_binary(m, negative ? OP_LT : OP_GE, keep->of, expr_number(m, TYPE_LITERAL, 0, at), at);
	side.of = expr_cast(m, "ulong", negative ? expr_unary(m, OP_NEG, keep->of, at) : keep->of, at);
	return keep_value(c, &side, PART_QUANTILE, type, at);
}

static struct expr *quantile_value(struct chain *c, const struct plan_keep *keep, double rank, struct query_span at)
{
	struct type type = keep->of->type.kind == TYPE_DURATION ? keep->of->type : TYPE_ULONG;
	struct expr *e;

	if (may_be_negative(keep->of)) {
		uint64_t below = side_of(c, keep, true, TYPE_LONG, at)->value;

		e = side_of(c, keep, false, TYPE_LONG, at);
		e->which = (uint32_t)below + 1;
	} else {
		e = keep_value(c, keep, PART_QUANTILE, type, at);
	}
	e->real = rank;
	return e;
}

/* A rank: from 0, the least, to 1, the largest. */
static bool read_rank(struct chain *c, struct node *n, double *rank)
{
	struct expr *e = resolve(c->r, n, NULL, NULL);

	if (chain_failed(c))
		return false;
	*rank = e->kind == EXPR_REAL ? e->real : (double)e->value;
	if ((e->kind == EXPR_REAL || (e->kind == EXPR_CONST && e->type.is_literal)) && *rank >= 0 && *rank <= 1)
		return true;
	query_fail(c->r->maker.err, n->span, "0.5 is the median, 0.99 what one of a hundred is above",
		"a rank is from 0 to 1");
	return false;
}

/* Quantile(x, q…, bits: n): one is a number, several are a record. Median(x) is one. */
static struct expr *make_quantiles(struct chain *c, struct expr *of, struct node *n)
{
	struct plan_keep keep = {.kind = KEEP_QUANTILES, .of = of, .step = PRECISION};
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), n->span);
	struct member **end = &record->members;
	const struct node *bits = find_labelled(n, "bits");
	double rank = 0.5;

	if (bits && !resolve_labelled(c->r, bits, 1, MOST_PRECISION, &keep.step))
		return of;
	if (n->name[0] == 'M')
		return quantile_value(c, &keep, rank, n->span);
	record->in_final = true;
	for (struct node *arg = n->args->next; arg; arg = arg->next) {
		struct member *m;

		if (arg == bits)
			continue;
		if (!read_rank(c, arg, &rank))
			return of;
		m = chain_alloc(c, sizeof(*m));
		*m = (struct member){quantile_name(c, rank), quantile_value(c, &keep, rank, arg->span), NULL};
		*end = m;
		end = &m->next;
	}
	if (!record->members)
		query_fail(c->r->maker.err, n->span, "Quantile(x, 0.5, 0.99)", "Quantile of which rank?");
	return record->members && !record->members->next ? record->members->value : record;
}

/* Is there one that it is true for, is it true for all: how many are there, for how many is it not? */
static struct expr *make_any(struct chain *c, struct node *n, struct expr *of)
{
	struct expr_maker *m = &c->r->maker;
	bool all = n->name[1] == 'l';
	struct expr *when = of ? expr_bool(m, of) : NULL;
	struct plan_keep keep = {.kind = KEEP_COUNT, .when = all ? expr_unary(m, OP_NOT, when, n->span) : when};
	struct expr *count = keep_value(c, &keep, PART_COUNT, TYPE_ULONG, n->span);

	return expr_binary(m, all ? OP_EQ : OP_NE, count, expr_number(m, TYPE_LITERAL, 0, n->span), n->span);
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
	if (strcmp(n->name, "Any") == 0 || strcmp(n->name, "All") == 0)
		return make_any(c, n, of);
	if (strcmp(n->name, "Distinct") == 0) {
		keep.kind = KEEP_DISTINCT;
		if (!is_numeric(of->type) && of->type.kind != TYPE_SITE)
			query_fail(c->r->maker.err, at,
				of->type.kind == TYPE_STACK ? "CountBy(stack) has a row for each" : NULL,
				"Distinct of %s", type_name(of->type));
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
	if (strcmp(n->name, "Quantile") == 0 || strcmp(n->name, "Median") == 0)
		return make_quantiles(c, of, n);
	if (strcmp(n->name, "Sum") == 0) {
		keep.kind = KEEP_SUM;
		return keep_value(c, &keep, PART_SUM, total_type(of->type), at);
	}
	if (strcmp(n->name, "Average") == 0)
		return keep_value(c, &keep, PART_MEAN, of->type.kind == TYPE_DURATION ? of->type : TYPE_A(REAL), at);
	return keep_value(c, &keep, n->name[1] == 'i' ? PART_MIN : PART_MAX, total_type(of->type), at);
}
