/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, and calls for each of the sixteen values of the first argument's low bits. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(int, ward_count, 64) by_argument;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->by_argument, (int)ev->arg[0] & 15, 1);
}
