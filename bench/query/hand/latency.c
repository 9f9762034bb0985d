/* SPDX-License-Identifier: Apache-2.0 */
/* In counts of the time stamp counter; the query's histogram is of nanoseconds. */
#include <ward/probe.h>

struct ward_state {
	ward_log2 counts;
};

WARD_ENTRY("ward-bench-target!traced_push:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_log2_add(&st->counts, ev->elapsed);
}
