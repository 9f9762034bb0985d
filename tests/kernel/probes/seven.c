/* SPDX-License-Identifier: Apache-2.0 */
/* A tracepoint with more arguments than a probe sees, of types of all sizes. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, good_name;
	ward_count arg5; /* the sum */
	WARD_MAP(unsigned char, ward_count, 8) arg0;
	WARD_MAP(unsigned long, ward_count, 8) arg1;
	WARD_MAP(long, ward_count, 8) arg3;
	WARD_MAP(int, ward_count, 8) arg4;
};

WARD_ENTRY("kernel:ward_points:ward_seven")
void on_pass(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->good_name += ev->arg[2] >> 56 == 0xff;
	ward_map_add(&st->arg0, (unsigned char)ev->arg[0], 1);
	ward_map_add(&st->arg1, ev->arg[1], 1);
	ward_map_add(&st->arg3, (long)ev->arg[3], 1);
	ward_map_add(&st->arg4, (int)ev->arg[4], 1);
	st->arg5 += ev->arg[5];
}
