/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who accepts connections from where?
 *
 *	ward trace --kernel --records probes/tools/kernel/tcpaccept.c
 *
 * An address is a number in the order of the network; 127.0.0.1 is 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

struct connection {
	unsigned long time;
	int pid;
	unsigned int from, to;
	unsigned short from_port, to_port, family;
	char program[16];
};

struct ward_state {
	ward_count all;
	WARD_RING(struct connection, 256) last;
};

static void record(const struct ward_event *ev, struct ward_state *st, const struct sock *sk)
{
	struct ends e = {0};
	struct ward_current it;
	struct connection c = {.time = ev->time};

	read_ends(&e, sk);
	c.from = e.from;
	c.to = e.to;
	c.from_port = e.from_port;
	c.to_port = e.to_port;
	c.family = e.family;
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(c.program, it.comm, sizeof(c.program));
		c.pid = (int)it.pid;
	}
	st->all++;
	ward_ring_push(&st->last, c);
}

WARD_ENTRY("kernel!inet_csk_accept:return")
void on_accept(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->ret)
		record(ev, st, (const struct sock *)ev->ret);
}
