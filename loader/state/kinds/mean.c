/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_EWMA and WARD_WINDOW: moving averages. The merged one is the mean of the threads' averages, each with its
 * weight: how many numbers it is of.
 */
#include <math.h>
#include <stdio.h>

#include "results.h"
#include "words.h"

/* The sum of the averages times their weights, of 128 bits; the sum of the weights; how many numbers there were. */
enum { MEAN_TOTAL, MEAN_WEIGHT = MEAN_TOTAL + 2, MEAN_COUNT, MEAN_WORDS };

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

/*
 * An EWMA holds the average times 2^precision, a window (whose precision is 0) the sum of its numbers. Totals are of
 * whole numbers: sums of doubles would depend on their order.
 */
static void mean_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	(void)f;
	(void)cells;
	words_add_wide(&into[MEAN_TOTAL], &from[MEAN_TOTAL]);
	into[MEAN_WEIGHT] += from[MEAN_WEIGHT];
	into[MEAN_COUNT] += from[MEAN_COUNT];
}

static void mean_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	uint64_t count = merge_read(state, &f->count), sum = merge_read(state, &f->scalar);
	uint64_t most = f->precision ? 2ull << f->precision : f->n, weight = count < most ? count : most;
	unsigned __int128 total = (unsigned __int128)sum * (f->precision ? weight : weight > 0);
	uint64_t from[MEAN_WORDS] = {(uint64_t)total, (uint64_t)(total >> 64), weight, count};
	mean_add(f, into, from, 0);
}

static bool mean_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	const uint64_t *w = words->fixed;
	unsigned __int128 total = (unsigned __int128)w[MEAN_TOTAL + 1] << 64 | w[MEAN_TOTAL];
	(void)heap;
	out->count = w[MEAN_COUNT];
	out->is_empty = w[MEAN_WEIGHT] == 0;
	out->real = out->is_empty ? 0 : ldexp((double)total, -(int)f->precision) / (double)w[MEAN_WEIGHT];
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
	.fixed = MEAN_WORDS,
	.take = mean_take,
	.add = mean_add,
	.finish = mean_finish,
	.weight = mean_weight,
	.text = mean_text,
	.results = mean_results,
};
