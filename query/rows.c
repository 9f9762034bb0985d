/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The final stage: from what was kept of each key to rows. Conditions behind the group are tested, rows are sorted and
 * cut, columns computed. Here are real numbers, and durations are nanoseconds.
 */
#define _GNU_SOURCE
#include "rows.h"
#include "uses.h"
#include "type_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "functions.h"

size_t query_entry_keys(const struct query *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->plan.n_keys; i++)
		n += !key_is_constant(q, i);
	return n;
}

size_t query_key_place(const struct query *q, size_t number)
{
	size_t place = 0;

	if (number >= q->plan.n_keys || key_is_constant(q, number))
		return query_entry_keys(q);
	for (size_t i = 0; i < number; i++)
		place += !key_is_constant(q, i);
	return place;
}

size_t query_entry_results(const struct query *q)
{
	return q->plan.n_keeps;
}

bool query_has_result(const struct query *q, size_t i)
{
	return keep_is_there(&q->plan.keeps[i]);
}

bool query_has_groups(const struct query *q)
{
	return query_entry_keys(q) > 0 && !query_is_joined(q) && q->plan.module.kind == MODULE_NONE;
}

bool query_is_count(const struct query *q)
{
	return q->plan.n_keeps == 1 && q->plan.keeps[0].kind == KEEP_COUNT && !q->plan.keeps[0].when;
}

/* ---- computing ---- */

static struct query_value number_value(struct type type, uint64_t number)
{
	struct query_value v = {.number = number};

	switch (type.kind) {
	case TYPE_BOOL: v.kind = QUERY_BOOL; break;
	case TYPE_STACK: v.is_stack = true; /* fall through */
	case TYPE_ADDRESS: v.kind = QUERY_ADDRESS; break;
	case TYPE_SITE: v.kind = QUERY_SITE; break;
	case TYPE_INSTANT: v.kind = QUERY_INSTANT; break;
	case TYPE_DURATION:
		v.kind = QUERY_DURATION;
		v.real = (double)number;
		break;
	default: v.kind = type.kind == TYPE_INT && type.is_signed ? QUERY_SIGNED : QUERY_UNSIGNED;
	}
	return v;
}

double rows_real(const struct query_value *v)
{
	switch (v->kind) {
	case QUERY_REAL:
	case QUERY_DURATION: return v->real;
	case QUERY_SIGNED: return (double)(int64_t)v->number;
	default: return (double)v->number;
	}
}

/* One of an enumeration has its name. */
static struct query_value named_value(const struct machine *m, struct type type, uint64_t number)
{
	const char *name = enumerator_name(m->q->types, type, number);

	return name ? (struct query_value){.kind = QUERY_TEXT, .text = name, .number = number}
		    : number_value(type, number);
}

static double nanoseconds(const struct machine *m, double counts)
{
	/* times of a module's state are nanoseconds */
	return m->q->plan.module.kind == MODULE_NONE ? counts * 1000 / m->q->options.rate : counts;
}

static struct query_value window_value(const struct machine *m, uint64_t which)
{
	int64_t window = m->entry ? m->entry->window : 0;

	if (which == SESSION_SECONDS)
		return (struct query_value){.kind = QUERY_REAL, .real = m->entry ? m->entry->seconds : 0};
	if (which == SESSION_WINDOW_NUMBER)
		return (struct query_value){
			.kind = QUERY_UNSIGNED, .number = (uint64_t)(window / m->q->plan.window.step)};
	return (struct query_value){.kind = QUERY_INSTANT, .number = (uint64_t)window};
}

static struct query_value session_value(const struct machine *m, uint64_t which)
{
	switch (which) {
	case SESSION_PID: return (struct query_value){.kind = QUERY_SIGNED, .number = (uint64_t)m->session->pid};
	case SESSION_PROCESS: return (struct query_value){.kind = QUERY_TEXT, .text = m->session->process};
	case SESSION_MACHINE: return (struct query_value){.kind = QUERY_TEXT, .text = m->session->machine};
	default: return window_value(m, which);
	}
}

/* A site is shown as its function, unless another source tells its ends apart: then behind it stands which it is. */
static struct query_value site_value(const struct machine *m, const char *name)
{
	const struct plan *p = &m->q->plan;
	const char *end = p->sites[0].is_return ? ":return" : p->sites[0].is_throw ? ":throw" : "";
	size_t n = strlen(name), length = strlen(end);

	for (size_t i = 1; i < p->n_sites; i++)
		if (!p->sites[i].is_first && (p->sites[i].is_return != p->sites[0].is_return ||
						     p->sites[i].is_throw != p->sites[0].is_throw))
			length = 0;
	if (length == 0 || n < length || strcmp(name + n - length, end) != 0)
		return (struct query_value){.kind = QUERY_TEXT, .text = name};
	return (struct query_value){.kind = QUERY_TEXT, .text = query_copy(m->texts, name, n - length)};
}

static struct query_value key_value(const struct machine *m, size_t i)
{
	const struct expr *of = m->q->plan.keys[i].of;
	size_t at = 0;

	for (size_t k = 0; k < i; k++)
		at += !key_is_constant(m->q, k);
	if (!key_is_constant(m->q, i)) {
		struct query_value key = m->entry->keys[at];

		if (key.kind != QUERY_TEXT)
			return named_value(m, of->type, key.number);
		key.is_stack = of->type.kind == TYPE_STACK;
		return of->type.kind == TYPE_SITE ? site_value(m, key.text) : key;
	}
	switch (of->kind) {
	case EXPR_SESSION: return session_value(m, of->value);
	case EXPR_TEXT: return (struct query_value){.kind = QUERY_TEXT, .text = of->text};
	case EXPR_FIELD: return site_value(m, m->q->plan.sites[0].text);
	default: return named_value(m, of->type, of->value);
	}
}

/* A sum, a least or largest: a duration was kept in counts. */
static struct query_value kept_number(const struct machine *m, struct type type, uint64_t number)
{
	struct query_value v = number_value(type, number);

	if (v.kind == QUERY_DURATION)
		v.real = nanoseconds(m, (double)number);
	return v;
}

static struct query_value mean_value(const struct machine *m, const struct expr *e, const struct query_result *r)
{
	if (r->count == 0)
		return (struct query_value){.kind = QUERY_NONE};
	if (e->type.kind == TYPE_DURATION)
		return (struct query_value){.kind = QUERY_DURATION, .real = nanoseconds(m, r->mean)};
	return (struct query_value){.kind = QUERY_REAL, .real = r->mean};
}

static const struct query_result *result_of(const struct machine *m, size_t i)
{
	const struct plan_keep *k = &m->q->plan.keeps[i];

	return &m->entry->results[k->counted_by ? k->counted_by - 1 : i];
}

/*
 * The number of that rank: the middle of the bucket that it is in, as far as that lies between the least and the
 * largest. A duration's buckets are nanoseconds.
 */
static struct query_value quantile_value(const struct expr *e, const struct query_result *r, double rank)
{
	double wanted = rank * (double)r->count;
	uint64_t below = 0, number = 0;
	struct query_value v;

	if (!r->n)
		return (struct query_value){.kind = QUERY_NONE};
	for (size_t i = 0; i < r->n; i++) {
		number = r->buckets[i].lo + (r->buckets[i].hi - r->buckets[i].lo) / 2;
		below += r->buckets[i].count;
		if ((double)below >= wanted)
			break;
	}
	if (r->min <= r->max)
		number = number < r->min || rank <= 0 ? r->min : number > r->max || rank >= 1 ? r->max : number;
	v = number_value(e->type, number);
	v.real = (double)number;
	return v;
}

/*
 * Of numbers with a sign. Those below 0 are kept by how far they are from it, so the largest of these is the least of
 * all: a rank among them is counted from their end.
 */
static struct query_value signed_quantile(
	const struct expr *e, const struct query_result *below, const struct query_result *r)
{
	double wanted = e->real * (double)(below->count + r->count), n = (double)below->count;
	struct query_value v;

	if (n > 0 && wanted <= n) {
		double rank = wanted < 1 ? 1 : (n - ceil(wanted) + 1) / n;

		v = quantile_value(e, below, rank);
		v.number = 0 - v.number;
		v.real = -v.real;
		return v;
	}
	return quantile_value(e, r, r->count ? (wanted - n) / (double)r->count : 0);
}

/* Bits that some of the numbers have, or an odd number of them: buckets are of bits. */
static struct query_value bits_value(const struct expr *e, const struct query_result *r)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->buckets[i].lo < 64 &&
			(e->part == PART_BITS ? r->buckets[i].count != 0 : r->buckets[i].count & 1))
			bits |= (uint64_t)1 << r->buckets[i].lo;
	return number_value(e->type, bits);
}

static struct query_value kept_value(const struct machine *m, const struct expr *e)
{
	const struct plan_keep *k = &m->q->plan.keeps[e->value];
	const struct query_result *r = result_of(m, e->value);

	switch (e->part) {
	case PART_COUNT: return number_value(TYPE_ULONG, r->count);
	case PART_ERROR: return number_value(TYPE_ULONG, r->error);
	case PART_BITS:
	case PART_ODD_BITS: return bits_value(e, r);
	case PART_QUANTILE:
		return e->which ? signed_quantile(e, result_of(m, e->which - 1), r) : quantile_value(e, r, e->real);
	case PART_MEAN: return mean_value(m, e, r);
	case PART_MIN:
	case PART_MAX:
		if (r->is_empty)
			return (struct query_value){.kind = QUERY_NONE};
		return kept_number(m, e->type, e->part == PART_MIN ? r->min : r->max);
	case PART_BUCKETS:
		return (struct query_value){.kind = QUERY_BUCKETS,
			.buckets = r->buckets,
			.n = r->n,
			.is_signed = k->kind == KEEP_LINEAR,
			.is_duration = k->of->type.kind == TYPE_DURATION};
	default: return kept_number(m, e->type, r->number);
	}
}

struct query_value rows_compute(const struct machine *m, const struct expr *e);

bool rows_is_real(const struct query_value *v)
{
	return v->kind == QUERY_REAL || v->kind == QUERY_DURATION;
}

static struct query_value compute_real(enum expr_op op, double a, double b, enum query_value_kind kind)
{
	struct query_value v = {.kind = kind};

	switch (op) {
	case OP_ADD: v.real = a + b; return v;
	case OP_SUB: v.real = a - b; return v;
	case OP_MUL: v.real = a * b; return v;
	case OP_DIV:
		v.real = a / b;
		if (b == 0)
			v.kind = QUERY_NONE;
		return v;
	case OP_EQ: v.number = a == b; break;
	case OP_NE: v.number = a != b; break;
	case OP_LT: v.number = a < b; break;
	case OP_GT: v.number = a > b; break;
	case OP_LE: v.number = a <= b; break;
	case OP_GE: v.number = a >= b; break;
	default: return (struct query_value){.kind = QUERY_NONE};
	}
	v.kind = QUERY_BOOL;
	return v;
}

static struct query_value compute_binary(const struct machine *m, const struct expr *e)
{
	struct query_value a = rows_compute(m, e->a), b = rows_compute(m, e->b), v;

	if (e->op == OP_AND || e->op == OP_OR) {
		bool x = a.kind != QUERY_NONE && a.number, y = b.kind != QUERY_NONE && b.number;

		return number_value(e->type, e->op == OP_AND ? x && y : x || y);
	}
	if (a.kind == QUERY_NONE || b.kind == QUERY_NONE)
		return (struct query_value){.kind = QUERY_NONE};
	if (a.kind == QUERY_TEXT && b.kind == QUERY_TEXT)
		return number_value(e->type, text_compares(e->op, a.text, b.text));
	if (a.kind == QUERY_INSTANT && b.kind == QUERY_DURATION && e->op == OP_DIV && b.real >= 1)
		return number_value(e->type, a.number / (uint64_t)b.real);
	if (rows_is_real(&a) || rows_is_real(&b)) {
		v = compute_real(e->op, rows_real(&a), rows_real(&b),
			e->type.kind == TYPE_DURATION ? QUERY_DURATION : QUERY_REAL);
		if (v.kind == QUERY_REAL && e->type.kind == TYPE_INT) /* of two durations, a whole number */
			return v.real < 0 ? (struct query_value){.kind = QUERY_NONE}
					  : number_value(e->type, v.real < 1.8e19 ? (uint64_t)v.real : UINT64_MAX);
		return v;
	}
	if (e->type.kind == TYPE_REAL)
		return compute_real(e->op, rows_real(&a), rows_real(&b), QUERY_REAL);
	if (!expr_compute(e->op, e->value, a.number, b.number, &a.number))
		return (struct query_value){.kind = QUERY_NONE};
	return number_value(e->type, a.number);
}

struct query_value rows_compute(const struct machine *m, const struct expr *e)
{
	struct query_value v;

	switch (e->kind) {
	case EXPR_CONST: return number_value(e->type, e->value);
	case EXPR_REAL: return (struct query_value){.kind = QUERY_REAL, .real = e->real};
	case EXPR_TEXT: return (struct query_value){.kind = QUERY_TEXT, .text = e->text};
	case EXPR_SESSION: return session_value(m, e->value);
	case EXPR_KEY: return key_value(m, e->value);
	case EXPR_KEEP: return kept_value(m, e);
	case EXPR_CELL: return m->cells[e->value];
	case EXPR_FUNCTION: return rows_function(m, e);
	case EXPR_BINARY: return compute_binary(m, e);
	case EXPR_COND:
		v = rows_compute(m, e->c);
		return v.kind == QUERY_NONE ? v : rows_compute(m, v.number ? e->a : e->b);
	case EXPR_CAST:
		v = rows_compute(m, e->a);
		return v.kind == QUERY_NONE ? v : number_value(e->type, expr_extend(e->type, v.number));
	case EXPR_LENGTH:
		v = rows_compute(m, e->a);
		return v.kind == QUERY_TEXT ? number_value(e->type, strlen(v.text))
					    : (struct query_value){.kind = QUERY_NONE};
	case EXPR_UNARY:
		v = rows_compute(m, e->a);
		if (v.kind == QUERY_NONE)
			return v;
		expr_compute(e->op, false, v.number, 0, &v.number);
		return number_value(e->type, v.number);
	default: return (struct query_value){.kind = QUERY_NONE};
	}
}

/* ---- rows of events ---- */

bool query_has_records(const struct query *q)
{
	return q->plan.is_records;
}

uint64_t query_most_records(const struct query *q)
{
	return q->plan.take_events;
}

size_t query_columns(const struct query *q)
{
	return q->plan.n_columns;
}

const char *query_column(const struct query *q, size_t i)
{
	return q->plan.columns[i].name;
}

void query_record_row(const struct query *q, const struct query_session *session, const struct query_value *members,
	struct query_value *row)
{
	struct machine m = {.q = q, .session = session};

	for (size_t i = 0; i < q->plan.n_columns; i++) {
		const struct expr *value = q->plan.columns[i].value;

		if (column_is_constant(q, i))
			row[i] = rows_compute(&m, value);
		else if (members[i].kind == QUERY_TEXT)
			row[i] = members[i];
		else if (value->type.kind == TYPE_INSTANT)
			row[i] = (struct query_value){.kind = QUERY_INSTANT,
				.number =
					(uint64_t)(q->options.now +
						   (int64_t)nanoseconds(&m, (double)(int64_t)(members[i].number -
											      q->options.now_counts)))};
		else if (value->type.number)
			row[i] = named_value(&m, value->type, members[i].number);
		else
			row[i] = kept_number(&m, value->type, members[i].number);
		row[i].is_stack = value->type.kind == TYPE_STACK;
	}
}

bool query_column_is_stack(const struct query *q, size_t i)
{
	return q->plan.columns[i].value->type.kind == TYPE_STACK;
}

void query_record_moment(const struct query *q, uint64_t counts, int64_t at, struct query_value *members)
{
	double since = (double)(at - q->options.now) * q->options.rate / 1000;
	uint64_t ours = q->options.now_counts + (uint64_t)(int64_t)since;

	for (size_t i = 0; i < q->plan.n_columns; i++)
		if (!column_is_constant(q, i) && q->plan.columns[i].value->type.kind == TYPE_INSTANT)
			members[i].number += ours - counts;
}

bool query_record_is_named(const struct query *q)
{
	for (size_t i = 0; i < q->plan.n_columns; i++) {
		enum type_kind kind = q->plan.columns[i].value->type.kind;

		if (!column_is_constant(q, i) && (kind == TYPE_SITE || kind == TYPE_ADDRESS || kind == TYPE_STACK))
			return true;
	}
	return false;
}

bool query_column_is_key(const struct query *q, size_t i)
{
	enum expr_kind kind = q->plan.columns[i].value->kind;

	return kind == EXPR_KEY || kind == EXPR_SESSION;
}

bool query_column_adds_up(const struct query *q, size_t i)
{
	const struct expr *value = q->plan.columns[i].value;

	return value->kind == EXPR_KEEP && (value->part == PART_COUNT || value->part == PART_SUM);
}

bool query_column_is_duration(const struct query *q, size_t i)
{
	return q->plan.columns[i].value->type.kind == TYPE_DURATION;
}

/* ---- values as texts ---- */

const char *rows_text(const struct machine *m, const struct query_value *v)
{
	char text[300] = "";

	switch (v->kind) {
	case QUERY_NONE: return "-";
	case QUERY_TEXT: return v->text ? v->text : "";
	case QUERY_BOOL: return v->number ? "true" : "false";
	case QUERY_SIGNED: snprintf(text, sizeof(text), "%" PRId64, (int64_t)v->number); break;
	case QUERY_REAL: snprintf(text, sizeof(text), "%.6g", v->real); break;
	case QUERY_DURATION: snprintf(text, sizeof(text), "%.0f ns", v->real); break;
	case QUERY_ADDRESS:
	case QUERY_SITE:
		if (m->session && m->session->name)
			m->session->name(m->session->user, v, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "0x%" PRIx64, v->number);
		break;
	default: snprintf(text, sizeof(text), "%" PRIu64, v->number);
	}
	return query_copy(m->texts, text, strlen(text));
}

/* ---- sorting ---- */

/* What is not there comes last, and a number that has a name behind those without one. */
int rows_compare(const struct query_value *a, const struct query_value *b)
{
	if (a->kind == QUERY_NONE || b->kind == QUERY_NONE)
		return (a->kind == QUERY_NONE) - (b->kind == QUERY_NONE);
	if (a->kind == QUERY_TEXT && b->kind == QUERY_TEXT)
		return strcmp(a->text, b->text);
	if (a->kind == QUERY_TEXT || b->kind == QUERY_TEXT)
		return (a->kind == QUERY_TEXT) - (b->kind == QUERY_TEXT);
	if (rows_is_real(a) || rows_is_real(b))
		return (rows_real(a) > rows_real(b)) - (rows_real(a) < rows_real(b));
	if (a->kind == QUERY_SIGNED && b->kind == QUERY_SIGNED)
		return ((int64_t)a->number > (int64_t)b->number) - ((int64_t)a->number < (int64_t)b->number);
	return (a->number > b->number) - (a->number < b->number);
}

/* A row while it is sorted: the orders' values, then the key's, so that there is one order in any case. */
struct sorted {
	size_t at; /* in what they are made of */
	const struct plan_rows *plan;
	size_t n_by;
	struct query_value by[PLAN_ORDERS + 1 + PLAN_KEYS]; /* what is asked for, the window, the key */
};

static int compare_rows(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	const struct plan_rows *p = a->plan;

	for (size_t i = 0; i < a->n_by; i++) {
		int c = rows_compare(&a->by[i], &b->by[i]);
		bool down = i < p->n_orders && p->orders[i].down && a->by[i].kind != QUERY_NONE &&
			    b->by[i].kind != QUERY_NONE;

		if (c)
			return down ? -c : c;
	}
	return (a->at > b->at) - (a->at < b->at);
}

/* What rows are made of: what was kept, or a table. */
struct source {
	const struct query_entry *entries;
	const struct query_rows *table;
	size_t n;
};

static void set_row(struct machine *m, const struct source *from, size_t i)
{
	m->entry = from->table ? NULL : &from->entries[i];
	m->session = from->table ? m->session : m->entry->session;
	m->cells = from->table ? &from->table->values[i * from->table->n_columns] : NULL;
}

static bool is_wanted(const struct machine *m, const struct plan_rows *r)
{
	const struct plan *p = &m->q->plan;

	if (m->entry && p->counts_group && !result_of(m, p->counts_group - 1)->count)
		return false;
	for (size_t i = 0; i < r->n_having; i++) {
		struct query_value v = rows_compute(m, r->having[i]);

		if (v.kind == QUERY_NONE || !v.number)
			return false;
	}
	return true;
}

static size_t sort_rows(struct machine *m, const struct plan_rows *r, const struct source *from, struct sorted *sorted)
{
	size_t kept = 0;

	for (size_t i = 0; i < from->n; i++) {
		struct sorted *s = &sorted[kept];

		set_row(m, from, i);
		if (!is_wanted(m, r))
			continue;
		*s = (struct sorted){.at = i, .plan = r, .n_by = r->n_orders};
		for (size_t o = 0; o < r->n_orders; o++)
			s->by[o] = rows_compute(m, r->orders[o].value);
		if (m->entry && m->q->plan.window.step)
			s->by[s->n_by++] = window_value(m, SESSION_WINDOW);
		for (size_t k = 0; m->entry && k < m->q->plan.n_keys; k++)
			s->by[s->n_by++] = key_value(m, k);
		kept++;
	}
	qsort(sorted, kept, sizeof(*sorted), compare_rows);
	return kept;
}

/* ---- rows ---- */

bool rows_alloc(struct query_rows *rows, size_t n_columns, size_t n_static, size_t n)
{
	*rows = (struct query_rows){.n_columns = n_columns,
		.n_static = n_static,
		.n = n,
		.names = calloc(n_columns + 1, sizeof(*rows->names)),
		.values = calloc(n * n_columns + 1, sizeof(*rows->values))};
	return rows->names && rows->values;
}

/* The cells of a row; behind the plan's columns those that only a step has found. */
static void fill_row(
	const struct machine *m, const struct plan_rows *r, const struct query_rows *table, struct query_value *row)
{
	for (size_t c = 0; c < r->n_columns; c++)
		row[c] = rows_compute(m, r->columns[c].value);
	if (r->is_whole)
		memcpy(row + r->n_columns, m->cells + table->n_static,
			(table->n_columns - table->n_static) * sizeof(*row));
}

static bool rows_build(struct machine *m, const struct plan_rows *r, const struct source *from, struct query_rows *rows)
{
	size_t more = r->is_whole ? from->table->n_columns - from->table->n_static : 0, wanted, first, end;
	struct sorted *sorted = calloc(from->n + 1, sizeof(*sorted));
	bool done;

	if (!sorted)
		return false;
	wanted = sort_rows(m, r, from, sorted);
	first = r->skip < wanted ? r->skip : wanted;
	end = r->take < wanted - first ? first + r->take : wanted;
	done = rows_alloc(rows, r->n_columns + more, r->n_columns, end - first);
	for (size_t i = 0; done && i < rows->n_columns; i++)
		rows->names[i] = i < r->n_columns ? r->columns[i].name
						  : from->table->names[from->table->n_static + i - r->n_columns];
	for (size_t i = first; done && i < end; i++) {
		set_row(m, from, sorted[i].at);
		fill_row(m, r, from->table, rows->values + (i - first) * rows->n_columns);
	}
	free(sorted);
	return done;
}

void rows_drop(struct query_rows *rows)
{
	free(rows->values);
	free(rows->names);
	*rows = (struct query_rows){0};
}

/* The rows that a step is applied to, then its table, then the rows that are made of that. */
static bool run_step(
	struct machine *m, const struct plan_step *step, struct query_rows *rows, struct query_rows *second)
{
	const struct plan_rows *next = step->next ? &step->next->rows : &m->q->plan.rows;
	struct query_rows table = {0};
	uint64_t merged = rows->merged, unmet = rows->unmet;
	bool done;

	if (step->kind == STEP_KMEANS)
		rows_drop(second);
	done = step_make(m, step, rows, &table, second);
	merged += table.merged;
	unmet += table.unmet;
	rows_drop(rows);
	done = done && rows_build(m, next, &(struct source){.table = &table, .n = table.n}, rows);
	rows->merged = merged;
	rows->unmet = unmet;
	rows_drop(&table);
	return done;
}

bool rows_all(struct machine *m, const struct query_entry *entries, size_t n, struct query_rows *rows,
	struct query_rows *second)
{
	const struct plan_step *step = m->q->plan.steps;
	bool done = rows_build(
		m, step ? &step->rows : &m->q->plan.rows, &(struct source){.entries = entries, .n = n}, rows);

	for (; done && step; step = step->next)
		done = run_step(m, step, rows, second);
	return done;
}

bool query_rows_make(const struct query *q, const struct query_entry *entries, size_t n, struct query_rows *rows)
{
	return query_rows_meet(q, entries, n, NULL, 0, rows);
}

bool query_rows_meet(const struct query *q, const struct query_entry *entries, size_t n,
	const struct query_entry *others, size_t n_others, struct query_rows *rows)
{
	struct query_arena *texts = calloc(1, sizeof(*texts));
	struct query_rows *second = calloc(1, sizeof(*second));
	struct machine m = {.q = q, .texts = texts, .others = others, .n_others = n_others};
	bool done;

	*rows = (struct query_rows){0};
	done = texts && second && rows_all(&m, entries, n, rows, second);
	rows->memory = texts;
	rows->second = second;
	if (done && second->names)
		rows->title = "centroids";
	else
		rows->second = NULL;
	if (!rows->second)
		free(second);
	if (done && !texts->full)
		return true;
	query_rows_free(rows);
	return false;
}

static int compare_columns(const void *x, const void *y, void *user)
{
	const size_t *column = user;
	const struct query_value *a = (const struct query_value *)x + *column,
				 *b = (const struct query_value *)y + *column;
	int c = rows_compare(a, b);

	return a->kind == QUERY_TEXT || a->kind == QUERY_NONE || b->kind == QUERY_NONE ? c : -c;
}

void query_rows_sort(struct query_rows *rows, size_t column)
{
	if (column < rows->n_columns && rows->n)
		qsort_r(rows->values, rows->n, rows->n_columns * sizeof(*rows->values), compare_columns, &column);
}

void query_rows_free(struct query_rows *rows)
{
	if (rows->memory)
		query_arena_free(rows->memory);
	free(rows->memory);
	if (rows->second)
		rows_drop(rows->second);
	free(rows->second);
	free(rows->scaled);
	rows_drop(rows);
}
