/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any packets on the socket between ward-agent and its link, to either side: each input is packets with a length of
 * two bytes before them. What is taken is one message of a known kind, and never longer than its kind allows.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster/wire/channel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned seen;

static void side_feed(bool to_agent, const uint8_t *data, size_t size)
{
	struct channel c;
	struct channel_message m;
	enum channel_taken taken = CHANNEL_NOTHING;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
		abort();
	channel_open(&c, pair[0], to_agent);
	while (size >= 2 && taken != CHANNEL_END) {
		size_t n = (size_t)data[0] << 8 | data[1];
		data += 2;
		size -= 2;
		n = n < size ? n : size;
		if (send(pair[1], data, n, MSG_DONTWAIT) != (ssize_t)n)
			abort();
		data += n;
		size -= n;
		taken = channel_take(&c, &m);
		if (taken != CHANNEL_MESSAGE)
			continue;
		bool is_to_agent = m.kind == CHANNEL_SIGNED || m.kind == CHANNEL_STATE;
		if (m.kind < CHANNEL_SIGNED || m.kind >= CHANNEL_KINDS || is_to_agent != to_agent ||
			m.size > CLUSTER_MOST_BYTES)
			abort();
		for (size_t i = 0; i < m.size; i++) /* every byte is there */
			seen += ((const uint8_t *)m.bytes)[i];
	}
	channel_close(&c);
	close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	side_feed(true, data, size);
	side_feed(false, data, size);
	return 0;
}
