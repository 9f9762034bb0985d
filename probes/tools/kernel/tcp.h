/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools for TCP have in common: both ends of a socket. */
#ifndef WARD_TOOLS_TCP_H
#define WARD_TOOLS_TCP_H

enum { IPV4 = 2, IPV6 = 10 };

/* Addresses are in the order of the network: as numbers the bytes stand from the last to the first. */
struct ends {
	unsigned int from, to; /* of IPv4; 0 for IPv6 */
	unsigned short from_port, to_port, family;
};

static inline void read_ends(struct ends *e, const struct sock *sk)
{
	e->family = WARD_GET(sk, __sk_common.skc_family);
	e->from_port = WARD_GET(sk, __sk_common.skc_num);
	e->to_port = __builtin_bswap16(WARD_GET(sk, __sk_common.skc_dport));
	if (e->family != IPV4)
		return;
	e->from = WARD_GET(sk, __sk_common.skc_rcv_saddr);
	e->to = WARD_GET(sk, __sk_common.skc_daddr);
}

#endif
