/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which mutexes does a program lock in both orders, so that two threads may wait for each other for ever?
 *
 *	ward trace -p PID --records probes/tools/deadlock.c
 *
 * A thread that holds A and locks B has the order A, B. When the order B, A was seen before, of whatever thread, both
 * are a record, with the stacks in which they were locked. Nobody has to wait for that: the order is enough. Each
 * thread may hold up to 16 mutexes at once; what it holds beyond that isn't looked at, and counted.
 */
#include <ward/imports.h>
#include <ward/probe.h>

enum { HELD = 16 };

struct order {
	unsigned long first, second;
};

struct inversion {
	unsigned long time;
	int tid;
	void *first, *second;
	ward_stack here, there; /* where they are locked in this order, and in the other one */
};

struct ward_state {
	ward_count inversions, beyond;
	WARD_QUEUE(struct inversion, 64) found;
	WARD_PRIVATE(unsigned long held[HELD];);
	WARD_PRIVATE(unsigned int n;);
};

WARD_SHARED(WARD_SHARED_MAP(struct order, ward_stack, 16384) seen;
	WARD_SHARED_MAP(struct order, unsigned long, 4096) told;);

static void compare(const struct ward_event *ev, struct ward_state *st, unsigned long first, ward_stack here)
{
	struct order order = {first, ev->arg[0]}, other = {ev->arg[0], first};
	ward_stack there;
	unsigned long times;

	if (!ward_shared_map_get(&ward_shared.seen, order, &there))
		ward_shared_map_put(&ward_shared.seen, order, here);
	if (!ward_shared_map_get(&ward_shared.seen, other, &there) ||
		ward_shared_map_get(&ward_shared.told, order, &times))
		return;
	ward_shared_map_put(&ward_shared.told, order, 1ul);
	st->inversions++;
	ward_queue_push(&st->found,
		((struct inversion){ev->time, (int)ev->tid, (void *)first, (void *)ev->arg[0], here, there}));
}

WARD_ENTRY("libc.so.6!pthread_mutex_lock")
void on_lock(const struct ward_event *ev, struct ward_state *st)
{
	unsigned int n = st->n;

	if (n >= HELD) {
		st->beyond++;
		return;
	}
	if (n) {
		ward_stack here = ward_stack_take(WARD_FRAMES);

		for (unsigned int i = 0; i < HELD; i++)
			if (i < n && st->held[i] != ev->arg[0])
				compare(ev, st, st->held[i], here);
	}
	st->held[n] = ev->arg[0];
	st->n = n + 1;
}

WARD_ENTRY("libc.so.6!pthread_mutex_unlock")
void on_unlock(const struct ward_event *ev, struct ward_state *st)
{
	unsigned int kept = 0, n = st->n;

	for (unsigned int i = 0; i < HELD; i++)
		if (i < n && st->held[i] != ev->arg[0])
			st->held[kept++ & (HELD - 1)] = st->held[i];
	st->n = kept;
}
