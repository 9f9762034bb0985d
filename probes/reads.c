/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large are a program's reads, and which file descriptors do they come from?
 *
 *	ward trace -p PID probes/reads.c
 *
 * Sizes are those asked for: the third argument of read and pread64.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	ward_log2 bytes;
	WARD_MAP(int, ward_count, 1024) by_fd;
};

static void count(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_log2_add(&st->bytes, ev->arg[2]);
	ward_map_add(&st->by_fd, (int)ev->arg[0], 1);
}

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("libc.so.6!pread64")
void on_pread64(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}
