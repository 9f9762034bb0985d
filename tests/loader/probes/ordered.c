/* SPDX-License-Identifier: Apache-2.0 */
/* Threads share a time. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t since; /* the last call, of whichever thread */
};

static unsigned long last;

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->since = ev->time - last;
	last = ev->time;
}
