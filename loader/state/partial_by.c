/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dimension more: partials whose keys begin with a text, such as the name of the machine that they are of. Then keys
 * of two machines never meet, and their sum is what each of them has. Who adds partials knows whose each is, so he
 * adds the text himself; it is in no message, and nobody can lie about it.
 */
#include "partial.h"

#include "loader/base/error.h"

bool partial_is_divided(const struct state_field *f)
{
	const struct wl_kind *kind = wl_kind_at(f->kind);
	return kind->entries || kind->shown.form == WARD_FORM_LINE || kind->shown.form == WARD_FORM_BUCKETS;
}

static void divide_rows(struct partial_field *to, const struct partial_field *from, const char *text)
{
	bool is_map = wl_kind_at(from->f->kind)->entries != NULL;
	for (size_t i = 0; i < from->rows.n; i++) {
		const uint64_t *row = rows_at(&from->rows, i);
		size_t n = rows_length(&from->rows, i);
		rows_begin(&to->rows);
		if (is_map)
			rows_copy(&to->rows, row, from->beside);
		else
			rows_put_word(&to->rows, WARD_ANY_THREAD);
		part_put_text(&to->rows, text, PARTIAL_BY_MOST);
		rows_copy(&to->rows, row + from->beside, n - from->beside);
	}
}

static bool divide_partial(ward_partial *to, const ward_partial *from, const char *text)
{
	bool ok = true;
	for (size_t i = 0; ok && i < from->n; i++) {
		const struct partial_field *x = &from->fields[i];
		struct partial_field *y = &to->fields[i];
		y->lost = x->lost;
		y->evicted = x->evicted;
		y->events = x->events;
		y->cut = x->cut;
		if (partial_is_divided(x->f))
			divide_rows(y, x, text); /* others have none of these keys, so there is no floor for them */
		else
			ok = rows_copy_all(&y->rows, &x->rows);
		ok = ok && rows_copy_all(&y->other, &x->other) && !y->rows.has_failed;
	}
	return ok;
}

int ward_partial_by(const ward_partial *partial, const ward_schema *by, const char *text,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	struct ward_partial_limits most;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_by", "out");
	*out = NULL;
	if (!partial || !by || !text)
		return wl_missing(err, "ward_partial_by", !partial ? "the partial" : by ? "text" : "the schema");
	int status = partial_limits(limits, &most, err);
	if (status)
		return status;
	if (by->of != partial->schema) {
		wl_fail(err, WARD_E_USAGE, "partial", "the schema isn't made of the partial's");
		wl_hint(err, "%s",
			"make it with ward_schema_by, of the schema that the partial was taken or read with");
		return WARD_E_USAGE;
	}
	ward_partial *p = partial_new(by, partial->is_named, limits ? most.memory : SIZE_MAX);
	if (!p || !divide_partial(p, partial, text)) {
		status = partial_fail(p, "the partial", err);
		ward_partial_free(p);
		return status;
	}
	p->notes = partial->notes;
	*out = p;
	return WARD_OK;
}
