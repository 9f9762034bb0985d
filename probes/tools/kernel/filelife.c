/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are made and removed again, and how long were they there?
 *
 *	ward trace --kernel --records probes/tools/kernel/filelife.c
 *
 * A file is known by its directory entry. It may be made on one processor and removed on another: since when it is
 * there is shared.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct life {
	unsigned long time;
	ward_elapsed lived;
	int pid;
	char program[16], file[32];
};

struct ward_state {
	ward_count made, removed;
	WARD_RING(struct life, 256) last;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) since;);

WARD_ENTRY("kernel!security_inode_create")
void on_create(const struct ward_event *ev, struct ward_state *st)
{
	st->made++;
	ward_shared_map_put(&ward_shared.since, (const void *)ev->arg[1], ev->time);
}

WARD_ENTRY("kernel!security_inode_unlink")
void on_unlink(const struct ward_event *ev, struct ward_state *st)
{
	const struct dentry *entry = WARD_ARG(struct dentry *, 1);
	struct ward_current it;
	struct life l = {.time = ev->time};
	unsigned long since;

	if (!ward_shared_map_pop(&ward_shared.since, (const void *)entry, &since))
		return;
	st->removed++;
	l.lived = ev->time - since;
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(l.program, it.comm, sizeof(l.program));
		l.pid = (int)it.pid;
	}
	ward_kernel_read_str(l.file, sizeof(l.file), (uint64_t)WARD_GET(entry, d_name.name));
	ward_ring_push(&st->last, l);
}
