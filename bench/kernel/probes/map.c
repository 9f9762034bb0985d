/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by thread. */
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(int, ward_count, 256) by_thread;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by_thread, (int)ev->tid, 1);
}
