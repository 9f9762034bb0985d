/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's steps of a write, beside those in the library, which probes/steps.c records.
 *
 *	ward trace -p PID -d 10 --with-kernel probes/kernel/steps.c probes/steps.c
 *
 * All threads of the machine write. `ward trace` shows the records of those threads that belong to the process.
 */
#include <ward/probe.h>

enum what { BEGINS, RETURNS };

struct step {
	unsigned long time;
	int tid;
	ward_site site;
	enum what what;
	long bytes; /* asked for; written, or less than 0: an error's number */
};

struct ward_state {
	WARD_RING(struct step, 16384) kernel;
};

WARD_ENTRY("kernel!vfs_write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	ward_ring_push(
		&st->kernel, ((struct step){ev->time, (int)ev->tid, (ward_site)ev->site, BEGINS, (long)ev->arg[2]}));
}

WARD_ENTRY("kernel!vfs_write:return")
void on_written(const struct ward_event *ev, struct ward_state *st)
{
	ward_ring_push(
		&st->kernel, ((struct step){ev->time, (int)ev->tid, (ward_site)ev->site, RETURNS, (long)ev->ret}));
}
