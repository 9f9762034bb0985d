/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_EWMA and WARD_WINDOW: moving averages. The merged one is the mean of the threads' averages, each with its
 * weight: how many numbers it is of.
 */
#include <math.h>
#include <stdio.h>

#include "results.h"

enum { MOST_SHIFT = 16 };

static bool ewma_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	uint64_t shift;
	if (!types_find_constant(r, at, "shift", &shift) || shift == 0 || shift > MOST_SHIFT)
		return false;
	f->precision = (uint32_t)shift;
	return types_find_int(r, at, "count", &f->count) && types_find_int(r, at, "scaled", &f->scalar);
}

static bool window_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	struct state_int last;
	return types_find_ints(r, at, "last", &last, &f->n) && types_find_int(r, at, "count", &f->count) &&
	       types_find_int(r, at, "sum", &f->scalar);
}

static bool mean_valid(const struct state_field *f, uint64_t end)
{
	return int_within(&f->scalar, end) && int_within(&f->count, end) && f->precision <= MOST_SHIFT;
}

/* An EWMA holds the average times 2^precision, a window (whose precision is 0) the sum of its numbers. */
static bool mean_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	double weights = 0, total = 0;
	(void)heap;
	for (size_t t = 0; t < states->n; t++) {
		uint64_t count = merge_read(states->at[t], &f->count), sum = merge_read(states->at[t], &f->scalar);
		uint64_t most = f->precision ? 2ull << f->precision : f->n;
		double weight = (double)(count < most ? count : most);
		out->count += count;
		weights += weight;
		if (weight > 0)
			total += f->precision ? ldexp((double)sum, -(int)f->precision) * weight : (double)sum;
	}
	out->is_empty = !(weights > 0);
	out->real = weights > 0 ? total / weights : 0;
	return true;
}

static uint64_t mean_weight(const struct ward_field *f)
{
	return f->real < 0x1p64 ? (uint64_t)f->real : UINT64_MAX;
}

static void mean_text(const struct ward_field *f, char *text, size_t size)
{
	if (f->is_empty)
		snprintf(text, size, "none");
	else
		print_real_amount(text, size, f, f->real);
}

static void mean_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	if (f->is_empty)
		result_none(fn, user, "value");
	else
		result_real_amount(fn, user, f, "value", f->real);
	result_number(fn, user, "count", f->count, false);
}

const struct wl_kind wl_kind_mean = {
	.shown = {.name = "mean", .form = WARD_FORM_LINE},
	.has_unit = true,
	.marks = {{"ward_ewma", ewma_read, NULL}, {"ward_window", window_read, NULL}},
	.valid = mean_valid,
	.merge = mean_merge,
	.weight = mean_weight,
	.text = mean_text,
	.results = mean_results,
};
