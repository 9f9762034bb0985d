/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do reads and writes of files take, by file system?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/fsdist.c
 *
 * What ext4dist, xfsdist and the like show of one file system each.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct kind {
	char file_system[16];
	ward_site site;
};

struct ward_state {
	WARD_MAP(struct kind, ward_log2_elapsed, 64) times;
};

static void count(const struct ward_event *ev, struct ward_state *st, const struct file *file)
{
	struct kind kind = {.site = (ward_site)ev->site};

	ward_kernel_read_str(kind.file_system, sizeof(kind.file_system),
		(uint64_t)WARD_GET(WARD_GET(file, f_inode, i_sb, s_type), name));
	ward_log2_add(ward_map_at(&st->times, kind), ev->elapsed);
}

WARD_ENTRY("kernel!vfs_read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st, WARD_ARG(struct file *, 0));
}

WARD_ENTRY("kernel!vfs_write:return")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st, WARD_ARG(struct file *, 0));
}
