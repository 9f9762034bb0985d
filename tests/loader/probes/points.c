/* SPDX-License-Identifier: Apache-2.0 */
/* What is seen at each static tracepoint. */
#include <ward/probe.h>

struct seen {
	uint64_t n, arg[6], caller, sp, sum, tid;
};

struct ward_state {
	uint64_t calls;
	struct seen site[64];
};

WARD_ENTRY("points!:tests:*")
void on_point(const struct ward_event *ev, struct ward_state *st)
{
	struct seen *s = &st->site[ev->site & 63];

	st->calls++;
	s->n++;
	for (int i = 0; i < 6; i++)
		s->arg[i] = ev->arg[i];
	s->sum += ev->arg[0];
	s->caller = ev->caller;
	s->sp = ev->sp;
	s->tid = ev->tid;
}
