/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_QUANTILES: percentiles. Buckets are as wide as a fixed share of the numbers in them: row 0 counts the numbers
 * below 2^K one by one, row i the next power of two in 2^K equal buckets.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "buckets.h"

static bool quantiles_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	uint64_t precision;
	if (!types_find_constant(r, at, "precision", &precision) || precision > STATE_MAX_PRECISION)
		return false;
	f->precision = (uint32_t)precision;
	types_find_int(r, at, "least", &f->min); /* older modules lack them */
	types_find_int(r, at, "most", &f->max);
	return types_find_ints(r, at, "bucket", &f->scalar, &f->n);
}

static bool quantiles_valid(const struct state_field *f, uint64_t end)
{
	return f->precision >= 1 && f->precision <= STATE_MAX_PRECISION &&
	       f->n == (65 - f->precision) << f->precision && ints_within(&f->scalar, f->n, end) &&
	       none_or_within(&f->min, f->offset, end) && none_or_within(&f->max, f->offset, end);
}

static void quantiles_bound(const struct state_field *f, size_t bucket, struct ward_bucket *out)
{
	unsigned k = f->precision;
	uint64_t row = bucket >> k, column = bucket & ((1u << k) - 1);
	out->lo = out->hi = column;
	if (row == 0)
		return;
	out->lo = ((1ull << k) + column) << (row - 1);
	out->hi = out->lo + (1ull << (row - 1)) - 1;
}

static double quantiles_middle(const struct ward_bucket *b)
{
	return (double)b->lo + (double)(b->hi - b->lo) / 2;
}

/* Both ends are of fixed words. The least number is kept with its bits turned round (kinds/extreme.c). */
enum { QUANTILES_LEAST, QUANTILES_MOST, QUANTILES_ENDS };

static void quantiles_raise(uint64_t *word, uint64_t to)
{
	*word = to > *word ? to : *word;
}

static void quantiles_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	if (f->min.size)
		quantiles_raise(&into[QUANTILES_LEAST], merge_read(state, &f->min));
	if (f->max.size)
		quantiles_raise(&into[QUANTILES_MOST], merge_read(state, &f->max));
	buckets_take(f, state, into + QUANTILES_ENDS);
}

static void quantiles_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	(void)f;
	quantiles_raise(&into[QUANTILES_LEAST], from[QUANTILES_LEAST]);
	quantiles_raise(&into[QUANTILES_MOST], from[QUANTILES_MOST]);
	for (size_t i = QUANTILES_ENDS; i < QUANTILES_ENDS + cells; i++)
		into[i] += from[i];
}

static enum wl_wire quantiles_wire(const struct state_field *f, uint32_t i)
{
	(void)f;
	return i == QUANTILES_LEAST ? WIRE_NEGATIVE : WIRE_PLAIN;
}

/* A quantile is the middle of a bucket, as far as that lies between the least and the largest number. */
static double quantiles_clamp(const struct ward_field *out, double rank, double middle)
{
	double least = (double)out->min, most = (double)out->max;
	if (out->min > out->max)
		return middle; /* a module without them, or a number that is being added right now */
	if (rank <= 0 || middle < least)
		return least;
	return rank >= 1 || middle > most ? most : middle;
}

/* The buckets that aren't empty. */
static bool quantiles_list(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	size_t full = 0;
	for (size_t b = 0; b < words->n; b++)
		full += words->cells[b] != 0;
	struct ward_bucket *buckets = heap_take(heap, full, sizeof(*buckets));
	if (!buckets)
		return false;
	out->buckets = buckets;
	for (size_t b = 0; b < words->n; b++) {
		struct ward_bucket *bucket = &buckets[out->n_buckets];
		if (words->cells[b] == 0)
			continue;
		quantiles_bound(f, words->first + b, bucket);
		bucket->count = words->cells[b];
		if (__builtin_add_overflow(out->count, bucket->count, &out->count))
			out->count = UINT64_MAX;
		out->n_buckets++;
	}
	return true;
}

static bool quantiles_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	static const double ranks[] = {0, .25, .5, .75, .9, .95, .99, .999, 1};
	enum { RANKS = sizeof(ranks) / sizeof(ranks[0]) };
	struct ward_quantile *quantiles = heap_take(heap, RANKS, sizeof(*quantiles));
	uint64_t below = 0;
	size_t r = 0;
	if (!quantiles || !quantiles_list(f, words, out, heap))
		return false;
	out->error = ldexp(1, -1 - (int)f->precision);
	out->min = ~words->fixed[QUANTILES_LEAST];
	out->max = words->fixed[QUANTILES_MOST];
	for (size_t b = 0; b < out->n_buckets && r < RANKS; b++) {
		const struct ward_bucket *bucket = &out->buckets[b];
		below = bucket->count > UINT64_MAX - below ? UINT64_MAX : below + bucket->count;
		for (; r < RANKS && (double)below >= ranks[r] * (double)out->count; r++)
			quantiles[r] = (struct ward_quantile){
				ranks[r], quantiles_clamp(out, ranks[r], quantiles_middle(bucket))};
	}
	out->quantiles = quantiles;
	out->n = r;
	return true;
}

static uint64_t quantiles_weight(const struct ward_field *f)
{
	return f->count;
}

/* Ranks as percentiles: p50 is the median. */
static void quantiles_text(const struct ward_field *f, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "count %" PRIu64, f->count);
	for (size_t i = 0; i < f->n && at < size; i++) {
		double rank = f->quantiles[i].rank, value = f->quantiles[i].value;
		char percentile[16], amount[32];
		snprintf(percentile, sizeof(percentile), "p%.4g", rank * 100);
		const char *label = rank <= 0 ? "min" : rank >= 1 ? "max" : percentile;
		if (f->unit == WARD_UNIT_NS)
			ward_time_text(value, amount, sizeof(amount));
		else
			snprintf(amount, sizeof(amount), "%.0f", value);
		at += (size_t)snprintf(text + at, size - at, "  %s %s", label, amount);
	}
	if (f->n && at < size)
		snprintf(text + at, size - at, "  (within %.2g %%)", f->error * 100);
}

static void quantiles_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "count", f->count, false);
	result_real(fn, user, "error", f->error);
	result_begin(fn, user, WARD_RESULT_LIST, "quantiles");
	for (size_t i = 0; i < f->n; i++) {
		result_begin(fn, user, WARD_RESULT_ROW, "");
		result_real(fn, user, "rank", f->quantiles[i].rank);
		result_real_amount(fn, user, f, "value", f->quantiles[i].value);
		result_end(fn, user);
	}
	result_end(fn, user);
}

const struct wl_kind wl_kind_quantiles = {
	.shown = {.name = "quantiles", .form = WARD_FORM_LINE, .is_left = true},
	.has_unit = true,
	.marks = {{"ward_quantiles", quantiles_read, NULL}},
	.valid = quantiles_valid,
	.fixed = QUANTILES_ENDS,
	.cells = buckets_cells,
	.has_difference = true,
	.cells_rise = true,
	.take = quantiles_take,
	.add = quantiles_add,
	.finish = quantiles_finish,
	.wire = quantiles_wire,
	.weight = quantiles_weight,
	.text = quantiles_text,
	.results = quantiles_results,
};
