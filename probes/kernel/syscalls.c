/*
 * Which system calls do programs make, and how often?
 *
 *	ward trace --kernel -d 10 probes/kernel/syscalls.c
 *
 * Each is counted by the name of the thread that makes it. A processor learns that when it changes to another thread, or when its thread takes another name, as a new program does: before, it is "".
 * So these come first: sites are attached to in the order of the source.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct call {
	char program[16];
	ward_site call;
};

struct ward_state {
	WARD_MAP(struct call, ward_count, 8192) calls;
	WARD_PRIVATE(char program[16];);
};

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *next = WARD_ARG(struct task_struct *, 2);

	ward_kernel_read_str(st->program, sizeof(st->program), WARD_AT(next, comm));
}

WARD_ENTRY("kernel:task:task_rename")
void on_rename(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *task = WARD_ARG(struct task_struct *, 0);

	if ((unsigned long)WARD_GET(task, pid) == ev->tid)
		ward_kernel_read_str(st->program, sizeof(st->program), ev->arg[1]);
}

WARD_ENTRY("kernel:syscalls:sys_enter_*")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct call call = {.call = (ward_site)ev->site};

	__builtin_memcpy(call.program, st->program, sizeof(call.program));
	ward_map_add(&st->calls, call, 1);
}
