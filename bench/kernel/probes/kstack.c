/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls by the kernel's stack. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(ward_stack, ward_count, 1024) by_stack;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	ward_map_add(&st->by_stack, ward_stack_take(WARD_FRAMES), 1);
}
