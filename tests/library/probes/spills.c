/* SPDX-License-Identifier: Apache-2.0 */
/* Maps that hand on: by a number, and by a struct. */
#include <ward/probe.h>

struct place {
	int line;
	char name[12];
};

struct measured {
	ward_count calls;
	ward_stat sizes;
	ward_log2 spread;
};

struct ward_state {
	WARD_SPILL(unsigned long, ward_count, 256, 1024) by_number;
	WARD_SPILL(struct place, struct measured, 16, 64) by_place;
	WARD_SPILL(short, ward_count, 1, 1) least;
	ward_count calls;
};

WARD_ENTRY("target!work")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct place place = {.line = (int)ev->arg[1], .name = "place"};
	struct measured *m;

	place.name[5] = (char)('a' + ev->arg[1] % 26);
	st->calls++;
	ward_spill_add(&st->by_number, ev->arg[0], 1);
	m = ward_spill_at(&st->by_place, place);
	m->calls++;
	ward_stat_add(&m->sizes, ev->arg[2]);
	ward_log2_add(&m->spread, ev->arg[2]);
	ward_spill_add(&st->least, (short)ev->arg[0], 1);
}
