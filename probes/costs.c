/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which callers of a function cost most time, and how long do its calls take?
 *
 *	ward trace -p PID -d 10 -f 'libsqlite3.so.0!sqlite3_step' probes/costs.c
 *
 * The probe shows the 16 callers whose calls took longest in total, in counts of the time stamp counter, with a bound
 * on the error. A histogram shows all calls. A call that ends by a jump to another function (a tail call) has no
 * caller there: it counts as one from 0.
 */
#include <ward/probe.h>

struct ward_state {
	ward_stat cycles;
	ward_log2 took;
	WARD_TOP(void *, 16) by_caller;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_stat_add(&st->cycles, ev->elapsed);
	ward_log2_add(&st->took, ev->elapsed);
	ward_top_add(&st->by_caller, (void *)ev->caller, ev->elapsed);
}
