/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What did a program do just before it complained?
 *
 *	ward trace -p PID probes/flight.c
 *
 * A flight recorder. Each thread records its reads, writes and closes, and keeps the last 64. When it writes to its
 * standard error, those are put aside, up to four times.
 */
#include <string.h>
#include <ward/probe.h>

struct step {
	unsigned long time;
	char what[8]; /* shown as text */
	int fd;
	unsigned long size;
	void *caller;
};

struct ward_state {
	ward_count complaints;
	WARD_FLIGHT(struct step, 64, 4) steps;
};

static void record(const struct ward_event *ev, struct ward_state *st, const char *what, unsigned long size)
{
	struct step step = {.time = ev->time, .fd = (int)ev->arg[0], .size = size, .caller = (void *)ev->caller};

	memcpy(step.what, what, strlen(what));
	ward_flight_push(&st->steps, step);
}

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, "read", ev->arg[2]);
}

WARD_ENTRY("libc.so.6!close")
void on_close(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, "close", 0);
}

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, "write", ev->arg[2]);
	if ((int)ev->arg[0] == 2) {
		st->complaints++;
		ward_flight_trigger(&st->steps);
	}
}
