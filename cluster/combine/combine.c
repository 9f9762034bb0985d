/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A combiner's life. Each second it says that it is there, and which orders it has. A coordinator says in a Work which
 * shards are its own; a combiner listens to the partials of these, and once a period it says what it has of each. It
 * keeps nothing on a disk: one that dies is followed by another, which knows as much after a period.
 *
 * It believes a Work that one of its coordinators has signed for it (C-167), and the name in the subject of a partial.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "combine_parts.h"

#include "cluster/base/error.h"

enum { MOST_MESSAGES = 20000, READY_MS = 1000 };
static const uint64_t MILLISECOND = 1000000;

int cluster_combine_new(bus *b, const struct cluster_combine_options *options, uint64_t now_ns, cluster_combine **out,
	struct ward_error *err)
{
	char subject[CLUSTER_SUBJECT];
	struct cluster_subject work = {.kind = CLUSTER_WORK};
	cluster_combine *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (!c)
		return cluster_no_memory(err);
	c->bus = b;
	c->options = *options;
	c->ready_ns = now_ns;
	randombytes_buf(&c->nonce, sizeof(c->nonce));
	int rc = 0;
	if (!cluster_name_from_host(options->name, c->name))
		rc = cluster_fail(err, WARD_E_USAGE, options->name, "is no name of a machine");
	else if (!options->n_keys || options->n_keys > COMBINE_KEYS)
		rc = cluster_fail(err, WARD_E_USAGE, "a combiner", "has 1 to %d coordinators' keys", COMBINE_KEYS);
	if (!rc) {
		strcpy(work.name, c->name);
		cluster_subject_write(&work, subject);
		rc = bus_subscribe(b, subject, err);
	}
	if (rc)
		cluster_combine_free(c);
	else
		*out = c;
	return rc;
}

void cluster_combine_free(cluster_combine *c)
{
	if (!c)
		return;
	while (c->n)
		combine_query_end(c, &c->query[--c->n]);
	free(c);
}

struct cluster_combine_counts cluster_combine_counts(const cluster_combine *c)
{
	struct cluster_combine_counts counts = {.queries = c->n, .taken = c->taken, .refused = c->refused};

	for (size_t i = 0; i < c->n; i++)
		for (size_t j = 0; j < c->query[i].n; j++) {
			const struct combine_shard *s = &c->query[i].at[j];
			counts.shards++;
			for (size_t unit = 0; unit < c->query[i].n_units; unit++) {
				counts.children += unit ? 0 : cluster_subtotal_count(s->subtotal[unit]);
				counts.bytes += cluster_subtotal_bytes(s->subtotal[unit]);
			}
		}
	return counts;
}

/* ---- that it is there ---- */

static void ready_say(cluster_combine *c)
{
	struct cluster_combine_counts counts = cluster_combine_counts(c);
	struct cluster_subject to = {.kind = CLUSTER_READY};
	Ward__Cluster__Ready m = WARD__CLUSTER__READY__INIT;
	ProtobufCBinaryData queries[COMBINE_QUERIES];
	char subject[CLUSTER_SUBJECT];
	size_t size;

	for (size_t i = 0; i < c->n; i++)
		queries[i] = (ProtobufCBinaryData){CLUSTER_ID, c->query[i].id};
	m.format = CLUSTER_FORMAT;
	m.nonce = c->nonce;
	m.cluster = (ProtobufCBinaryData){strlen(c->options.cluster), (uint8_t *)c->options.cluster};
	m.n_query = c->n;
	m.query = queries;
	m.children = counts.children;
	m.bytes = counts.bytes;
	m.version = (ProtobufCBinaryData){strlen(ward_version()), (uint8_t *)ward_version()};
	strcpy(to.name, c->name);
	cluster_subject_write(&to, subject);
	void *bytes = cluster_message_write(&m.base, &size);
	if (bytes)
		bus_publish(c->bus, subject, bytes, size, NULL);
	free(bytes);
}

/* ---- what it hears ---- */

static struct combine_query *query_find(cluster_combine *c, const uint8_t *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (memcmp(c->query[i].id, id, CLUSTER_ID) == 0)
			return &c->query[i];
	return NULL;
}

size_t combine_key(const cluster_combine *c, ProtobufCBinaryData key)
{
	for (size_t i = 0; i < c->options.n_keys; i++)
		if (cluster_bytes_equal(key, c->options.keys[i].key, CLUSTER_KEY))
			return i;
	return SIZE_MAX;
}

static void query_forget(cluster_combine *c, size_t i)
{
	combine_query_end(c, &c->query[i]);
	c->n--;
	memmove(&c->query[i], &c->query[i + 1], (c->n - i) * sizeof(c->query[0]));
}

static void work_do(cluster_combine *c, const Ward__Cluster__Work *m, size_t key, uint64_t now_ns)
{
	struct combine_query *q = query_find(c, m->query.data);

	if (!q) {
		q = &c->query[c->n];
		if (c->n == COMBINE_QUERIES || !m->has_order || !m->n_shard || !combine_query_begin(c, q, m, now_ns))
			return;
		c->n++;
	}
	if (m->counter <= q->counters[key])
		return;
	q->counters[key] = m->counter;
	combine_query_work(c, q, m, now_ns);
	if (!q->n) /* it is over, or others have all of it */
		query_forget(c, (size_t)(q - c->query));
}

/* C-167: whose it is, before what it says. */
static void work_take(cluster_combine *c, const struct bus_message *message, uint64_t now_ns)
{
	struct cluster_message envelope, body = {0};
	bool ok = cluster_message_read(
		&envelope, &ward__cluster__signed__descriptor, "work", message->data, message->size, NULL);
	const Ward__Cluster__Signed *from = (const Ward__Cluster__Signed *)envelope.m;
	size_t key = ok ? combine_key(c, from->key) : SIZE_MAX;

	ok = ok && key != SIZE_MAX && from->kind == WARD__CLUSTER__SIGNED__KIND__WORK &&
	     cluster_signed_check(from, NULL) &&
	     cluster_message_read(
		     &body, &ward__cluster__work__descriptor, "work", from->body.data, from->body.len, NULL);
	const Ward__Cluster__Work *m = (const Ward__Cluster__Work *)body.m;
	ok = ok && cluster_bytes_equal(m->cluster, c->options.cluster, strlen(c->options.cluster));
	if (!ok)
		c->refused++;
	else if (m->combiner == c->nonce)
		work_do(c, m, key, now_ns);
	cluster_message_free(&body);
	cluster_message_free(&envelope);
}

static void part_take(
	cluster_combine *c, const struct cluster_subject *s, const struct bus_message *message, uint64_t now_ns)
{
	struct combine_query *q = query_find(c, s->query);
	struct cluster_message m;

	if (!q)
		return;
	if (cluster_message_read(&m, &ward__cluster__parts__descriptor, "partial", message->data, message->size, NULL))
		combine_query_part(c, q, s, (const Ward__Cluster__Parts *)m.m, now_ns);
	else
		c->refused++;
	cluster_message_free(&m);
}

static void message_take(cluster_combine *c, const struct bus_message *message, uint64_t now_ns)
{
	struct cluster_subject s;

	if (!cluster_subject_read(message->subject, &s))
		c->refused++;
	else if (s.kind == CLUSTER_WORK)
		work_take(c, message, now_ns);
	else if (s.kind == CLUSTER_PART && s.level == 0)
		part_take(c, &s, message, now_ns);
	else
		c->refused++;
}

/* ---- each step ---- */

static void queries_forget(cluster_combine *c, uint64_t now_ns)
{
	for (size_t i = c->n; i-- > 0;) {
		if (now_ns - c->query[i].work_ns < c->query[i].keep_ns)
			continue;
		query_forget(c, i);
	}
}

static int queries_tell(cluster_combine *c, uint64_t now_ns, struct ward_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->n && !rc; i++)
		if (now_ns - c->query[i].told_ns >= c->query[i].period_ns)
			rc = combine_query_tell(c, &c->query[i], now_ns, err);
	return rc;
}

int cluster_combine_step(cluster_combine *c, uint64_t now_ns, struct ward_error *err)
{
	struct bus_message message;
	struct bus_state state;

	for (int n = 0; n < MOST_MESSAGES && bus_take(c->bus, 0, &message, NULL) == 1; n++)
		message_take(c, &message, now_ns);
	queries_forget(c, now_ns);
	bus_get_state(c->bus, &state);
	if (now_ns >= c->ready_ns || state.connects != c->connects) {
		ready_say(c);
		c->ready_ns = now_ns + READY_MS * MILLISECOND;
		c->connects = state.connects;
	}
	return queries_tell(c, now_ns, err);
}
