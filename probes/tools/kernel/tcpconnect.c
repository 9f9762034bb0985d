/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who connects to where?
 *
 *	ward trace --kernel --records probes/tools/kernel/tcpconnect.c
 *
 * An address is a number in the order of the network; 127.0.0.1 is 16777343. Those of IPv6 are 0.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

#include "tcp_connections.h"

WARD_ENTRY("kernel!tcp_connect")
void on_connect(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, WARD_ARG(struct sock *, 0));
}
