/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which threads does a program start?
 *
 *	ward trace -p PID --records probes/tools/threadsnoop.c
 *
 * The function is where the thread begins.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct start {
	unsigned long time;
	int tid;
	void *function, *argument;
};

struct ward_state {
	ward_count threads;
	WARD_QUEUE(struct start, 256) starts;
};

WARD_ENTRY("libc.so.6!pthread_create")
void on_create(const struct ward_event *ev, struct ward_state *st)
{
	st->threads++;
	ward_queue_push(&st->starts, ((struct start){ev->time, (int)ev->tid, (void *)ev->arg[2], (void *)ev->arg[3]}));
}
