/* SPDX-License-Identifier: Apache-2.0 */
/* WARD_LINEAR: a histogram with buckets of one width, and one bucket below and one above them. */
#include <inttypes.h>
#include <stdio.h>

#include "buckets.h"

enum { MOST_BUCKETS = 1 << 20 };
static const int64_t MOST = 1ll << 48; /* of the step, and of where the buckets start */

static bool linear_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	uint64_t lo, minus;
	if (!types_find_constant(r, at, "lo", &lo) || !types_find_constant(r, at, "minus", &minus) ||
		!types_find_constant(r, at, "step", &f->step))
		return false;
	f->lo = (int64_t)(lo - minus);
	return types_find_ints(r, at, "bucket", &f->scalar, &f->n);
}

static bool linear_valid(const struct state_field *f, uint64_t end)
{
	return ints_within(&f->scalar, f->n, end) && f->n >= 3 && f->n <= MOST_BUCKETS && f->step &&
	       f->step < (uint64_t)MOST && f->lo > -MOST && f->lo < MOST;
}

/* Where buckets start may be beyond 2^63, with 2^20 buckets of 2^48 numbers. */
static void linear_bound(const struct state_field *f, size_t bucket, struct ward_bucket *out)
{
	__int128 at = (__int128)f->lo + ((__int128)bucket - 1) * (__int128)f->step;
	__int128 last = at + (__int128)f->step - 1;
	bool is_below = bucket == 0, is_above = bucket + 1 == f->n;
	out->lo = is_below ? (uint64_t)INT64_MIN : at > INT64_MAX ? INT64_MAX : (uint64_t)at;
	out->hi = is_below ? (uint64_t)f->lo - 1 : is_above || last > INT64_MAX ? INT64_MAX : (uint64_t)last;
}

static bool linear_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	out->value_is_signed = true; /* the bounds */
	return buckets_finish(f, words, linear_bound, out, heap);
}

static void linear_bucket(const struct ward_bucket *b, char *text, size_t size)
{
	int64_t lo = (int64_t)b->lo, hi = (int64_t)b->hi, end = (int64_t)(b->hi + 1);
	if (lo == hi)
		snprintf(text, size, "[%" PRId64 "]", lo);
	else if (lo == INT64_MIN)
		snprintf(text, size, "below %" PRId64, end);
	else if (hi == INT64_MAX)
		snprintf(text, size, "%" PRId64 " and above", lo);
	else
		snprintf(text, size, "[%" PRId64 ", %" PRId64 ")", lo, end);
}

const struct wl_kind wl_kind_linear = {
	.shown = {.name = "linear", .form = WARD_FORM_BUCKETS},
	.has_unit = true,
	.marks = {{"ward_linear", linear_read, NULL}},
	.valid = linear_valid,
	.cells = buckets_cells,
	.has_difference = true,
	.cells_rise = true,
	.take = buckets_take,
	.add = words_sum,
	.finish = linear_finish,
	.weight = buckets_weight,
	.bucket = linear_bucket,
	.results = buckets_results,
};
