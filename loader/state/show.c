/* SPDX-License-Identifier: Apache-2.0 */
/* How results are shown: the kinds know, this is how callers ask them. */
#include "loader/state/kinds/kind.h"

const struct ward_kind *ward_kind(enum ward_field_kind kind)
{
	static const struct ward_kind unknown = {.name = "unknown", .form = WARD_FORM_LINE};
	const struct wl_kind *row = wl_kind_at((uint32_t)kind);
	return row ? &row->shown : &unknown;
}

void ward_field_text(const struct ward_field *field, char *text, size_t size)
{
	const struct wl_kind *row = field ? wl_kind_at((uint32_t)field->kind) : NULL;
	if (!text || size == 0)
		return;
	*text = 0;
	if (row && row->text)
		row->text(field, text, size);
}

void ward_bucket_text(const struct ward_field *field, size_t bucket, char *text, size_t size)
{
	const struct wl_kind *row = field ? wl_kind_at((uint32_t)field->kind) : NULL;
	if (!text || size == 0)
		return;
	*text = 0;
	if (row && row->bucket && bucket < field->n)
		row->bucket(&field->buckets[bucket], text, size);
}

void ward_field_results(const struct ward_field *field, ward_result_fn *fn, void *user)
{
	const struct wl_kind *row = field ? wl_kind_at((uint32_t)field->kind) : NULL;
	if (row && fn)
		row->results(field, fn, user);
}
