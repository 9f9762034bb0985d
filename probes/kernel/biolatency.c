/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do requests of block devices take, from where they are given to the driver to where they are done?
 *
 *	ward trace --kernel -d 10 probes/kernel/biolatency.c
 *
 * A request is given on one processor and done on another: what its begin keeps is shared. `missed` were given before
 * the probe was there.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count missed;
	ward_log2_elapsed took;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) begun;);

WARD_ENTRY("kernel:block:block_rq_issue")
void on_issue(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared_map_put(&ward_shared.begun, (const void *)ev->arg[0], ev->time);
}

WARD_ENTRY("kernel:block:block_rq_complete")
void on_complete(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long since;

	if (ward_shared_map_pop(&ward_shared.begun, (const void *)ev->arg[0], &since))
		ward_log2_add(&st->took, ev->time - since);
	else
		st->missed++;
}
