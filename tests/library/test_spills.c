/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps that hand on, against plain counters: exact for any number of keys as long as the reader comes in time, sums
 * exact in any case, and no total that steps back or is ahead while probes run.
 */
#include "library.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ward/partial.h"

enum { KEYS = 100000, EVENTS = 150000, BURST = 200 };

static uint64_t counted[KEYS];

static void call(struct library *l, size_t thread, uint64_t key, uint64_t size)
{
	struct ward_event ev = {.arg = {key, key % 300, size}};

	library_entry(l, "on_call")(&ev, l->states[thread]);
}

static ward_snapshot *finish(ward_partial *p)
{
	ward_snapshot *s;

	cr_assert_eq(ward_partial_finish(p, &s, NULL), WARD_OK);
	ward_partial_free(p);
	return s;
}

static ward_snapshot *take(ward_drain *d, struct library *l)
{
	struct ward_error err = {0};
	ward_partial *p;

	cr_assert_eq(ward_drain_merge(d, (const void *const *)l->states, THREADS, l->state_size, &p, &err), WARD_OK,
		"%s: %s", err.what, err.why);
	return finish(p);
}

static ward_drain *open_drain(const struct library *l)
{
	ward_drain *d;

	cr_assert_eq(ward_drain_open(l->schema, NULL, NULL, &d, NULL), WARD_OK);
	return d;
}

/* All that a map has counted, with the keys without room. */
static uint64_t sum_of(const struct ward_field *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += f->n_values ? library_part(f->entries[i].values, f->n_values, "calls")->value
				   : f->entries[i].value;
	if (f->other)
		sum += f->n_values ? library_part(f->other->values, f->n_values, "calls")->value : f->other->value;
	return sum;
}

static const char *const maps[] = {"by_number", "by_place", "least"};

static void check_sums(const ward_snapshot *s, uint64_t calls)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		cr_assert_eq(sum_of(library_field(s, maps[i])), calls, "%s", maps[i]);
}

static size_t read_once(ward_drain *d, struct library *l)
{
	size_t n;

	cr_assert_eq(ward_drain_read(d, (const void *const *)l->states, THREADS, l->state_size, &n, NULL), WARD_OK);
	return n;
}

/* Many more keys than slots: every one of them is exact. */
Test(spills, every_key)
{
	struct library l = library_open("spills");
	ward_drain *d = open_drain(&l);
	const struct ward_field *f;
	ward_snapshot *s;
	size_t taken = 0;

	cr_assert(ward_drain_is_needed(l.schema));
	for (uint64_t i = 0; i < 300000; i++) {
		uint64_t key = random_bits() % 4 ? random_bits() % 50 : random_bits() % KEYS;

		call(&l, random_bits() % THREADS, key, 1);
		counted[key]++;
		if (i % 500 == 0)
			taken += read_once(d, &l);
		if (i % 60000 == 0)
			ward_snapshot_free(take(d, &l));
	}
	s = take(d, &l);
	f = library_field(s, "by_number");
	cr_assert_gt(taken, 50000u);
	cr_assert_eq(f->lost, 0u);
	cr_assert_null(f->other);
	for (size_t i = 0; i < f->n; i++) {
		cr_assert_lt(f->entries[i].key, KEYS);
		cr_assert_eq(f->entries[i].value, counted[f->entries[i].key]);
		counted[f->entries[i].key] = 0;
	}
	for (size_t i = 0; i < KEYS; i++)
		cr_assert_eq(counted[i], 0u);
	check_sums(s, 300000);
	ward_snapshot_free(s);
	ward_drain_close(d);
	library_close(&l);
}

/* Values that are several aggregates. */
Test(spills, structs)
{
	static struct {
		uint64_t n, sum;
	} want[300];
	struct library l = library_open("spills");
	ward_drain *d = open_drain(&l);
	const struct ward_field *f;
	ward_snapshot *s;

	for (uint64_t i = 0; i < 60000; i++) {
		uint64_t key = random_bits() % 300, size = random_bits() % 5000;

		call(&l, random_bits() % THREADS, key, size);
		want[key].n++;
		want[key].sum += size;
		if (i % 32 == 0)
			read_once(d, &l);
	}
	s = take(d, &l);
	f = library_field(s, "by_place");
	cr_assert_eq(f->n, 300u);
	cr_assert_eq(f->lost, 0u);
	for (size_t i = 0; i < f->n; i++) {
		const struct ward_map_entry *e = &f->entries[i];
		const struct ward_field *sizes = library_part(e->values, f->n_values, "sizes"),
					*spread = library_part(e->values, f->n_values, "spread");
		uint64_t line = library_part(e->keys, f->n_keys, "line")->value, n = 0;
		char name[] = "placea";

		name[5] = (char)('a' + line % 26);
		cr_assert_str_eq(library_part(e->keys, f->n_keys, "name")->text, name);
		cr_assert_eq(library_part(e->values, f->n_values, "calls")->value, want[line].n);
		cr_assert_eq(sizes->count, want[line].n);
		cr_assert_eq(sizes->value, want[line].sum);
		for (size_t b = 0; b < spread->n; b++)
			n += spread->buckets[b].count;
		cr_assert_eq(n, want[line].n);
	}
	ward_snapshot_free(s);
	ward_drain_close(d);
	library_close(&l);
}

/* Without a reader the sum is exact, and what found no room is said; a reader that comes late makes it no worse. */
Test(spills, without_a_reader)
{
	struct library l = library_open("spills");
	const struct ward_field *f;
	ward_drain *d;
	ward_snapshot *s;
	uint64_t lost;

	for (uint64_t i = 0; i < 100000; i++)
		call(&l, i % THREADS, random_bits() % KEYS, 1);
	s = library_merge(&l, 0, THREADS);
	check_sums(s, 100000);
	f = library_field(s, "by_number");
	lost = f->lost;
	cr_assert_gt(lost, 100000u - 3 * (256 + 1024) - 20000);
	cr_assert_eq(f->other->value, lost);
	ward_snapshot_free(s);

	d = open_drain(&l);
	cr_assert_geq(read_once(d, &l), (size_t)3 * 1024);
	for (uint64_t i = 0; i < 1000; i++)
		call(&l, i % THREADS, random_bits() % KEYS, 1);
	s = take(d, &l);
	check_sums(s, 101000);
	cr_assert_eq(library_field(s, "by_number")->lost, lost, "there was room again");
	ward_snapshot_free(s);
	ward_drain_close(d);
	library_close(&l);
}

/* ---- under load ---- */

struct caller {
	struct library *l;
	size_t thread;
	uint64_t keys;
	_Atomic size_t *running, *looks;
};

static void *call_all(void *user)
{
	struct caller *c = user;
	uint64_t bits = 88172645463325252u + c->thread;

	for (uint64_t i = 1; i <= EVENTS; i++) {
		size_t looks = *c->looks;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		call(c->l, c->thread, bits % c->keys, 1);
		while (i % BURST == 0 && i > EVENTS / 2 && *c->looks == looks)
			sched_yield(); /* the reader keeps up in the second half */
	}
	--*c->running;
	return NULL;
}

static uint64_t calls_now(const struct library *l)
{
	uint64_t calls = 0;

	for (size_t t = 0; t < THREADS; t++)
		calls += __atomic_load_n(
			(uint64_t *)((char *)l->states[t] + l->state_size - sizeof(uint64_t)), __ATOMIC_ACQUIRE);
	return calls;
}

/* Each total has all events that were over before, and none that wasn't begun: so none steps back. */
static void check_totals(ward_drain *d, struct library *l)
{
	uint64_t before = calls_now(l), after;
	ward_snapshot *s = take(d, l);

	after = calls_now(l);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		uint64_t sum = sum_of(library_field(s, maps[i]));

		cr_assert_geq(sum + THREADS, before, "%s", maps[i]);
		cr_assert_leq(sum, after, "%s", maps[i]);
	}
	ward_snapshot_free(s);
}

static void run_load(uint64_t keys)
{
	struct library l = library_open("spills");
	_Atomic size_t running = THREADS, looks = 0;
	struct caller callers[THREADS];
	pthread_t threads[THREADS];
	ward_drain *d = open_drain(&l);
	ward_snapshot *s;

	for (size_t t = 0; t < THREADS; t++) {
		callers[t] = (struct caller){&l, t, keys, &running, &looks};
		cr_assert_eq(pthread_create(&threads[t], NULL, call_all, &callers[t]), 0);
	}
	while (running) {
		if (looks++ % 8)
			read_once(d, &l);
		else
			check_totals(d, &l);
	}
	for (size_t t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	s = take(d, &l);
	check_sums(s, (uint64_t)EVENTS * THREADS);
	ward_snapshot_free(s);
	s = take(d, &l);
	check_sums(s, (uint64_t)EVENTS * THREADS);
	ward_snapshot_free(s);
	ward_drain_close(d);
	library_close(&l);
}

Test(spills, under_load_by_many_keys)
{
	run_load(2000);
}

/* Keys that change places all the time. */
Test(spills, under_load_by_few_keys)
{
	run_load(40);
}

/* A probe that is interrupted right after an entry is in the queue: it is in its slot as well, and counts once. */
Test(spills, between_slot_and_queue)
{
	struct state {
		WARD_SPILL(unsigned long, ward_count, 256, 1024) by_number;
	};
	struct library l = library_open("spills");
	ward_drain *d = open_drain(&l);
	struct state *st = l.states[0], before;
	ward_snapshot *s;

	for (unsigned round = 0; round < 500; round++) {
		uint64_t sum;

		memcpy(&before, st, sizeof(before));
		call(&l, 0, random_bits(), 1);
		if (st->by_number.next == before.by_number.next)
			continue;
		sum = round; /* of the calls before */
		memcpy(st->by_number.slot, before.by_number.slot, sizeof(before.by_number.slot));
		for (unsigned again = 0; again < 2; again++) {
			s = round % 2 ? library_merge(&l, 0, 1) : take(d, &l);
			cr_assert_eq(sum_of(library_field(s, "by_number")), sum, "%u", round);
			ward_snapshot_free(s);
			read_once(d, &l);
			s = take(d, &l);
			cr_assert_eq(sum_of(library_field(s, "by_number")), sum, "%u, taken", round);
			ward_snapshot_free(s);
		}
		break;
	}
	cr_assert_gt(st->by_number.next, 0u);
	ward_drain_close(d);
	library_close(&l);
}

/* ---- bytes, limits, lies ---- */

/* What was taken is of its keys before it is packed: the message is that of a map. */
Test(spills, as_bytes)
{
	struct library l = library_open("spills");
	ward_drain *d = open_drain(&l);
	ward_partial *p, *read;
	struct ward_error err;
	ward_snapshot *s;
	void *bytes;
	size_t size;

	for (uint64_t i = 0; i < 9000; i++) {
		call(&l, random_bits() % THREADS, i % 3000, i);
		if (i % 100 == 0)
			read_once(d, &l);
	}
	cr_assert_eq(ward_drain_merge(d, (const void *const *)l.states, THREADS, l.state_size, &p, NULL), WARD_OK);
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, &size, &err), WARD_OK, "%s", err.why);
	cr_assert_eq(ward_partial_unpack(l.schema, bytes, size, NULL, &read, &err), WARD_OK, "%s", err.why);
	cr_assert_eq(ward_partial_add(p, read, &err), WARD_OK);
	s = finish(p);
	check_sums(s, 18000);
	cr_assert_eq(library_field(s, "by_number")->n, 3000u);
	ward_snapshot_free(s);
	s = finish(read);
	check_sums(s, 9000);
	ward_snapshot_free(s);
	free(bytes);
	ward_drain_close(d);
	library_close(&l);
}

/* Above the limit the entries wait, nothing is taken, and sums stay exact. */
Test(spills, a_limit)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .memory = 1 << 20};
	struct library l = library_open("spills");
	struct ward_error err = {0};
	size_t n, taken = 0;
	int status = WARD_OK;
	ward_snapshot *s;
	ward_drain *d;

	cr_assert_eq(ward_drain_open(l.schema, NULL, &limits, &d, NULL), WARD_OK);
	for (uint64_t i = 0; i < 400000 && status == WARD_OK; i++) {
		call(&l, 0, i, 1);
		if (i % 500 == 0)
			status = ward_drain_read(d, (const void *const *)l.states, THREADS, l.state_size, &n, &err);
		taken += i % 500 == 0 ? n : 0;
	}
	cr_assert_eq(status, WARD_E_SYSTEM);
	cr_assert_gt(taken, 0u);
	cr_assert_not_null(strstr(err.why, "1048576"), "%s", err.why);
	for (unsigned i = 0; i < 10; i++) {
		cr_assert_eq(ward_drain_read(d, (const void *const *)l.states, THREADS, l.state_size, &n, &err),
			WARD_E_SYSTEM);
		cr_assert_eq(n, 0u);
	}
	ward_drain_close(d);
	s = library_merge(&l, 0, THREADS);
	ward_snapshot_free(s);
	library_close(&l);
}

/* A target that writes anything makes as much work as there are slots, and nothing beside the state is written. */
Test(spills, lies)
{
	struct library l = library_open("spills");
	unsigned char *wide = calloc(3, l.state_size);
	ward_drain *d = open_drain(&l);
	size_t n;

	library_merge_garbage(&l);
	for (unsigned round = 0; round < 40; round++) {
		struct ward_event ev = {.arg = {random_bits(), random_bits(), random_bits()}};

		for (size_t t = 0; t < THREADS; t++)
			for (size_t i = 0; i < l.state_size; i++)
				((unsigned char *)l.states[t])[i] = (unsigned char)(round % 3 == 0   ? 0xff
										    : round % 3 == 1 ? random_bits() % 2
												     : random_bits());
		cr_assert_eq(
			ward_drain_read(d, (const void *const *)l.states, THREADS, l.state_size, &n, NULL), WARD_OK);
		cr_assert_leq(n, (size_t)THREADS * (1024 + 64 + 1));
		ward_snapshot_free(take(d, &l));
		memcpy(wide + l.state_size, l.states[0], l.state_size);
		for (unsigned i = 0; i < 1000; i++) {
			ev.arg[0]++;
			library_entry(&l, "on_call")(&ev, wide + l.state_size);
		}
		for (size_t i = 0; i < l.state_size; i++)
			cr_assert(!wide[i] && !wide[2 * l.state_size + i]);
	}
	free(wide);
	ward_drain_close(d);
	library_close(&l);
}

Test(spills, misuse)
{
	struct library l = library_open("maps");
	ward_partial *p;
	ward_drain *d;

	cr_expect(!ward_drain_is_needed(l.schema) && !ward_drain_is_needed(NULL));
	cr_expect_eq(ward_drain_open(NULL, NULL, NULL, &d, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_open(l.schema, NULL, NULL, NULL, NULL), WARD_E_USAGE);
	d = open_drain(&l);
	cr_expect_eq(ward_drain_read(NULL, NULL, 0, l.state_size, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_read(d, NULL, 1, l.state_size, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_read(d, NULL, 0, 1, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_read(d, NULL, 0, l.state_size, NULL, NULL), WARD_OK);
	cr_expect_eq(ward_drain_merge(d, NULL, 0, l.state_size, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_merge(NULL, NULL, 0, l.state_size, &p, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_poll(d, NULL, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_drain_take(d, NULL, &p, NULL), WARD_E_USAGE);
	cr_expect_null(p);
	cr_expect_eq(ward_drain_merge(d, NULL, 0, l.state_size, &p, NULL), WARD_OK);
	ward_partial_free(p);
	ward_drain_close(d);
	ward_drain_close(NULL);
	library_close(&l);
}
