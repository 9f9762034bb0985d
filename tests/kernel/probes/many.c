/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by function. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(ward_site, ward_count, 4096) by_site;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}
