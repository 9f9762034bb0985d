/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes does the kernel end for want of memory?
 *
 *	ward trace --kernel --records probes/tools/kernel/oomkill.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct killed {
	unsigned long time;
	int pid, because_of;
	unsigned long pages;
	char program[16];
};

struct ward_state {
	WARD_RING(struct killed, 64) last;
};

WARD_ENTRY("kernel!oom_kill_process")
void on_kill(const struct ward_event *ev, struct ward_state *st)
{
	const struct oom_control *oc = WARD_ARG(struct oom_control *, 0);
	const struct task_struct *victim = WARD_GET(oc, chosen);
	struct killed k = {.time = ev->time, .pid = WARD_GET(victim, tgid), .pages = WARD_GET(oc, totalpages)};
	struct ward_current it;

	if (ward_kernel_current(&it, sizeof(it)))
		k.because_of = (int)it.pid;
	ward_kernel_read_str(k.program, sizeof(k.program), WARD_AT(victim, comm));
	ward_ring_push(&st->last, k);
}
