/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the entries and returns of functions. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, returns;
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
	(void)ev;
	st->returns++;
}
