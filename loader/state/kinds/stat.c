/* SPDX-License-Identifier: Apache-2.0 */
/* ward_stat: how many numbers, their sum, which has 128 bits, the least, the largest, and the mean. */
#include <inttypes.h>
#include <stdio.h>

#include "results.h"
#include "words.h"

/* Of least and largest the greater word is right: the least is turned round. Without numbers both are 0. */
enum { STAT_COUNT, STAT_SUM, STAT_MIN = STAT_SUM + 2, STAT_MAX, STAT_WORDS };

static bool stat_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	types_find_int(r, at, "high", &f->high);
	return types_find_int(r, at, "count", &f->count) && types_find_int(r, at, "sum", &f->scalar) &&
	       types_find_int(r, at, "min", &f->min) && types_find_int(r, at, "max", &f->max);
}

static bool stat_valid(const struct state_field *f, uint64_t end)
{
	return int_within(&f->scalar, end) && int_within(&f->count, end) && int_within(&f->min, end) &&
	       int_within(&f->max, end) && none_or_within(&f->high, f->offset, end);
}

/* Modules of older headers have no upper half: it is all sign. */
static unsigned __int128 stat_sum(const struct state_field *f, const void *state)
{
	uint64_t low = merge_read(state, &f->scalar);
	bool is_negative = f->scalar.is_signed && (int64_t)low < 0;
	uint64_t high = f->high.size ? merge_read(state, &f->high) : is_negative ? UINT64_MAX : 0;
	return (unsigned __int128)high << 64 | low;
}

static void stat_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	(void)f;
	(void)cells;
	into[STAT_COUNT] += from[STAT_COUNT];
	words_add_wide(&into[STAT_SUM], &from[STAT_SUM]);
	into[STAT_MIN] = from[STAT_MIN] > into[STAT_MIN] ? from[STAT_MIN] : into[STAT_MIN];
	into[STAT_MAX] = from[STAT_MAX] > into[STAT_MAX] ? from[STAT_MAX] : into[STAT_MAX];
}

static void stat_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	uint64_t from[STAT_WORDS] = {[STAT_COUNT] = merge_read(state, &f->count)};
	if (from[STAT_COUNT] == 0)
		return;
	unsigned __int128 sum = stat_sum(f, state);
	from[STAT_SUM] = (uint64_t)sum;
	from[STAT_SUM + 1] = (uint64_t)(sum >> 64);
	from[STAT_MIN] = ~words_ordered(merge_read(state, &f->min), f->min.is_signed);
	from[STAT_MAX] = words_ordered(merge_read(state, &f->max), f->max.is_signed);
	stat_add(f, into, from, 0);
}

static enum wl_wire stat_wire(const struct state_field *f, uint32_t i)
{
	switch (i) {
	case STAT_SUM + 1: return f->scalar.is_signed ? WIRE_SIGNED : WIRE_PLAIN;
	case STAT_MIN: return f->min.is_signed ? WIRE_NEGATIVE_ORDERED : WIRE_NEGATIVE;
	case STAT_MAX: return f->max.is_signed ? WIRE_ORDERED : WIRE_PLAIN;
	default: return WIRE_PLAIN;
	}
}

static bool stat_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	const uint64_t *w = words->fixed;
	(void)heap;
	out->is_empty = w[STAT_COUNT] == 0;
	if (out->is_empty)
		return true;
	out->count = w[STAT_COUNT];
	out->value = w[STAT_SUM];
	out->high = w[STAT_SUM + 1];
	out->min = words_ordered(~w[STAT_MIN], f->min.is_signed);
	out->max = words_ordered(w[STAT_MAX], f->max.is_signed);
	unsigned __int128 sum = (unsigned __int128)out->high << 64 | out->value;
	out->real = (f->scalar.is_signed ? (double)(__int128)sum : (double)sum) / (double)out->count;
	return true;
}

static uint64_t stat_weight(const struct ward_field *f)
{
	return f->count;
}

static void stat_text(const struct ward_field *f, char *text, size_t size)
{
	char sum[48], min[24], max[24], mean[40];
	if (f->is_empty) {
		snprintf(text, size, "count 0");
		return;
	}
	if (f->unit == WARD_UNIT_NS)
		ward_time_text((double)f->high * 0x1p64 + (double)f->value, sum, sizeof(sum));
	else
		print_wide(sum, sizeof(sum), f->high, f->value, f->value_is_signed);
	print_amount(min, sizeof(min), f, f->min);
	print_amount(max, sizeof(max), f, f->max);
	print_real_amount(mean, sizeof(mean), f, f->real);
	snprintf(text, size, "count %" PRIu64 "  sum %s  min %s  max %s  mean %s", f->count, sum, min, max, mean);
}

static void stat_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "count", f->count, false);
	result_wide(fn, user, f, "sum");
	if (f->is_empty) {
		result_none(fn, user, "min");
		result_none(fn, user, "max");
		result_none(fn, user, "mean");
		return;
	}
	result_amount(fn, user, f, "min", f->min);
	result_amount(fn, user, f, "max", f->max);
	result_real_amount(fn, user, f, "mean", f->real);
}

const struct wl_kind wl_kind_stat = {
	.shown = {.name = "stat", .form = WARD_FORM_LINE, .has_columns = true},
	.has_unit = true,
	.marks = {{"ward_stat", stat_read, NULL}},
	.valid = stat_valid,
	.fixed = STAT_WORDS,
	.rising = STAT_COUNT + 1,
	.has_difference = true,
	.has_wide = true,
	.sums = STAT_SUM,
	.take = stat_take,
	.add = stat_add,
	.finish = stat_finish,
	.wire = stat_wire,
	.weight = stat_weight,
	.text = stat_text,
	.results = stat_results,
};
