/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which names does a program look up, and how long does that take?
 *
 *	ward trace -p PID --records probes/tools/gethostlatency.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct lookup {
	unsigned long time;
	ward_elapsed took;
	int tid, failed;
	char name[64];
};

struct ward_state {
	ward_log2_elapsed times;
	WARD_QUEUE(struct lookup, 64) lookups;
};

static void record(const struct ward_event *ev, struct ward_state *st, int failed)
{
	struct lookup l = {.time = ev->time, .took = ev->elapsed, .tid = (int)ev->tid, .failed = failed};

	ward_read_str(l.name, sizeof(l.name), ev->arg[0]);
	ward_log2_add(&st->times, ev->elapsed);
	ward_queue_push(&st->lookups, l);
}

WARD_ENTRY("libc.so.6!getaddrinfo:return")
void on_getaddrinfo(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, (int)ev->ret != 0);
}

WARD_ENTRY("libc.so.6!gethostbyname:return")
void on_gethostbyname(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, ev->ret == 0);
}
