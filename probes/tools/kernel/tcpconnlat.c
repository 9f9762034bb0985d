/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long does it take until who connects is connected?
 *
 *	ward trace --kernel --records probes/tools/kernel/tcpconnlat.c
 *
 * An address is a number in the order of the network; 127.0.0.1 is 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

enum { ESTABLISHED = 1 };

struct connected {
	unsigned long time;
	ward_elapsed took;
	unsigned int from, to;
	unsigned short from_port, to_port, family;
};

struct ward_state {
	ward_count connected, failed;
	ward_log2_elapsed took;
	WARD_RING(struct connected, 256) last;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) since;);

WARD_ENTRY("kernel!tcp_connect")
void on_connect(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared_map_put(&ward_shared.since, (const void *)ev->arg[0], ev->time);
}

WARD_ENTRY("kernel!tcp_set_state")
void on_state(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_ARG(struct sock *, 0);
	struct ends e = {0};
	unsigned long since;

	if (!ward_shared_map_pop(&ward_shared.since, (const void *)sk, &since))
		return;
	if ((int)ev->arg[1] != ESTABLISHED) {
		st->failed++;
		return;
	}
	read_ends(&e, sk);
	st->connected++;
	ward_log2_add(&st->took, ev->time - since);
	ward_ring_push(&st->last,
		((struct connected){ev->time, ev->time - since, e.from, e.to, e.from_port, e.to_port, e.family}));
}
