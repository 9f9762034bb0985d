/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls whom, how often, and where does the time go?
 *
 *	ward graph -p PID -f 'sqlite3!*'
 *
 * shows this probe's results as a tree. A place in the tree is a path of functions from the outermost to this one. It
 * has a number that is a hash of the path, so the places of all threads and processes add up. A call's time is known at
 * its end. What a function took itself is its time without that of the places below it.
 *
 * A call is known by its stack pointer. One that longjmp or an exception has left is forgotten when its caller goes on:
 * it is counted, and has no time. Deeper calls than DEPTH are part of the last one above them, and counted.
 * With EVENTS each call of at least `longer` counts is a record, too.
 */
#include <ward/probe.h>

#ifndef DEPTH
#define DEPTH 128
#endif
#ifndef PLACES
#define PLACES 16384
#endif
#ifndef EVENTS
#define EVENTS 0
#endif

#if EVENTS
const volatile unsigned long longer = 0;
#endif

struct place {
	unsigned long caller; /* the path's number; 0: none */
	ward_site site;
	ward_pad pad[4];
};

/*
 * The number of a path that goes on with a site: two paths have the same one, or one has 0, by a chance of 2^-64 only.
 */
static unsigned long path_number(unsigned long caller, unsigned long site)
{
	unsigned long h = (caller ^ (site + 1)) * 0x9e3779b97f4a7c15;

	return h ^ h >> 32;
}

struct times {
	ward_count calls, ended;
	ward_elapsed total;
	ward_max_elapsed longest;
};

struct event {
	unsigned long time;
	ward_elapsed took;
	int tid;
	ward_site site;
};

struct ward_state {
	WARD_MAP(struct place, struct times, PLACES) tree;
	WARD_CALLS(unsigned long, DEPTH) calls; /* the numbers of their paths */
#if EVENTS
	WARD_QUEUE(struct event, EVENTS) events;
#endif
};

/* The place of a call of that function by the innermost one that is open. */
static struct place find_place(const struct ward_state *st, unsigned long site)
{
	unsigned open = st->calls.open;

	return (struct place){
		.caller = open ? st->calls.slot[(open - 1) & (DEPTH - 1)].value : 0, .site = (ward_site)site};
}

WARD_ENTRY(":entry")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	struct place place;

	st->calls.open = WARD_CALLS_ABOVE(&st->calls, ev->sp + 1); /* without those that were left */
	if (st->calls.open >= DEPTH) {
		st->calls.lost++;
		return;
	}
	place = find_place(st, ev->site);
	ward_map_at(&st->tree, place)->calls++;
	ward_calls_enter(&st->calls, ev->sp, path_number(place.caller, ev->site));
}

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	struct times *times;
	unsigned long path;

	if (!ward_calls_leave(&st->calls, ev->sp, &path))
		return;
	times = ward_map_at(&st->tree, find_place(st, ev->site));
	times->ended++;
	times->total += ev->elapsed;
	ward_max_add(&times->longest, ev->elapsed);
#if EVENTS
	if (ev->elapsed >= longer)
		ward_queue_push(
			&st->events, ((struct event){ev->time, ev->elapsed, (int)ev->tid, (ward_site)ev->site}));
#endif
}
