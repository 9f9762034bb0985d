/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how often an exception left each site's function, and sums its first argument. The state is that of
 * return_values.c.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	struct {
		uint64_t n, sum, caller, sp, time, tid, backwards;
	} site[64];
};

WARD_ENTRY("leaves!l_*:throw")
void on_throw(const struct ward_event *ev, struct ward_state *st)
{
	unsigned i = ev->site & 63;

	st->calls++;
	st->site[i].n++;
	st->site[i].sum += ev->arg[0];
	st->site[i].caller |= ev->caller;
	st->site[i].sp = ev->sp;
	st->site[i].tid = ev->tid;
	st->site[i].time += ev->elapsed;
	st->site[i].backwards += ev->elapsed >> 40 != 0;
}
