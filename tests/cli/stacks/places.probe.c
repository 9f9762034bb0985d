/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of `marked`, and those of `dig` while a thread's stack becomes full. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count calls, none, dug;
	WARD_MAP(ward_stack, ward_count, 4096) by_stack;
};

WARD_ENTRY("places!marked")
void on_marked(const struct ward_event *ev, struct ward_state *st)
{
	ward_stack stack = ward_stack_take(WARD_FRAMES);

	(void)ev;
	st->calls++;
	if (!stack)
		st->none++;
	ward_map_add(&st->by_stack, stack, 1);
}

WARD_ENTRY("places!dig")
void on_dig(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	if (ward_stack_take(3))
		st->dug++;
}
