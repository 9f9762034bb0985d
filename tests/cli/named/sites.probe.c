/* SPDX-License-Identifier: Apache-2.0 */
/* How often each site was passed. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(ward_site, ward_count, 4096) sites;
};

WARD_ENTRY()
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->sites, (ward_site)ev->site, 1);
}
