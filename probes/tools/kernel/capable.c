/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which capabilities does the kernel look for, and for whom?
 *
 *	ward trace --kernel --records probes/tools/kernel/capable.c
 *
 * The numbers are those of linux/capability.h; result 0 is yes.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct who {
	char program[16];
	int pid;
};

struct check {
	unsigned long time;
	int pid, uid, capability, result;
	char program[16];
};

struct ward_state {
	WARD_MAP(int, ward_count, 64) by_capability;
	WARD_RING(struct check, 256) checks;
};

WARD_ENTRY("kernel!cap_capable:return")
void on_checked(const struct ward_event *ev, struct ward_state *st)
{
	struct check c = {.time = ev->time, .capability = (int)ev->arg[2], .result = (int)ev->ret};
	struct ward_current it;

	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(c.program, it.comm, sizeof(c.program));
		c.pid = (int)it.pid;
		c.uid = (int)it.uid;
	}
	ward_map_add(&st->by_capability, c.capability, 1);
	ward_ring_push(&st->checks, c);
}
