/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that the coordinator hasn't acknowledged: messages as the worker made them, up to 1 MiB of a query. They are
 * sent again each second. When there is no room for a new one, the oldest are given up. Each message says from which
 * number on records are still here, so that the coordinator waits for no others, and knows how many it misses (C-121).
 */
#include <stdlib.h>
#include <string.h>

#include "agent.h"

#include "cluster/base/array.h"

enum { KEPT_BYTES = 1 << 20 };

static bool is_epoch(const struct agent_epoch *a, const struct agent_epoch *b)
{
	return a->number == b->number && a->nonce == b->nonce;
}

static void kept_remove(struct agent_query *q, size_t i)
{
	q->kept_bytes -= q->kept[i].size;
	free(q->kept[i].bytes);
	memmove(&q->kept[i], &q->kept[i + 1], (--q->n_kept - i) * sizeof(*q->kept));
}

void agent_kept_free(struct agent_query *q)
{
	while (q->n_kept)
		kept_remove(q, q->n_kept - 1);
	free(q->kept);
	q->kept = NULL;
	q->kept_room = 0;
}

/* The lowest number of an epoch that is still here. */
static uint64_t kept_lowest(const struct agent_query *q, const struct agent_epoch *epoch)
{
	for (size_t i = 0; i < q->n_kept; i++)
		if (is_epoch(&q->kept[i].epoch, epoch))
			return q->kept[i].from;
	return is_epoch(&q->epoch, epoch) ? q->kept_next : 0;
}

static bool records_say(struct agent *a, const struct agent_query *q, const Ward__Cluster__Records *from)
{
	Ward__Cluster__Records m = *from;
	struct channel_message c = {.kind = CHANNEL_RECORD};
	const struct agent_epoch epoch = {m.epoch, m.nonce};
	void *bytes;
	bool ok;

	m.kept = kept_lowest(q, &epoch);
	m.has_kept = m.kept != 0;
	c.bytes = bytes = cluster_message_write(&m.base, &c.size);
	memcpy(c.query, q->id, CLUSTER_ID);
	ok = bytes && channel_send(&a->link, &c);
	free(bytes);
	return ok;
}

static bool kept_say(struct agent *a, struct agent_query *q, struct agent_kept *k)
{
	struct cluster_message m;
	bool ok = cluster_message_read(&m, &ward__cluster__records__descriptor, "records", k->bytes, k->size, NULL) &&
		  records_say(a, q, (const Ward__Cluster__Records *)m.m);

	cluster_message_free(&m);
	if (ok)
		k->sent_ns = agent_now();
	return ok;
}

/* Where nothing is kept, that is said, too. */
static void none_say(struct agent *a, struct agent_query *q)
{
	Ward__Cluster__Records m = WARD__CLUSTER__RECORDS__INIT;

	m.format = CLUSTER_FORMAT;
	m.epoch = q->epoch.number;
	m.nonce = q->epoch.nonce;
	m.clock_at = agent_now_at();
	records_say(a, q, &m);
}

/* The numbers of a message's records, which follow each other. 0: it has none. */
static uint64_t message_end(const Ward__Cluster__Records *m)
{
	uint64_t next = m->n_batch ? m->batch[0]->first : 0;

	for (size_t i = 0; i < m->n_batch; i++)
		if (m->batch[i]->first != next || __builtin_add_overflow(next, (uint64_t)m->batch[i]->count, &next))
			return 0;
	return next;
}

void agent_kept_take(struct agent *a, struct agent_query *q, const void *bytes, size_t size)
{
	struct cluster_message m;
	bool ok = cluster_message_read(&m, &ward__cluster__records__descriptor, "records", bytes, size, NULL);
	const Ward__Cluster__Records *r = (const Ward__Cluster__Records *)m.m;
	uint64_t end = ok ? message_end(r) : 0;
	void *copy = NULL;

	ok = ok && end && r->epoch == q->epoch.number && r->nonce == q->epoch.nonce &&
	     r->batch[0]->first >= q->kept_next &&
	     cluster_array_grow(&q->kept, &q->kept_room, q->n_kept + 1, sizeof(*q->kept)) && (copy = malloc(size));
	if (ok) {
		while (q->n_kept && q->kept_bytes + size > KEPT_BYTES)
			kept_remove(q, 0);
		memcpy(copy, bytes, size);
		q->kept[q->n_kept++] = (struct agent_kept){
			.epoch = q->epoch, .from = r->batch[0]->first, .to = end, .bytes = copy, .size = size};
		q->kept_bytes += size;
		q->kept_next = end;
	}
	cluster_message_free(&m);
	if (ok && a->is_connected)
		kept_say(a, q, &q->kept[q->n_kept - 1]);
}

void agent_kept_got(struct agent_query *q, const struct agent_epoch *epoch, uint64_t below)
{
	for (size_t i = q->n_kept; i > 0; i--)
		if (is_epoch(&q->kept[i - 1].epoch, epoch) && q->kept[i - 1].to <= below)
			kept_remove(q, i - 1);
}

void agent_kept_again(struct agent_query *q)
{
	for (size_t i = 0; i < q->n_kept; i++)
		q->kept[i].sent_ns = 0;
}

void agent_kept_tick(struct agent *a, struct agent_query *q)
{
	uint64_t now = agent_now();

	if (!a->is_connected)
		return;
	for (size_t i = 0; i < q->n_kept; i++) {
		struct agent_kept *k = &q->kept[i];
		if ((!k->sent_ns || now - k->sent_ns >= AGENT_SECOND) && !kept_say(a, q, k))
			return; /* the link has no room now */
	}
	if (q->kept_next > 1 && !q->n_kept && now - q->kept_said_ns >= AGENT_SECOND) {
		none_say(a, q);
		q->kept_said_ns = now;
	}
}
