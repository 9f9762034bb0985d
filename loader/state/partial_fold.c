/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that are addresses, on many machines. Such a key is a text: the place (build-id and offset in the file), a
 * separator, and the name that this machine has for it. Files of two builds are two places of one name; and one place
 * has no symbol where the symbols are missing. So partials are added by both, which is associative; and only when one
 * is finished, keys that show the same become one. A place without a symbol is shown by the name that another machine
 * has for it, so no sender can change what is shown of a key that has a symbol.
 */
#define _GNU_SOURCE 1

#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/state/kinds/words.h"

/* What a machine with symbols calls a place. */
struct place {
	const char *place, *name;
};

struct folder {
	const ward_partial *p;
	const struct partial_field *from;
	struct heap heap;
	struct place *places;
	size_t n_places, room;
	struct rows rows; /* by what is shown */
	struct budget scratch;
};

static bool is_place(const ward_partial *p, const struct state_field *part)
{
	return part_is_name(part, p->is_named) && part->scalar.is_address;
}

bool partial_is_folded(const ward_partial *p, const struct partial_field *field)
{
	bool is = false;
	for (uint32_t i = 0; i < field->n_keys; i++)
		is |= is_place(p, &field->parts[i]);
	return is;
}

/* ---- places ---- */

/* The name behind the place, which ends where the name begins. A text without a place is a name. */
static char *name_split(char *text)
{
	char *end = strchr(text, PART_PLACE_END);
	if (!end)
		return text;
	*end = 0;
	return end + 1;
}

static bool has_symbol(const char *name)
{
	return strchr(name, '!') != NULL;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->place, y->place);
	return order ? order : strcmp(x->name, y->name);
}

static bool place_add(struct folder *f, char *text)
{
	char *name = name_split(text);
	if (name == text || !*text || !has_symbol(name))
		return true;
	if (f->n_places == f->room) {
		size_t room = f->room * 2 + 64;
		struct place *places = reallocarray(f->places, room, sizeof(*places));
		if (!places)
			return false;
		f->places = places;
		f->room = room;
	}
	f->places[f->n_places++] = (struct place){text, name};
	return true;
}

/* Of several names the first one in order. */
static const char *place_find(const struct folder *f, const char *place)
{
	size_t first = 0, end = f->n_places;
	while (first < end) {
		size_t middle = first + (end - first) / 2;
		if (strcmp(f->places[middle].place, place) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first < f->n_places && strcmp(f->places[first].place, place) == 0 ? f->places[first].name : NULL;
}

static bool collect_row(struct folder *f, const uint64_t *at)
{
	for (uint32_t i = 0; i < f->from->n_keys; i++) {
		const struct state_field *part = &f->from->parts[i];
		struct wl_words words;
		at = part_read(f->from->forms[i], at, &words);
		char *text = is_place(f->p, part) ? words_text(&words, &f->heap) : NULL;
		if (is_place(f->p, part) && (!text || !place_add(f, text)))
			return false;
	}
	return true;
}

static bool collect_places(struct folder *f)
{
	for (size_t i = 0; i < f->from->rows.n; i++)
		if (!collect_row(f, rows_at(&f->from->rows, i) + f->from->beside))
			return false;
	if (f->n_places)
		qsort(f->places, f->n_places, sizeof(*f->places), compare_places);
	return true;
}

/* ---- rows ---- */

static bool show_place(struct folder *f, const struct wl_words *words)
{
	char *text = words_text(words, &f->heap);
	if (!text)
		return false;
	const char *name = name_split(text), *other;
	if (name != text && *text && !has_symbol(name) && (other = place_find(f, text)))
		name = other;
	part_put_text(&f->rows, name, strlen(name));
	return true;
}

static bool show_row(struct folder *f, const uint64_t *row, size_t n)
{
	const uint64_t *at = row + f->from->beside;
	rows_begin(&f->rows);
	rows_copy(&f->rows, row, f->from->beside);
	for (uint32_t i = 0; i < f->from->n_keys; i++) {
		const struct state_field *part = &f->from->parts[i];
		const uint64_t *start = at;
		struct wl_words words;
		at = part_read(f->from->forms[i], at, &words);
		if (!is_place(f->p, part))
			rows_copy(&f->rows, start, (size_t)(at - start));
		else if (!show_place(f, &words))
			return false;
	}
	rows_copy(&f->rows, at, (size_t)(row + n - at));
	return !f->rows.has_failed;
}

static int compare_keys(const void *a, const void *b, void *folder)
{
	const struct folder *f = folder;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = part_compare_keys(
		f->from, rows_at(&f->rows, x) + f->from->beside, rows_at(&f->rows, y) + f->from->beside);
	return order ? order : (x > y) - (x < y);
}

/* The sum of rows that show the same, as one row. */
static bool sum_rows(struct folder *f, const size_t *order, size_t n, struct partial_field *to)
{
	struct partial_field sum = *to, next = *to;
	sum.rows = next.rows = (struct rows){.budget = &f->scratch};
	bool ok = true;
	rows_begin(&sum.rows);
	rows_copy(&sum.rows, rows_at(&f->rows, order[0]), rows_length(&f->rows, order[0]));
	for (size_t i = 1; ok && i < n && !sum.rows.has_failed; i++) {
		next.rows.n = next.rows.n_words = 0;
		ok = partial_add_row(f->p, &next, rows_at(&sum.rows, 0), rows_at(&f->rows, order[i]));
		struct rows was = sum.rows;
		sum.rows = next.rows;
		next.rows = was;
	}
	ok = ok && !sum.rows.has_failed && rows_copy_all(&to->rows, &sum.rows);
	rows_free(&sum.rows);
	rows_free(&next.rows);
	return ok;
}

static bool fold_rows(struct folder *f, struct partial_field *to)
{
	size_t n = f->from->rows.n, *order = heap_take(&f->heap, n, sizeof(*order));
	bool ok = order != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		order[i] = i;
		ok = show_row(f, rows_at(&f->from->rows, i), rows_length(&f->from->rows, i));
	}
	if (ok && n)
		qsort_r(order, n, sizeof(*order), compare_keys, f);
	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (part_compare_keys(f->from, rows_at(&f->rows, order[i]) + f->from->beside,
				    rows_at(&f->rows, order[end]) + f->from->beside) != 0)
				break;
		ok = sum_rows(f, order + i, end - i, to);
	}
	return ok;
}

bool partial_fold(const ward_partial *p, const struct partial_field *from, struct partial_field *to)
{
	struct folder f = {.p = p, .from = from, .scratch.most = SIZE_MAX};
	f.rows.budget = &f.scratch;
	bool ok = collect_places(&f) && fold_rows(&f, to);
	rows_free(&f.rows);
	free(f.places);
	heap_free(&f.heap);
	return ok;
}
