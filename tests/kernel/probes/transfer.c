/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All words of the event where a system call begins and where it returns, for calls whose first offset is a
 * remarkable number.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count entered, returned;
	ward_count good_entry, good_return, good_result, good_time, good_caller, good_cpu;
	ward_count sp; /* those of entries less those of returns */
	WARD_MAP(ward_site, ward_count, 64) by_site;
};

static unsigned long is_good(const struct ward_event *ev)
{
	return (int)ev->arg[0] == -1 && (int)ev->arg[2] == -3 && ev->arg[3] == 0x123456789abcdef0 &&
	       ev->arg[4] == 0x5555555555 && (unsigned)ev->arg[5] == 0x66666666;
}

WARD_ENTRY("kernel:syscalls:sys_enter_copy_file_range")
void on_enter(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[1] != 0x1122334455667788)
		return;
	st->entered++;
	st->good_entry += is_good(ev);
	st->sp += ev->sp;
	st->good_caller += ev->caller >> 56 == 0xff;
	st->good_cpu += ev->cpu < 64;
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}

WARD_ENTRY("kernel:syscalls:sys_exit_copy_file_range")
void on_exit(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[1] != 0x1122334455667788)
		return;
	st->returned++;
	st->good_return += is_good(ev);
	st->good_result += (long)ev->ret == -9; /* EBADF */
	st->good_time += ev->elapsed > 0 && ev->elapsed < ev->time;
	st->sp -= ev->sp;
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}
