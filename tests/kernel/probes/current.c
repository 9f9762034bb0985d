/* SPDX-License-Identifier: Apache-2.0 */
/* Names the running task, if its name begins with "ward-cur". */
#include <string.h>

#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	ward_count calls, good_task, good_part, good_long;
	WARD_MAP(unsigned, ward_count, 64) by_process;
	WARD_MAP(unsigned, ward_count, 64) by_thread;
	WARD_MAP(unsigned, ward_count, 64) by_user;
	WARD_MAP(unsigned, ward_count, 64) by_group;
	WARD_MAP(unsigned long, ward_count, 64) by_end; /* of the name */
	WARD_MAP(int, ward_count, 256) idle;            /* processors that had nothing to do */
	WARD_PRIVATE(char room[1024];);
};

enum { WHOLE = sizeof(struct ward_current), PART = 10, MORE = 1000 };

/* So many bytes of it, and the rest zeros, and nothing behind that. */
static int is_told(char *room, const struct ward_current *it, unsigned long length, unsigned long told)
{
	int good = 1;

	memset(room, 'x', MORE + 8);
	if (ward_kernel_current((struct ward_current *)room, length) != told || memcmp(room, it, told) != 0)
		return 0;
	for (unsigned i = 0; i < MORE + 8; i++)
		good &= i < told || room[i] == (i < length ? 0 : 'x');
	return good;
}

WARD_ENTRY("kernel!__x64_sys_getppid")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	const struct task_struct *task;
	unsigned long end;

	if (ward_kernel_current(&it, sizeof it) != WHOLE || memcmp(it.comm, "ward-cur", 8) != 0)
		return;
	task = (const struct task_struct *)it.task;
	memcpy(&end, it.comm + 8, sizeof end);
	st->calls++;
	ward_map_add(&st->by_process, it.pid, 1);
	ward_map_add(&st->by_thread, it.tid, 1);
	ward_map_add(&st->by_user, it.uid, 1);
	ward_map_add(&st->by_group, it.gid, 1);
	ward_map_add(&st->by_end, end, 1);
	st->good_task += it.tid == ev->tid && (unsigned)WARD_GET(task, pid) == it.tid &&
			 (unsigned)WARD_GET(task, tgid) == it.pid;
	st->good_part += is_told(st->room, &it, PART, PART);
	st->good_long += is_told(st->room, &it, MORE, WHOLE);
}

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;

	ward_kernel_current(&it, sizeof it);
	if (it.pid == 0 && it.tid == 0 && it.uid == 0 && memcmp(it.comm, "swapper/", 8) == 0)
		ward_map_add(&st->idle, (int)ev->cpu, 1);
}
