/* SPDX-License-Identifier: Apache-2.0 */
/* Entries and returns, counted. */
#include <ward/probe.h>

struct ward_state {
	ward_count entries, returns;
};

WARD_ENTRY()
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->entries++;
}

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->returns++;
}
