/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: where, of whom, and what of. */
#include <ward/probe.h>

struct ward_state {
	ward_count samples, user, later, good_sp;
	WARD_MAP(int, ward_count, 64) by_cpu;
	WARD_MAP(int, ward_count, 512) by_thread, user_by_thread;
	WARD_MAP(unsigned long, ward_count, 512) by_address, by_page;
	WARD_MAP(ward_site, ward_count, 8) by_site;
	WARD_PRIVATE(unsigned long last;);
};

WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	st->samples++;
	st->user += ev->arg[0] == 1;
	st->later += ev->time > st->last;
	st->last = ev->time;
	st->good_sp += ev->arg[0] ? ev->sp >> 47 == 0 : ev->sp >> 56 == 0xff && ev->sp % 8 == 0;
	ward_map_add(&st->by_cpu, (int)ev->cpu, 1);
	ward_map_add(&st->by_thread, (int)ev->tid, 1);
	if (ev->arg[0])
		ward_map_add(&st->user_by_thread, (int)ev->tid, 1);
	ward_map_add(&st->by_address, ev->caller >> 12, 1);
	ward_map_add(&st->by_page, ev->arg[1] >> 12, 1);
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
}
