/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which steps does a write take, in the library and in the kernel?
 *
 *	ward trace -p PID -d 10 --with-kernel probes/kernel/steps.c probes/steps.c
 *
 * Records of both probes come while the trace runs, in order of time. What a thread does in the kernel
 * (probes/kernel/steps.c) stands between the beginning and the end of the library's call.
 */
#include <ward/probe.h>

enum what { BEGINS, RETURNS };

struct step {
	unsigned long time;
	int tid;
	ward_site site;
	enum what what;
	long bytes; /* asked for; written, or -1 */
};

struct ward_state {
	WARD_RING(struct step, 4096) library;
};

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	ward_ring_push(
		&st->library, ((struct step){ev->time, (int)ev->tid, (ward_site)ev->site, BEGINS, (long)ev->arg[2]}));
}

WARD_ENTRY("libc.so.6!write:return")
void on_written(const struct ward_event *ev, struct ward_state *st)
{
	ward_ring_push(
		&st->library, ((struct step){ev->time, (int)ev->tid, (ward_site)ev->site, RETURNS, (long)ev->ret}));
}
