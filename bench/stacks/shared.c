/* SPDX-License-Identifier: Apache-2.0 */
/* See target.h. This file has the updates of state, by one thread and by two at once. */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* There is room for a jump, and no two are the same text, which a compiler would merge. */
#define TRACED(name) \
	APART void name(unsigned long key) \
	{ \
		__asm__ volatile("nopw 0(%%rax,%%rax)\n# " #name : : "r"(key) : "memory"); \
	}
TRACED(untraced)
TRACED(private_count)
TRACED(shared_count)
TRACED(private_map)
TRACED(shared_map)
TRACED(put_pop)

static void (*const updates[UPDATES])(unsigned long) = {
	untraced, private_count, shared_count, private_map, shared_map, put_pop};

enum { TRIES = 10 }; /* to have two threads run at the same time */

struct worker {
	pthread_t thread;
	atomic_uint *missing; /* workers that haven't come to the start */
	enum update update;
	unsigned long key;
	double begin, end, ns; /* wall time; processor time of it all */
};

static void *work(void *arg)
{
	struct worker *w = arg;
	double start;

	atomic_fetch_sub(w->missing, 1);
	while (atomic_load(w->missing)) /* awake, so that all start at the same time */
		;
	w->begin = wall_ns();
	start = thread_ns();
	for (unsigned i = 0; i < UPDATE_CALLS; i++)
		updates[w->update](w->key);
	w->ns = thread_ns() - start;
	w->end = wall_ns();
	return NULL;
}

/* Has each had a processor of its own, and most of the time while the other had one? */
static bool ran_together(const struct worker *a, const struct worker *b)
{
	double begin = a->begin < b->begin ? a->begin : b->begin, end = a->end > b->end ? a->end : b->end;

	return a->ns + b->ns > 1.7 * (end - begin);
}

/* Returns ns a call, the mean of the threads; 0 if these didn't run at the same time. */
static double run_threads(enum update update, enum threads threads)
{
	unsigned n = threads == ALONE ? 1 : 2;
	struct worker w[2];
	atomic_uint missing = n;
	double ns = 0;

	for (unsigned i = 0; i < n; i++) {
		w[i] = (struct worker){
			.missing = &missing, .update = update, .key = threads == OWN_KEYS ? i * OWN_KEY : 0};
		if (pthread_create(&w[i].thread, NULL, work, &w[i]))
			__builtin_trap();
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		ns += w[i].ns / UPDATE_CALLS / n;
	}
	return n == 1 || ran_together(&w[0], &w[1]) ? ns : 0;
}

void measure_shared(struct measured *m, unsigned rounds)
{
	static double times[UPDATES][THREADS][MOST_ROUNDS];
	unsigned n[UPDATES][THREADS] = {0};
	double ns;

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned threads = 0; threads < THREADS; threads++)
			for (unsigned update = 0; update < UPDATES; update++) {
				ns = 0;
				for (unsigned try = 0; try < TRIES && ns == 0; try++) {
					ns = run_threads(update, threads);
					m->calls[update][threads] += UPDATE_CALLS * (threads == ALONE ? 1 : 2);
				}
				if (ns > 0)
					times[update][threads][n[update][threads]++] = ns;
			}
	for (unsigned update = 0; update < UPDATES; update++)
		for (unsigned threads = 0; threads < THREADS; threads++)
			settle(m, update, threads, times[update][threads], n[update][threads]);
}
