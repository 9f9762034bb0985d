/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files do programs try to open, and with what result?
 *
 *	ward trace --kernel -d 10 probes/kernel/opens.c
 *
 * Each processor keeps its last 256 opens. The probe reads the path at the return, because the kernel has read it by
 * then and it is in memory.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct open {
	unsigned long time;
	int thread, result; /* a descriptor, or less than 0: an error's number */
	unsigned long flags;
	char path[100];
};

struct ward_state {
	ward_count opens, failed;
	WARD_RING(struct open, 256) last;
};

WARD_ENTRY("kernel!do_sys_openat2:return")
void on_opened(const struct ward_event *ev, struct ward_state *st)
{
	struct open o = {.time = ev->time,
		.thread = (int)ev->tid,
		.result = (int)ev->ret,
		.flags = WARD_GET(WARD_ARG(struct open_how *, 2), flags)};

	ward_kernel_read_str(o.path, sizeof(o.path), ev->arg[1]);
	ward_ring_push(&st->last, o);
	st->opens++;
	st->failed += o.result < 0;
}
