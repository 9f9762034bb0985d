/* SPDX-License-Identifier: Apache-2.0 */
/* What return probes know from the entry: ret_down(n, deepest, jump) returns n. tests/loader reads the raw state. */
#include <ward/probe.h>

struct ward_state {
	uint64_t returns, wrong, elapsed, longest, plain, entries, backwards, last_n, last_elapsed;
};

WARD_ENTRY("target!ret_down")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->entries++;
	st->wrong += ev->arg[0] > ev->arg[1];
}

WARD_ENTRY("target!ret_down:return")
void on_plain(const struct ward_event *ev, struct ward_state *st)
{
	st->plain++;
	st->wrong += !ev->caller;
}

WARD_ENTRY("target!ret_down:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->returns++;
	st->wrong += ev->ret != ev->arg[0] || ev->arg[2] > 1;
	st->elapsed += ev->elapsed;
	if (ev->elapsed > st->longest)
		st->longest = ev->elapsed;
	/* Returns come from within: the one before was in this call. */
	st->backwards += ev->arg[0] + 1 == st->last_n && ev->elapsed <= st->last_elapsed;
	st->last_n = ev->arg[0];
	st->last_elapsed = ev->elapsed;
}
