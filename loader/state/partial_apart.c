/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a partial by machine, or the like (partial_by.c). Rows ascend by the text, which is the first part of
 * their key, so the parts are found in one pass over all fields at once.
 */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"

/* The text of a row that is next in its field. */
static struct wl_words text_of(const struct partial_field *f, size_t row)
{
	struct wl_words text;
	part_read(f->forms[0], rows_at(&f->rows, row) + f->beside, &text);
	return text;
}

static int texts_compare(const struct wl_words *a, const struct wl_words *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	for (size_t i = 0; i < n; i++)
		if (a->cells[i] != b->cells[i])
			return a->cells[i] < b->cells[i] ? -1 : 1;
	return (a->n > b->n) - (a->n < b->n);
}

struct parts {
	const ward_partial *by;
	size_t *next; /* row of each field; SIZE_MAX: it isn't by the text */
	size_t n;     /* that were given */
};

/* The least text that is next anywhere. */
static bool text_next(const struct parts *p, struct wl_words *least)
{
	bool any = false;
	for (size_t i = 0; i < p->by->n; i++) {
		const struct partial_field *f = &p->by->fields[i];
		struct wl_words text;
		if (p->next[i] == SIZE_MAX || p->next[i] == f->rows.n)
			continue;
		text = text_of(f, p->next[i]);
		if (!any || texts_compare(&text, least) < 0)
			*least = text;
		any = true;
	}
	return any;
}

/* The values of a row of no states: all zeros. A field without parts has such a row. */
static void zeros_put(const struct partial_field *to, struct rows *rows)
{
	rows_begin(rows);
	for (uint32_t i = to->n_keys; i < to->n_keys + to->n_values; i++)
		rows_put(rows, to->forms[i].fixed + (to->forms[i].cells != 0));
}

static void row_put(struct partial_field *to, const struct partial_field *from, size_t row)
{
	const uint64_t *at = rows_at(&from->rows, row), *end = at + rows_length(&from->rows, row), *rest;
	struct wl_words text;
	rest = part_read(from->forms[0], at + from->beside, &text);
	rows_begin(&to->rows);
	rows_copy(&to->rows, at, to->beside);
	rows_copy(&to->rows, rest, (size_t)(end - rest));
}

static bool field_put(struct parts *p, size_t i, const struct wl_words *text, ward_partial *out)
{
	const struct partial_field *from = &p->by->fields[i];
	struct partial_field *to = &out->fields[i];
	bool is_first = p->n == 0, ok = true;
	if (is_first) {
		to->lost = from->lost;
		to->evicted = from->evicted;
		to->events = from->events;
		to->cut = from->cut;
		ok = rows_copy_all(&to->other, &from->other);
	} else if (from->other.n)
		zeros_put(to, &to->other);
	if (p->next[i] == SIZE_MAX)
		return ok && (is_first ? rows_copy_all(&to->rows, &from->rows) : true);
	for (; text && p->next[i] < from->rows.n; p->next[i]++) {
		struct wl_words own = text_of(from, p->next[i]);
		if (texts_compare(&own, text) != 0)
			break;
		row_put(to, from, p->next[i]);
	}
	if (!to->rows.n && !wl_kind_at(to->f->kind)->entries)
		zeros_put(to, &to->rows);
	return ok && !to->rows.has_failed;
}

/* `text`: NULL of a partial without keys. */
static bool part_give(struct parts *p, const struct wl_words *text, ward_apart_fn *fn, void *user, bool *goes_on)
{
	ward_partial *out = partial_new(p->by->schema->of, p->by->is_named, SIZE_MAX);
	char shown[PARTIAL_BY_MOST + 1] = "";
	bool ok = out != NULL;
	for (size_t i = 0; text && i < text->n * 8 && i < PARTIAL_BY_MOST; i++)
		shown[i] = (char)(text->cells[i / 8] >> (56 - i % 8 * 8));
	for (size_t i = 0; ok && i < p->by->n; i++)
		ok = field_put(p, i, text, out);
	if (!ok) {
		ward_partial_free(out);
		return false;
	}
	out->notes = p->by->notes;
	p->n++;
	*goes_on = fn(user, shown, out);
	return true;
}

int ward_partial_apart(const ward_partial *by, ward_apart_fn *fn, void *user, struct ward_error *err)
{
	struct parts p = {.by = by};
	struct wl_words text;
	bool ok = true, goes_on = true;
	wl_clear(err);
	if (!by || !fn)
		return wl_missing(err, "ward_partial_apart", by ? "fn" : "the partial");
	if (!by->schema->of) {
		wl_fail(err, WARD_E_USAGE, "partial", "its keys don't begin with a text of ward_partial_by");
		wl_hint(err, "%s", "give one of a schema that ward_schema_by has made");
		return WARD_E_USAGE;
	}
	ward_partial *of = partial_new(by->schema->of, by->is_named, SIZE_MAX);
	p.next = calloc(by->n + 1, sizeof(*p.next));
	for (size_t i = 0; of && p.next && i < by->n; i++)
		p.next[i] = partial_is_divided(of->fields[i].f) ? 0 : SIZE_MAX;
	ok = of && p.next;
	while (ok && goes_on && text_next(&p, &text))
		ok = part_give(&p, &text, fn, user, &goes_on);
	if (ok && p.n == 0)
		ok = part_give(&p, NULL, fn, user, &goes_on);
	ward_partial_free(of);
	free(p.next);
	return ok ? WARD_OK : partial_fail(NULL, "", err);
}
