/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits: the sum over the threads, modulo 2^128. */
#include "results.h"
#include "words.h"

static bool wide_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && f->scalar.size == 8 && f->size == 16 && ints_within(&f->scalar, 2, end);
}

static void wide_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	struct state_int high = f->scalar;
	high.offset += 8;
	words_add_wide(into, (uint64_t[]){merge_read(state, &f->scalar), merge_read(state, &high)});
}

static void wide_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	(void)f;
	(void)cells;
	words_add_wide(into, from);
}

static enum wl_wire wide_wire(const struct state_field *f, uint32_t i)
{
	return i && f->scalar.is_signed ? WIRE_SIGNED : WIRE_PLAIN;
}

static bool wide_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)f;
	(void)heap;
	out->value = words->fixed[0];
	out->high = words->fixed[1];
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
	.fixed = 2,
	.has_difference = true,
	.has_wide = true,
	.take = wide_take,
	.add = wide_add,
	.finish = wide_finish,
	.wire = wide_wire,
	.weight = wide_weight,
	.text = wide_text,
	.results = wide_results,
};
