/* SPDX-License-Identifier: Apache-2.0 */
/* The tracepoint at which system calls begin: the call's number, and the other words that a tracepoint's event has. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	ward_count good_caller, good_sp, good_cpu, later, good_registers, no_more;
	WARD_MAP(int, ward_count, 256) by_thread;
	WARD_MAP(ward_site, ward_count, 64) by_site;
	WARD_PRIVATE(unsigned long last;);
};

enum { GETPPID = 110 };

WARD_ENTRY("kernel:raw_syscalls:sys_enter")
void on_enter(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->arg[1] != GETPPID)
		return;
	st->calls++;
	st->good_registers += ev->arg[0] >> 56 == 0xff && ev->arg[0] % 8 == 0;
	st->no_more += (ev->arg[2] | ev->arg[3] | ev->arg[4] | ev->arg[5]) == 0;
	st->good_caller += ev->caller >> 56 == 0xff;
	st->good_sp += ev->sp >> 56 == 0xff && ev->sp % 8 == 0;
	st->good_cpu += ev->cpu < 64;
	st->later += ev->time > st->last;
	st->last = ev->time;
	ward_map_add(&st->by_thread, (int)ev->tid, 1);
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}
