/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many reads, writes, opens and syncs do files take, and how long?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/vfsstat.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(ward_site, ward_stat_elapsed, 16) calls;
};

static void count(const struct ward_event *ev, struct ward_state *st)
{
	ward_stat_add(ward_map_at(&st->calls, (ward_site)ev->site), ev->elapsed);
}

WARD_ENTRY("kernel!vfs_read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("kernel!vfs_write:return")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("kernel!vfs_open:return")
void on_open(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

/* The kernel's own functions for it are inlined in some kernels. */
WARD_ENTRY("kernel!__x64_sys_f*sync:return")
void on_sync(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}
