/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY("ward-bench-target!traced_push")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[0] > 1ul << 40)
		st->calls++;
}
