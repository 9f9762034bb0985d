/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls of the target's work(), by size and by the argument modulo 4. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	ward_log2 sizes;
	WARD_MAP(int, ward_count, 16) by_rest;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_log2_add(&st->sizes, ev->arg[0]);
	ward_map_add(&st->by_rest, (int)(ev->arg[0] & 3) - 1, 1);
}
