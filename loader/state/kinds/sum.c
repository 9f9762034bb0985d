/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, plain integers, and the counters of runs that guards have stopped: each the sum over the threads. */
#include "results.h"

static void sum_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	*into += merge_read(state, &f->scalar);
}

/* A site that stands for its module becomes the module's first one. Only parts of keys do, which are of one state. */
static bool sum_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)heap;
	out->value = state_module_of(f->modules, *words->fixed);
	return true;
}

static bool sum_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && f->scalar.size == f->size && int_within(&f->scalar, end);
}

static bool trap_valid(const struct state_field *f, uint64_t end)
{
	return sum_valid(f, end) && f->size == 8 && f->reason < STATE_REASONS;
}

const struct wl_kind wl_kind_count = {
	.shown = {.name = "count", .form = WARD_FORM_LINE},
	.has_unit = true,
	.type = "ward_count",
	.valid = sum_valid,
	.fixed = 1,
	.has_difference = true,
	.sums = 1,
	.take = sum_take,
	.add = words_sum,
	.finish = sum_finish,
	.text = print_value,
	.results = results_value,
};

/* Any integer that has no other type. */
const struct wl_kind wl_kind_value = {
	.shown = {.name = "value", .form = WARD_FORM_LINE},
	.has_unit = true,
	.valid = sum_valid,
	.fixed = 1,
	.has_difference = true,
	.sums = 1,
	.take = sum_take,
	.add = words_sum,
	.finish = sum_finish,
	.text = print_value,
	.results = results_value,
};

/* Found in a table of the module's (traps.c), not by its type. */
const struct wl_kind wl_kind_trap = {
	.shown = {.name = "stop", .form = WARD_FORM_STOP},
	.valid = trap_valid,
	.fixed = 1,
	.has_difference = true,
	.sums = 1,
	.rising = 1,
	.take = sum_take,
	.add = words_sum,
	.finish = sum_finish,
	.text = print_value,
	.results = results_value,
};
