/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's structures, the process's memory, and unmapped memory. */
#include <string.h>

#include <ward/probe.h>
#include <ward/kernel.h>

struct ward_state {
	ward_count calls, good_name, good_text, refused;
	WARD_MAP(unsigned long, ward_count, 8) by_inode;
	WARD_MAP(unsigned long, ward_count, 8) by_length;
	WARD_MAP(int, ward_count, 256) parents;   /* by child */
	WARD_MAP(int, ward_count, 256) good_comm; /* by child */
};

enum { MARK = 54321 };

/* Nothing is there, or nobody may look. */
static const unsigned long nowhere[] = {0, 1, 0x1000, 0x7ffffffff000, 0x7fffffffffff, 0x8000000000000000,
	0xffff7fffffffffff, 0xffff800000000000, 0xfffffffffffffffc, 0xffffffffffffffff};
enum { NOWHERE = sizeof(nowhere) / sizeof(nowhere[0]) };

static unsigned long look_nowhere(void)
{
	unsigned long n = 0;

	for (unsigned i = 0; i < NOWHERE; i++) {
		unsigned long word = ~0ul;
		char text[9] = "xxxxxxxx";

		n += ward_kernel_read(&word, sizeof word, nowhere[i]) == 0 && word == 0;
		n += ward_kernel_read_str(text, sizeof text, nowhere[i]) == 0 &&
		     memcmp(text, "\0\0\0\0\0\0\0\0", 9) == 0;
	}
	return n;
}

WARD_ENTRY("kernel!vfs_write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	const struct file *file = WARD_ARG(struct file *, 0);
	char name[8], text[16];
	unsigned long n;

	if (ev->arg[2] != MARK)
		return;
	st->calls++;
	ward_map_add(&st->by_inode, WARD_GET(file, f_inode, i_ino), 1);
	n = ward_kernel_read_str(name, sizeof name, (uint64_t)WARD_GET(file, f_path.dentry, d_name.name));
	st->good_name += n == 4 && memcmp(name, "null\0\0\0", 8) == 0;
	n = ward_kernel_read_str(text, sizeof text, ev->arg[1]);
	st->good_text += n < 16 && text[n] == 0 && text[15] == 0 && memcmp(text, "ward", 4) == 0;
	ward_map_add(&st->by_length, n, 1);
	st->refused += look_nowhere();
}

WARD_ENTRY("kernel:sched:sched_process_fork")
void on_fork(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *parent = WARD_ARG(struct task_struct *, 0),
				 *child = WARD_ARG(struct task_struct *, 1);
	char comm[16];
	int pid = WARD_GET(child, pid);

	ward_kernel_read(comm, sizeof comm, WARD_AT(child, comm));
	ward_map_add(&st->good_comm, pid, memcmp(comm, "ward-typed", 11) == 0);
	ward_map_add(&st->parents, pid, (unsigned long)WARD_GET(parent, tgid));
}
