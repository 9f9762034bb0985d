/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs wait for memory that was swapped out?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/swapin.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct program {
	char name[16];
};

struct ward_state {
	WARD_MAP(struct program, ward_stat_elapsed, 256) waits;
};

WARD_ENTRY("kernel!do_swap_page:return")
void on_swapped(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct program program = {0};

	if (ward_kernel_current(&it, sizeof(it)))
		__builtin_memcpy(program.name, it.comm, sizeof(program.name));
	ward_stat_add(ward_map_at(&st->waits, program), ev->elapsed);
}
