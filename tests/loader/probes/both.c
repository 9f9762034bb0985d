/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of calls, paired by the stack pointer. tests/loader reads the raw state. */
#include <ward/probe.h>

struct ward_state {
	uint64_t entries, returns, pairs, callers, tails;
	WARD_MAP(unsigned long, unsigned long, 64) open; /* by stack pointer: caller */
};

WARD_ENTRY("target!ret_*")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->entries++;
	*ward_map_at(&st->open, ev->sp) = ev->caller;
}

WARD_ENTRY("target!ret_*:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long caller;

	st->returns++;
	if (ward_map_get(&st->open, ev->sp, &caller)) {
		st->pairs++;
		st->callers += caller == ev->caller;
		st->tails += !ev->caller;
		ward_map_remove(&st->open, ev->sp);
	}
}
