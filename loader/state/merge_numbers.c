/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging aggregates of numbers. Whatever the states hold, the result is a number of the right kind; sums wrap modulo
 * 2^64.
 *
 * The estimate of how many different keys a HyperLogLog has seen is that of O. Ertl, "New cardinality estimation
 * algorithms for HyperLogLog sketches" (2017), which is unbiased from 0 to 2^64 without tables. With C_k registers of
 * value k out of m, and q + 1 the largest value,
 *
 *	n = m² / (2 ln 2) / (m σ(C_0/m) + Σ_{k=1..q} C_k 2^-k + m τ(1 - C_{q+1}/m) 2^-q).
 */
#include <math.h>
#include <string.h>

#include "merge.h"

/* Keep the buckets from the first to the last that isn't empty. */
static void keep_buckets(const struct ward_bucket *all, size_t n, struct ward_field *out)
{
	size_t first = 0, last = n;
	while (first < n && all[first].count == 0)
		first++;
	while (last > first && all[last - 1].count == 0)
		last--;
	out->n = last - first;
	out->buckets = all + first;
}

static uint64_t bucket_sum(const struct state_field *f, const void *const *states, size_t n, size_t bucket)
{
	struct state_int at = f->scalar;
	at.offset += (uint32_t)bucket * at.size;
	return merge_sum(states, n, &at);
}

bool merge_log2(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	struct ward_bucket *all = heap_take(heap, STATE_LOG2_BUCKETS, sizeof(*all));
	if (!all)
		return false;
	for (size_t b = 0; b < STATE_LOG2_BUCKETS; b++) {
		all[b].lo = b ? 1ull << (b - 1) : 0;
		all[b].hi = b ? (1ull << (b - 1)) * 2 - 1 : 0;
		all[b].count = bucket_sum(f, states, n, b);
	}
	keep_buckets(all, STATE_LOG2_BUCKETS, out);
	return true;
}

/* Below, the buckets, above. Where they start may be beyond 2^63, with 2^20 buckets of 2^48 numbers. */
bool merge_linear(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	struct ward_bucket *all = heap_take(heap, f->n, sizeof(*all));
	if (!all)
		return false;
	for (size_t b = 0; b < f->n; b++) {
		__int128 at = (__int128)f->lo + ((__int128)b - 1) * (__int128)f->step, next = at + (__int128)f->step;
		all[b].lo = b == 0 ? (uint64_t)INT64_MIN : at > INT64_MAX ? INT64_MAX : (uint64_t)at;
		all[b].hi = b == 0 ? (uint64_t)f->lo - 1 : b + 1 == f->n || next - 1 > INT64_MAX ? INT64_MAX : (uint64_t)(next - 1);
		all[b].count = bucket_sum(f, states, n, b);
	}
	keep_buckets(all, f->n, out);
	return true;
}

/* The middle of what a bucket counts. */
static double bucket_middle(const struct state_field *f, size_t bucket)
{
	unsigned k = f->precision;
	uint64_t row = bucket >> k, column = bucket & ((1u << k) - 1);
	if (row == 0)
		return (double)column;
	double lo = ldexp((double)((1ull << k) + column), (int)row - 1);
	return lo + (ldexp(1, (int)row - 1) - 1) / 2;
}

bool merge_quantiles(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	static const double ranks[] = {0, .25, .5, .75, .9, .95, .99, .999, 1};
	enum { RANKS = sizeof(ranks) / sizeof(ranks[0]) };
	uint64_t *counts = heap_take(heap, f->n, sizeof(*counts)), below = 0;
	struct ward_quantile *quantiles = heap_take(heap, RANKS, sizeof(*quantiles));
	size_t r = 0;
	if (!counts || !quantiles)
		return false;
	out->error = ldexp(1, -1 - (int)f->precision);
	for (size_t b = 0; b < f->n; b++) {
		counts[b] = bucket_sum(f, states, n, b);
		if (__builtin_add_overflow(out->count, counts[b], &out->count))
			out->count = UINT64_MAX;
	}
	for (size_t b = 0; b < f->n && r < RANKS; b++) {
		if (counts[b] == 0)
			continue;
		below = counts[b] > UINT64_MAX - below ? UINT64_MAX : below + counts[b];
		while (r < RANKS && (double)below >= ranks[r] * (double)out->count)
			quantiles[r] = (struct ward_quantile){ranks[r], bucket_middle(f, b)}, r++;
	}
	out->quantiles = quantiles;
	out->n = r;
	return true;
}

static bool less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

void merge_stat(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	out->is_empty = true;
	for (size_t t = 0; t < n; t++) {
		uint64_t count = merge_read(states[t], &f->count), min = merge_read(states[t], &f->min), max = merge_read(states[t], &f->max);
		if (count == 0)
			continue;
		if (out->is_empty || less(min, out->min, f->min.is_signed))
			out->min = min;
		if (out->is_empty || less(out->max, max, f->max.is_signed))
			out->max = max;
		out->is_empty = false;
		out->count += count;
		out->value += merge_read(states[t], &f->scalar);
	}
	if (out->count)
		out->real = (f->scalar.is_signed ? (double)(int64_t)out->value : (double)out->value) / (double)out->count;
}

/* The least is kept with its bits turned round, so that it is the largest there is, too. Only enumerations are signed. */
void merge_extreme(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	uint64_t most = 0;
	for (size_t t = 0; t < n; t++) {
		uint64_t v = merge_read(states[t], &f->scalar);
		most = t == 0 || less(most, v, f->kind == WARD_FIELD_MAX && f->scalar.is_signed) ? v : most;
	}
	out->is_empty = f->kind == WARD_FIELD_MIN && most == 0;
	out->value = f->kind == WARD_FIELD_MIN ? ~most : most;
}

/* The mean of the threads' averages, each with its weight. */
void merge_mean(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	double weights = 0, total = 0;
	for (size_t t = 0; t < n; t++) {
		uint64_t count = merge_read(states[t], &f->count), sum = merge_read(states[t], &f->scalar);
		uint64_t most = f->precision ? 2ull << f->precision : f->n;
		double weight = (double)(count < most ? count : most);
		out->count += count;
		weights += weight;
		if (weight > 0)
			total += f->precision ? ldexp((double)sum, -(int)f->precision) * weight : (double)sum;
	}
	out->is_empty = !(weights > 0);
	out->real = weights > 0 ? total / weights : 0;
}

static double hll_sigma(double x)
{
	double y = 1, z = x, before;
	if (x >= 1)
		return INFINITY;
	do {
		x *= x;
		before = z;
		z += x * y;
		y += y;
	} while (z > before);
	return z;
}

static double hll_tau(double x)
{
	double y = 1, z = 1 - x, before;
	if (x <= 0 || x >= 1)
		return 0;
	do {
		x = sqrt(x);
		before = z;
		y /= 2;
		z -= (1 - x) * (1 - x) * y;
	} while (z < before);
	return z / 3;
}

bool merge_distinct(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	unsigned bits = (unsigned)__builtin_ctz(f->n), q = 64 - bits;
	uint64_t have[66] = {0}; /* how many registers have each value; more than q + 1 no honest one has */
	double m = f->n, z;
	for (uint32_t r = 0; r < f->n; r++) {
		struct state_int at = {.offset = f->scalar.offset + r, .size = 1};
		uint64_t most = 0;
		for (size_t t = 0; t < n; t++) {
			uint64_t v = merge_read(states[t], &at);
			most = v > most ? v : most;
		}
		have[most < q + 1 ? most : q + 1]++;
	}
	z = m * hll_tau(1 - (double)have[q + 1] / m);
	for (unsigned k = q; k >= 1; k--)
		z = (z + (double)have[k]) / 2;
	z += m * hll_sigma((double)have[0] / m);
	out->real = m * m / (2 * M_LN2 * z);
	out->error = 1.04 / sqrt(m);
	out->value = out->real < 0x1p64 ? (uint64_t)(out->real + 0.5) : UINT64_MAX;
	return true;
}
