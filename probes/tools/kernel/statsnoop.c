/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files do programs ask about (stat), and how many of them aren't there?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/statsnoop.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct file_path {
	char text[64];
};

struct ward_state {
	ward_count all, missing;
	WARD_PRIVATE(struct file_path one;);
	WARD_MAP(struct file_path, ward_count, 256) by_path;
};

WARD_ENTRY("kernel!vfs_statx:return")
void on_stat(const struct ward_event *ev, struct ward_state *st)
{
	const struct filename *file = WARD_ARG(struct filename *, 1);

	st->all++;
	st->missing += (int)ev->ret == -2;
	st->one = (struct file_path){0};
	if (ward_kernel_read_str(st->one.text, sizeof(st->one.text), (uint64_t)WARD_GET(file, name)))
		ward_map_add(&st->by_path, st->one, 1);
}
