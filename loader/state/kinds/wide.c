/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits: the sum over the threads, modulo 2^128. */
#include "results.h"

static bool wide_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && f->scalar.size == 8 && f->size == 16 && ints_within(&f->scalar, 2, end);
}

static bool wide_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	struct state_int high = f->scalar;
	unsigned __int128 sum = 0;
	(void)heap;
	high.offset += 8;
	for (size_t t = 0; t < states->n; t++)
		sum += (unsigned __int128)merge_read(states->at[t], &high) << 64 |
		       merge_read(states->at[t], &f->scalar);
	out->value = (uint64_t)sum;
	out->high = (uint64_t)(sum >> 64);
	return true;
}

/* What keys of a map are ordered by: the numbers that fit, below those that don't. */
static uint64_t wide_weight(const struct ward_field *f)
{
	return f->high ? UINT64_MAX : f->value;
}

static void wide_text(const struct ward_field *f, char *text, size_t size)
{
	print_wide(text, size, f->high, f->value, f->value_is_signed);
}

static void wide_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_wide(fn, user, f, "value");
}

const struct wl_kind wl_kind_wide = {
	.shown = {.name = "wide", .form = WARD_FORM_LINE},
	.valid = wide_valid,
	.merge = wide_merge,
	.weight = wide_weight,
	.text = wide_text,
	.results = wide_results,
};
