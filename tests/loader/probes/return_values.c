/* SPDX-License-Identifier: Apache-2.0 */
/* Counts each site's returns, and sums what they return. tests/loader reads the raw state. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	struct {
		uint64_t n, sum, caller, sp, time, tid, backwards;
	} site[64];
};

WARD_ENTRY("target!ret_*:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	unsigned i = ev->site & 63;

	st->calls++;
	st->site[i].n++;
	st->site[i].sum += ev->caller ? ev->ret : 0;
	st->site[i].caller |= ev->caller;
	st->site[i].sp = ev->sp;
	st->site[i].tid = ev->tid;
	st->site[i].backwards += ev->time < st->site[i].time;
	st->site[i].time = ev->time;
}
