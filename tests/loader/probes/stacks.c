/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checked(x, ~x) has these arguments in every event. kept(n) measures how long it took, with n in the lower 20 bits.
 * tests/loader reads the raw state.
 */
#include <ward/probe.h>

struct ward_state {
	uint64_t calls, wrong, entries, returns, mixed, short_;
};

WARD_ENTRY("stacks!checked")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->wrong += ev->arg[1] != ~ev->arg[0];
}

WARD_ENTRY("stacks!kept")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->entries++;
}

WARD_ENTRY("stacks!kept:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->returns++;
	st->mixed += (ev->ret & 0xfffff) != ev->arg[0];
	st->short_ += ev->elapsed < ev->ret >> 20;
}
