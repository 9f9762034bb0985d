/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs sleep, and for how long do they ask to?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/naptime.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct program {
	char name[16];
};

struct ward_state {
	WARD_MAP(struct program, ward_stat_ns, 256) asked;
};

WARD_ENTRY("kernel!hrtimer_nanosleep")
void on_sleep(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct program program = {0};

	if (ward_kernel_current(&it, sizeof(it)))
		__builtin_memcpy(program.name, it.comm, sizeof(program.name));
	ward_stat_add(ward_map_at(&st->asked, program), ev->arg[0]);
}
