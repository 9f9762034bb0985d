/* SPDX-License-Identifier: Apache-2.0 */
/* All words of the event at a function's return, for calls whose third argument is a remarkable number. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, entered;
	ward_count good_caller, good_cpu, good_time;
	ward_count sp; /* those of entries less those of returns */
	WARD_MAP(unsigned long, ward_count, 64) arg0, arg1, arg2, ret;
	WARD_MAP(ward_site, ward_count, 64) by_site;
};

const volatile unsigned long mark = 12345;

WARD_ENTRY("kernel!vfs_write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[2] != mark)
		return;
	st->entered++;
	st->sp += ev->sp;
}

WARD_ENTRY("kernel!vfs_write:return")
void on_written(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[2] != mark)
		return;
	st->calls++;
	st->sp -= ev->sp;
	st->good_caller += ev->caller >> 56 == 0xff;
	st->good_cpu += ev->cpu < 64;
	st->good_time += ev->elapsed > 0 && ev->elapsed < ev->time;
	ward_map_add(&st->arg0, ev->arg[0] >> 56, 1);
	ward_map_add(&st->arg1, ev->arg[1], 1);
	ward_map_add(&st->arg2, ev->arg[2], 1);
	ward_map_add(&st->ret, ev->ret, 1);
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}
