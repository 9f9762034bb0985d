/* SPDX-License-Identifier: Apache-2.0 */
/* What `Function("kernel!vfs_*").CountBy(site)` makes: how often is each called? */
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(ward_site, ward_count, 256) calls;
};

WARD_ENTRY("kernel!vfs_*")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->calls, (ward_site)ev->site, 1);
}
