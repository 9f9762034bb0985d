/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files did a program open last?
 *
 *	ward trace -p PID -d 10 probes/opens.c
 *
 * Each thread keeps its last 256 opens. The path is read from the target; one that can't be read is shown as empty.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct open {
	unsigned long time;
	int thread;
	char path[100];
};

struct ward_state {
	ward_count opens;
	WARD_RING(struct open, 256) last;
};

static void record(const struct ward_event *ev, struct ward_state *st, unsigned long path)
{
	struct open o = {.time = ev->time, .thread = (int)ev->tid};

	ward_read_str(o.path, sizeof(o.path), path);
	ward_ring_push(&st->last, o);
	st->opens++;
}

WARD_ENTRY("libc.so.6!open")
void on_open(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, ev->arg[0]);
}

WARD_ENTRY("libc.so.6!openat")
void on_openat(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, ev->arg[1]);
}
