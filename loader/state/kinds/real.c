/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with a fraction: a double or float, and ward_double and ward_float, which are the bits of one. A probe can
 * copy such numbers and can't add them up. So the greatest of the threads' is shown, of those that have one: all zeros
 * is what no thread wrote.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

static bool real_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && f->scalar.size == f->size && (f->size == 4 || f->size == 8) &&
	       !f->scalar.bits && !f->scalar.is_signed && int_within(&f->scalar, end);
}

static double real_of(uint64_t bits, uint32_t size)
{
	uint32_t half = (uint32_t)bits;
	double value;
	float small;
	memcpy(&value, &bits, sizeof(value));
	memcpy(&small, &half, sizeof(small));
	return size == 4 ? (double)small : value;
}

/* What is no number counts less than any that is. */
static bool real_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	(void)heap;
	for (size_t t = 0; t < states->n; t++) {
		uint64_t bits = merge_read(states->at[t], &f->scalar);
		double value = real_of(bits, f->size);
		if (bits == 0 || (out->value && !(value > out->real) && out->real == out->real))
			continue;
		out->value = bits;
		out->real = value;
	}
	return true;
}

static uint64_t real_weight(const struct ward_field *f)
{
	return !(f->real > 0) ? 0 : f->real < 0x1p64 ? (uint64_t)f->real : UINT64_MAX;
}

/* As few digits as say which number it is. */
static void real_text(const struct ward_field *f, char *text, size_t size)
{
	bool is_float = f->size == 4;
	int digits = is_float ? 6 : 15, most = is_float ? 9 : 17;
	char buf[40];
	do
		snprintf(buf, sizeof(buf), "%.*g", digits, f->real);
	while (digits++ < most && (is_float ? (double)strtof(buf, NULL) : strtod(buf, NULL)) != f->real);
	snprintf(text, size, "%s", buf);
}

static void real_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_real(fn, user, "value", f->real);
}

const struct wl_kind wl_kind_real = {
	.shown = {.name = "real", .form = WARD_FORM_LINE},
	.valid = real_valid,
	.merge = real_merge,
	.weight = real_weight,
	.text = real_text,
	.results = real_results,
};
