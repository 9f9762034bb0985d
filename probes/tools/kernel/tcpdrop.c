/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which packets of TCP does the kernel throw away, and where?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/tcpdrop.c
 *
 * The reason is a number of enum skb_drop_reason, by its name where the kernel's types have it. Packets of other
 * protocols, and those that have done their work, aren't there.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct drop {
	unsigned int reason;
	unsigned short port, peer_port;
	ward_stack stack;
};

struct ward_state {
	ward_count packets;
	WARD_MAP(struct drop, ward_count, 4096) dropped;
};

enum { TCP = 6, IP = 0x0800 };

WARD_ENTRY("kernel:skb:kfree_skb")
void on_drop(const struct ward_event *ev, struct ward_state *st)
{
	const struct sk_buff *skb = WARD_ARG(struct sk_buff *, 0);
	unsigned char protocol = 0;
	struct drop d = {.reason = (unsigned int)ev->arg[2]};
	unsigned short ports[2] = {0};
	uint64_t head = (uint64_t)WARD_GET(skb, head);

	if (__builtin_bswap16(WARD_GET(skb, protocol)) != IP)
		return;
	ward_kernel_read(&protocol, sizeof(protocol), head + WARD_GET(skb, network_header) + 9);
	if (protocol != TCP)
		return;
	ward_kernel_read(ports, sizeof(ports), head + WARD_GET(skb, transport_header));
	d.peer_port = __builtin_bswap16(ports[0]);
	d.port = __builtin_bswap16(ports[1]);
	d.stack = ward_stack_take(WARD_FRAMES);
	st->packets++;
	ward_map_add(&st->dropped, d, 1);
}
