/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls a function of the kernel, and who calls that: the stacks in which it is called, and how often each.
 *
 *	ward trace --kernel -d 10 -f 'kernel!vfs_read' probes/tools/kernel/stackcount.c
 *	ward trace --kernel -d 10 -f 'kernel:sched:sched_waking' probes/tools/kernel/stackcount.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(ward_stack, ward_count, 8192) by_stack;
};

WARD_ENTRY("kernel!vfs_read")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls++;
	ward_map_add(&st->by_stack, ward_stack_take(WARD_FRAMES), 1);
}
