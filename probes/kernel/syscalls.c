/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls do processes and users make, and how often?
 *
 *	ward trace --kernel -d 10 probes/kernel/syscalls.c
 *
 * A process that becomes another program, as those that a shell starts do, has a line for each program.
 */
#include <string.h>

#include <ward/imports.h>
#include <ward/probe.h>

struct call {
	int process;
	char program[16]; /* the thread's name */
	ward_site call;
};

struct ward_state {
	WARD_MAP(struct call, ward_count, 16384) calls;
	WARD_MAP(unsigned, ward_count, 256) by_user;
};

WARD_ENTRY("kernel:syscalls:sys_enter_*")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct call call = {.call = (ward_site)ev->site};

	ward_kernel_current(&it, sizeof(it));
	call.process = (int)it.pid;
	memcpy(call.program, it.comm, sizeof(call.program));
	ward_map_add(&st->calls, call, 1);
	ward_map_add(&st->by_user, it.uid, 1);
}
