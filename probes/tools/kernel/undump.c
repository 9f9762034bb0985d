/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do programs read from the sockets of their own machine (unix streams)?
 *
 *	ward trace --kernel --records probes/tools/kernel/undump.c
 *
 * Shown are the first 64 bytes of each piece, up to a zero.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct piece {
	unsigned long time;
	int pid;
	unsigned int bytes;
	char program[16], text[64];
};

struct ward_state {
	ward_count all;
	WARD_RING(struct piece, 256) pieces;
};

WARD_ENTRY("kernel!unix_stream_read_actor")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	const struct sk_buff *skb = WARD_ARG(struct sk_buff *, 0);
	unsigned int skip = (unsigned int)ev->arg[1];
	struct piece p = {.time = ev->time, .bytes = (unsigned int)ev->arg[2]};
	unsigned int shown = p.bytes < sizeof(p.text) ? p.bytes : sizeof(p.text);
	struct ward_current it;

	st->all++;
	if (ward_kernel_current(&it, sizeof(it))) {
		p.pid = (int)it.pid;
		__builtin_memcpy(p.program, it.comm, sizeof(p.program));
	}
	ward_kernel_read(p.text, shown, (uint64_t)WARD_GET(skb, data) + skip);
	ward_ring_push(&st->pieces, p);
}
