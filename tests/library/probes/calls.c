/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of calls: sp identifies the call, arg[0] is a number that the call has at both ends. */
#include <ward/probe.h>

struct two {
	unsigned long a, b;
};

struct ward_state {
	WARD_CALLS(unsigned long, 8) calls;
	WARD_CALLS(struct two, 1) one;
	ward_count pairs, wrong, ones;
};

WARD_ENTRY("target!work")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	ward_calls_enter(&st->calls, ev->sp, ev->arg[0]);
	ward_calls_enter(&st->one, ev->sp, ((struct two){ev->arg[0], 1}));
}

WARD_ENTRY("target!rest")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	struct two one;
	unsigned long number;

	if (ward_calls_leave(&st->calls, ev->sp, &number)) {
		st->pairs++;
		st->wrong += number != ev->arg[0];
	}
	if (ward_calls_leave(&st->one, ev->sp, &one)) {
		st->ones += one.b;
		st->wrong += one.a != ev->arg[0];
	}
}
