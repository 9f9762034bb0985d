/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is mounted and unmounted?
 *
 *	ward trace --kernel --records probes/tools/kernel/mountsnoop.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct mounted {
	unsigned long time;
	int pid, result;
	char program[16], type[16], at[48];
};

struct ward_state {
	WARD_RING(struct mounted, 64) last;
};

WARD_ENTRY("kernel!path_mount:return")
void on_mount(const struct ward_event *ev, struct ward_state *st)
{
	struct mounted m = {.time = ev->time, .result = (int)ev->ret};
	struct ward_current it;

	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(m.program, it.comm, sizeof(m.program));
		m.pid = (int)it.pid;
	}
	if (ev->arg[2])
		ward_kernel_read_str(m.type, sizeof(m.type), ev->arg[2]);
	ward_kernel_read_str(
		m.at, sizeof(m.at), (uint64_t)WARD_GET(WARD_GET(WARD_ARG(struct path *, 1), dentry), d_name.name));
	ward_ring_push(&st->last, m);
}
