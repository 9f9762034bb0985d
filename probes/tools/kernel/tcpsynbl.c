/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How full are the queues of connections that wait to be accepted?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/tcpsynbl.c
 *
 * By the limit of the queue: a histogram of how many wait when one more comes.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(unsigned int, ward_log2, 64) by_limit;
};

WARD_ENTRY("kernel!tcp_v4_syn_recv_sock")
void on_syn(const struct ward_event *ev, struct ward_state *st)
{
	const struct sock *sk = WARD_ARG(struct sock *, 0);

	ward_log2_add(ward_map_at(&st->by_limit, WARD_GET(sk, sk_max_ack_backlog)), WARD_GET(sk, sk_ack_backlog));
}
