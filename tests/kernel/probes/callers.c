/* SPDX-License-Identifier: Apache-2.0 */
/* From where a function is called, and the names of numbers that are no code address. */
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(void *, ward_count, 256) by_caller;
	WARD_MAP(void *, ward_count, 256) by_argument;
};

WARD_ENTRY("kernel!vfs_write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by_caller, (void *)ev->caller, 1);
	ward_map_add(&st->by_argument, (void *)ev->arg[1], 1);
}
