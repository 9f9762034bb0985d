/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which reads and writes of files take longer than a time?
 *
 *	ward trace --kernel --records probes/tools/kernel/fileslower.c
 *
 * THRESHOLD is in counts of the time stamp counter (default: three million, about a millisecond).
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#ifndef THRESHOLD
#define THRESHOLD 3000000
#endif

struct slow {
	unsigned long time;
	ward_elapsed took;
	int pid;
	ward_site site;
	long bytes;
	char program[16], file[32];
};

struct ward_state {
	ward_count all;
	WARD_RING(struct slow, 256) slow;
};

static void record(const struct ward_event *ev, struct ward_state *st)
{
	struct slow s = {.time = ev->time, .took = ev->elapsed, .site = (ward_site)ev->site, .bytes = (long)ev->ret};
	struct ward_current it;

	st->all++;
	if (ev->elapsed < THRESHOLD)
		return;
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(s.program, it.comm, sizeof(s.program));
		s.pid = (int)it.pid;
	}
	ward_kernel_read_str(
		s.file, sizeof(s.file), (uint64_t)WARD_GET(WARD_ARG(struct file *, 0), f_path.dentry, d_name.name));
	ward_ring_push(&st->slow, s);
}

WARD_ENTRY("kernel!vfs_read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st);
}

WARD_ENTRY("kernel!vfs_write:return")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st);
}
