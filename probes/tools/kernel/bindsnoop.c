/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who binds sockets to which address and port?
 *
 *	ward trace --kernel --records probes/tools/kernel/bindsnoop.c
 *
 * Result 0 is success; -98 says that the address is in use. Sockets of IPv6 aren't seen. An address is a number in the
 * order of the network; 127.0.0.1 is 16777343.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

struct bound {
	unsigned long time;
	int pid;
	unsigned int address;
	unsigned short port, family;
	int result;
	char program[16];
};

struct ward_state {
	ward_count all, failed;
	WARD_RING(struct bound, 256) last;
};

WARD_ENTRY("kernel!inet_bind:return")
void on_bound(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_GET(WARD_ARG(struct socket *, 0), sk);
	struct ends e = {0};
	struct ward_current it;
	struct bound b = {.time = ev->time, .result = (int)ev->ret};

	read_ends(&e, sk);
	b.address = e.from;
	b.port = e.from_port;
	b.family = e.family;
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(b.program, it.comm, sizeof(b.program));
		b.pid = (int)it.pid;
	}
	st->all++;
	st->failed += b.result != 0;
	ward_ring_push(&st->last, b);
}
