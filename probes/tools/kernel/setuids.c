/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who changes its user?
 *
 *	ward trace --kernel --records probes/tools/kernel/setuids.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct change {
	unsigned long time;
	int pid, uid, wanted, result;
	char program[16];
};

struct ward_state {
	WARD_RING(struct change, 256) last;
};

WARD_ENTRY("kernel!__sys_setuid:return")
void on_setuid(const struct ward_event *ev, struct ward_state *st)
{
	struct change c = {.time = ev->time, .wanted = (int)ev->arg[0], .result = (int)ev->ret};
	struct ward_current it;

	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(c.program, it.comm, sizeof(c.program));
		c.pid = (int)it.pid;
		c.uid = (int)it.uid;
	}
	ward_ring_push(&st->last, c);
}
