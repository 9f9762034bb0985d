/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs end, and with what status?
 *
 *	ward trace --kernel --records probes/tools/kernel/exitsnoop.c
 *
 * An exit code is 256 times the status, or the number of a signal.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ended {
	unsigned long time;
	int pid, code;
	char program[16];
};

struct ward_state {
	WARD_RING(struct ended, 256) last;
};

WARD_ENTRY("kernel:sched:sched_process_exit")
void on_exit(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *task = WARD_ARG(struct task_struct *, 0);
	struct ended e = {.time = ev->time, .pid = WARD_GET(task, tgid), .code = WARD_GET(task, exit_code)};

	if (WARD_GET(task, pid) != e.pid)
		return; /* a thread of it */
	ward_kernel_read_str(e.program, sizeof(e.program), WARD_AT(task, comm));
	ward_ring_push(&st->last, e);
}
