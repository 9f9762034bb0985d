/* SPDX-License-Identifier: Apache-2.0 */
/* The same updates in a thread's own state, and in what all threads share. */
#include <ward/probe.h>

struct ward_state {
	ward_count count, popped, missed;
	WARD_MAP(unsigned long, ward_count, 4096) map;
};
WARD_SHARED(ward_shared_count count; WARD_SHARED_MAP(unsigned long, unsigned long, 4096) map;
	WARD_SHARED_MAP(unsigned long, unsigned long, 4096) begun;);

WARD_ENTRY("ward-bench-stacks-target!private_count")
void on_private_count(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->count++;
}

WARD_ENTRY("ward-bench-stacks-target!shared_count")
void on_shared_count(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	(void)st;
	ward_shared.count++;
}

WARD_ENTRY("ward-bench-stacks-target!private_map")
void on_private_map(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->map, ev->arg[0], 1);
}

WARD_ENTRY("ward-bench-stacks-target!shared_map")
void on_shared_map(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared_map_add(&ward_shared.map, ev->arg[0], 1);
}

/* Of two threads with one key, one may take what the other one has put. Each value is taken once at most. */
WARD_ENTRY("ward-bench-stacks-target!put_pop")
void on_put_pop(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long v;

	ward_shared_map_put(&ward_shared.begun, ev->arg[0], ev->arg[0]);
	if (ward_shared_map_pop(&ward_shared.begun, ev->arg[0], &v))
		st->popped++;
	else
		st->missed++;
}
