/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls a function, and who calls that: the stacks in which it is called, and how often each.
 *
 *	ward trace -p PID probes/stacks.c
 *	ward trace -p PID -f 'libc.so.6!write' probes/stacks.c
 *
 * A stack is a number, so it can be a map's key. It is shown as its functions, the innermost one last, as tools for
 * flame graphs read it.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(ward_stack, ward_count, 4096) by_stack;
};

WARD_ENTRY("libc.so.6!malloc")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls++;
	ward_map_add(&st->by_stack, ward_stack_take(WARD_FRAMES), 1);
}
