/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, and a histogram of the first argument by powers of two. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	ward_log2 argument;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_log2_add(&st->argument, ev->arg[0]);
}
