/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which processors do programs run? Each is asked 99 times a second whether it has something to do.
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/cpuwalk.c
 *
 * Processors that are much busier than others say that the load is badly spread.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count samples, busy;
	WARD_MAP(int, ward_count, 1024) by_processor;
};

WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	st->samples++;
	if (!ev->tid)
		return;
	st->busy++;
	ward_map_add(&st->by_processor, (int)ev->cpu, 1);
}
