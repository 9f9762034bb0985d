/* SPDX-License-Identifier: Apache-2.0 */
/* Every field that an entry site has. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t arg[6], caller, tid, cpu, time, backwards, site, sp;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	for (int i = 0; i < 6; i++)
		st->arg[i] = ev->arg[i];
	st->caller = ev->caller;
	st->tid = ev->tid;
	st->cpu = ev->cpu;
	st->backwards += ev->time < st->time;
	st->time = ev->time;
	st->site = ev->site;
	st->sp = ev->sp;
}
