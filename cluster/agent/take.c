/* SPDX-License-Identifier: Apache-2.0 */
/* What coordinators say: orders, beats, cancels, calls of the roll, and what has arrived for good. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "agent.h"
#include "policy.h"
#include "store.h"

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"

/* ---- orders ---- */

static size_t queries_running(const struct agent *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->queries[i].worker != 0;
	return n;
}

/*
 * A stranger's bytes may come as often as the network carries them, so they share a line a minute: the first says
 * why, the next one how many there were.
 */
static void refusal_audit(struct agent *a, const struct agent_order *o, const struct ward_error *why)
{
	struct ward_error failed, counted = *why;
	bool is_known = o && o->from && agent_config_coordinator(a->config, o->from->key.data) && o->order;
	uint64_t now = agent_now();

	if (!is_known && a->audited_ns && now - a->audited_ns < AGENT_SECOND) {
		a->unaudited++;
		return;
	}
	if (!is_known) {
		a->audited_ns = now;
		if (a->unaudited)
			snprintf(counted.why, sizeof(counted.why), "%.250s; and %llu more before", why->why,
				(unsigned long long)a->unaudited);
		a->unaudited = 0;
	}
	agent_log(5, "refused: %s: %s", counted.what, counted.why);
	if (!agent_audit_order(a, o, &counted, &failed))
		agent_log(3, "%s: %s", failed.what, failed.why);
}

/* It is said to the coordinator as well, if it is known whose order it is, and it isn't one that runs here. */
static void order_refuse(struct agent *a, struct agent_order *o, const struct ward_error *why)
{
	struct agent_query *q = NULL;
	const struct agent_coordinator *who;

	refusal_audit(a, o, why);
	who = o && o->from ? agent_config_coordinator(a->config, o->from->key.data) : NULL;
	if (who && o->order)
		q = agent_query_find(a, o->order->query.data);
	if (who && o->order && !q)
		q = agent_query_new(a, o->order->query.data);
	if (q && !q->order) {
		q->state = WARD__CLUSTER__NOTE__STATE__REFUSED;
		q->over_ns = agent_now();
		memcpy(q->issuer, o->from->key.data, CLUSTER_KEY);
		snprintf(q->reason, sizeof(q->reason), "%.60s: %.250s", why->what, why->why);
	}
	agent_order_free(o);
}

static void query_fill(struct agent *a, struct agent_query *q, struct agent_order *o, uint64_t left_ns)
{
	uint64_t now = agent_now();

	agent_order_free(q->order);
	q->order = o;
	memcpy(q->issuer, o->from->key.data, CLUSTER_KEY);
	q->period_ns = o->order->period_ns;
	q->shards = o->order->shards;
	q->until_ns = now + left_ns;
	q->ends_ns = now + (left_ns < o->limits.duration_ns ? left_ns : o->limits.duration_ns);
	q->lease_ns = now + o->limits.lease_ns;
	q->wish.period_ns = q->period_ns;
	q->beat_ns = now;
	*q->reason = 0;
	agent_values_load(a, q);
}

/* How long it goes on, by the clocks at hand: from its issue on. A beat may shorten it. */
static uint64_t order_left(const Ward__Cluster__Order *o)
{
	uint64_t now_at = agent_now_at(), gone = now_at > o->issued_at ? now_at - o->issued_at : 0;
	return gone < o->duration_ns ? o->duration_ns - gone : 0;
}

/* Everything that must be on the disk is, before the worker begins: C-47, C-61, C-62. */
static bool order_begin(struct agent *a, struct agent_order *o, struct ward_error *err)
{
	struct agent_query *q = agent_query_find(a, o->order->query.data);

	if (queries_running(a) >= a->config->limits.queries)
		return cluster_refuse(err, "policy", "C-57", "%llu queries run here, and no more are allowed",
			(unsigned long long)a->config->limits.queries);
	if (!q)
		q = agent_query_new(a, o->order->query.data);
	if (!q)
		return cluster_refuse(err, "order", NULL, "there are too many queries");
	q->state = WARD__CLUSTER__NOTE__STATE__REFUSED; /* until it has begun */
	q->over_ns = agent_now();
	/* Until it begins it is one that has ended: if it is refused here, no agent that is started later begins it. */
	if ((agent_seen_find(a->seen, q->id) == AGENT_NEW &&
		    !agent_seen_put(a->seen, q->id, o->order->not_after_at, AGENT_ENDED, agent_now_at(), err)) ||
		!agent_store_write(a->orders, o->id, o->bytes, o->size, true, err) ||
		!agent_audit_order(a, o, NULL, err))
		return false;
	query_fill(a, q, o, order_left(o->order));
	if (agent_query_start(a, q, err))
		return true;
	q->order = NULL; /* the caller's */
	agent_seen_put(a->seen, q->id, 0, AGENT_ENDED, agent_now_at(), NULL);
	return false;
}

static bool order_admit(struct agent *a, struct agent_order *o, bool again, struct ward_error *err)
{
	struct agent_query *q = agent_query_find(a, o->order->query.data);

	if (q && q->order)
		return cluster_refuse(err, "order", "C-47", "it was taken before, and runs here");
	if (!again && !agent_rate_take(&a->rate, agent_now()))
		return cluster_refuse(err, "order", "C-49", "there were ten orders in the last minute");
	return order_begin(a, o, err);
}

/* An order whose query ran here before may begin again, in a new epoch, if it doesn't run now. */
static void order_take(struct agent *a, const void *bytes, size_t size, bool again)
{
	struct agent_order *o;
	struct ward_error why = {0};
	enum agent_verdict v =
		agent_order_decide(a->config, &a->here, a->seen, bytes, size, agent_now_at(), true, &o, &why);

	if (v == AGENT_NOT_MEANT)
		agent_order_free(o);
	else if (v == AGENT_ACCEPTED && order_admit(a, o, again, &why))
		agent_log(6, "query %s begins, epoch %llu", o->id,
			(unsigned long long)agent_query_find(a, o->order->query.data)->epoch.number);
	else
		order_refuse(a, o, &why);
}

void agent_resume(struct agent *a)
{
	uint8_t ids[AGENT_QUERIES][CLUSTER_ID];
	const uint8_t *id;
	char name[2 * CLUSTER_ID + 1];
	size_t n = 0, size;
	void *bytes;

	while (n < AGENT_QUERIES && (id = agent_seen_running(a->seen, n)))
		memcpy(ids[n++], id, CLUSTER_ID);
	for (size_t i = 0; i < n; i++) {
		cluster_hex(ids[i], CLUSTER_ID, name);
		if (agent_store_read(a->orders, name, CLUSTER_MOST_ORDER, &bytes, &size, NULL) && bytes)
			order_take(a, bytes, size, true);
		free(bytes);
	}
	agent_values_clean(a);
}

/* ---- all else ---- */

/* C-48: this message is newer than all that its key has sent before, of its kind, in its query. */
static bool counter_take(struct agent_speaker *speakers, size_t *n, const Ward__Cluster__Signed *from, uint64_t counter)
{
	size_t i = 0;

	while (i < *n && memcmp(speakers[i].key, from->key.data, CLUSTER_KEY) != 0)
		i++;
	if (i == AGENT_SPEAKERS)
		return false;
	if (i == *n) {
		speakers[i] = (struct agent_speaker){0};
		memcpy(speakers[i].key, from->key.data, CLUSTER_KEY);
		++*n;
	}
	if (counter <= speakers[i].counters[from->kind])
		return false;
	speakers[i].counters[from->kind] = counter;
	return true;
}

/* A query and a key that may speak of it. */
static struct agent_query *query_of(
	struct agent *a, const Ward__Cluster__Signed *from, ProtobufCBinaryData id, uint64_t counter)
{
	struct agent_query *q = agent_query_find(a, id.data);

	if (!q || !agent_policy_take_over(a->config, from->key.data, q->issuer))
		return NULL;
	return counter_take(q->speakers, &q->n_speakers, from, counter) ? q : NULL;
}

/* An order that isn't here: asked for once a second, if this machine is meant, and it hasn't ended here. */
static void query_want(struct agent *a, const Ward__Cluster__Beat *m)
{
	uint64_t now = agent_now();
	size_t slot = 0;

	if (agent_seen_find(a->seen, m->query.data) > AGENT_RUNS || !m->choice->late ||
		!cluster_choice_fits(m->choice, m->query.data, &a->here.machine))
		return;
	for (size_t i = 0; i < AGENT_QUERIES; i++) {
		if (memcmp(a->wants[i].query, m->query.data, CLUSTER_ID) == 0) {
			slot = i;
			break;
		}
		if (a->wants[i].asked_ns < a->wants[slot].asked_ns)
			slot = i;
	}
	if (memcmp(a->wants[slot].query, m->query.data, CLUSTER_ID) == 0 &&
		now - a->wants[slot].asked_ns < AGENT_SECOND)
		return;
	memcpy(a->wants[slot].query, m->query.data, CLUSTER_ID);
	a->wants[slot].asked_ns = now;
	agent_say_want(a, m->query.data);
}

static void wish_say(struct agent_query *q)
{
	if (q->worker && !q->stop_ns)
		send(q->channel.fd, &q->wish, sizeof(q->wish), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void beat_take(struct agent *a, const Ward__Cluster__Signed *from, const Ward__Cluster__Beat *m)
{
	struct agent_query *q = agent_query_find(a, m->query.data);
	uint64_t now = agent_now(), lease;

	a->hello_period_ns = m->hello_ns;
	if (!q) {
		query_want(a, m);
		return;
	}
	q = query_of(a, from, m->query, m->counter);
	if (!q || !agent_query_follow(q, m->term, m->has_coordinator ? m->coordinator : 0))
		return;
	q->beat_ns = now;
	if (!q->order || !cluster_bytes_equal(m->order, q->order->digest, CLUSTER_DIGEST))
		return;
	lease = m->lease_ns < a->config->limits.lease_ns ? m->lease_ns : a->config->limits.lease_ns;
	q->lease_ns = now + lease;
	q->until_ns = now + m->left_ns;
	if (now + m->left_ns < q->ends_ns)
		q->ends_ns = now + m->left_ns;
	q->period_ns = m->period_ns;
	q->shards = m->shards;
	q->wish.period_ns = m->period_ns;
	q->wish.beat = m->counter;
	wish_say(q);
}

static void cancel_take(struct agent *a, const Ward__Cluster__Signed *from, const Ward__Cluster__Cancel *m)
{
	struct agent_query *q = query_of(a, from, m->query, m->counter);
	char reason[100], text[128];

	if (!q)
		return;
	cluster_text(m->reason.data, m->reason.len, text, sizeof(text));
	snprintf(reason, sizeof(reason), "cancelled%s%.80s", *text ? ": " : "", text);
	agent_query_stop(q, reason, false);
}

static void roll_take(struct agent *a, const Ward__Cluster__Signed *from, const Ward__Cluster__Roll *m)
{
	uint64_t spread =
		m->spread_ns ? (uint64_t)randombytes_uniform((uint32_t)(m->spread_ns / 1000000) + 1) * 1000000 : 0;

	if (!counter_take(a->speakers, &a->n_speakers, from, m->counter))
		return;
	a->roll = m->counter;
	a->roll_ns = agent_now();
	a->hello_period_ns = m->hello_ns;
	if (agent_now() + spread < a->hello_ns)
		a->hello_ns = agent_now() + spread;
}

static void got_take(struct agent *a, const Ward__Cluster__Signed *from, const Ward__Cluster__Got *m)
{
	struct agent_query *q = query_of(a, from, m->query, m->counter);

	if (q && m->has_term && m->term < q->term) /* C-132 */
		return;
	for (size_t i = 0; q && i < m->n_epoch; i++)
		agent_query_got(q, m->epoch[i]->epoch, m->epoch[i]->nonce);
	for (size_t i = 0; q && i < m->n_window; i++)
		if (m->window[i]->epoch == q->epoch.number && m->window[i]->nonce == q->epoch.nonce) {
			q->wish.windows_below = m->window[i]->below;
			wish_say(q);
		}
	for (size_t i = 0; q && i < m->n_record; i++)
		agent_kept_got(q, &(struct agent_epoch){m->record[i]->epoch, m->record[i]->nonce}, m->record[i]->below);
}

/* C-133: an order is large, so once a second. */
static void fetch_take(struct agent *a, const Ward__Cluster__Signed *from, const Ward__Cluster__Fetch *m)
{
	struct agent_query *q = query_of(a, from, m->query, m->counter);
	uint64_t now = agent_now();

	if (!q || !q->order || (q->fetched_ns && now - q->fetched_ns < AGENT_SECOND))
		return;
	q->fetched_ns = now;
	agent_say_order(a, q);
}

/* The types of the bodies, by kind; each has its cluster's name. */
static ProtobufCBinaryData cluster_of(const ProtobufCMessage *m)
{
	const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field_by_name(m->descriptor, "cluster");
	return *(const ProtobufCBinaryData *)((const char *)m + f->offset);
}

static void body_take(struct agent *a, const Ward__Cluster__Signed *from, const ProtobufCMessage *m)
{
	switch (from->kind) {
	case WARD__CLUSTER__SIGNED__KIND__CANCEL: cancel_take(a, from, (const Ward__Cluster__Cancel *)m); break;
	case WARD__CLUSTER__SIGNED__KIND__ROLL: roll_take(a, from, (const Ward__Cluster__Roll *)m); break;
	case WARD__CLUSTER__SIGNED__KIND__BEAT: beat_take(a, from, (const Ward__Cluster__Beat *)m); break;
	case WARD__CLUSTER__SIGNED__KIND__FETCH: fetch_take(a, from, (const Ward__Cluster__Fetch *)m); break;
	case WARD__CLUSTER__SIGNED__KIND__GOT: got_take(a, from, (const Ward__Cluster__Got *)m); break;
	default: break;
	}
}

void agent_take_signed(struct agent *a, const void *bytes, size_t size)
{
	static const ProtobufCMessageDescriptor *const types[] = {NULL, NULL, &ward__cluster__cancel__descriptor,
		&ward__cluster__roll__descriptor, &ward__cluster__beat__descriptor, &ward__cluster__got__descriptor,
		NULL, &ward__cluster__fetch__descriptor};
	struct cluster_message envelope, body = {0};
	struct ward_error why = {0};
	bool ok = cluster_message_read(&envelope, &ward__cluster__signed__descriptor, "message", bytes, size, &why);
	const Ward__Cluster__Signed *from = (const Ward__Cluster__Signed *)envelope.m;

	if (ok && from->kind == WARD__CLUSTER__SIGNED__KIND__ORDER) {
		cluster_message_free(&envelope);
		order_take(a, bytes, size, false);
		return;
	}
	if (ok && !agent_config_coordinator(a->config, from->key.data))
		ok = cluster_refuse(
			&why, cluster_kind_name(from->kind), "C-42", "its key is no coordinator's of this machine");
	if (ok && ((unsigned)from->kind >= sizeof(types) / sizeof(*types) || !types[from->kind]))
		ok = cluster_refuse(&why, cluster_kind_name(from->kind), "C-33", "it isn't for machines");
	ok = ok && cluster_signed_check(from, &why) &&
	     cluster_message_read(
		     &body, types[from->kind], cluster_kind_name(from->kind), from->body.data, from->body.len, &why);
	if (ok && !cluster_bytes_equal(cluster_of(body.m), a->config->cluster, strlen(a->config->cluster)))
		ok = cluster_refuse(&why, cluster_kind_name(from->kind), "C-43", "it is for another cluster than %s",
			a->config->cluster);
	if (ok)
		body_take(a, from, body.m);
	else
		refusal_audit(a, NULL, &why);
	cluster_message_free(&body);
	cluster_message_free(&envelope);
}
