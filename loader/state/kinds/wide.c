/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers of 128 bits: the sum over the threads, modulo 2^128. Programs get them as decimal texts, which lose nothing.
 */
#include <stdio.h>
#include <string.h>

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
	unsigned __int128 v = (unsigned __int128)f->high << 64 | f->value;
	bool is_negative = f->value_is_signed && f->high >> 63;
	char digits[48], *at = digits + sizeof(digits) - 1;
	*at = 0;
	for (v = is_negative ? -v : v; v || !*at; v /= 10)
		*--at = (char)('0' + (int)(v % 10));
	snprintf(text, size, "%s%s", is_negative ? "-" : "", at);
}

static void wide_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	char text[48];
	wide_text(f, text, sizeof(text));
	fn(user, &(struct ward_result){.type = WARD_RESULT_TEXT, .name = "value", .text = text});
}

const struct wl_kind wl_kind_wide = {
	.shown = {.name = "wide", .form = WARD_FORM_LINE},
	.valid = wide_valid,
	.merge = wide_merge,
	.weight = wide_weight,
	.text = wide_text,
	.results = wide_results,
};
