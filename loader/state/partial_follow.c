/* SPDX-License-Identifier: Apache-2.0 */
/* What can't have become of a partial: numbers that only rise have fallen. */
#include "partial.h"

#include "loader/base/error.h"

static int report_fallen(const char *what, struct ward_error *err)
{
	wl_fail(err, WARD_E_USAGE, "partial", "%s: what was counted has become less", what);
	wl_hint(err, "%s", "it is of another run, or its sender is wrong");
	return WARD_E_USAGE;
}

static bool has_fallen(const struct wl_kind *kind, const struct wl_words *before, const struct wl_words *after)
{
	for (uint32_t i = 0; i < kind->rising; i++)
		if (after->fixed[i] < before->fixed[i])
			return true;
	for (size_t i = 0; kind->cells_rise && i < before->n; i++) {
		size_t cell = before->first + i;
		bool has = cell >= after->first && cell - after->first < after->n;
		if ((has ? after->cells[cell - after->first] : 0) < before->cells[i])
			return true;
	}
	return false;
}

int ward_partial_follows(const ward_partial *before, const ward_partial *after, struct ward_error *err)
{
	wl_clear(err);
	if (!before || !after)
		return wl_missing(err, "ward_partial_follows", before ? "after" : "before");
	if (!partial_same_shape(before, after)) {
		wl_fail(err, WARD_E_USAGE, "partial", "they are of different shapes");
		wl_hint(err, "%s", "compare partials of one module, both of them with names or both without");
		return WARD_E_USAGE;
	}
	if (after->notes.events < before->notes.events)
		return report_fallen("events", err);
	if (after->notes.dropped < before->notes.dropped)
		return report_fallen("dropped events", err);
	for (size_t i = 0; i < before->n; i++) {
		const struct partial_field *x = &before->fields[i], *y = &after->fields[i];
		const struct wl_kind *kind = wl_kind_at(x->f->kind);
		struct wl_words was, is;
		if (kind->entries || kind->shown.form == WARD_FORM_RECORDS)
			continue;
		part_read(part_form(x->f, false), rows_at(&x->rows, 0), &was);
		part_read(part_form(y->f, false), rows_at(&y->rows, 0), &is);
		if (has_fallen(kind, &was, &is))
			return report_fallen(x->f->name, err);
	}
	return WARD_OK;
}
