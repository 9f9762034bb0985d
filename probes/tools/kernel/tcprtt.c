/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long are the ways of packets there and back (round trip times), in microseconds, as TCP reckons them?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/tcprtt.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	ward_count packets;
	ward_log2 microseconds;
};

WARD_ENTRY("kernel!tcp_rcv_established")
void on_packet(const struct ward_event *ev, struct ward_state *st)
{
	const struct tcp_sock *tp = WARD_ARG(struct tcp_sock *, 0);

	st->packets++;
	ward_log2_add(&st->microseconds, WARD_GET(tp, srtt_us) >> 3);
}
