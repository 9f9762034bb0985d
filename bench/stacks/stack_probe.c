/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of a function's caller: taken, and counted by what it is. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count taken, none;
	WARD_MAP(ward_stack, ward_count, 4096) by_stack;
};

WARD_ENTRY("ward-bench-stacks-target!traced_take")
void on_take(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	if (ward_stack_take(20))
		st->taken++;
	else
		st->none++;
}

WARD_ENTRY("ward-bench-stacks-target!traced_count")
void on_count(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	ward_map_add(&st->by_stack, ward_stack_take(20), 1);
}
