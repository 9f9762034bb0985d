/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long are mutexes waited for, and how long held?
 *
 *	ward trace -p PID -d 10 probes/locks.c
 *
 * For each mutex the probe shows how often it was taken, how long taking it took, and how long it was held, in counts
 * of the time stamp counter. It follows 16 mutexes that a thread holds at once; `more` counts those beyond. Waiting
 * for a condition releases the mutex and takes it again by other functions; that time counts as held.
 */
#include <ward/probe.h>

struct mutex {
	ward_stat_elapsed waited, held;
};

struct ward_state {
	ward_count more;
	WARD_MAP(void *, struct mutex, 1024) by_mutex;
	WARD_PRIVATE(struct { unsigned long mutex, since; } held[16];);
};

/*
 * The place of a mutex among those that are held; that of mutex 0 is a free one. The number of places if there is none.
 */
static unsigned find(const struct ward_state *st, unsigned long mutex)
{
	unsigned i = 0;

	while (i < 16 && st->held[i].mutex != mutex)
		i++;
	return i;
}

WARD_ENTRY("libc.so.6!pthread_mutex_lock:return")
void on_lock(const struct ward_event *ev, struct ward_state *st)
{
	unsigned i = find(st, 0);

	if (ev->caller && (int)ev->ret != 0) /* not taken; of a call that ends in another one it isn't known */
		return;
	ward_stat_add(&ward_map_at(&st->by_mutex, (void *)ev->arg[0])->waited, ev->elapsed);
	if (i >= 16) {
		st->more++;
		return;
	}
	st->held[i].mutex = ev->arg[0];
	st->held[i].since = ev->time;
}

WARD_ENTRY("libc.so.6!pthread_mutex_unlock")
void on_unlock(const struct ward_event *ev, struct ward_state *st)
{
	unsigned i = find(st, ev->arg[0]);

	if (i >= 16 || !ev->arg[0])
		return;
	st->held[i].mutex = 0;
	ward_stat_add(&ward_map_at(&st->by_mutex, (void *)ev->arg[0])->held, ev->time - st->held[i].since);
}
