/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long does what has come by TCP lie there until a program takes it?
 *
 *	ward trace --kernel --records probes/tools/kernel/tcppktlat.c
 *
 * Time counts from the first packet with data that comes after the program last took some. An address is a number in
 * the order of the network; 127.0.0.1 is 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp.h"

enum { FIN = 1 };

struct taken {
	unsigned long time;
	ward_elapsed lay;
	int pid;
	unsigned int from, to;
	unsigned short from_port, to_port, family;
	char program[16];
};

struct ward_state {
	ward_log2_elapsed lay;
	WARD_RING(struct taken, 256) last;
};

/* By socket: when the data came. What changes it holds the socket's lock. */
WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) came;);

WARD_ENTRY("kernel:tcp:tcp_probe")
void on_packet(const struct ward_event *ev, struct ward_state *st)
{
	const struct sk_buff *skb = WARD_ARG(struct sk_buff *, 1);
	const struct tcp_skb_cb *tcp = (const void *)WARD_AT(skb, cb);
	const void *sk = (const void *)ev->arg[0];
	unsigned int length = WARD_GET(tcp, end_seq) - WARD_GET(tcp, seq);
	unsigned long since;

	(void)st;
	if (length == (WARD_GET(tcp, tcp_flags) & FIN)) /* the end counts as a byte */
		return;
	if (!ward_shared_map_get(&ward_shared.came, sk, &since))
		ward_shared_map_put(&ward_shared.came, sk, ev->time);
}

WARD_ENTRY("kernel:tcp:tcp_rcv_space_adjust")
void on_taken(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_ARG(struct sock *, 0);
	struct taken t = {.time = ev->time};
	struct ends e = {0};
	struct ward_current it;
	unsigned long since;

	if (!ward_shared_map_pop(&ward_shared.came, (const void *)sk, &since))
		return;
	t.lay = ev->time - since;
	ward_log2_add(&st->lay, t.lay);
	read_ends(&e, sk);
	t.from = e.from;
	t.to = e.to;
	t.from_port = e.from_port;
	t.to_port = e.to_port;
	t.family = e.family;
	if (ward_kernel_current(&it, sizeof(it))) {
		t.pid = (int)it.pid;
		__builtin_memcpy(t.program, it.comm, sizeof(t.program));
	}
	ward_ring_push(&st->last, t);
}

WARD_ENTRY("kernel:tcp:tcp_destroy_sock")
void on_end(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared_map_remove(&ward_shared.came, (const void *)ev->arg[0]);
}
