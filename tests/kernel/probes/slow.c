/* SPDX-License-Identifier: Apache-2.0 */
/* A slow probe, and one that a clock triggers, which finds the other one running. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, ticks, odd;
};

WARD_ENTRY("kernel:raw_syscalls:sys_enter")
void on_enter(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long sum = ev->arg[1];

	for (unsigned i = 0; i < 6000; i++)
		sum = (sum ^ sum >> 7) * 31 + i;
	st->calls++;
	st->odd += sum & 1;
}

WARD_ENTRY("kernel:irq_vectors:local_timer_entry")
void on_tick(const struct ward_event *ev, struct ward_state *st)
{
	st->ticks++;
}
