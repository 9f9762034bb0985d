/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct ward_state {
	WARD_SPILL(unsigned long, ward_count, 4096, 32768) calls;
};

WARD_ENTRY("ward-bench-target!traced_push")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_spill_add(&st->calls, ev->arg[0] & 15, 1);
}
