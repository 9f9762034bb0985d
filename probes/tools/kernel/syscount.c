/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls are made most, and how long do they take?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/syscount.c
 *
 * All of them: patterns of a hundred calls at a time are told apart by their sites.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(ward_site, ward_stat_elapsed, 1024) calls;
};

WARD_ENTRY("kernel!__x64_sys_*:return")
void on_returned(const struct ward_event *ev, struct ward_state *st)
{
	ward_stat_add(ward_map_at(&st->calls, (ward_site)ev->site), ev->elapsed);
}
