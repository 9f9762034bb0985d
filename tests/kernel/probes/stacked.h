/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks at SITE, and how often each. */
#include <ward/imports.h>
#include <ward/probe.h>

const volatile unsigned frames = WARD_FRAMES;
const volatile unsigned thread = 0; /* 0: of all */

struct ward_state {
	ward_count calls, none;
	WARD_MAP(ward_stack, ward_count, 16384) by_stack;
};

WARD_ENTRY(SITE)
void on_event(const struct ward_event *ev, struct ward_state *st)
{
	ward_stack stack;

	if (thread && ev->tid != thread)
		return;
	stack = ward_stack_take(frames);
	st->calls++;
	if (stack)
		ward_map_add(&st->by_stack, stack, 1);
	else
		st->none++;
}
