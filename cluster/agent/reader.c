/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records are copied from the rings of all sessions into one buffer, and numbered there: the epoch's first one is 1.
 * Then they are sent, in messages of up to 64 KiB. While the agent doesn't take them, rings aren't read: they are the
 * larger buffer, and count what they lose. What is above the rate is dropped, and counted, before it has a number
 * (C-122). So all that has a number was in a message.
 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include "cluster/base/error.h"
#include "cluster/base/array.h"

#define SECOND_NS 1000000000ull
enum {
	MESSAGE = 64 << 10, /* bytes of records in a message, unless one alone is longer */
	BUFFER = 1 << 20,   /* and of those that wait */
	PIECES = 4096,      /* of a message */
	BUSY_MS = 1,
	IDLE_MS = 20,
	SEND_MS = 50, /* later none is sent for being few */
	LAST_TRIES = 500,
};

/* Records of one thread and ring that came together. */
struct piece {
	uint32_t unit, ring, thread, n, size; /* size: of one */
	uint64_t session, number, first;
	pid_t pid;
	char program[64];
	size_t at; /* in the buffer */
};

struct agent_reader {
	struct agent_epoch epoch;
	uint64_t rate, tokens, refilled_ns; /* tokens: bytes that may be taken now */
	double counts_per_us;
	uint64_t numbered, unread;
	unsigned char *bytes;
	size_t n_bytes, bytes_room;
	struct piece *pieces;
	size_t n, room, sent; /* sent: pieces that were */
	uint64_t since_ns;    /* the oldest one that waits is here */
	int wait_ms;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

struct agent_reader *agent_reader_open(const struct agent_epoch *epoch, uint64_t rate)
{
	struct agent_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->epoch = *epoch;
	r->rate = r->tokens = rate;
	r->refilled_ns = clock_ns(CLOCK_MONOTONIC);
	r->wait_ms = BUSY_MS;
	return r;
}

void agent_reader_close(struct agent_reader *r)
{
	if (!r)
		return;
	free(r->bytes);
	free(r->pieces);
	free(r);
}

void agent_reader_rate(struct agent_reader *r, double counts_per_us)
{
	r->counts_per_us = counts_per_us;
}

void agent_reader_counts(const struct agent_reader *r, uint64_t *numbered, uint64_t *unread)
{
	*numbered = r->numbered;
	*unread = r->unread;
}

/* ---- from the rings ---- */

/* What comes in a second may come at once. */
static void tokens_refill(struct agent_reader *r)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), gone = now - r->refilled_ns;
	double more = (double)r->rate * (double)gone / 1e9;

	if (more < 1)
		return;
	r->tokens = (double)r->tokens + more < (double)r->rate ? r->tokens + (uint64_t)more : r->rate;
	r->refilled_ns = now;
}

struct take {
	struct agent_reader *r;
	const struct agent_sessions *s;
	struct agent_session *one;
};

static uint32_t ring_index(const ward_stream *stream, const struct ward_layout *layout)
{
	uint32_t i = 0;

	while (ward_stream_layout(stream, i) && ward_stream_layout(stream, i) != layout)
		i++;
	return i;
}

static void program_name(const struct agent_process *p, char *name, size_t size)
{
	const char *slash = strrchr(p->exe, '/');
	const char *from = slash ? slash + 1 : p->exe;

	memset(name, 0, size);
	memcpy(name, from, strnlen(from, size - 1));
}

/* One piece of n records from the i-th on. False: there is no room for it, in the rate or in memory. */
static bool piece_add(const struct take *t, const struct ward_batch *b, size_t i, size_t n)
{
	struct agent_reader *r = t->r;
	size_t size = b->layout->size, all = n * size;

	if (all > r->tokens || r->n_bytes + all > BUFFER + MESSAGE ||
		!cluster_array_grow(&r->bytes, &r->bytes_room, r->n_bytes + all, 1) ||
		!cluster_array_grow(&r->pieces, &r->room, r->n + 1, sizeof(*r->pieces)))
		return false;
	struct piece *p = &r->pieces[r->n];
	*p = (struct piece){.unit = t->s->number,
		.ring = ring_index(t->one->stream, b->layout),
		.thread = b->thread,
		.n = (uint32_t)n,
		.size = (uint32_t)size,
		.session = t->one->number,
		.number = b->first + i,
		.first = r->numbered + 1,
		.pid = t->one->process.pid,
		.at = r->n_bytes};
	program_name(&t->one->process, p->program, sizeof(p->program));
	for (size_t k = 0; k < n; k++)
		memcpy(r->bytes + r->n_bytes + k * size, (const char *)b->records + (i + k) * b->stride, size);
	if (r->n == r->sent)
		r->since_ns = clock_ns(CLOCK_MONOTONIC);
	r->n++;
	r->n_bytes += all;
	r->tokens -= all;
	r->numbered += n;
	return true;
}

static void batch_take(void *user, const struct ward_batch *b)
{
	struct take *t = user;
	size_t most = b->layout->size < MESSAGE ? MESSAGE / b->layout->size : 1;

	for (size_t i = 0, n; i < b->n; i += n) {
		n = b->n - i < most ? b->n - i : most;
		while (n > 1 && n * b->layout->size > t->r->tokens)
			n /= 2;
		if (!piece_add(t, b, i, n)) {
			t->r->unread += b->n - i;
			return;
		}
	}
}

static uint64_t stream_lost(const ward_stream *stream)
{
	const struct ward_layout *l;
	uint64_t all = 0, told, lost;

	for (size_t i = 0; (l = ward_stream_layout(stream, i)); i++) {
		ward_stream_totals(stream, l->field, &told, &lost);
		all += lost;
	}
	return all;
}

void agent_reader_take(struct agent_reader *r, const struct agent_sessions *s, struct agent_session *one)
{
	struct take t = {r, s, one};
	uint64_t lost;

	if (!r || !one->stream)
		return;
	tokens_refill(r);
	ward_stream_batch(one->stream, one->session, batch_take, &t, NULL); /* without memory the next call has them */
	lost = stream_lost(one->stream);
	r->unread += lost - one->unread;
	one->unread = lost;
}

/* ---- to the agent ---- */

static void batch_fill(const struct agent_reader *r, const struct piece *p, Ward__Cluster__Batch *b)
{
	*b = (Ward__Cluster__Batch)WARD__CLUSTER__BATCH__INIT;
	b->unit = p->unit;
	b->field = p->ring;
	b->stream = p->session;
	b->first = p->first;
	b->count = p->n;
	b->stride = p->size;
	b->record = (ProtobufCBinaryData){(size_t)p->n * p->size, r->bytes + p->at};
	b->has_process = *p->program != 0;
	b->process = (ProtobufCBinaryData){strlen(p->program), (uint8_t *)(uintptr_t)p->program};
	b->has_thread = b->has_number = true;
	b->thread = p->thread;
	b->number = p->number;
	b->has_pid = p->pid != 0;
	b->pid = (uint64_t)p->pid;
}

/* Pieces of one message, from the first one that wasn't sent. */
static size_t message_pieces(const struct agent_reader *r)
{
	size_t n = 0, bytes = 0;

	while (r->sent + n < r->n && n < PIECES) {
		const struct piece *p = &r->pieces[r->sent + n];
		bytes += (size_t)p->n * p->size + sizeof(p->program);
		if (n && bytes > MESSAGE)
			break;
		n++;
	}
	return n;
}

static bool message_send(struct agent_reader *r, struct channel *channel)
{
	Ward__Cluster__Records m = WARD__CLUSTER__RECORDS__INIT;
	size_t n = message_pieces(r);
	Ward__Cluster__Batch *batches = calloc(n, sizeof(*batches)), **at = calloc(n, sizeof(Ward__Cluster__Batch *));
	struct channel_message c = {.kind = CHANNEL_RECORD};
	void *bytes = NULL;
	bool ok = batches && at;

	for (size_t i = 0; ok && i < n; i++) {
		at[i] = &batches[i];
		batch_fill(r, &r->pieces[r->sent + i], at[i]);
	}
	m.format = CLUSTER_FORMAT;
	m.epoch = r->epoch.number;
	m.nonce = r->epoch.nonce;
	m.has_counts = m.has_counts_per_us = true;
	m.counts = __rdtsc();
	m.clock_at = clock_ns(CLOCK_REALTIME);
	m.counts_per_us = r->counts_per_us;
	m.batch = at;
	m.n_batch = n;
	if (ok)
		c.bytes = bytes = cluster_message_write(&m.base, &c.size);
	ok = bytes && channel_send(channel, &c);
	r->sent += ok ? n : 0;
	free(bytes);
	free(batches);
	free(at);
	return ok;
}

/* Returns whether all were sent. */
static bool messages_send(struct agent_reader *r, struct channel *channel)
{
	while (r->sent < r->n)
		if (!message_send(r, channel))
			return false;
	r->n = r->sent = r->n_bytes = 0;
	return true;
}

static bool is_due(const struct agent_reader *r)
{
	return r->n > r->sent && (r->sent || r->n_bytes >= MESSAGE / 2 ||
					 clock_ns(CLOCK_MONOTONIC) - r->since_ns >= SEND_MS * 1000000ull);
}

/* Returns whether there are rings. */
static bool rings_take(struct agent_reader *r, const struct agent_sessions *units, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < units[i].n; j++) {
			any |= units[i].at[j].stream != NULL;
			agent_reader_take(r, &units[i], &units[i].at[j]);
		}
	return any;
}

int agent_reader_poll(struct agent_reader *r, const struct agent_sessions *units, size_t n, struct channel *channel)
{
	uint64_t before = r->numbered;

	if (r->sent && !messages_send(r, channel))
		return BUSY_MS;
	bool any = rings_take(r, units, n);
	if (is_due(r))
		messages_send(r, channel);
	r->wait_ms = r->numbered != before ? BUSY_MS : 2 * r->wait_ms < IDLE_MS ? 2 * r->wait_ms : IDLE_MS;
	return any || r->n ? r->wait_ms : -1;
}

void agent_reader_end(struct agent_reader *r, const struct agent_sessions *units, size_t n, struct channel *channel)
{
	const struct timespec moment = {.tv_nsec = 20000000};

	rings_take(r, units, n);
	for (int i = 0; i < LAST_TRIES && !messages_send(r, channel); i++)
		nanosleep(&moment, NULL);
	if (r->n > r->sent) { /* the agent is gone, or hangs: nobody will have these */
		r->unread += r->numbered - r->pieces[r->sent].first + 1;
		r->numbered = r->pieces[r->sent].first - 1;
	}
}
