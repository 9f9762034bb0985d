/* SPDX-License-Identifier: Apache-2.0 */
/* How results are shown: the kinds know, this is how callers ask them. Times are shown alike, whatever has them. */
#include <stdio.h>

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

/* Three digits. */
void ward_time_text(double ns, char *text, size_t size)
{
	static const char *const units[] = {"ns", "µs", "ms", "s"};
	const char *sign = ns < 0 ? "-" : "";
	unsigned unit = 0;
	for (ns = ns < 0 ? -ns : ns; unit < 3 && ns >= 999.5; unit++)
		ns /= 1000;
	int digits = unit == 0 || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
	snprintf(text, size, "%s%.*f %s", sign, digits, ns, units[unit]);
}

/* Of times. */
static void print_range(const struct ward_field *field, const struct ward_bucket *b, char *text, size_t size)
{
	bool is_signed = field->value_is_signed;
	char lo[32], end[32];
	ward_time_text(is_signed ? (double)(int64_t)b->lo : (double)b->lo, lo, sizeof(lo));
	ward_time_text(is_signed ? (double)(int64_t)b->hi + 1 : (double)b->hi + 1, end, sizeof(end));
	if (is_signed && (int64_t)b->lo == INT64_MIN)
		snprintf(text, size, "below %s", end);
	else if (b->hi == (is_signed ? INT64_MAX : UINT64_MAX))
		snprintf(text, size, "%s and above", lo);
	else if (b->lo == b->hi)
		snprintf(text, size, "[%s]", lo);
	else
		snprintf(text, size, "[%s, %s)", lo, end);
}

void ward_bucket_text(const struct ward_field *field, size_t bucket, char *text, size_t size)
{
	const struct wl_kind *row = field ? wl_kind_at((uint32_t)field->kind) : NULL;
	if (!text || size == 0)
		return;
	*text = 0;
	if (!row || !row->bucket || bucket >= field->n)
		return;
	if (field->unit == WARD_UNIT_NS)
		print_range(field, &field->buckets[bucket], text, size);
	else
		row->bucket(&field->buckets[bucket], text, size);
}

void ward_field_results(const struct ward_field *field, ward_result_fn *fn, void *user)
{
	const struct wl_kind *row = field ? wl_kind_at((uint32_t)field->kind) : NULL;
	if (row && fn)
		row->results(field, fn, user);
}
