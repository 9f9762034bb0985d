/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding partials: associative and commutative. Fields without parts add as their kinds do; of two maps the rows of
 * both are merged in the order of their keys.
 *
 * Nothing has changed on failure. So a field's sum is made beside its parts, unless it has room where it is: all keys
 * are there already, and values have no cells, which may grow. Such a field is added in place, after all that can fail.
 * Sums of many machines that count the same keys are of that kind.
 */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"

struct adder {
	const ward_partial *p; /* the sum */
	struct partial_field *to;
	uint64_t *words; /* of the two values of a part */
	size_t n_words;
};

/* ---- a value ---- */

/* Spread a value over the cells from `first` on. */
static void value_spread(uint64_t *words, const struct wl_words *value, uint32_t fixed, size_t first, size_t n)
{
	if (fixed + n)
		memset(words, 0, (fixed + n) * sizeof(*words));
	if (fixed)
		memcpy(words, value->fixed, fixed * sizeof(*words));
	if (value->n)
		memcpy(words + fixed + (value->first - first), value->cells, value->n * sizeof(*words));
}

/* Room for two values of n words. */
static bool make_room(struct adder *a, size_t n)
{
	if (a->words && 2 * n <= a->n_words)
		return true;
	uint64_t *grown = realloc(a->words, (2 * n + 1) * sizeof(*grown)); /* also for none: values without cells */
	if (!grown)
		return false;
	a->words = grown;
	a->n_words = 2 * n;
	return true;
}

static bool add_value(struct adder *a, struct rows *to, uint32_t i, const uint64_t **x, const uint64_t **y)
{
	const struct state_field *part = &a->to->parts[i];
	struct part_form form = a->to->forms[i];
	struct wl_words v, w;
	*x = part_read(form, *x, &v);
	*y = part_read(form, *y, &w);
	size_t first = v.n == 0 || (w.n && w.first < v.first) ? w.first : v.first;
	size_t v_end = v.n ? v.first + v.n : first, w_end = w.n ? w.first + w.n : first;
	size_t cells = (v_end > w_end ? v_end : w_end) - first, n = form.fixed + cells;
	if (!make_room(a, n))
		return false;
	value_spread(a->words, &v, form.fixed, first, cells);
	value_spread(a->words + n, &w, form.fixed, first, cells);
	wl_kind_at(part->kind)->add(part, a->words, a->words + n, cells);
	part_put(to, form, a->words, first, cells);
	return !to->has_failed;
}

static bool add_values(struct adder *a, struct rows *to, const uint64_t *x, const uint64_t *y)
{
	const struct partial_field *p = a->to;
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		if (!add_value(a, to, i, &x, &y))
			return false;
	return true;
}

bool partial_add_values(
	const ward_partial *p, struct partial_field *field, struct rows *to, const uint64_t *x, const uint64_t *y)
{
	struct adder a = {.p = p, .to = field};
	bool ok = add_values(&a, to, x, y);
	free(a.words);
	return ok;
}

/* ---- rows ---- */

static int compare_rows(const struct adder *a, const uint64_t *x, const uint64_t *y)
{
	const struct partial_field *p = a->to;
	if (wl_kind_at(p->f->kind)->shown.form == WARD_FORM_RECORDS)
		return ring_compare(p, x, y);
	return part_compare_keys(p, x + p->beside, y + p->beside);
}

/* A row that only one side has. `floor`: what the other one may have counted. */
static void copy_row(struct adder *a, const struct rows *rows, size_t i, uint64_t floor)
{
	struct rows *to = &a->to->rows;
	size_t length = rows_length(rows, i);
	rows_begin(to);
	rows_copy(to, rows_at(rows, i), length);
	if (floor && !to->has_failed) {
		uint64_t *row = to->words + to->n_words - length;
		row[ROW_WEIGHT] += floor;
		row[ROW_ERROR] += floor;
	}
}

/* A row that both sides have. */
static bool add_row(struct adder *a, const uint64_t *x, const uint64_t *y)
{
	const struct partial_field *p = a->to;
	struct rows *to = &a->to->rows;
	rows_begin(to);
	if (p->beside)
		rows_put_word(to, x[ROW_THREAD] == y[ROW_THREAD] ? x[ROW_THREAD] : WARD_ANY_THREAD);
	for (uint32_t i = 1; i < p->beside; i++)
		rows_put_word(to, x[i] + y[i]);
	x += p->beside, y += p->beside;
	const uint64_t *end = part_skip_key(p, x);
	rows_copy(to, x, (size_t)(end - x));
	return add_values(a, to, end, part_skip_key(p, y));
}

bool partial_add_row(const ward_partial *p, struct partial_field *to, const uint64_t *x, const uint64_t *y)
{
	struct adder a = {.p = p, .to = to};
	bool ok = add_row(&a, x, y) && !to->rows.has_failed;
	free(a.words);
	return ok;
}

/* Records that are equal are two records. */
static bool add_rows(struct adder *a, const struct partial_field *x, const struct partial_field *y)
{
	bool are_records = wl_kind_at(x->f->kind)->shown.form == WARD_FORM_RECORDS;
	size_t i = 0, j = 0;
	while ((i < x->rows.n || j < y->rows.n) && !a->to->rows.has_failed) {
		int order = i == x->rows.n   ? 1
			    : j == y->rows.n ? -1
					     : compare_rows(a, rows_at(&x->rows, i), rows_at(&y->rows, j));
		if (order < 0 || (order == 0 && are_records))
			copy_row(a, &x->rows, i++, y->floor);
		else if (order > 0)
			copy_row(a, &y->rows, j++, x->floor);
		else if (!add_row(a, rows_at(&x->rows, i++), rows_at(&y->rows, j++)))
			return false;
	}
	return !a->to->rows.has_failed;
}

/* The value of keys without room. */
static bool add_other(struct adder *a, const struct rows *x, const struct rows *y)
{
	struct rows *to = &a->to->other;
	const struct rows *only = x->n ? x : y;
	if (!x->n && !y->n)
		return true;
	rows_begin(to);
	if (x->n && y->n)
		return add_values(a, to, rows_at(x, 0), rows_at(y, 0));
	rows_copy(to, rows_at(only, 0), rows_length(only, 0));
	return !to->has_failed;
}

static void add_counts(struct partial_field *to, const struct partial_field *x, const struct partial_field *y)
{
	to->lost = x->lost + y->lost;
	to->evicted = x->evicted + y->evicted;
	to->events = x->events + y->events;
	to->floor = x->floor + y->floor;
	to->cut = x->cut + y->cut;
}

static bool add_field(struct adder *a, const struct partial_field *x, const struct partial_field *y)
{
	add_counts(a->to, x, y);
	return add_rows(a, x, y) && add_other(a, &x->other, &y->other);
}

/* ---- a partial ---- */

/* Would the words of one field mean the same in the other? Names don't matter. */
static bool same_part(const struct state_field *x, const struct state_field *y, bool is_named)
{
	struct part_form a = part_form(x, is_named), b = part_form(y, is_named);
	return x->kind == y->kind && x->part == y->part && a.fixed == b.fixed && a.cells == b.cells &&
	       x->precision == y->precision && x->lo == y->lo && x->step == y->step && x->unit == y->unit &&
	       x->scalar.is_signed == y->scalar.is_signed && x->min.is_signed == y->min.is_signed &&
	       x->max.is_signed == y->max.is_signed;
}

static bool same_field(const struct partial_field *x, const struct partial_field *y, bool is_named)
{
	bool is_record = wl_kind_at(x->f->kind)->shown.form == WARD_FORM_RECORDS;
	if (x->f->kind != y->f->kind || x->n_keys != y->n_keys || x->n_values != y->n_values ||
		strcmp(x->f->name, y->f->name) != 0 || (is_record && x->f->map.stride != y->f->map.stride))
		return false;
	for (uint32_t i = 0; i < x->n_keys + x->n_values; i++)
		if (!same_part(&x->parts[i], &y->parts[i], is_named))
			return false;
	return true;
}

bool partial_same_shape(const ward_partial *x, const ward_partial *y)
{
	bool same = x->n == y->n && x->is_named == y->is_named;
	if (x->schema == y->schema)
		return same;
	for (size_t i = 0; same && i < x->n; i++)
		same = same_field(&x->fields[i], &y->fields[i], x->is_named);
	return same;
}

/* ---- in place ---- */

/* A value of which no part can grow, and that is a sum and no more: no weights, which depend on who has the key. */
static bool is_steady(const struct partial_field *p)
{
	if (p->beside > ROW_WEIGHT || wl_kind_at(p->f->kind)->shown.form == WARD_FORM_RECORDS)
		return false;
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		if (p->forms[i].cells)
			return false;
	return true;
}

/* Does `x` have a row for each row of `y`, and a value of keys without room if `y` has one? */
static bool has_room(const struct partial_field *x, const struct partial_field *y)
{
	size_t i = 0;
	if (x == y || !is_steady(x) || y->rows.n > x->rows.n || (y->other.n && !x->other.n))
		return false;
	for (size_t j = 0; j < y->rows.n; j++) {
		const uint64_t *key = rows_at(&y->rows, j) + y->beside;
		int order = 1;
		while (i < x->rows.n && (order = part_compare_keys(x, rows_at(&x->rows, i) + x->beside, key)) < 0)
			i++;
		if (i == x->rows.n || order > 0)
			return false;
	}
	return true;
}

static void add_in_place(const struct partial_field *p, uint64_t *x, const uint64_t *y)
{
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++) {
		wl_kind_at(p->parts[i].kind)->add(&p->parts[i], x, y, 0);
		x += p->forms[i].fixed;
		y += p->forms[i].fixed;
	}
}

static void add_row_in_place(const struct partial_field *p, uint64_t *x, const uint64_t *y)
{
	if (p->beside && x[ROW_THREAD] != y[ROW_THREAD])
		x[ROW_THREAD] = WARD_ANY_THREAD;
	const uint64_t *value = part_skip_key(p, x + p->beside);
	add_in_place(p, x + (value - x), part_skip_key(p, y + p->beside));
}

static void add_field_in_place(struct partial_field *x, const struct partial_field *y)
{
	size_t i = 0;
	for (size_t j = 0; j < y->rows.n; j++, i++) {
		const uint64_t *from = rows_at(&y->rows, j);
		while (part_compare_keys(x, rows_at(&x->rows, i) + x->beside, from + x->beside) != 0)
			i++;
		add_row_in_place(x, x->rows.words + x->rows.at[i], from);
	}
	if (y->other.n)
		add_in_place(x, x->other.words, rows_at(&y->other, 0));
	add_counts(x, x, y);
}

static void add_notes(struct ward_partial_notes *to, const struct ward_partial_notes *from)
{
	to->flags |= from->flags;
	to->events += from->events;
	to->dropped += from->dropped;
}

/* The fields that need memory. What stays where it is counts for the limit as well. */
static bool add_beside(const ward_partial *into, const ward_partial *from, ward_partial *sum, bool *in_place)
{
	struct adder a = {.p = sum};
	size_t stays = 0;
	bool ok = true;
	for (size_t i = 0; i < sum->n; i++) {
		in_place[i] = has_room(&into->fields[i], &from->fields[i]);
		if (in_place[i])
			stays += rows_memory(&into->fields[i].rows) + rows_memory(&into->fields[i].other);
	}
	sum->budget.used += stays;
	for (size_t i = 0; ok && i < sum->n; i++) {
		a.to = &sum->fields[i];
		ok = in_place[i] || add_field(&a, &into->fields[i], &from->fields[i]);
	}
	sum->budget.used -= stays;
	free(a.words);
	return ok;
}

int ward_partial_add(ward_partial *into, const ward_partial *from, struct ward_error *err)
{
	wl_clear(err);
	if (!into || !from)
		return wl_missing(err, "ward_partial_add", into ? "from" : "into");
	if (!partial_same_shape(into, from)) {
		wl_fail(err, WARD_E_USAGE, "partial", "they are of different shapes");
		wl_hint(err, "%s", "add partials of one module, all of them with names or all without");
		return WARD_E_USAGE;
	}
	ward_partial *sum = partial_new(into->schema, into->is_named, into->budget.most);
	bool *in_place = calloc(into->n + 1, sizeof(*in_place));
	if (!sum || !in_place || !add_beside(into, from, sum, in_place)) {
		int status = partial_fail(in_place ? sum : NULL, "adding them", err);
		ward_partial_free(sum);
		free(in_place);
		return status;
	}
	for (size_t i = 0; i < into->n; i++)
		if (in_place[i])
			add_field_in_place(&into->fields[i], &from->fields[i]);
		else
			partial_swap_field(into, sum, i);
	add_notes(&into->notes, &from->notes);
	ward_partial_free(sum);
	free(in_place);
	return WARD_OK;
}

int ward_partial_copy(const ward_partial *p, ward_partial **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_copy", "out");
	*out = NULL;
	if (!p)
		return wl_missing(err, "ward_partial_copy", "the partial");
	ward_partial *copy = partial_new(p->schema, p->is_named, p->budget.most);
	bool ok = copy != NULL;
	for (size_t i = 0; ok && i < p->n; i++) {
		static const struct partial_field none;
		ok = rows_copy_all(&copy->fields[i].rows, &p->fields[i].rows) &&
		     rows_copy_all(&copy->fields[i].other, &p->fields[i].other);
		add_counts(&copy->fields[i], &p->fields[i], &none);
	}
	if (!ok) {
		int status = partial_fail(copy, "the copy", err);
		ward_partial_free(copy);
		return status;
	}
	copy->notes = p->notes;
	*out = copy;
	return WARD_OK;
}
