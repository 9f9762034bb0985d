/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by what they ask for: one map, whose partials the simulated agents of the benchmark make up (fleet.c). */
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(uint64_t, ward_count, 4096) by_size;
};

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by_size, ev->arg[2], 1);
}
