/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the calls whose result equals the first argument. At a tail call there is no result yet: ev->caller is 0. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, returns, same;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls++;
}

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->returns++;
	st->same += ev->caller && ev->arg[0] == ev->ret;
}
