/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the largest number, ward_min and ward_max; of enumerations the largest as well. */
#include <stdio.h>

#include "results.h"
#include "words.h"

/* Is there a number, and the largest. Only enumerations are signed. */
static void max_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	uint64_t v = words_ordered(merge_read(state, &f->scalar), f->scalar.is_signed);
	into[0] = 1;
	into[1] = v > into[1] ? v : into[1];
}

static bool max_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)heap;
	out->value = words->fixed[0] ? words_ordered(words->fixed[1], f->scalar.is_signed) : 0;
	return true;
}

/* The least is kept with its bits turned round: so it is the largest of these, and zero is what no number was. */
static void min_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	uint64_t v = merge_read(state, &f->scalar);
	*into = v > *into ? v : *into;
}

static bool min_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)f;
	(void)heap;
	out->is_empty = *words->fixed == 0;
	out->value = ~*words->fixed;
	return true;
}

static bool max_check(const struct state_field *f, const struct wl_words *words)
{
	(void)f;
	return words->fixed[0] == 1 || (words->fixed[0] == 0 && words->fixed[1] == 0);
}

static enum wl_wire max_wire(const struct state_field *f, uint32_t i)
{
	return i && f->scalar.is_signed ? WIRE_ORDERED : WIRE_PLAIN;
}

static enum wl_wire min_wire(const struct state_field *f, uint32_t i)
{
	(void)f;
	(void)i;
	return WIRE_NEGATIVE;
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
	.fixed = 1,
	.take = min_take,
	.wire = min_wire,
	.add = words_max,
	.finish = min_finish,
	.text = min_text,
	.results = min_results,
};

const struct wl_kind wl_kind_max = {
	.shown = {.name = "max", .form = WARD_FORM_LINE},
	.has_unit = true,
	.type = "ward_max",
	.valid = extreme_valid,
	.fixed = 2,
	.take = max_take,
	.check = max_check,
	.wire = max_wire,
	.add = words_max,
	.finish = max_finish,
	.text = print_value,
	.results = results_value,
};
