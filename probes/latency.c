/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do calls of a function take?
 *
 *	ward trace -p PID -d 10 -f 'libc.so.6!fsync' probes/latency.c
 *
 * Times are from the function's entry to its return, waiting included. With a pattern of several functions each has its
 * own histogram.
 */
#include <ward/probe.h>

struct ward_state {
	WARD_QUANTILES_OF(ward_elapsed, 4) took;
	WARD_MAP(ward_site, ward_log2_elapsed, 64) by_site;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_quantiles_add(&st->took, ev->elapsed);
	ward_log2_add(ward_map_at(&st->by_site, (ward_site)ev->site), ev->elapsed);
}
