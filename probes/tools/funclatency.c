/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do the calls of a function take?
 *
 *	ward trace -p PID -d 10 -f 'libc.so.6!read' probes/tools/funclatency.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_log2_elapsed times;
	WARD_QUANTILES_OF(ward_elapsed, 5) quantiles;
	WARD_MAP(ward_site, ward_stat_elapsed, 256) by_function;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_log2_add(&st->times, ev->elapsed);
	ward_quantiles_add(&st->quantiles, ev->elapsed);
	ward_stat_add(ward_map_at(&st->by_function, (ward_site)ev->site), ev->elapsed);
}
