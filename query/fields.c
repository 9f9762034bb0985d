/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a state that somebody wrote by hand: what they are kept as, and which columns they make. A number is one; a
 * ward_stat has five.
 */
#include "fields.h"

#include <string.h>

/* A name as the language has it: a.b[2] is a_b_2. */
const char *field_name(struct chain *c, const char *name)
{
	char *copy = query_copy(c->r->maker.arena, name, strlen(name)), *to = copy;

	for (const char *from = copy; *from; from++)
		if (*from != ']')
			*to++ = *from == '.' || *from == '[' ? '_' : *from;
	*to = 0;
	return copy;
}

/* The type of a number. */
static struct type number_type(const struct ward_field *f)
{
	if (f->unit == WARD_UNIT_COUNTS || f->unit == WARD_UNIT_NS)
		return TYPE_A(DURATION);
	if (f->unit == WARD_UNIT_TIME)
		return TYPE_A(INSTANT);
	return f->is_address        ? TYPE_A(ADDRESS)
	       : f->is_site         ? TYPE_A(SITE)
	       : f->value_is_signed ? TYPE_LONG
				    : TYPE_ULONG;
}

/* A number that has a name is a text. */
static bool is_named(const struct ward_field *f)
{
	return f->kind == WARD_FIELD_TEXT || f->enumeration;
}

struct type field_type(const struct ward_field *f)
{
	return is_named(f) ? TYPE_A(TEXT) : number_type(f);
}

enum { TEXT_BYTES = 8 /* of a text as a part of the reader's keys, which have any length */ };

/* What a part is, as an expression that says no more than its type and its number. */
struct expr *field_part(struct chain *c, struct type type, size_t i, struct query_span at)
{
	struct expr *e = expr_new(&c->r->maker, EXPR_CAPTURE, type, at);

	e->which = (uint32_t)i;
	e->value = type.kind == TYPE_TEXT ? TEXT_BYTES : 0;
	return e;
}

/* A result of what was kept last, as a column of its own. */
struct expr *field_add_result(struct field_columns *to, const char *name, enum keep_part part, struct type type)
{
	struct expr *e = expr_new(&to->c->r->maker, EXPR_KEEP, type, to->at);
	struct member *m = chain_alloc(to->c, sizeof(*m));

	e->value = to->c->plan->n_keeps - 1;
	e->part = part;
	*m = (struct member){name, e, NULL};
	*to->end = m;
	to->end = &m->next;
	return e;
}

static void add_rank(struct field_columns *to, const char *name, double rank, struct type type)
{
	field_add_result(
		to, query_format(to->c->r->maker.arena, "%s_%s", name, quantile_name(to->c, rank)), PART_QUANTILE, type)
		->real = rank;
}

static void add_stat(struct field_columns *to, const char *name, struct type of)
{
	static const struct {
		const char *name;
		enum keep_part part;
	} parts[] = {
		{"count", PART_COUNT}, {"sum", PART_SUM}, {"min", PART_MIN}, {"max", PART_MAX}, {"mean", PART_MEAN}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		field_add_result(to, query_format(to->c->r->maker.arena, "%s_%s", name, parts[i].name), parts[i].part,
			parts[i].part == PART_COUNT                              ? TYPE_ULONG
			: parts[i].part == PART_MEAN && of.kind != TYPE_DURATION ? TYPE_A(REAL)
										 : of);
}

/* What it is kept as; false: rows have nothing for it. */
static bool keep_kind_of(const struct ward_field *f, enum keep_kind *kind)
{
	switch (f->kind) {
	case WARD_FIELD_COUNT:
	case WARD_FIELD_VALUE: *kind = KEEP_SUM; return true;
	case WARD_FIELD_MIN:
	case WARD_FIELD_MAX:
	case WARD_FIELD_MEAN:
	case WARD_FIELD_REAL:
	case WARD_FIELD_STAT: *kind = KEEP_STAT; return true;
	case WARD_FIELD_LOG2: *kind = KEEP_LOG2; return true;
	case WARD_FIELD_LINEAR: *kind = KEEP_LINEAR; return true;
	case WARD_FIELD_QUANTILES: *kind = KEEP_QUANTILES; return true;
	case WARD_FIELD_DISTINCT: *kind = KEEP_DISTINCT; return true;
	default: return false;
	}
}

static void add_columns(struct field_columns *to, const struct ward_field *f, struct type type)
{
	const char *name = field_name(to->c, f->name);
	struct type real = type.kind == TYPE_DURATION ? type : TYPE_A(REAL);

	switch (f->kind) {
	case WARD_FIELD_STAT: add_stat(to, name, type); return;
	case WARD_FIELD_LOG2:
	case WARD_FIELD_LINEAR: field_add_result(to, name, PART_BUCKETS, TYPE_A(BUCKETS)); return;
	case WARD_FIELD_QUANTILES:
		add_rank(to, name, 0.5, type);
		add_rank(to, name, 0.9, type);
		add_rank(to, name, 0.99, type);
		return;
	case WARD_FIELD_DISTINCT: field_add_result(to, name, PART_ESTIMATE, TYPE_ULONG); return;
	case WARD_FIELD_MEAN:
	case WARD_FIELD_REAL: field_add_result(to, name, PART_MEAN, real); return;
	case WARD_FIELD_MIN: field_add_result(to, name, PART_MIN, type); return;
	case WARD_FIELD_MAX: field_add_result(to, name, PART_MAX, type); return;
	default: field_add_result(to, name, PART_SUM, type);
	}
}

bool field_keep(struct field_columns *to, const struct ward_field *f, size_t part)
{
	struct chain *c = to->c;
	struct plan *p = c->plan;
	struct type type = number_type(f);
	enum keep_kind kind;

	if (chain_failed(c) || !keep_kind_of(f, &kind))
		return false;
	if (p->n_keeps == PLAN_KEEPS) {
		query_fail(c->r->maker.err, to->at, NULL, "more than %d aggregates", PLAN_KEEPS);
		return false;
	}
	p->keeps[p->n_keeps++] = (struct plan_keep){
		.kind = kind, .of = field_part(c, type, part, to->at), .span = to->at, .error = f->error};
	add_columns(to, f, type);
	return true;
}

struct query_result query_result_of(const struct ward_field *f)
{
	struct query_result r = {.count = f->kind == WARD_FIELD_STAT ? f->count : f->value,
		.number = f->value,
		.high = f->high,
		.is_signed = f->value_is_signed,
		.min = f->min,
		.max = f->max,
		.mean = f->real,
		.is_empty = f->is_empty,
		.buckets = (const struct query_bucket *)f->buckets,
		.n = f->n};

	switch (f->kind) {
	case WARD_FIELD_QUANTILES:
		r.count = f->count;
		r.n = f->n_buckets;
		break;
	case WARD_FIELD_MIN:
	case WARD_FIELD_MAX: r.min = r.max = f->value; break;
	case WARD_FIELD_MEAN: r.count = f->is_empty ? 0 : f->count; break;
	case WARD_FIELD_REAL: r.count = 1; break;
	default: break;
	}
	return r;
}
