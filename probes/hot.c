/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From where is a function called most, and from how many places?
 *
 *	ward trace -p PID -d 10 -f 'libc.so.6!memcpy*' probes/hot.c
 *
 * Three sketches of fixed size, whatever the number of places: the 32 most frequent callers with bounds on their
 * counts, an estimate of how many different callers there are, and the samples of Chopstix, which include rare
 * callers.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_HLL(12) callers;
	WARD_TOP(void *, 32) most;
	WARD_CHOPSTIX(void *, 4096, 256) samples;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	void *caller = (void *)ev->caller;

	st->calls++;
	ward_hll_add(&st->callers, caller);
	ward_top_add(&st->most, caller, 1);
	ward_chopstix_add(&st->samples, caller);
}
