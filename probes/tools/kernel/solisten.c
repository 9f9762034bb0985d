/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who begins to listen, where, and for how many connections that wait?
 *
 *	ward trace --kernel --records probes/tools/kernel/solisten.c
 *
 * An address is a number in the order of the network; 127.0.0.1 is 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

struct new_listener {
	unsigned long time;
	int pid;
	unsigned int address;
	unsigned short port, family;
	int waiting;
	char program[16];
};

struct ward_state {
	ward_count all;
	WARD_RING(struct new_listener, 256) last;
};

WARD_ENTRY("kernel!inet_listen")
void on_listen(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_GET(WARD_ARG(struct socket *, 0), sk);
	struct ends e = {0};
	struct ward_current it;
	struct new_listener l = {.time = ev->time, .waiting = (int)ev->arg[1]};

	read_ends(&e, sk);
	l.address = e.from;
	l.port = e.from_port;
	l.family = e.family;
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(l.program, it.comm, sizeof(l.program));
		l.pid = (int)it.pid;
	}
	st->all++;
	ward_ring_push(&st->last, l);
}
