/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmark fills by itself, and reads by this probe's schema. */
#include "state.h"

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	fill(st, ev->arg[0], ev->time);
}
