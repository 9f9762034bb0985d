/* SPDX-License-Identifier: Apache-2.0 */
/* A slow probe, so that clocks and other tasks interrupt it. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, odd;
	WARD_MAP(int, ward_count, 64) by_thread;
};

WARD_ENTRY("kernel!__x64_sys_getppid")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long sum = ev->tid;

	for (unsigned i = 0; i < 6000; i++)
		sum = (sum ^ sum >> 7) * 31 + i;
	st->calls++;
	st->odd += sum & 1;
	ward_map_add(&st->by_thread, (int)ev->tid, 1);
}
