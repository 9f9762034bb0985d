/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often does a Java program stop to collect garbage, and how long does that take?
 *
 *	ward trace -p PID -d 10 --records probes/tools/javagc.c
 *
 * `full` is 1 where all of the heap is collected. What collectors do while the program goes on isn't in it.
 */
#include <ward/probe.h>

struct collection {
	unsigned long time;
	ward_elapsed took;
	int full;
};

struct ward_state {
	ward_count all, full;
	ward_log2_elapsed times;
	WARD_QUEUE(struct collection, 256) collections;
	/* One thread begins a collection and ends it. */
	WARD_PRIVATE(unsigned long since; int of_all;);
};

WARD_ENTRY("libjvm.so!:hotspot:gc__begin")
void on_begin(const struct ward_event *ev, struct ward_state *st)
{
	st->since = ev->time;
	st->of_all = (ev->arg[0] & 0xff) != 0;
}

WARD_ENTRY("libjvm.so!:hotspot:gc__end")
void on_end(const struct ward_event *ev, struct ward_state *st)
{
	struct collection c = {.time = ev->time, .took = ev->time - st->since, .full = st->of_all};

	if (!st->since)
		return; /* it was under way when the probe came */
	st->since = 0;
	st->all++;
	st->full += (unsigned long)c.full;
	ward_log2_add(&st->times, c.took);
	ward_queue_push(&st->collections, c);
}
