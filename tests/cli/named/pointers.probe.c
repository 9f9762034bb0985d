/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions' addresses were passed. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(void *, ward_count, 4096) pointers;
};

WARD_ENTRY()
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->pointers, (void *)ev->arg[0], 1);
}
