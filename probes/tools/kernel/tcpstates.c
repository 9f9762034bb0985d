/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Through which states do connections go?
 *
 *	ward trace --kernel --records probes/tools/kernel/tcpstates.c
 *
 * The states' numbers are those of the kernel: 1 established, 2 and 3 a request sent and received, 7 closed, 10
 * listening; the others are the steps of an end. An address is a number in the order of the network; 127.0.0.1 is
 * 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

struct change {
	unsigned char before, after;
};

struct state_change {
	unsigned long time;
	unsigned int from, to;
	unsigned short from_port, to_port, family;
	unsigned char before, after;
};

struct ward_state {
	WARD_MAP(struct change, ward_count, 256) changes;
	WARD_RING(struct state_change, 256) last;
};

WARD_ENTRY("kernel!tcp_set_state")
void on_state(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_ARG(struct sock *, 0);
	struct change change = {WARD_GET(sk, __sk_common.skc_state), (unsigned char)ev->arg[1]};
	struct ends e = {0};

	read_ends(&e, sk);
	ward_map_add(&st->changes, change, 1);
	ward_ring_push(&st->last, ((struct state_change){ev->time, e.from, e.to, e.from_port, e.to_port, e.family,
					  change.before, change.after}));
}
