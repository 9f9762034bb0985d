/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do the processors do? 99 times a second each is asked: in which program, in user mode or in the kernel, and at
 * which instruction of the kernel's.
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/profile.c
 *	ward trace --kernel -d 10 -f cache-misses:10000 probes/tools/kernel/profile.c
 *
 * Process 0 is a processor that has nothing to do.
 */
#include <string.h>

#include <ward/imports.h>
#include <ward/probe.h>

struct program {
	int process;
	char name[16];
};

struct ward_state {
	ward_count samples, idle, user, kernel;
	WARD_MAP(struct program, ward_count, 4096) by_program;
	WARD_MAP(void *, ward_count, 8192) in_kernel;
};

WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct program program;

	ward_kernel_current(&it, sizeof(it));
	program.process = (int)it.pid;
	memcpy(program.name, it.comm, sizeof(program.name));
	st->samples++;
	ward_map_add(&st->by_program, program, 1);
	if (!it.tid) {
		st->idle++;
	} else if (ev->arg[0]) {
		st->user++;
	} else {
		st->kernel++;
		ward_map_add(&st->in_kernel, (void *)ev->caller, 1);
	}
}
