/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between ward-agent, which may attach, and ward-agent-link, which speaks to the network: over a
 * SOCK_SEQPACKET socket, of a fixed set of kinds, each bounded (C-64). channel.c describes how. Neither side trusts
 * the other one: what ward-agent takes is signed, and what the link takes is bytes that it hands on.
 */
#ifndef WARD_CLUSTER_WIRE_CHANNEL_H
#define WARD_CLUSTER_WIRE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum channel_kind {
	/* to the agent */
	CHANNEL_SIGNED = 1, /* a Signed, from whichever subject */
	CHANNEL_STATE,      /* one byte: is there a connection to the bus? */
	/* to the link */
	CHANNEL_SETTINGS, /* lines "url URL", "name NAME", "ca FILE" */
	CHANNEL_HELLO,
	CHANNEL_WANT, /* of `query`, as those below */
	CHANNEL_NOTE,
	CHANNEL_PART, /* to `shard` */
	CHANNEL_RECORD,
	CHANNEL_KINDS,
};

struct channel_message {
	enum channel_kind kind;
	uint8_t query[CLUSTER_ID];
	uint32_t shard;
	const void *bytes;
	size_t size;
};

/* One side of it. */
struct channel {
	int fd;
	bool to_agent; /* the kinds that are taken here are those to the agent */
	/* a message that comes in pieces */
	struct channel_message message;
	unsigned char *bytes;
	size_t n, room;
	uint64_t dropped; /* messages that the other side had no room for */
};

void channel_open(struct channel *c, int fd, bool to_agent);
void channel_close(struct channel *c);

/* Send, without waiting: false if the other side has no room or is gone, and the message is dropped as a whole. */
bool channel_send(struct channel *c, const struct channel_message *message);

enum channel_taken { CHANNEL_NOTHING, CHANNEL_MESSAGE, CHANNEL_PIECE, CHANNEL_END };
/*
 * Take a packet, without waiting. MESSAGE: *out is whole, until the next call. PIECE: there may be more to take. END:
 * the other side is gone, or has sent what it may not; close it.
 */
enum channel_taken channel_take(struct channel *c, struct channel_message *out);

#endif
