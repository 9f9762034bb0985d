/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do programs run before they leave the processor?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/cpudist.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct program {
	char name[16];
};

struct ward_state {
	WARD_PRIVATE(unsigned long since;);
	ward_log2_elapsed all;
	WARD_MAP(struct program, ward_log2_elapsed, 256) by_program;
};

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *prev = WARD_ARG(struct task_struct *, 1);
	struct program program = {0};
	unsigned long ran = ev->time - st->since;
	bool is_known = st->since && WARD_GET(prev, pid);

	st->since = ev->time;
	if (!is_known)
		return;
	ward_kernel_read_str(program.name, sizeof(program.name), WARD_AT(prev, comm));
	ward_log2_add(&st->all, ran);
	ward_log2_add(ward_map_at(&st->by_program, program), ran);
}
