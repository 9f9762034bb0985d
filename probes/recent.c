/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has read from what recently, by thread and file descriptor?
 *
 *	ward trace -p PID -d 10 probes/recent.c
 *
 * A program that opens a file for each request uses any number of descriptors and threads. WARD_RECENT keeps those
 * that were used last. The others make room for them, and are counted.
 */
#include <ward/probe.h>

struct reader {
	int thread, fd;
};

struct ward_state {
	WARD_RECENT(struct reader, ward_stat, 128) bytes;
};

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	struct reader reader = {.thread = (int)ev->tid, .fd = (int)ev->arg[0]};

	ward_stat_add(ward_recent_at(&st->bytes, reader), ev->arg[2]);
}
