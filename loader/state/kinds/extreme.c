/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the largest number, ward_min and ward_max; of enumerations the largest as well. */
#include <stdio.h>

#include "results.h"

/* Only enumerations are signed. */
static bool max_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	(void)heap;
	for (size_t t = 0; t < states->n; t++) {
		uint64_t v = merge_read(states->at[t], &f->scalar);
		out->value = t == 0 || merge_less(out->value, v, f->scalar.is_signed) ? v : out->value;
	}
	return true;
}

/* The least is kept with its bits turned round: so it is the largest of these, and zero is what no number was. */
static bool min_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	uint64_t most = 0;
	(void)heap;
	for (size_t t = 0; t < states->n; t++) {
		uint64_t v = merge_read(states->at[t], &f->scalar);
		most = v > most ? v : most;
	}
	out->is_empty = most == 0;
	out->value = ~most;
	return true;
}

static bool extreme_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && f->scalar.size == f->size && int_within(&f->scalar, end);
}

static void min_text(const struct ward_field *f, char *text, size_t size)
{
	if (f->is_empty)
		snprintf(text, size, "none");
	else
		print_amount(text, size, f, f->value);
}

static void min_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	if (f->is_empty)
		result_none(fn, user, "value");
	else
		result_amount(fn, user, f, "value", f->value);
}

const struct wl_kind wl_kind_min = {
	.shown = {.name = "min", .form = WARD_FORM_LINE},
	.has_unit = true,
	.type = "ward_min",
	.valid = extreme_valid,
	.merge = min_merge,
	.text = min_text,
	.results = min_results,
};

const struct wl_kind wl_kind_max = {
	.shown = {.name = "max", .form = WARD_FORM_LINE},
	.has_unit = true,
	.type = "ward_max",
	.valid = extreme_valid,
	.merge = max_merge,
	.text = print_value,
	.results = results_value,
};
