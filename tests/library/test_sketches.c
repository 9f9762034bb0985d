/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches, whose errors are bounded, against exact counts. */
#include "library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1 << 17, N = 100000 };

static uint64_t counts[KEYS], weights[KEYS], total, total_weight; /* of keys 0 …; weights of keys k as pairs */

/* Some keys come very often, most once or twice. */
static uint64_t draw_skewed(void)
{
	return (random_bits() % KEYS) >> (random_bits() % 18);
}

static uint64_t draw_even(void)
{
	return random_bits() % 700;
}

static uint64_t draw_many(void)
{
	return random_bits() % KEYS;
}

static void feed(struct library *l, uint64_t (*draw)(void), size_t n, size_t threads)
{
	probe_fn *fn = library_entry(l, "on_key");

	library_clear(l);
	memset(counts, 0, sizeof(counts));
	memset(weights, 0, sizeof(weights));
	total = total_weight = 0;
	for (size_t i = 0; i < n; i++) {
		struct ward_event ev = {.arg = {draw(), random_bits()}};

		counts[ev.arg[0]]++;
		weights[ev.arg[0]] += ev.arg[1] & 3;
		total++;
		total_weight += ev.arg[1] & 3;
		fn(&ev, l->states[random_bits() % threads]);
	}
}

static void check_distinct(const struct ward_field *f, double error)
{
	double want = 0;

	for (size_t k = 0; k < KEYS; k++)
		want += counts[k] != 0;
	cr_assert_float_eq(f->error, error, 0.01);
	cr_assert(fabs((double)f->value - want) <= 4 * f->error * want, "%s: %lu, not %.0f", f->name, f->value, want);
}

/* The three promises of a top, also of the sum of threads. */
static void check_top(const struct ward_field *f, const uint64_t *exact, uint64_t sum,
	uint64_t (*key)(const struct ward_field *f, size_t i))
{
	static bool listed[KEYS];

	memset(listed, 0, sizeof(listed));
	cr_assert_leq(f->n, (size_t)f->slots);
	for (size_t i = 0; i < f->n; i++) {
		uint64_t k = key(f, i);

		cr_assert_lt(k, KEYS);
		cr_assert(!listed[k], "twice");
		listed[k] = true;
		cr_assert(exact[k] <= f->entries[i].value && f->entries[i].value - f->entries[i].error <= exact[k],
			"%s: key %lu: %lu, not %lu - %lu", f->name, k, exact[k], f->entries[i].value,
			f->entries[i].error);
		cr_assert_leq(f->entries[i].error * f->slots, sum);
		cr_assert(i == 0 || f->entries[i].value <= f->entries[i - 1].value);
	}
	for (size_t k = 0; k < KEYS; k++)
		cr_assert(listed[k] || exact[k] * f->slots <= sum, "%s: key %zu of count %lu isn't there", f->name, k,
			exact[k]);
}

static uint64_t plain_key(const struct ward_field *f, size_t i)
{
	return library_part(f->entries[i].keys, f->n_keys, "key")->value;
}

static uint64_t pair_key(const struct ward_field *f, size_t i)
{
	const struct ward_field *keys = f->entries[i].keys;

	cr_assert_eq(library_part(keys, f->n_keys, "c")->value, 7);
	return library_part(keys, f->n_keys, "a")->value * 3 + library_part(keys, f->n_keys, "b")->value;
}

/*
 * More than half of the count, and not more than it, unless keys share counters. `exactly`: so few keys that hardly any
 * do.
 */
static void check_chopstix(const struct ward_field *f, const ward_snapshot *s, bool exactly)
{
	size_t keys = 0, more = 0;

	cr_assert_eq(f->value, total);
	for (size_t i = 0; i < f->n; i++) {
		uint64_t k = plain_key(f, i);

		cr_assert_lt(k, KEYS);
		more += f->entries[i].value > counts[k] || f->entries[i].value * 2 <= counts[k];
	}
	for (size_t k = 0; k < KEYS; k++)
		keys += counts[k] != 0;
	if (exactly) {
		cr_assert_eq(f->lost, 0);
		cr_assert_leq(more * 10, keys, "%zu of %zu keys share counters", more, keys);
		cr_assert_geq(f->n * 10, keys * 9, "of %zu keys %zu were sampled", keys, f->n);
	}
	cr_assert_leq(library_field(s, "sampled")->value, total);
}

static void check_all(struct library *l, size_t threads, bool few)
{
	ward_snapshot *s = library_merge(l, 0, threads);

	check_distinct(library_field(s, "least"), 0.26);
	check_distinct(library_field(s, "hll"), 0.016);
	check_distinct(library_field(s, "pairs"), 0.0325);
	check_top(library_field(s, "top"), counts, total, plain_key);
	check_top(library_field(s, "top_pairs"), weights, total_weight, pair_key);
	check_chopstix(library_field(s, "chopstix"), s, few);
	ward_snapshot_free(s);
}

Test(sketches, one_thread_and_several)
{
	static const size_t sizes[] = {1, 10, 100, 1000, 10000, N};
	struct library l = library_open("sketches");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
			feed(&l, draw_skewed, sizes[i], threads);
			check_all(&l, threads, sizes[i] <= 1000);
			feed(&l, draw_many, sizes[i], threads);
			check_all(&l, threads, sizes[i] <= 100);
			feed(&l, draw_even, sizes[i], threads);
			check_all(&l, threads, sizes[i] <= 100);
		}
	}
	library_close(&l);
}

/* Merged registers are those that one thread would have had. */
Test(sketches, distinct_merges_exactly)
{
	struct library l = library_open("sketches");
	probe_fn *fn = library_entry(&l, "on_key");
	ward_snapshot *apart, *one;

	for (size_t i = 0; i < 30000; i++) {
		struct ward_event ev = {.arg = {draw_skewed()}};

		fn(&ev, l.states[i % (THREADS - 1)]);
		fn(&ev, l.states[THREADS - 1]);
	}
	apart = library_merge(&l, 0, THREADS - 1);
	one = library_merge(&l, THREADS - 1, 1);
	cr_expect_eq(library_field(apart, "hll")->value, library_field(one, "hll")->value);
	cr_expect_eq(library_field(apart, "least")->value, library_field(one, "least")->value);
	cr_expect_eq(library_field(apart, "pairs")->value, library_field(one, "pairs")->value);
	ward_snapshot_free(apart);
	ward_snapshot_free(one);
	library_close(&l);
}

Test(sketches, of_nothing_and_garbage)
{
	struct library l = library_open("sketches");
	ward_snapshot *s = library_merge(&l, 0, THREADS);

	cr_expect_eq(library_field(s, "hll")->value, 0);
	cr_expect_eq(library_field(s, "top")->n, (size_t)0);
	cr_expect_eq(library_field(s, "chopstix")->n, (size_t)0);
	ward_snapshot_free(s);
	library_merge_garbage(&l);
	library_close(&l);
}
