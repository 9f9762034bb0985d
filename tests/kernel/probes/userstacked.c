/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of processes that call getppid, with the kernel's. */
#include <ward/imports.h>
#include <ward/probe.h>

const volatile unsigned frames = WARD_FRAMES;
const volatile unsigned thread = 0; /* 0: of all */

struct both {
	ward_stack kernel, user;
};

struct ward_state {
	ward_count calls, none;
	WARD_MAP(ward_stack, ward_count, 4096) by_stack;
	WARD_MAP(struct both, ward_count, 1024) by_both;
};

WARD_ENTRY("kernel:syscalls:sys_enter_getppid")
void on_event(const struct ward_event *ev, struct ward_state *st)
{
	struct both both;

	if (thread && ev->tid != thread)
		return;
	both.user = ward_user_stack_take(frames);
	both.kernel = ward_stack_take(frames);
	st->calls++;
	st->none += !both.user;
	ward_map_add(&st->by_stack, both.user, 1);
	ward_map_add(&st->by_both, both, 1);
}
