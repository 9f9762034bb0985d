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

#include "tcp_connections.h"

WARD_ENTRY("kernel!inet_csk_accept:return")
void on_accept(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->ret)
		record(ev, st, (const struct sock *)ev->ret);
}
