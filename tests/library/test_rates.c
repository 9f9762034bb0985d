/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling, token buckets and moving averages against plain ones. */
#include "library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60000 };

/* A token bucket as it is usually told: a level in units of 1/interval of a token. */
struct bucket {
	unsigned __int128 level;
	uint64_t last, interval, burst, passed;
};

static void bucket_event(struct bucket *b, uint64_t now)
{
	unsigned __int128 full = (unsigned __int128)b->burst * b->interval;

	b->level += now - b->last;
	b->last = now;
	if (b->level > full)
		b->level = full;
	if (b->level >= b->interval) {
		b->level -= b->interval;
		b->passed++;
	}
}

struct reference {
	struct bucket rate, single;
	uint64_t n, random, random_passed, sum, window[32], above, below, window_above, window_below, latest;
	long double ewma, quick;
	uint64_t scaled;
};

static void reference_averages(struct reference *r, uint64_t v)
{
	uint64_t held = r->n < 32 ? r->n : 32, sum = 0;

	if (r->n) {
		r->above += (unsigned __int128)v * 100 * 16 > (unsigned __int128)r->scaled * 150;
		r->below += (unsigned __int128)v * 100 * 16 < (unsigned __int128)r->scaled * 50;
		for (uint64_t i = 0; i < held; i++)
			sum += r->window[i];
		r->window_above += (unsigned __int128)v * 100 * held > (unsigned __int128)sum * 150;
		r->window_below += (unsigned __int128)v * 100 * held < (unsigned __int128)sum * 50;
	}
	r->ewma = r->n ? r->ewma + ((long double)v - r->ewma) / 16 : v;
	r->quick = r->n ? r->quick + ((long double)v - r->quick) / 2 : v;
	r->scaled = r->n ? r->scaled - r->scaled / 16 + v : v * 16;
	r->window[r->n % 32] = v;
	r->latest = v;
}

/* xorshift64* of S. Vigna, with shifts of 12, 25 and 27. */
static bool reference_random(struct reference *r)
{
	r->random ^= r->random >> 12;
	r->random ^= r->random << 25;
	r->random ^= r->random >> 27;
	return (r->random * 0x2545f4914f6cdd1du >> 32) * 10 / ((uint64_t)1 << 32) == 0;
}

static void event(struct library *l, size_t t, struct reference *r, uint64_t now, uint64_t v)
{
	struct ward_event ev = {.arg = {now, v}};

	library_entry(l, "on_number")(&ev, l->states[t]);
	if (r->n == 0) {
		r->rate = (struct bucket){.level = 8000, .last = now, .interval = 1000, .burst = 8};
		r->single = (struct bucket){.level = 333, .last = now, .interval = 333, .burst = 1};
		r->random = 0x9e3779b97f4a7c15u;
	}
	bucket_event(&r->rate, now);
	bucket_event(&r->single, now);
	r->random_passed += reference_random(r);
	reference_averages(r, v);
	r->n++;
}

static void check_gate(const ward_snapshot *s, const char *name, uint64_t passed, uint64_t asked)
{
	const struct ward_field *f = library_field(s, name);

	cr_assert_eq(f->value, passed, "%s: %lu passed, not %lu", name, f->value, passed);
	cr_assert_eq(f->count, asked, "%s", name);
}

static void check(struct library *l, const struct reference *refs, size_t first, size_t n)
{
	ward_snapshot *s = library_merge(l, first, n);
	struct reference all = {0};
	uint64_t every = 0, window = 0, latest = 0;
	long double ewma = 0, quick = 0, ewma_weight = 0, quick_weight = 0, held = 0;

	for (size_t t = first; t < first + n; t++) {
		const struct reference *r = &refs[t];
		uint64_t in_window = r->n < 32 ? r->n : 32;

		every += (r->n + 6) / 7;
		all.n += r->n;
		all.rate.passed += r->rate.passed;
		all.single.passed += r->single.passed;
		all.random_passed += r->random_passed;
		all.above += r->above, all.below += r->below;
		all.window_above += r->window_above, all.window_below += r->window_below;
		for (uint64_t i = 0; i < in_window; i++)
			window += r->window[i];
		held += in_window;
		latest += r->latest;
		ewma += r->ewma * (r->n < 32 ? r->n : 32), ewma_weight += r->n < 32 ? r->n : 32;
		quick += r->quick * (r->n < 4 ? r->n : 4), quick_weight += r->n < 4 ? r->n : 4;
	}
	check_gate(s, "every", every, all.n);
	check_gate(s, "often", all.n, all.n);
	check_gate(s, "random", all.random_passed, all.n);
	check_gate(s, "rate", all.rate.passed, all.n);
	check_gate(s, "single", all.single.passed, all.n);
	cr_assert_eq(library_field(s, "above")->value, all.above);
	cr_assert_eq(library_field(s, "below")->value, all.below);
	cr_assert_eq(library_field(s, "window_above")->value, all.window_above);
	cr_assert_eq(library_field(s, "window_below")->value, all.window_below);
	cr_assert_float_eq(library_field(s, "window")->real, (double)window / (double)held, 1e-6);
	cr_assert_float_eq(library_field(s, "latest")->real, (double)latest / (double)n, 1e-6);
	cr_assert(fabsl(library_field(s, "ewma")->real - ewma / ewma_weight) < 1, "%f", library_field(s, "ewma")->real);
	cr_assert(fabsl(library_field(s, "quick")->real - quick / quick_weight) < 1);
	ward_snapshot_free(s);
}

Test(rates, one_thread_and_several)
{
	struct library l = library_open("rates");
	static struct reference refs[THREADS];
	uint64_t now = 1u << 30;

	for (size_t i = 0; i < N; i++) {
		size_t t = i < 100 ? i % THREADS : random_bits() % 10 < 7 ? 0 : 1 + random_bits() % 2;

		now += random_bits() % 100 == 0 ? random_bits() % 50000 : random_bits() % 700;
		event(&l, t, &refs[t], now,
			random_bits() % 1000 + (random_bits() % 50 == 0 ? random_bits() % 100000 : 0));
		if (i > THREADS * 4 && i % 997 == 0)
			check(&l, refs, 0, THREADS);
	}
	for (size_t t = 0; t < THREADS; t++)
		check(&l, refs, t, 1);
	check(&l, refs, 0, THREADS);
	cr_assert(refs[0].above > 100 && refs[0].below > 100 && refs[0].rate.passed > 100);
	library_close(&l);
}

Test(rates, random_is_one_in_ten)
{
	struct library l = library_open("rates");
	static struct reference r;
	ward_snapshot *s;

	for (size_t i = 0; i < N; i++)
		event(&l, 0, &r, i, 1);
	s = library_merge(&l, 0, 1);
	cr_assert_float_eq(
		(double)library_field(s, "random")->value, N / 10.0, 5 * sqrt(N * .09), "five standard deviations");
	ward_snapshot_free(s);
	library_close(&l);
}

/* Numbers too large for the fixed point count as the largest, and a clock may step back, or stand near its end. */
Test(rates, extremes)
{
	struct library l = library_open("rates");
	struct ward_event ev = {.arg = {UINT64_MAX - 10000, UINT64_MAX}};
	probe_fn *fn = library_entry(&l, "on_number");
	ward_snapshot *s;

	for (int i = 0; i < 20; i++)
		fn(&ev, l.states[0]);
	s = library_merge(&l, 0, 1);
	cr_assert_float_eq(library_field(s, "ewma")->real, 0x1p59, 1);
	cr_assert_eq(library_field(s, "rate")->value, 8u);
	ward_snapshot_free(s);
	library_clear(&l);
	for (uint64_t i = 0; i < 100; i++) {
		ev.arg[0] = i & 1 ? 1000000 : 990000; /* back and forth; a bucket of 8 isn't filled by that */
		fn(&ev, l.states[0]);
	}
	s = library_merge(&l, 0, 1);
	cr_assert(library_field(s, "rate")->value >= 8 && library_field(s, "rate")->value <= 18);
	ward_snapshot_free(s);
	library_close(&l);
}

Test(rates, nothing)
{
	struct library l = library_open("rates");
	ward_snapshot *s = library_merge(&l, 0, THREADS);

	cr_expect(library_field(s, "ewma")->is_empty && library_field(s, "window")->is_empty);
	ward_snapshot_free(s);
	library_merge_garbage(&l);
	library_close(&l);
}
