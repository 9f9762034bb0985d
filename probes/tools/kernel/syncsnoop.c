/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs make the kernel write everything to disk?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/syncsnoop.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct caller {
	char program[16];
	ward_site site;
};

struct ward_state {
	WARD_MAP(struct caller, ward_stat_elapsed, 256) calls;
};

/* sync, syncfs, fsync, fdatasync, msync, sync_file_range */
WARD_ENTRY("kernel!__x64_sys_*sync*:return")
void on_sync(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct caller key = {.site = (ward_site)ev->site};

	if (ward_kernel_current(&it, sizeof(it)))
		__builtin_memcpy(key.program, it.comm, sizeof(key.program));
	ward_stat_add(ward_map_at(&st->calls, key), ev->elapsed);
}
