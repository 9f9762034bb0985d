/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads share, by threads that run verified code at the same time: no count is lost, each value that one thread
 * puts is taken by one thread, and nobody sees a value of another key.
 */
#include "library.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "loader/state/partial.h"

enum { WORKERS = 8, PAIRS = 50000, WINDOW = 32 };

struct state {
	uint64_t paired, missed, wrong, taken, refused;
};

struct worker {
	struct library *l;
	uint64_t me;
	struct state st;
	_Atomic uint64_t begun; /* of the worker's own keys; another worker ends them */
	_Atomic uint64_t ended;
	struct worker *other;
	pthread_t thread;
};

static void call(struct library *l, const char *entry, struct state *st, uint64_t a, uint64_t b)
{
	struct ward_event ev = {.arg = {a, b}};

	library_entry(l, entry)(&ev, st);
}

static void check_library(const struct library *l)
{
	cr_assert_eq(l->state_size, sizeof(struct state));
}

/* What a session would show. */
static ward_snapshot *look(const struct library *l)
{
	const struct ward_segment *data = &l->verdict->module.data;
	const void *shared = l->base + data->addr;
	struct states all = {.shared = &shared, .n_shared = 1, .shared_size = data->memsz};
	struct ward_error err = {0};
	ward_snapshot *s;

	cr_assert_eq(snapshot_merge(l->schema, &all, l->state_size, &s, &err), WARD_OK, "%s", err.why);
	return s;
}

static void run_all(struct library *l, struct worker *w, size_t n, void *(*body)(void *))
{
	for (size_t i = 0; i < n; i++) {
		w[i].l = l;
		w[i].me = i;
		w[i].other = &w[(i + 1) % n];
	}
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(pthread_create(&w[i].thread, NULL, body, &w[i]), 0);
	for (size_t i = 0; i < n; i++)
		pthread_join(w[i].thread, NULL);
}

static struct state sum_of(const struct worker *w, size_t n)
{
	struct state sum = {0};

	for (size_t i = 0; i < n; i++) {
		sum.paired += w[i].st.paired;
		sum.missed += w[i].st.missed;
		sum.wrong += w[i].st.wrong;
		sum.taken += w[i].st.taken;
		sum.refused += w[i].st.refused;
	}
	return sum;
}

/* A pair's key and value; so different threads' keys meet in the same buckets. */
static uint64_t key_of(uint64_t who, uint64_t i)
{
	return i * WORKERS + who;
}

static uint64_t value_of(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) ^ 5;
}

/* Each begins its own keys, some ahead, and ends those of the next one, who may be anywhere. */
static void *pairs(void *arg)
{
	struct worker *w = arg;
	uint64_t begun = 0, ended = 0;

	while (begun < PAIRS || ended < PAIRS) {
		if (begun < PAIRS && begun - atomic_load(&w->ended) < WINDOW) {
			uint64_t key = key_of(w->me, begun);

			call(w->l, "on_begin", &w->st, key, value_of(key));
			atomic_store(&w->begun, ++begun);
		} else if (ended < atomic_load(&w->other->begun)) {
			uint64_t key = key_of(w->other->me, ended);

			call(w->l, "on_end", &w->st, key, value_of(key));
			atomic_store(&w->other->ended, ++ended);
		} else {
			sched_yield();
		}
	}
	return NULL;
}

Test(shared, begin_here_end_there)
{
	struct library l = library_open("shared");
	static struct worker w[WORKERS];
	const struct ward_field *f;
	struct state sum;
	ward_snapshot *s;

	check_library(&l);
	run_all(&l, w, WORKERS, pairs);
	sum = sum_of(w, WORKERS);
	cr_expect_eq(sum.paired, (uint64_t)WORKERS * PAIRS);
	cr_expect_eq(sum.missed + sum.wrong + sum.refused, 0u);
	s = look(&l);
	cr_expect_eq(library_field(s, "shared.calls")->value, (uint64_t)WORKERS * PAIRS);
	f = library_field(s, "shared.begun");
	cr_expect_eq(f->n, 0u);
	cr_expect_eq(f->lost, 0u);
	ward_snapshot_free(s);
	library_close(&l);
}

/* All try to take what one of them has put: one gets it. */
enum { ROUNDS = 20000 };

static pthread_barrier_t barrier;

static void *takers(void *arg)
{
	struct worker *w = arg;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		if (i % WORKERS == w->me)
			call(w->l, "on_begin", &w->st, 77, i);
		if (i % 64 == 0)
			pthread_barrier_wait(&barrier);
		call(w->l, "on_end", &w->st, 77, i);
	}
	return NULL;
}

Test(shared, taken_once)
{
	struct library l = library_open("shared");
	static struct worker w[WORKERS];
	struct state sum;

	pthread_barrier_init(&barrier, NULL, WORKERS);
	run_all(&l, w, WORKERS, takers);
	sum = sum_of(w, WORKERS);
	cr_expect_eq(sum.refused, 0u);
	/* A value that was put may be replaced before it is taken; none is taken twice. */
	cr_expect_leq(sum.paired + sum.wrong, (uint64_t)ROUNDS);
	cr_expect_gt(sum.paired + sum.wrong, 0u);
	cr_expect_eq(sum.paired + sum.wrong + sum.missed, (uint64_t)ROUNDS * WORKERS);
	pthread_barrier_destroy(&barrier);
	library_close(&l);
}

/* One puts, all others take: what each takes grows, for a value never comes back. */
static _Atomic bool is_over;
static uint64_t taken_sum[WORKERS];

static void *put_once(void *arg)
{
	struct worker *w = arg;

	if (w->me == 0) {
		for (uint64_t i = 1; i <= ROUNDS; i++) {
			/* waits until the last one is gone, so that each must be taken by exactly one */
			while (1) {
				struct state st = {0};

				call(w->l, "on_look", &st, 5, 0);
				if (st.missed)
					break;
				sched_yield();
			}
			call(w->l, "on_begin", &w->st, 5, i * 1000 + 5);
		}
		atomic_store(&is_over, true);
		return NULL;
	}
	for (bool last = false; !last;) {
		uint64_t before;

		last = atomic_load(&is_over);
		before = w->st.paired + w->st.wrong;
		call(w->l, "on_end", &w->st, 5, 0);
		taken_sum[w->me] += w->st.paired + w->st.wrong - before;
		if (w->st.paired + w->st.wrong == before)
			sched_yield();
	}
	return NULL;
}

Test(shared, each_taken_by_one)
{
	struct library l = library_open("shared");
	static struct worker w[4];
	uint64_t taken = 0;

	run_all(&l, w, 4, put_once);
	for (size_t i = 0; i < 4; i++)
		taken += taken_sum[i];
	cr_expect_eq(taken, (uint64_t)ROUNDS);
	library_close(&l);
}

/* All add to few keys, and take from them. */
enum { ADDS = 100000 };

static void *adders(void *arg)
{
	struct worker *w = arg;

	for (uint64_t i = 0; i < ADDS; i++) {
		call(w->l, "on_count", &w->st, i % 3, 1 + i % 2);
		if (i % 16 == w->me)
			call(w->l, "on_take", &w->st, i % 3, 0);
		if (i % 5 == 0)
			call(w->l, "on_flag", &w->st, UINT64_C(1) << w->me, 0);
	}
	return NULL;
}

Test(shared, sums)
{
	struct library l = library_open("shared");
	static struct worker w[WORKERS];
	const struct ward_field *f;
	struct state sum;
	ward_snapshot *s;
	uint64_t left = 0;

	run_all(&l, w, WORKERS, adders);
	sum = sum_of(w, WORKERS);
	s = look(&l);
	f = library_field(s, "shared.counts");
	cr_expect_eq(f->n, 3u);
	for (size_t i = 0; i < f->n; i++)
		left += f->entries[i].value;
	cr_expect_eq(f->lost, 0u);
	cr_expect_eq(sum.refused, 0u);
	cr_expect_gt(sum.taken, 0u);
	cr_expect_eq(sum.taken + left, (uint64_t)WORKERS * ADDS / 2 * 3);
	cr_expect_eq(library_field(s, "shared.flags")->value, (UINT64_C(1) << WORKERS) - 1);
	ward_snapshot_free(s);
	library_close(&l);
}

/* Values of several members, by keys that are texts, while a reader looks on: it never sees half of one. */
static void *wide(void *arg)
{
	struct worker *w = arg;

	for (uint64_t i = 0; i < PAIRS / 4; i++) {
		uint64_t n = i % 7 * WORKERS + w->me;

		call(w->l, "on_wide", &w->st, n, 0);
		call(w->l, "on_wide", &w->st, n, 1);
	}
	atomic_store(&w->ended, 1);
	return NULL;
}

static void check_wide(const struct ward_field *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct ward_map_entry *e = &f->entries[i];
		uint64_t n = library_part(e->values, f->n_values, "a")->value;
		const char *text = library_part(e->keys, f->n_keys, "text")->text;

		cr_assert_eq(library_part(e->values, f->n_values, "b")->value, ~n);
		cr_assert_eq((int64_t)library_part(e->values, f->n_values, "c")->value, (int64_t)n);
		cr_assert_eq((int64_t)library_part(e->values, f->n_values, "d")->value, -(int64_t)n);
		cr_assert_eq((uint64_t)(unsigned char)text[0], n);
	}
}

Test(shared, read_meanwhile)
{
	struct library l = library_open("shared");
	static struct worker w[4];
	struct state sum;
	ward_snapshot *s;

	for (size_t i = 0; i < 4; i++) {
		w[i].l = &l;
		w[i].me = i;
		cr_assert_eq(pthread_create(&w[i].thread, NULL, wide, &w[i]), 0);
	}
	for (bool over = false; !over;) {
		over = true;
		for (size_t i = 0; i < 4; i++)
			over &= atomic_load(&w[i].ended) != 0;
		s = look(&l);
		check_wide(library_field(s, "shared.wide"));
		ward_snapshot_free(s);
	}
	for (size_t i = 0; i < 4; i++)
		pthread_join(w[i].thread, NULL);
	sum = sum_of(w, 4);
	cr_expect_eq(sum.paired, (uint64_t)(PAIRS / 4) * 4);
	cr_expect_eq(sum.missed + sum.wrong, 0u);
	s = look(&l);
	cr_expect_eq(library_field(s, "shared.wide")->lost, 0u);
	cr_expect_eq(library_field(s, "shared.wide")->n, 0u);
	ward_snapshot_free(s);
	library_close(&l);
}

/* A map without room says so, and has room again when something leaves. A key that is there can be put anew. */
Test(shared, full)
{
	struct library l = library_open("shared");
	struct state st = {0};
	const struct ward_field *f;
	ward_snapshot *s;

	for (uint64_t key = 0; key < 6; key++)
		call(&l, "on_small", &st, key, 0);
	cr_expect_eq(st.refused, 2u);
	call(&l, "on_small", &st, 1, 0);
	cr_expect_eq(st.refused, 2u, "a key that is there");
	call(&l, "on_small", &st, 5, 1);
	cr_expect_eq(st.taken, 0u, "a key that found no room");
	call(&l, "on_small", &st, 2, 1);
	call(&l, "on_small", &st, 2, 1);
	cr_expect_eq(st.taken, 1u);
	call(&l, "on_small", &st, 300, 0);
	cr_expect_eq(st.refused, 2u);
	s = look(&l);
	f = library_field(s, "shared.small");
	cr_expect_eq(f->n, 4u);
	cr_expect_eq(f->lost, 2u);
	for (size_t i = 0; i < f->n; i++) {
		static const uint64_t keys[] = {0, 1, 3, 300};
		bool known = false;

		for (size_t k = 0; k < 4; k++)
			known |= f->entries[i].key == keys[k];
		cr_expect(known);
		cr_expect_eq(f->entries[i].value, 7u);
	}
	ward_snapshot_free(s);
	library_close(&l);
}

/* Whatever stands there, probes and readers come to an end, and touch nothing else. */
Test(shared, garbage)
{
	struct library l = library_open("shared");
	const struct ward_segment *data = &l.verdict->module.data;
	static const char *const entries[] = {
		"on_begin", "on_end", "on_look", "on_count", "on_take", "on_wide", "on_small", "on_flag"};
	struct state st = {0};

	for (unsigned round = 0; round < 12; round++) {
		for (size_t i = 0; i < data->memsz; i++)
			l.base[data->addr + i] = round % 4 == 0   ? 0xff
						 : round % 4 == 1 ? (uint8_t)(random_bits() % 3)
								  : (uint8_t)random_bits();
		ward_snapshot_free(look(&l));
		for (unsigned i = 0; i < 1000; i++)
			call(&l, entries[random_bits() % 8], &st, random_bits() % 100, random_bits() % 2);
	}
	library_close(&l);
}
