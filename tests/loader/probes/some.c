/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of the same tracepoints; some read values that aren't available at every site. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t firsts, seconds;
};

WARD_ENTRY("points!:tests:unknown")
void on_second(const struct ward_event *ev, struct ward_state *st)
{
	st->seconds += ev->arg[1];
}

WARD_ENTRY("points!:tests:unknown")
void on_first(const struct ward_event *ev, struct ward_state *st)
{
	st->firsts += ev->arg[0];
}

WARD_ENTRY("points!:tests:unknown")
void on_any(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls++;
}
