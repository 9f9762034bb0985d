/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often is each of many functions called?
 *
 *	ward trace -p PID -d 10 -f 'libc.so.6!str*' probes/tools/funccount.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(ward_site, ward_count, 4096) calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->calls, (ward_site)ev->site, 1);
}
