/* SPDX-License-Identifier: Apache-2.0 */
/* Takes so many frames of the stack of the process that calls getppid. */
#include <ward/imports.h>
#include <ward/probe.h>

const volatile unsigned frames = WARD_FRAMES;

struct ward_state {
	ward_stack last;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->last = ward_user_stack_take(frames);
}
