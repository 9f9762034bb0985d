/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are read and written most?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/filetop.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct file_key {
	char program[16], file[32];
};

struct amounts {
	ward_count reads, writes, bytes_read, bytes_written;
};

struct ward_state {
	WARD_MAP(struct file_key, struct amounts, 256) files;
};

static struct amounts *amounts_of(struct ward_state *st, const struct file *file)
{
	struct ward_current it;
	struct file_key key = {0};

	if (ward_kernel_current(&it, sizeof(it)))
		__builtin_memcpy(key.program, it.comm, sizeof(key.program));
	ward_kernel_read_str(key.file, sizeof(key.file), (uint64_t)WARD_GET(file, f_path.dentry, d_name.name));
	return ward_map_at(&st->files, key);
}

WARD_ENTRY("kernel!vfs_read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	struct amounts *a;

	if ((long)ev->ret <= 0)
		return;
	a = amounts_of(st, WARD_ARG(struct file *, 0));
	a->reads++;
	a->bytes_read += ev->ret;
}

WARD_ENTRY("kernel!vfs_write:return")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	struct amounts *a;

	if ((long)ev->ret <= 0)
		return;
	a = amounts_of(st, WARD_ARG(struct file *, 0));
	a->writes++;
	a->bytes_written += ev->ret;
}
