/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of calls. */
#include <ward/probe.h>

struct ward_state {
	ward_count entered, returned;
	WARD_MAP(int, ward_count, 512) by_thread;
};

WARD_ENTRY(":entry")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->entered++;
}

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->returned++;
	ward_map_add(&st->by_thread, (int)ev->tid, ev->ret);
}
