/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The difference of two partials, of which one has come from the other: what was counted in between. A sum's negative
 * is a sum, so a difference is the sum with the negative of the earlier one. Rows that are the same in both are left
 * out before that: nothing came to them. A row that only the earlier one has stays, as its negative, so that all
 * differences of a series add up to the whole in any case.
 */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"

static bool field_has_difference(const struct partial_field *p)
{
	const struct wl_kind *kind = wl_kind_at(p->f->kind);
	if (kind->shown.form == WARD_FORM_RECORDS ||
		(kind->entries && (kind->entries->weigh || kind->entries->has_most)))
		return false;
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		if (!wl_kind_at(p->parts[i].kind)->has_difference)
			return false;
	return true;
}

/* ---- negatives ---- */

static void value_negate(const struct wl_kind *kind, struct part_form form, uint64_t *fixed, uint64_t *cells, size_t n)
{
	uint32_t i = 0;
	for (; i < kind->sums; i++)
		fixed[i] = -fixed[i];
	if (kind->has_wide) {
		fixed[i + 1] = ~fixed[i + 1] + (fixed[i] == 0);
		fixed[i] = -fixed[i];
		i += 2;
	}
	for (; i < form.fixed; i++)
		fixed[i] = 0; /* of no numbers */
	for (size_t c = 0; c < n; c++)
		cells[c] = -cells[c];
}

/* The values of a row, which begin at this word of its rows. */
static void values_negate(const struct partial_field *p, struct rows *rows, size_t at)
{
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++) {
		struct wl_words value;
		const uint64_t *start = rows->words + at, *end = part_read(p->forms[i], start, &value);
		uint64_t *cells = value.n ? rows->words + (value.cells - rows->words) : NULL;
		value_negate(wl_kind_at(p->parts[i].kind), p->forms[i], rows->words + at, cells, value.n);
		at += (size_t)(end - start);
	}
}

static size_t values_at(const struct partial_field *p, const struct rows *rows, size_t row)
{
	return (size_t)(part_skip_key(p, rows_at(rows, row) + p->beside) - rows->words);
}

static void partial_negate(ward_partial *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct partial_field *f = &p->fields[i];
		for (size_t row = 0; row < f->rows.n; row++)
			values_negate(f, &f->rows, values_at(f, &f->rows, row));
		if (f->other.n)
			values_negate(f, &f->other, 0);
	}
}

/* ---- rows ---- */

struct sides {
	const struct partial_field *into, *from, *negative; /* rows of `negative` are those of `from` */
};

static void row_copy(struct rows *to, const struct rows *from, size_t row)
{
	rows_begin(to);
	rows_copy(to, rows_at(from, row), rows_length(from, row));
}

static bool rows_are_same(const struct sides *s, size_t i, size_t j)
{
	const uint64_t *x = s->into->rows.words + values_at(s->into, &s->into->rows, i),
		       *y = s->from->rows.words + values_at(s->from, &s->from->rows, j);
	size_t n = rows_length(&s->into->rows, i) - (size_t)(x - rows_at(&s->into->rows, i)),
	       m = rows_length(&s->from->rows, j) - (size_t)(y - rows_at(&s->from->rows, j));
	return n == m && memcmp(x, y, n * sizeof(*x)) == 0;
}

/* Which row comes next: below 0 that of `into`, above 0 that of `from`, 0 both. */
static int rows_compare(const struct sides *s, size_t i, size_t j)
{
	if (i == s->into->rows.n || j == s->from->rows.n)
		return i == s->into->rows.n ? 1 : -1;
	return part_compare_keys(
		s->into, rows_at(&s->into->rows, i) + s->into->beside, rows_at(&s->from->rows, j) + s->into->beside);
}

static bool rows_subtract(const ward_partial *p, struct partial_field *to, const struct sides *s)
{
	const struct rows *x = &s->into->rows, *y = &s->negative->rows;
	size_t i = 0, j = 0;
	while ((i < x->n || j < y->n) && !to->rows.has_failed) {
		int order = rows_compare(s, i, j);
		bool is_left_out = order == 0 && to->n_keys && rows_are_same(s, i, j);
		if (order < 0)
			row_copy(&to->rows, x, i);
		else if (order > 0)
			row_copy(&to->rows, y, j);
		else if (!is_left_out && !partial_add_row(p, to, rows_at(x, i), rows_at(y, j)))
			return false;
		i += order <= 0;
		j += order >= 0;
	}
	return !to->rows.has_failed;
}

static bool other_subtract(const ward_partial *p, struct partial_field *to, const struct sides *s)
{
	const struct rows *x = &s->into->other, *y = &s->negative->other;
	if (!x->n || !y->n)
		return rows_copy_all(&to->other, x->n ? x : y);
	rows_begin(&to->other);
	return partial_add_values(p, to, &to->other, rows_at(x, 0), rows_at(y, 0)) && !to->other.has_failed;
}

static bool field_subtract(const ward_partial *p, struct partial_field *to, const struct sides *s)
{
	to->lost = s->into->lost - s->from->lost;
	to->evicted = s->into->evicted - s->from->evicted;
	to->events = s->into->events - s->from->events;
	to->cut = s->into->cut - s->from->cut;
	return rows_subtract(p, to, s) && other_subtract(p, to, s);
}

/* ---- a partial ---- */

static int difference_check(const ward_partial *into, const ward_partial *from, struct ward_error *err)
{
	if (!partial_same_shape(into, from)) {
		wl_fail(err, WARD_E_USAGE, "partial", "they are of different shapes");
		wl_hint(err, "%s", "subtract partials of one module, both of them with names or both without");
		return WARD_E_USAGE;
	}
	for (size_t i = 0; i < into->n; i++) {
		const struct state_field *f = into->fields[i].f;
		if (field_has_difference(&into->fields[i]))
			continue;
		wl_fail(err, WARD_E_USAGE, "partial", "%s: a %s has no difference of two times", f->name,
			wl_kind_at(f->kind)->shown.name);
		wl_hint(err, "%s", "keep counts, sums or histograms");
		return WARD_E_USAGE;
	}
	return WARD_OK;
}

int ward_partial_subtract(ward_partial *into, const ward_partial *from, struct ward_error *err)
{
	ward_partial *negative = NULL;
	wl_clear(err);
	if (!into || !from)
		return wl_missing(err, "ward_partial_subtract", into ? "from" : "into");
	int status = difference_check(into, from, err);
	if (status == WARD_OK)
		status = ward_partial_copy(from, &negative, err);
	if (status)
		return status;
	partial_negate(negative);
	ward_partial *rest = partial_new(into->schema, into->is_named, into->budget.most);
	bool ok = rest != NULL;
	for (size_t i = 0; ok && i < into->n; i++) {
		const struct sides s = {&into->fields[i], &from->fields[i], &negative->fields[i]};
		ok = field_subtract(rest, &rest->fields[i], &s);
	}
	if (ok) {
		rest->notes = into->notes;
		rest->notes.events -= from->notes.events;
		rest->notes.dropped -= from->notes.dropped;
		partial_swap(into, rest);
	} else {
		status = partial_fail(rest, "the difference", err);
	}
	ward_partial_free(rest);
	ward_partial_free(negative);
	return status;
}
