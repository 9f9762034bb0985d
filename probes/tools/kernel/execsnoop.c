/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs are executed, by whom?
 *
 *	ward trace --kernel --records probes/tools/kernel/execsnoop.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct executed {
	unsigned long time;
	int pid, parent, uid;
	char program[16], file[100];
};

struct ward_state {
	ward_count programs;
	WARD_PRIVATE(struct executed one;);
	WARD_RING(struct executed, 128) last;
};

WARD_ENTRY("kernel:sched:sched_process_exec")
void on_exec(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *task = WARD_ARG(struct task_struct *, 0);
	const struct linux_binprm *bprm = WARD_ARG(struct linux_binprm *, 2);
	struct executed *e = &st->one;
	struct ward_current it;

	*e = (struct executed){.time = ev->time, .parent = WARD_GET(task, real_parent, tgid)};
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(e->program, it.comm, sizeof(e->program));
		e->pid = (int)it.pid;
		e->uid = (int)it.uid;
	}
	ward_kernel_read_str(e->file, sizeof(e->file), (uint64_t)WARD_GET(bprm, filename));
	st->programs++;
	ward_ring_push(&st->last, *e);
}
