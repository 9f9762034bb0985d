/* SPDX-License-Identifier: Apache-2.0 */
/* The time of each call, added up: what reading the time costs. */
#include <ward/probe.h>

struct ward_state {
	ward_count times;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->times += ev->time;
}
