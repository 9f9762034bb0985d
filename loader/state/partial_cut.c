/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cutting a partial that is above its limits. Every field keeps its heaviest rows, at most so many as all the others:
 * so small maps stay whole as long as large ones can give. The number is found by halving. What is cut goes to the
 * value of the keys without room, so the sum over a map stays what it was.
 */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"

/* The place of each row of a field among all, by weight; NULL: the field has no rows that can be cut. */
struct ranks {
	size_t **of;
	struct weighed **rows;
	struct heap heap;
	size_t most; /* rows of one field */
};

static bool can_be_cut(const struct partial_field *p)
{
	return wl_kind_at(p->f->kind)->entries != NULL;
}

static bool ranks_find(struct ranks *r, const ward_partial *p)
{
	r->of = heap_take(&r->heap, p->n, sizeof(*r->of));
	r->rows = heap_take(&r->heap, p->n, sizeof(*r->rows));
	for (size_t i = 0; r->of && r->rows && i < p->n; i++) {
		const struct partial_field *field = &p->fields[i];
		size_t n = field->rows.n;
		if (!can_be_cut(field))
			continue;
		r->of[i] = heap_take(&r->heap, n, sizeof(*r->of[i]));
		r->rows[i] = heap_take(&r->heap, n, sizeof(*r->rows[i]));
		if (!r->of[i] || !r->rows[i] || !partial_weigh(field, r->rows[i]))
			return false;
		for (size_t at = 0; at < n; at++)
			r->of[i][r->rows[i][at].row] = at;
		r->most = n > r->most ? n : r->most;
	}
	return r->of && r->rows;
}

/* The sum of the values of all rows that are cut, beginning with `other`. */
static bool sum_of_cut(const ward_partial *p, struct partial_field *to, const struct partial_field *from,
	const size_t *rank, size_t most)
{
	struct budget scratch = {.most = SIZE_MAX};
	struct rows sum = {.budget = &scratch}, next = {.budget = &scratch};
	bool ok = true;
	rows_begin(&sum);
	if (from->other.n)
		rows_copy(&sum, rows_at(&from->other, 0), from->other.n_words);
	for (size_t i = 0; ok && i < from->rows.n; i++) {
		if (rank[i] < most)
			continue;
		const uint64_t *row = rows_at(&from->rows, i);
		const uint64_t *value = part_skip_key(from, row + from->beside);
		next.n = next.n_words = 0;
		rows_begin(&next);
		if (sum.n_words)
			ok = partial_add_values(p, to, &next, rows_at(&sum, 0), value);
		else
			rows_copy(&next, value, (size_t)(row + rows_length(&from->rows, i) - value));
		struct rows was = sum;
		sum = next;
		next = was;
	}
	if (sum.n_words) {
		rows_begin(&to->other);
		rows_copy(&to->other, sum.words, sum.n_words);
	}
	ok = ok && !sum.has_failed && !next.has_failed && !to->other.has_failed;
	rows_free(&sum);
	rows_free(&next);
	return ok;
}

static bool keep_field(const ward_partial *p, struct partial_field *to, const struct partial_field *from,
	const struct weighed *rows, const size_t *rank, size_t most)
{
	size_t n = from->rows.n, kept = rank && most < n ? most : n;
	to->lost = from->lost;
	to->evicted = from->evicted;
	to->events = from->events;
	to->floor = from->floor;
	to->cut = from->cut + (n - kept);
	for (size_t i = 0; i < n; i++) {
		if (kept < n && rank[i] >= kept)
			continue;
		rows_begin(&to->rows);
		rows_copy(&to->rows, rows_at(&from->rows, i), rows_length(&from->rows, i));
	}
	/* one that isn't there may have counted as much as the heaviest that was cut */
	if (kept < n && wl_kind_at(from->f->kind)->entries->has_most && rows[kept].weight > to->floor)
		to->floor = rows[kept].weight;
	if (kept < n && from->f->map.other)
		return sum_of_cut(p, to, from, rank, kept) && !to->rows.has_failed;
	return rows_copy_all(&to->other, &from->other) && !to->rows.has_failed;
}

/* A copy with at most so many rows a field; *out is NULL: it is above the limits. */
static int keep_rows(const ward_partial *p, const struct ranks *r, size_t n, const struct ward_partial_limits *most,
	ward_partial **out, size_t *size, struct ward_error *err)
{
	ward_partial *copy = partial_new(p->schema, p->is_named, most->memory);
	bool ok = copy != NULL, is_cut = false, is_above;
	*out = NULL;
	for (size_t i = 0; ok && i < p->n; i++) {
		ok = keep_field(p, &copy->fields[i], &p->fields[i], r->rows[i], r->of[i], n);
		is_cut |= copy->fields[i].cut != p->fields[i].cut;
	}
	is_above = copy && copy->budget.is_exceeded;
	if (ok) {
		copy->notes = p->notes;
		copy->notes.flags |= is_cut ? WARD_PARTIAL_CUT : 0;
		*size = partial_packed_size(copy);
		ok = *size != 0;
		is_above = *size > most->bytes;
	}
	if (ok && !is_above) {
		*out = copy;
		return WARD_OK;
	}
	ward_partial_free(copy);
	return is_above ? WARD_OK : partial_fail(NULL, "", err);
}

/* Is so much of the limit in use that it isn't worth looking for a few rows more? */
static bool is_near(size_t size, size_t most)
{
	return size >= most - most / 16;
}

static int find_most(const ward_partial *p, const struct ranks *r, const struct ward_partial_limits *most,
	ward_partial **out, struct ward_error *err)
{
	size_t fits = 0, above = r->most + 1, size, found;
	int status = keep_rows(p, r, 0, most, out, &size, err);
	if (status == WARD_OK && !*out) {
		wl_fail(err, WARD_E_SYSTEM, "partial",
			"it is above its limit without any entry: %zu bytes packed, %zu in memory", most->bytes,
			most->memory);
		wl_hint(err, "%s", "allow more (struct ward_partial_limits), or keep fewer fields");
		return WARD_E_SYSTEM;
	}
	while (status == WARD_OK && above - fits > 1 && !is_near(size, most->bytes)) {
		size_t n = fits + (above - fits) / 2;
		ward_partial *copy;
		status = keep_rows(p, r, n, most, &copy, &found, err);
		if (!copy) {
			above = n;
			continue;
		}
		fits = n;
		size = found;
		ward_partial_free(*out);
		*out = copy;
	}
	return status;
}

int partial_cut(
	const ward_partial *p, const struct ward_partial_limits *most, ward_partial **out, struct ward_error *err)
{
	struct ranks r = {0};
	int status;
	*out = NULL;
	status = ranks_find(&r, p) ? find_most(p, &r, most, out, err) : partial_fail(NULL, "", err);
	heap_free(&r.heap);
	if (status) {
		ward_partial_free(*out);
		*out = NULL;
	}
	return status;
}

static uint64_t count_cut(const ward_partial *p)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += p->fields[i].cut;
	return n;
}

int ward_partial_cut(ward_partial *p, const struct ward_partial_limits *limits, uint64_t *cut, struct ward_error *err)
{
	struct ward_partial_limits most;
	ward_partial *smaller;
	wl_clear(err);
	if (cut)
		*cut = 0;
	if (!p)
		return wl_missing(err, "ward_partial_cut", "the partial");
	int status = partial_limits(limits, &most, err);
	if (status)
		return status;
	if (p->budget.used <= most.memory) {
		size_t size = partial_packed_size(p);
		if (size && size <= most.bytes)
			return WARD_OK;
	}
	status = partial_cut(p, &most, &smaller, err);
	if (status)
		return status;
	if (cut)
		*cut = count_cut(smaller) - count_cut(p);
	partial_swap(p, smaller);
	ward_partial_free(smaller);
	return WARD_OK;
}
