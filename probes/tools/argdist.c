/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values does an argument of a function have, how often?
 *
 *	ward trace -p PID -d 10 -f 'libc.so.6!malloc' -D ARG=0 probes/tools/argdist.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

#ifndef ARG
#define ARG 0
#endif

struct ward_state {
	WARD_MAP(unsigned long, ward_count, 1024) values;
	ward_log2 sizes;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->values, ev->arg[ARG], 1);
	ward_log2_add(&st->sizes, ev->arg[ARG]);
}
