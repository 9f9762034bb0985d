/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls for which the predicate is true: none. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[0] == UINT64_MAX)
		st->calls++;
}
