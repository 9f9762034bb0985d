/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is sent in packets of up to 32 KiB, as a socket's buffer needn't have room for more. Each packet says of
 * which message it is, how long that is, and where its bytes go. They come in order, as the socket keeps it; a
 * message that begins before the last one was whole takes its place, since the sender has then dropped the rest.
 */
#include "channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PACKET = 32 << 10 };

struct head {
	uint32_t kind, shard;
	uint64_t total, offset;
	uint8_t query[CLUSTER_ID];
};

/* The most bytes of each kind, and who takes it. */
static const struct bound {
	size_t most;
	bool to_agent;
} bounds[CHANNEL_KINDS] = {
	[CHANNEL_SIGNED] = {CLUSTER_MOST_ORDER, true},
	[CHANNEL_STATE] = {1, true},
	[CHANNEL_SETTINGS] = {64 << 10, false},
	[CHANNEL_HELLO] = {64 << 10, false},
	[CHANNEL_WANT] = {1 << 10, false},
	[CHANNEL_NOTE] = {CLUSTER_MOST_BYTES, false},
	[CHANNEL_PART] = {CLUSTER_MOST_BYTES, false},
	[CHANNEL_RECORD] = {CLUSTER_MOST_BYTES, false},
};

void channel_open(struct channel *c, int fd, bool to_agent)
{
	*c = (struct channel){.fd = fd, .to_agent = to_agent};
}

void channel_close(struct channel *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->bytes);
	*c = (struct channel){.fd = -1, .dropped = c->dropped};
}

static bool packet_send(int fd, const struct head *head, const void *bytes, size_t n)
{
	struct iovec parts[2] = {
		{.iov_base = (void *)(uintptr_t)head, .iov_len = sizeof(*head)},
		{.iov_base = (void *)(uintptr_t)bytes, .iov_len = n},
	};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = n ? 2 : 1};
	ssize_t sent;

	do
		sent = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)(sizeof(*head) + n);
}

bool channel_send(struct channel *c, const struct channel_message *m)
{
	struct head head = {.kind = m->kind, .shard = m->shard, .total = m->size};
	bool ok = c->fd >= 0 && m->size <= bounds[m->kind].most;

	memcpy(head.query, m->query, CLUSTER_ID);
	do {
		size_t n = m->size - head.offset < PACKET ? m->size - head.offset : PACKET;
		ok = ok && packet_send(c->fd, &head, (const char *)m->bytes + head.offset, n);
		head.offset += n;
	} while (ok && head.offset < m->size);
	c->dropped += !ok;
	return ok;
}

/* C-64: is the packet one that may come now? */
static bool head_is_valid(const struct channel *c, const struct head *h, size_t n)
{
	if (!h->kind || h->kind >= CHANNEL_KINDS || bounds[h->kind].to_agent != c->to_agent)
		return false;
	if (h->total > bounds[h->kind].most || h->offset > h->total || n > h->total - h->offset || (!n && h->total))
		return false;
	if (h->offset == 0)
		return true;
	return h->kind == c->message.kind && h->total == c->message.size && h->offset == c->n &&
	       memcmp(h->query, c->message.query, CLUSTER_ID) == 0;
}

static bool bytes_make(struct channel *c, size_t size)
{
	if (size <= c->room)
		return true;
	unsigned char *grown = realloc(c->bytes, size);
	if (!grown)
		return false;
	c->bytes = grown;
	c->room = size;
	return true;
}

enum channel_taken channel_take(struct channel *c, struct channel_message *out)
{
	unsigned char packet[sizeof(struct head) + PACKET];
	struct head head;
	ssize_t got = c->fd >= 0 ? recv(c->fd, packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC) : 0;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return CHANNEL_NOTHING;
	if (got < (ssize_t)sizeof(head) || got > (ssize_t)sizeof(packet))
		return CHANNEL_END;
	size_t n = (size_t)got - sizeof(head);
	memcpy(&head, packet, sizeof(head));
	if (!head_is_valid(c, &head, n) || !bytes_make(c, head.total ? head.total : 1))
		return CHANNEL_END;
	if (head.offset == 0) {
		c->message = (struct channel_message){
			.kind = (enum channel_kind)head.kind, .shard = head.shard, .size = head.total};
		memcpy(c->message.query, head.query, CLUSTER_ID);
		c->n = 0;
	}
	memcpy(c->bytes + c->n, packet + sizeof(head), n);
	c->n += n;
	if (c->n < c->message.size)
		return CHANNEL_PIECE;
	*out = c->message;
	out->bytes = c->bytes;
	c->message.kind = 0; /* no piece belongs to it any more */
	return CHANNEL_MESSAGE;
}
