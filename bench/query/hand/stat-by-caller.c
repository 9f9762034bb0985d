/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct ward_state {
	WARD_SPILL(unsigned long, ward_stat, 4096, 32768) sizes;
};

WARD_ENTRY("ward-bench-target!traced_push")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_stat_add(ward_spill_at(&st->sizes, ev->caller), ev->arg[0]);
}
