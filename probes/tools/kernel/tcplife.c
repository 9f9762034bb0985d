/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which connections were there, for how long, between whom?
 *
 *	ward trace --kernel --records probes/tools/kernel/tcplife.c
 *
 * A connection's states change on several processors: since when it is there is shared. An address is a number in the
 * order of the network; 127.0.0.1 is 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

enum { ESTABLISHED = 1, CLOSED = 7 };

struct life {
	unsigned long time;
	ward_elapsed lived;
	unsigned int from, to;
	unsigned short from_port, to_port, family;
};

struct ward_state {
	ward_count connections;
	ward_log2_elapsed lives;
	WARD_RING(struct life, 256) last;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) since;);

WARD_ENTRY("kernel!tcp_set_state")
void on_state(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_ARG(struct sock *, 0);
	int state = (int)ev->arg[1];
	struct ends e = {0};
	unsigned long since;

	if (state == ESTABLISHED)
		ward_shared_map_put(&ward_shared.since, (const void *)sk, ev->time);
	if (state != CLOSED || !ward_shared_map_pop(&ward_shared.since, (const void *)sk, &since))
		return;
	read_ends(&e, sk);
	st->connections++;
	ward_log2_add(&st->lives, ev->time - since);
	ward_ring_push(
		&st->last, ((struct life){ev->time, ev->time - since, e.from, e.to, e.from_port, e.to_port, e.family}));
}
