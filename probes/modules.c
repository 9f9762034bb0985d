/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many events are in which library, or module of the kernel?
 *
 *	ward trace -p PID -d 10 -f '*!*' probes/modules.c
 *	ward trace --kernel -d 10 -f 'kernel!*' probes/modules.c
 *
 * These patterns probe every function that can be probed, which makes the program or the machine several times
 * slower.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(ward_module, ward_count, 131072) by_module;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->by_module, (ward_module)ev->site, 1);
}
