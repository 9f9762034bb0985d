/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, extremes, stats, histograms and quantiles against all the numbers themselves. */
#include "library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000 };

static uint64_t numbers[THREADS * N];
static size_t n_numbers;

/* Feed each thread numbers of its own. The last one may get none. */
static void feed(struct library *l, uint64_t (*draw)(void), size_t threads)
{
	probe_fn *fn = library_entry(l, "on_number");

	library_clear(l);
	n_numbers = 0;
	for (size_t i = 0; i < threads * N; i++) {
		struct ward_event ev = {.arg = {draw()}};

		fn(&ev, l->states[i % threads]);
		numbers[n_numbers++] = ev.arg[0];
	}
}

static uint64_t draw_small(void)
{
	return random_bits() % 2500 - 1200;
}

static uint64_t draw_latency(void)
{
	return 1000 + (random_bits() & 1023) * (random_bits() & 255) +
	       (random_bits() % 100 == 0) * (random_bits() >> 40);
}

static uint64_t draw_wide(void)
{
	return 5 + (random_bits() >> 17);
}

static uint64_t draw_zero(void)
{
	return 0;
}

static uint64_t (*const draws[])(void) = {random_number, draw_small, draw_latency, draw_wide, draw_zero};

static void check_sums(const ward_snapshot *s)
{
	const struct ward_field *stat = library_field(s, "stat"), *sign = library_field(s, "stat_signed");
	unsigned __int128 sum = 0;
	__int128 ssum = 0;
	uint64_t min = UINT64_MAX, max = 0;
	int64_t smin = INT64_MAX, smax = INT64_MIN;

	for (size_t i = 0; i < n_numbers; i++) {
		int64_t v = (int64_t)numbers[i];

		sum += numbers[i];
		ssum += v;
		min = numbers[i] < min ? numbers[i] : min;
		max = numbers[i] > max ? numbers[i] : max;
		smin = v < smin ? v : smin;
		smax = v > smax ? v : smax;
	}
	cr_assert_eq(library_field(s, "count")->value, (uint64_t)sum);
	cr_assert_eq(library_field(s, "min")->value, min);
	cr_assert_eq(library_field(s, "max")->value, max);
	cr_assert(!library_field(s, "min")->is_empty == (min != UINT64_MAX));
	cr_assert(stat->high == (uint64_t)(sum >> 64) && sign->high == (uint64_t)(ssum >> 64));
	cr_assert(stat->count == n_numbers && stat->value == (uint64_t)sum && stat->min == min && stat->max == max &&
		  !stat->is_empty);
	cr_assert(sign->count == n_numbers && sign->value == (uint64_t)ssum && (int64_t)sign->min == smin &&
		  (int64_t)sign->max == smax && sign->value_is_signed);
	cr_assert(fabs(stat->real * (double)n_numbers - (double)sum) <= 1e-9 * (double)sum);
	cr_assert(fabs(sign->real * (double)n_numbers - (double)ssum) <= 1e-9 * fabs((double)ssum));
}

static bool within(uint64_t v, const struct ward_bucket *b, bool is_signed)
{
	return is_signed ? (int64_t)v >= (int64_t)b->lo && (int64_t)v <= (int64_t)b->hi : v >= b->lo && v <= b->hi;
}

/* Buckets lie side by side, and each has counted the numbers between its ends, each number `times`. */
static void check_buckets(const struct ward_field *f, uint64_t times)
{
	uint64_t total = 0;

	for (size_t b = 0; b < f->n; b++) {
		uint64_t want = 0;

		for (size_t i = 0; i < n_numbers; i++)
			want += within(numbers[i], &f->buckets[b], f->value_is_signed);
		cr_assert_eq(f->buckets[b].count, want * times, "%s: bucket %zu has %lu, not %lu", f->name, b,
			f->buckets[b].count, want * times);
		cr_assert(b == 0 || f->buckets[b].lo == f->buckets[b - 1].hi + 1);
		total += f->buckets[b].count;
	}
	cr_assert_eq(total, n_numbers * times, "%s", f->name);
}

/* The ends of a linear histogram's buckets are those that its type says. */
static void check_linear(const struct ward_field *f, int64_t lo, int64_t step, int64_t n)
{
	for (size_t b = 0; b < f->n; b++) {
		int64_t from = (int64_t)f->buckets[b].lo, to = (int64_t)f->buckets[b].hi;

		if (from == INT64_MIN)
			cr_assert_eq(to, lo - 1);
		else if (to == INT64_MAX)
			cr_assert_eq(from, lo + n * step);
		else
			cr_assert(from >= lo && (from - lo) % step == 0 && to == from + step - 1 && to < lo + n * step);
	}
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Every number is in its bucket, and no bucket is empty. */
static void check_quantile_buckets(const struct ward_field *f)
{
	size_t at = 0;

	for (size_t b = 0; b < f->n_buckets; b++) {
		cr_assert(f->buckets[b].count > 0 && f->buckets[b].count <= n_numbers - at);
		for (uint64_t i = 0; i < f->buckets[b].count; i++, at++)
			cr_assert(numbers[at] >= f->buckets[b].lo && numbers[at] <= f->buckets[b].hi);
	}
	cr_assert_eq(at, n_numbers);
}

static void check_quantiles(const struct ward_field *f, double error)
{
	cr_assert_eq(f->count, n_numbers);
	cr_assert_float_eq(f->error, error, 1e-12);
	cr_assert_eq(f->n, (size_t)9);
	for (size_t i = 0; i < f->n; i++) {
		size_t rank = (size_t)ceil(f->quantiles[i].rank * (double)n_numbers);
		double exact = (double)numbers[rank ? rank - 1 : 0];

		cr_assert(f->quantiles[i].value >= (double)f->min && f->quantiles[i].value <= (double)f->max);
		cr_assert(fabs(f->quantiles[i].value - exact) <= error * exact, "%s: rank %g: %g, not %g", f->name,
			f->quantiles[i].rank, f->quantiles[i].value, exact);
	}
	check_quantile_buckets(f);
}

static void check_all(struct library *l, size_t threads)
{
	ward_snapshot *s = library_merge(l, 0, threads);

	check_sums(s);
	check_buckets(library_field(s, "log2"), 1);
	check_buckets(library_field(s, "linear"), 1);
	check_linear(library_field(s, "linear"), -1000, 7, 300);
	check_buckets(library_field(s, "one"), 1);
	check_linear(library_field(s, "one"), 0, 1, 1);
	check_buckets(library_field(s, "wide"), 3);
	check_linear(library_field(s, "wide"), 5, 1l << 40, 64);
	qsort(numbers, n_numbers, sizeof(*numbers), by_size);
	check_quantiles(library_field(s, "coarse"), 1.0 / 4);
	check_quantiles(library_field(s, "quantiles"), 1.0 / 64);
	check_quantiles(library_field(s, "fine"), 1.0 / 256);
	ward_snapshot_free(s);
}

Test(numbers, one_thread_and_several)
{
	struct library l = library_open("numbers");

	for (size_t d = 0; d < sizeof(draws) / sizeof(draws[0]); d++) {
		feed(&l, draws[d], 1);
		check_all(&l, 1);
		feed(&l, draws[d], THREADS);
		check_all(&l, THREADS);
		feed(&l, draws[d], THREADS - 1); /* and one that has seen nothing */
		check_all(&l, THREADS);
	}
	library_close(&l);
}

Test(numbers, of_nothing)
{
	struct library l = library_open("numbers");
	ward_snapshot *s = library_merge(&l, 0, THREADS);

	cr_expect(library_field(s, "min")->is_empty && library_field(s, "stat")->is_empty &&
		  library_field(s, "stat_signed")->is_empty);
	cr_expect_eq(library_field(s, "max")->value, 0);
	cr_expect_eq(library_field(s, "linear")->n, (size_t)0);
	cr_expect_eq(library_field(s, "quantiles")->n, (size_t)0);
	ward_snapshot_free(s);
	library_close(&l);
}

/* Every bound between two buckets of a quantile sketch, and its neighbours. */
Test(numbers, quantiles_at_every_power)
{
	struct library l = library_open("numbers");
	probe_fn *fn = library_entry(&l, "on_number");

	for (unsigned e = 0; e < 64; e++) {
		for (int d = -1; d <= 1; d++) {
			struct ward_event ev = {.arg = {(1ul << e) + (uint64_t)d}};
			ward_snapshot *s;

			library_clear(&l);
			fn(&ev, l.states[0]);
			numbers[0] = ev.arg[0];
			n_numbers = 1;
			s = library_merge(&l, 0, THREADS);
			check_quantiles(library_field(s, "coarse"), 1.0 / 4);
			check_quantiles(library_field(s, "quantiles"), 1.0 / 64);
			check_quantiles(library_field(s, "fine"), 1.0 / 256);
			ward_snapshot_free(s);
		}
	}
	library_close(&l);
}

Test(numbers, garbage)
{
	struct library l = library_open("numbers");

	library_merge_garbage(&l);
	library_close(&l);
}
