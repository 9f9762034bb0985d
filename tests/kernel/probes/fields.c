/* SPDX-License-Identifier: Apache-2.0 */
/* All words of the event at a function's entry; of calls whose arguments are remarkable numbers, more is recorded. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	ward_count good_caller, good_sp, good_cpu, later;
	WARD_MAP(unsigned long, ward_count, 64) arg0, arg1, arg2;
	WARD_MAP(ward_site, ward_count, 64) by_site;
	WARD_PRIVATE(unsigned long last;);
};

const volatile unsigned long mark = 12345;

WARD_ENTRY("kernel!vfs_write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[2] != mark)
		return;
	st->calls++;
	st->good_caller += ev->caller >> 56 == 0xff;
	st->good_sp += ev->sp >> 56 == 0xff && ev->sp % 8 == 0;
	st->good_cpu += ev->cpu < 64;
	st->later += ev->time > st->last;
	st->last = ev->time;
	ward_map_add(&st->arg0, ev->arg[0] >> 56, 1);
	ward_map_add(&st->arg1, ev->arg[1], 1);
	ward_map_add(&st->arg2, ev->arg[2], 1);
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}
