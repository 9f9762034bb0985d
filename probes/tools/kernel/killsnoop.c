/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who sends which signals to whom?
 *
 *	ward trace --kernel --records probes/tools/kernel/killsnoop.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct sent {
	unsigned long time;
	int pid, to, signal, result;
	char program[16];
};

struct ward_state {
	WARD_RING(struct sent, 256) signals;
};

WARD_ENTRY("kernel!__x64_sys_kill:return")
void on_killed(const struct ward_event *ev, struct ward_state *st)
{
	const struct pt_regs *regs = WARD_ARG(struct pt_regs *, 0);
	struct sent s = {.time = ev->time,
		.to = (int)WARD_GET(regs, di),
		.signal = (int)WARD_GET(regs, si),
		.result = (int)ev->ret};
	struct ward_current it;

	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(s.program, it.comm, sizeof(s.program));
		s.pid = (int)it.pid;
	}
	ward_ring_push(&st->signals, s);
}
