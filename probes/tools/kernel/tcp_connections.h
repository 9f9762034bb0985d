/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools that list connections have in common: a record of each, and how many there were. */
#ifndef WARD_TOOLS_TCP_CONNECTIONS_H
#define WARD_TOOLS_TCP_CONNECTIONS_H

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

#endif
