/* SPDX-License-Identifier: Apache-2.0 */
/* Times of different threads, compared. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, early;
};

static unsigned long last;

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->early += ev->time < last;
	last = ev->time;
}
