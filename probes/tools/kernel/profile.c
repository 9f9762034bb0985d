/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do the processors do? 99 times a second each is asked: in which program, and in which stack of the process and
 * of the kernel.
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/profile.c
 *	ward trace --kernel -d 10 --export flame:profile.html probes/tools/kernel/profile.c
 *	ward trace --kernel -d 10 -f cache-misses:10000 probes/tools/kernel/profile.c
 *
 * A sample in user mode has no stack of the kernel: 0x0. The process's own stack needs no frame pointers. Process 0 is
 * a processor that has nothing to do.
 */
#include <string.h>

#include <ward/imports.h>
#include <ward/probe.h>

struct program {
	int process;
	char name[16];
};

struct where {
	char program[16];
	ward_stack user, kernel;
};

struct ward_state {
	ward_count samples, idle, user, kernel;
	WARD_MAP(struct program, ward_count, 4096) by_program;
	WARD_MAP(struct where, ward_count, 8192) by_stack;
};

WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct program program;
	struct where where = {0};

	ward_kernel_current(&it, sizeof(it));
	program.process = (int)it.pid;
	memcpy(program.name, it.comm, sizeof(program.name));
	st->samples++;
	ward_map_add(&st->by_program, program, 1);
	if (!it.tid) {
		st->idle++;
		return;
	}
	st->user += ev->arg[0];
	st->kernel += !ev->arg[0];
	memcpy(where.program, it.comm, sizeof(where.program));
	where.user = ward_user_stack_take(WARD_FRAMES);
	where.kernel = ward_stack_take(WARD_FRAMES);
	ward_map_add(&st->by_stack, where, 1);
}
