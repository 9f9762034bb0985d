/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables meet. Join: each row of the first with each of the second that has the same key. Diff: rows of one key
 * beside each other, and how much more the numbers of the first are; what isn't there counts as 0. Both sort the rows
 * by their keys, so the time is that of sorting, and of the rows that are made.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { MOST_CELLS = 4 << 20 };

/* Rows in the order of their keys. */
struct table {
	const struct query_rows *rows;
	size_t *order;
};

/* Which columns of both are the key. */
struct matched {
	const struct query_rows *rows[2];
	size_t n, column[2][PLAN_COLUMNS];
};

struct sorting {
	const struct matched *by;
	size_t side;
};

static const struct query_value *row_of(const struct query_rows *t, size_t i)
{
	return t->values + i * t->n_columns;
}

static int compare_keys(const struct matched *by, size_t side_a, size_t a, size_t side_b, size_t b)
{
	for (size_t i = 0; i < by->n; i++) {
		int c = rows_compare(&row_of(by->rows[side_a], a)[by->column[side_a][i]],
			&row_of(by->rows[side_b], b)[by->column[side_b][i]]);

		if (c)
			return c;
	}
	return 0;
}

static int compare_rows(const void *x, const void *y, void *user)
{
	const struct sorting *s = user;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = compare_keys(s->by, s->side, a, s->side, b);

	return c ? c : (a > b) - (a < b);
}

static size_t *sort_side(const struct matched *by, size_t side)
{
	struct sorting s = {by, side};
	size_t n = by->rows[side]->n, *order = malloc((n + 1) * sizeof(*order));

	for (size_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, n, sizeof(*order), compare_rows, &s);
	return order;
}

/* A key of which a part doesn't exist is no other one's. */
static bool has_key(const struct matched *by, size_t side, size_t row)
{
	for (size_t i = 0; i < by->n; i++)
		if (row_of(by->rows[side], row)[by->column[side][i]].kind == QUERY_NONE)
			return false;
	return true;
}

/* ---- Join ---- */

/* The first row of the second table, in its order, whose key isn't less. */
static size_t lower_bound(const struct matched *by, const size_t *order, size_t row)
{
	size_t lo = 0, hi = by->rows[1]->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (compare_keys(by, 1, order[middle], 0, row) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

static void put_pair(const struct matched *by, size_t a, size_t b, struct query_value *to)
{
	size_t n_a = by->rows[0]->n_columns - by->n, n_b = by->rows[1]->n_columns - by->n;

	memcpy(to, row_of(by->rows[0], a), n_a * sizeof(*to));
	memcpy(to + n_a, row_of(by->rows[1], b), n_b * sizeof(*to));
}

/* All pairs, in the order of the first table's rows; *to is NULL: count them alone. */
static size_t find_pairs(const struct matched *by, const size_t *order, struct query_rows *to)
{
	size_t n = 0;

	for (size_t a = 0; a < by->rows[0]->n; a++) {
		size_t i = has_key(by, 0, a) ? lower_bound(by, order, a) : by->rows[1]->n;

		for (; i < by->rows[1]->n && compare_keys(by, 1, order[i], 0, a) == 0; i++, n++) {
			if (to && n == to->n)
				return n;
			if (to)
				put_pair(by, a, order[i], to->values + n * to->n_columns);
			else if (n == MOST_CELLS)
				return n;
		}
	}
	return n;
}

static bool join_rows(const struct matched *by, struct query_rows *to)
{
	size_t n_a = by->rows[0]->n_columns - by->n, columns = n_a + by->rows[1]->n_columns - by->n, n, most;
	size_t *order = sort_side(by, 1);
	bool done;

	if (!order)
		return false;
	n = find_pairs(by, order, NULL);
	most = MOST_CELLS / (columns + 1);
	done = rows_alloc(to, columns, columns, n < most ? n : most);
	to->unmet = n > most ? n - most : 0;
	if (done)
		find_pairs(by, order, to);
	for (size_t i = 0; done && i < columns; i++)
		to->names[i] = i < n_a ? by->rows[0]->names[i] : by->rows[1]->names[i - n_a];
	free(order);
	return done;
}

/* ---- Diff ---- */

static double real_of(const struct query_value *v)
{
	return v->kind == QUERY_NONE ? 0 : rows_real(v);
}

static struct query_value change_of(const struct query_value *a, const struct query_value *b)
{
	enum query_value_kind kind = a->kind == QUERY_NONE ? b->kind : a->kind;
	struct query_value v = {.kind = QUERY_SIGNED};
	__int128 change;

	if (kind == QUERY_NONE)
		return (struct query_value){.kind = QUERY_NONE};
	v.real = real_of(a) - real_of(b);
	if (kind == QUERY_REAL || kind == QUERY_DURATION) {
		v.kind = kind;
		return v;
	}
	change = (a->kind == QUERY_NONE            ? 0
			 : a->kind == QUERY_SIGNED ? (__int128)(int64_t)a->number
						   : (__int128)a->number) -
		 (b->kind == QUERY_NONE            ? 0
			 : b->kind == QUERY_SIGNED ? (__int128)(int64_t)b->number
						   : (__int128)b->number);
	if (change != (int64_t)change) /* beyond 64 bits */
		v.kind = QUERY_REAL;
	v.number = (uint64_t)change;
	return v;
}

/* A row of one key: *a or *b may be NULL, as one table may have no such row. */
static void put_change(const struct plan_step *s, const struct query_value *a, const struct query_value *b, size_t n,
	struct query_value *to)
{
	static const struct query_value none = {.kind = QUERY_NONE};

	for (size_t i = 0; i < n; i++) {
		if (s->by[i]) {
			*to++ = a ? a[i] : b[i];
			continue;
		}
		to[0] = a ? a[i] : none;
		to[1] = b ? b[i] : none;
		to[2] = change_of(&to[0], &to[1]);
		to += 3;
	}
}

static void fill_changes(
	const struct plan_step *s, const struct matched *by, size_t *const order[2], struct query_rows *to)
{
	size_t i = 0, k = 0, n = by->rows[0]->n_columns;

	for (to->n = 0; i < by->rows[0]->n || k < by->rows[1]->n; to->n++) {
		int c = i == by->rows[0]->n   ? 1
			: k == by->rows[1]->n ? -1
					      : compare_keys(by, 0, order[0][i], 1, order[1][k]);

		put_change(s, c <= 0 ? row_of(by->rows[0], order[0][i]) : NULL,
			c >= 0 ? row_of(by->rows[1], order[1][k]) : NULL, n, to->values + to->n * to->n_columns);
		i += c <= 0;
		k += c >= 0;
	}
}

static bool diff_rows(const struct plan_step *s, const struct matched *by, struct query_rows *to)
{
	size_t *order[2] = {sort_side(by, 0), sort_side(by, 1)};
	size_t columns = 3 * by->rows[0]->n_columns - 2 * by->n;
	bool done = order[0] && order[1] && rows_alloc(to, columns, columns, by->rows[0]->n + by->rows[1]->n);

	for (size_t i = 0, at = 0; done && i < by->rows[0]->n_columns; i++)
		for (size_t k = 0; k < (s->by[i] ? 1 : 3); k++)
			to->names[at++] = by->rows[0]->names[i];
	if (done)
		fill_changes(s, by, order, to);
	free(order[0]);
	free(order[1]);
	return done;
}

bool rows_meet(const struct machine *m, const struct plan_step *s, const struct query_rows *from, struct query_rows *to)
{
	struct machine second = {.q = m->q->other, .texts = m->texts};
	struct query_rows other = {0}, ignored = {0};
	struct matched by = {.rows = {from, &other}};
	bool done = rows_all(&second, m->others, m->n_others, &other, &ignored);

	for (size_t i = 0; done && s->kind == STEP_DIFF && i < from->n_columns; i++)
		if (s->by[i])
			by.column[0][by.n] = by.column[1][by.n] = i, by.n++;
	for (; done && s->kind == STEP_JOIN && by.n < s->n; by.n++) {
		by.column[0][by.n] = from->n_columns - s->n + by.n;
		by.column[1][by.n] = other.n_columns - s->n + by.n;
	}
	if (done)
		done = s->kind == STEP_JOIN ? join_rows(&by, to) : diff_rows(s, &by, to);
	rows_drop(&ignored);
	rows_drop(&other);
	return done;
}
