/* SPDX-License-Identifier: Apache-2.0 */
/* Two probes on one site, and one that matches nothing. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t first, second;
};

WARD_ENTRY("target!work")
void one(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->first += ev->arg[0];
}

WARD_ENTRY("target!wor?:entry")
void two(const struct ward_event *ev, struct ward_state *st)
{
	st->second += ev->arg[1];
}

WARD_ENTRY("target!no_such_function")
void three(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->arg[0];
}
