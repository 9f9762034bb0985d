/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are counts of the time stamp counter, once they are merged: what they are in nanoseconds. */
#include "merge.h"

bool state_is_timed(const struct state_field *f)
{
	return f->unit == WARD_UNIT_COUNTS && f->clock && f->clock->ns_per_count > 0;
}

static uint64_t scale(uint64_t counts, long double by)
{
	long double ns = (long double)counts * by;
	return ns < 0x1p64L ? (uint64_t)ns : UINT64_MAX;
}

/* Where a bucket has no end it has none in nanoseconds either. */
static uint64_t scale_bound(uint64_t bound, bool is_signed, long double by)
{
	int64_t number = (int64_t)bound;
	if (!is_signed)
		return scale(bound, by);
	if (number == INT64_MIN || number == INT64_MAX)
		return bound;
	long double ns = (long double)number * by;
	return ns <= -0x1p63L ? (uint64_t)INT64_MIN : ns >= 0x1p63L ? INT64_MAX : (uint64_t)(int64_t)ns;
}

/* A bucket ends where the next one begins. */
static bool scale_buckets(struct ward_field *out, long double by, struct heap *heap)
{
	size_t n = out->quantiles ? out->n_buckets : out->n;
	struct ward_bucket *buckets = heap_take(heap, n, sizeof(*buckets));
	if (!buckets)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct ward_bucket *b = &out->buckets[i];
		uint64_t end = scale_bound(b->hi + (b->hi != UINT64_MAX), out->value_is_signed, by);
		buckets[i].lo = scale_bound(b->lo, out->value_is_signed, by);
		buckets[i].hi = b->hi == (out->value_is_signed ? INT64_MAX : UINT64_MAX) ? b->hi : end - (end != 0);
		buckets[i].count = b->count;
	}
	out->buckets = buckets;
	return true;
}

static bool scale_quantiles(struct ward_field *out, double by, struct heap *heap)
{
	struct ward_quantile *quantiles = heap_take(heap, out->n, sizeof(*quantiles));
	if (!quantiles)
		return false;
	for (size_t i = 0; i < out->n; i++)
		quantiles[i] = (struct ward_quantile){out->quantiles[i].rank, out->quantiles[i].value * by};
	out->quantiles = quantiles;
	return true;
}

/* A sum of 128 bits. */
static void scale_sum(struct ward_field *out, long double by)
{
	long double ns = ((long double)out->high * 0x1p64L + (long double)out->value) * by;
	unsigned __int128 sum = ns < 0x1p127L ? (unsigned __int128)ns : (unsigned __int128)1 << 127;
	out->value = (uint64_t)sum;
	out->high = (uint64_t)(sum >> 64);
}

bool merge_in_time(const struct state_field *f, struct ward_field *out, struct heap *heap)
{
	long double by = (long double)f->clock->ns_per_count;
	if (f->high.size)
		scale_sum(out, by);
	else
		out->value = scale(out->value, by);
	out->min = scale(out->min, by);
	out->max = scale(out->max, by);
	out->real *= f->clock->ns_per_count;
	return (!out->buckets || scale_buckets(out, by, heap)) &&
	       (!out->quantiles || scale_quantiles(out, f->clock->ns_per_count, heap));
}
