/* SPDX-License-Identifier: Apache-2.0 */
/* ward_sample and ward_rate, which let some events pass: how many passed, and how many were refused. */
#include <inttypes.h>
#include <stdio.h>

#include "results.h"

static bool gate_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	return types_find_int(r, at, "passed", &f->scalar) && types_find_int(r, at, "refused", &f->count);
}

static bool gate_valid(const struct state_field *f, uint64_t end)
{
	return int_within(&f->scalar, end) && int_within(&f->count, end);
}

static void gate_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	into[0] += merge_read(state, &f->scalar);
	into[1] += merge_read(state, &f->count);
}

static bool gate_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)f;
	(void)heap;
	out->value = words->fixed[0];
	out->count = words->fixed[0] + words->fixed[1];
	return true;
}

static uint64_t gate_weight(const struct ward_field *f)
{
	return f->count;
}

static void gate_text(const struct ward_field *f, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 " of %" PRIu64 " passed", f->value, f->count);
}

static void gate_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "passed", f->value, false);
	result_number(fn, user, "refused", f->count - f->value, false);
}

const struct wl_kind wl_kind_gate = {
	.shown = {.name = "gate", .form = WARD_FORM_LINE},
	.marks = {{"ward_gate", gate_read, NULL}},
	.valid = gate_valid,
	.fixed = 2,
	.rising = 2,
	.has_difference = true,
	.sums = 2,
	.take = gate_take,
	.add = words_sum,
	.finish = gate_finish,
	.weight = gate_weight,
	.text = gate_text,
	.results = gate_results,
};
