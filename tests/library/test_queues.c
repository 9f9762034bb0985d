/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: each record is read once, or was refused and counted, however slow the reader is. */
#include "library.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, EVENTS = 200000, BURST = 5000 };

/* What the reader was given, by thread. */
struct told {
	uint64_t last[THREADS], n[THREADS], time;
};

static void tell(void *user, const struct ward_field *f, const struct ward_record *r)
{
	struct told *told = user;
	uint64_t number;
	char name[] = "record0";

	if (strcmp(f->name, "all") != 0)
		return;
	cr_assert_lt(r->thread, (uint32_t)THREADS);
	cr_assert_eq(r->number, told->n[r->thread] + 1, "each record once, none left out");
	number = library_part(r->members, f->n_values, "number")->value;
	cr_assert_gt(number, told->last[r->thread]);
	name[6] = (char)('0' + number % 10);
	cr_assert_str_eq(library_part(r->members, f->n_values, "name")->text, name);
	cr_assert_eq((int64_t)library_part(r->members, f->n_values, "level")->value, -5);
	told->last[r->thread] = number;
	told->n[r->thread]++;
	told->time = library_part(r->members, f->n_values, "time")->value;
}

static void push(struct library *l, size_t thread, uint64_t number)
{
	static _Atomic uint64_t time;
	struct ward_event ev = {.arg = {++time, number, (uint64_t)-5}};

	library_entry(l, "on_record")(&ev, l->states[thread]);
}

static void look(struct library *l, ward_stream *stream, struct told *told)
{
	cr_assert_eq(ward_stream_read(stream, (const void *const *)l->states, THREADS, l->state_size, tell, told, NULL),
		WARD_OK);
}

static uint64_t counter(const struct library *l, const char *name)
{
	ward_snapshot *s = library_merge(l, 0, THREADS);
	uint64_t value = library_field(s, name)->value;

	ward_snapshot_free(s);
	return value;
}

/* Without a reader the first ones stay, and all others are counted. */
Test(queues, without_a_reader)
{
	struct library l = library_open("queues");
	const struct ward_field *f;
	ward_snapshot *s;

	for (uint64_t i = 1; i <= 1000; i++)
		push(&l, i % THREADS, i);
	s = library_merge(&l, 0, THREADS);
	f = library_field(s, "all");
	cr_assert_eq(f->kind, WARD_FIELD_QUEUE);
	cr_assert_eq(f->n, (size_t)SLOTS * THREADS);
	cr_assert_eq(f->lost, 1000u - SLOTS * THREADS);
	for (size_t i = 0; i < f->n; i++)
		cr_assert_eq(library_part(f->records[i].members, f->n_values, "number")->value, i + 1);
	f = library_field(s, "one");
	cr_assert_eq(f->n, (size_t)THREADS);
	cr_assert_eq(f->lost, 1000u - THREADS);
	ward_snapshot_free(s);
	cr_assert_eq(counter(&l, "pushed"), SLOTS * THREADS);
	cr_assert_eq(counter(&l, "refused"), 1000u - SLOTS * THREADS);
	library_close(&l);
}

/* A reader that comes now and then; what a snapshot has is what wasn't taken yet. */
Test(queues, as_they_come)
{
	struct library l = library_open("queues");
	struct told told = {0};
	uint64_t number = 0, read, lost;
	ward_stream *stream;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (unsigned round = 0; round < 200; round++) {
		uint64_t n = random_bits() % 300, kept;
		ward_snapshot *s;

		for (uint64_t i = 0; i < n; i++)
			push(&l, random_bits() % THREADS, ++number);
		s = library_merge(&l, 0, THREADS);
		kept = library_field(s, "all")->n;
		ward_stream_totals(stream, "all", &read, &lost);
		cr_assert_eq(read + kept + library_field(s, "all")->lost, number);
		ward_snapshot_free(s);
		look(&l, stream, &told);
		ward_stream_totals(stream, "all", &read, &lost);
		cr_assert_eq(read, counter(&l, "pushed"));
		cr_assert_eq(lost, counter(&l, "refused"));
		cr_assert_eq(read + lost, number);
	}
	cr_assert_gt(lost, 0u);
	ward_stream_close(stream);

	/* Another reader goes on where this one has stopped. */
	memset(&told, 0, sizeof(told));
	for (size_t t = 0; t < THREADS; t++) {
		push(&l, t, ++number);
		push(&l, t, ++number);
	}
	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (size_t t = 0; t < THREADS; t++)
		told.n[t] = *(const unsigned long *)l.states[t]; /* the cursor: a state begins with it */
	look(&l, stream, &told);
	ward_stream_totals(stream, "all", &read, NULL);
	cr_assert_eq(read, 2u * THREADS);
	ward_stream_close(stream);
	library_close(&l);
}

/* ---- under load ---- */

struct pusher {
	struct library *l;
	size_t thread;
	_Atomic size_t *running, *looks;
};

static void *push_all(void *user)
{
	struct pusher *p = user;

	for (uint64_t i = 1; i <= EVENTS; i++) {
		size_t looks = *p->looks;

		push(p->l, p->thread, i);
		while (i % BURST == 0 && *p->looks == looks)
			sched_yield(); /* so that the reader has its turns, however few processors there are */
	}
	--*p->running;
	return NULL;
}

/* A slow reader beside threads that push as fast as they can: what was pushed was read, all else was refused. */
Test(queues, under_load)
{
	struct library l = library_open("queues");
	_Atomic size_t running = THREADS, looks = 0;
	struct pusher pushers[THREADS];
	pthread_t threads[THREADS];
	struct told told = {0};
	uint64_t read, lost;
	ward_stream *stream;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (size_t t = 0; t < THREADS; t++) {
		pushers[t] = (struct pusher){&l, t, &running, &looks};
		cr_assert_eq(pthread_create(&threads[t], NULL, push_all, &pushers[t]), 0);
	}
	while (running) {
		look(&l, stream, &told);
		looks++;
	}
	for (size_t t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	look(&l, stream, &told);
	ward_stream_totals(stream, "all", &read, &lost);
	cr_assert_eq(read, counter(&l, "pushed"));
	cr_assert_eq(lost, counter(&l, "refused"));
	cr_assert_eq(read + lost, (uint64_t)EVENTS * THREADS);
	cr_assert_gt(read, (uint64_t)SLOTS * THREADS);
	ward_stream_close(stream);
	library_close(&l);
}

static void tell_batch(void *user, const struct ward_batch *b)
{
	struct told *told = user;
	uint32_t offset;

	if (strcmp(b->layout->field, "all") != 0)
		return;
	offset = b->layout->members[1].offset;
	cr_assert_eq(b->first, told->n[b->thread] + 1, "each record once, none left out");
	for (size_t i = 0; i < b->n; i++) {
		uint64_t number;

		memcpy(&number, (const char *)b->records + i * b->stride + offset, sizeof(number));
		cr_assert_gt(number, told->last[b->thread]);
		told->last[b->thread] = number;
	}
	told->n[b->thread] += b->n;
}

/* The same as bytes. */
Test(queues, bytes_under_load)
{
	struct library l = library_open("queues");
	_Atomic size_t running = THREADS, looks = 0;
	struct pusher pushers[THREADS];
	pthread_t threads[THREADS];
	struct told told = {0};
	uint64_t read, lost;
	ward_stream *stream;
	bool last;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (size_t t = 0; t < THREADS; t++) {
		pushers[t] = (struct pusher){&l, t, &running, &looks};
		cr_assert_eq(pthread_create(&threads[t], NULL, push_all, &pushers[t]), 0);
	}
	do {
		last = !running;
		cr_assert_eq(ward_stream_batch_read(stream, (const void *const *)l.states, THREADS, l.state_size,
				     tell_batch, &told, NULL),
			WARD_OK);
		looks++;
	} while (!last);
	for (size_t t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	ward_stream_totals(stream, "all", &read, &lost);
	cr_assert_eq(read, counter(&l, "pushed"));
	cr_assert_eq(read, told.n[0] + told.n[1] + told.n[2]);
	cr_assert_eq(read + lost, (uint64_t)EVENTS * THREADS);
	ward_stream_close(stream);
	library_close(&l);
}

/* ---- lies ---- */

static void count(void *user, const struct ward_field *f, const struct ward_record *r)
{
	cr_assert_geq(f->n_values, 1u);
	cr_assert_not_null(r->members);
	++*(uint64_t *)user;
}

/* A cursor that says anything: the probe stays in its slots, and the reader gives out no more than there are. */
Test(queues, cursors_that_lie)
{
	struct library l = library_open("queues");
	ward_stream *stream;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (unsigned round = 0; round < 300; round++) {
		uint64_t n = 0, most = (SLOTS + 1) * THREADS;

		for (size_t t = 0; t < THREADS; t++) {
			unsigned char *state = l.states[t];
			uint64_t *taken = l.states[t];

			if (round % 3 == 0)
				for (size_t i = 0; i < l.state_size; i++)
					state[i] = (unsigned char)random_bits();
			*taken = round % 3 == 2 ? random_number() : UINT64_MAX;
			for (size_t i = 0; i < 2 * SLOTS; i++) {
				push(&l, t, i);
				if (round % 2)
					*taken += random_bits() % 3 - 1;
			}
			*taken = random_number();
		}
		cr_assert_eq(
			ward_stream_read(stream, (const void *const *)l.states, THREADS, l.state_size, count, &n, NULL),
			WARD_OK);
		cr_assert_leq(n, most);
		ward_snapshot_free(library_merge(&l, 0, THREADS));
	}
	ward_stream_close(stream);
	library_merge_garbage(&l);
	library_close(&l);
}

/* Where a state can't be believed the probe's own memory ends the search: nothing beside the state is written. */
Test(queues, nothing_beside_the_state)
{
	struct library l = library_open("queues");
	unsigned char *wide = calloc(3, l.state_size);
	struct ward_event ev = {.arg = {1, 2, 3}};

	for (unsigned round = 0; round < 2000; round++) {
		for (size_t i = 0; i < l.state_size; i++)
			wide[l.state_size + i] = (unsigned char)(round % 2 ? random_bits() : 0xff);
		library_entry(&l, "on_record")(&ev, wide + l.state_size);
	}
	for (size_t i = 0; i < l.state_size; i++)
		cr_assert(!wide[i] && !wide[2 * l.state_size + i]);
	free(wide);
	library_close(&l);
}
