/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-133: every machine of a query has its order, as it was signed. A coordinator without the journal calls the roll,
 * and asks those that say they run the query, or keep its last values, for it. They give it to who may go on with the
 * query. What comes is checked as an agent checks it, but for the policy: a signature, the ID, the cluster. A machine
 * that lied and signed an order of its own would be followed by no other one, since a beat names the order's digest.
 */
#include "fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/order.h"

static const uint64_t MOST_TERM = 1ull << 32;
enum { ROLL_MS = 2000, ANSWER_MS = 2000, SLICE_MS = 50, MOST_ASKED = 8 };

static bool present_has(const struct cluster_present *p, const uint8_t id[CLUSTER_ID])
{
	for (size_t i = 0; i < p->n_queries + p->n_kept; i++)
		if (memcmp(p->query[i], id, CLUSTER_ID) == 0)
			return true;
	return false;
}

static int fetch_say(bus *b, const struct cluster_secret *secret, const char *cluster, const uint8_t id[CLUSTER_ID],
	const char *host, uint64_t now_at, struct ward_error *err)
{
	Ward__Cluster__Fetch m = WARD__CLUSTER__FETCH__INIT;
	struct cluster_subject to = {.kind = CLUSTER_ORDER};
	char subject[CLUSTER_SUBJECT];
	size_t size;
	void *bytes;
	int rc;

	m.query = (ProtobufCBinaryData){CLUSTER_ID, (uint8_t *)(uintptr_t)id};
	m.cluster = (ProtobufCBinaryData){strlen(cluster), (uint8_t *)(uintptr_t)cluster};
	m.counter = now_at;
	bytes = cluster_sign(secret, WARD__CLUSTER__SIGNED__KIND__FETCH, &m.base, &size);
	if (!bytes)
		return cluster_no_memory(err);
	cluster_name_from_host(host, to.name);
	cluster_subject_write(&to, subject);
	rc = bus_publish(b, subject, bytes, size, err);
	free(bytes);
	return rc;
}

/* Is it the order of this query, in this cluster, and signed by somebody? */
static bool order_is_of(const ProtobufCBinaryData *bytes, const char *cluster, const uint8_t id[CLUSTER_ID])
{
	struct cluster_message envelope, body = {0};
	bool ok = cluster_message_read(
		&envelope, &ward__cluster__signed__descriptor, "order", bytes->data, bytes->len, NULL);
	const Ward__Cluster__Signed *from = (const Ward__Cluster__Signed *)envelope.m;
	const Ward__Cluster__Order *order;

	ok = ok && from->kind == WARD__CLUSTER__SIGNED__KIND__ORDER && cluster_signed_check(from, NULL) &&
	     cluster_message_read(
		     &body, &ward__cluster__order__descriptor, "order", from->body.data, from->body.len, NULL);
	order = (const Ward__Cluster__Order *)body.m;
	ok = ok && cluster_order_check(order, NULL) && cluster_bytes_equal(order->query, id, CLUSTER_ID) &&
	     cluster_bytes_equal(order->cluster, cluster, strlen(cluster));
	cluster_message_free(&body);
	cluster_message_free(&envelope);
	return ok;
}

/* Is it a note of this query with its order? */
static int note_take(const struct bus_message *message, const char *cluster, const uint8_t id[CLUSTER_ID],
	struct cluster_found *out, struct ward_error *err)
{
	struct cluster_subject s;
	struct cluster_message m = {0};
	const Ward__Cluster__Note *note;
	int rc = 0;

	if (!cluster_subject_read(message->subject, &s) || s.kind != CLUSTER_NOTE ||
		memcmp(s.query, id, CLUSTER_ID) != 0)
		return 0;
	if (cluster_message_read(&m, &ward__cluster__note__descriptor, "note", message->data, message->size, NULL)) {
		note = (const Ward__Cluster__Note *)m.m;
		if (note->has_term && note->term > out->term) /* whoever lies leaves room above */
			out->term = note->term < MOST_TERM ? note->term : MOST_TERM;
		if (note->has_order && !out->order && order_is_of(&note->order, cluster, id)) {
			out->order = malloc(note->order.len);
			out->size = note->order.len;
			if (out->order)
				memcpy(out->order, note->order.data, out->size);
			else
				rc = cluster_no_memory(err);
		}
	}
	cluster_message_free(&m);
	return rc;
}

static int answer_wait(bus *b, const char *cluster, const uint8_t id[CLUSTER_ID], struct cluster_now (*now)(void),
	struct cluster_found *out, struct ward_error *err)
{
	uint64_t until = now().ns + (uint64_t)ANSWER_MS * 1000000;
	struct bus_message message;
	int rc = 0;

	while (!rc && !out->order && now().ns < until) {
		int got = bus_take(b, SLICE_MS, &message, err);
		rc = got < 0 ? cluster_no_memory(err) : got ? note_take(&message, cluster, id, out, err) : 0;
	}
	return rc;
}

static int machines_ask(bus *b, const struct cluster_secret *secret, const char *cluster, const uint8_t id[CLUSTER_ID],
	const struct cluster_roll *roll, struct cluster_now (*now)(void), struct cluster_found *out,
	struct ward_error *err)
{
	size_t asked = 0;
	int rc = 0;

	for (size_t i = 0; i < roll->n && asked < MOST_ASKED && !out->order && !rc; i++) {
		if (!present_has(&roll->at[i], id))
			continue;
		asked++;
		rc = fetch_say(b, secret, cluster, id, roll->at[i].host, now().at, err);
		rc = rc ? rc : answer_wait(b, cluster, id, now, out, err);
	}
	if (rc || out->order)
		return rc;
	if (!asked)
		rc = cluster_fail(err, WARD_E_TARGET, "query",
			"its journal isn't here, and none of %zu machines that answer has it", roll->n);
	else
		rc = cluster_fail(err, WARD_E_TARGET, "query",
			"its journal isn't here, and no machine gives its order to this key");
	cluster_hint(err, "%s",
		asked ? "their configuration allows another key than its coordinator's with 'may = take-over'"
		      : "machines keep last values for a time (--keep); ward cluster queries lists what runs");
	return rc;
}

static void roll_keep_those_with(struct cluster_roll *roll, const uint8_t id[CLUSTER_ID])
{
	size_t kept = 0;

	for (size_t i = 0; i < roll->n; i++) {
		if (present_has(&roll->at[i], id))
			roll->at[kept++] = roll->at[i];
		else
			free(roll->at[i].query);
	}
	roll->n = kept;
}

int cluster_fetch(bus *b, const struct cluster_secret *secret, const char *cluster, const char *id,
	struct cluster_now (*now)(void), struct cluster_found *out, struct ward_error *err)
{
	struct cluster_roll roll;
	int rc = cluster_fetch_roll(b, secret, cluster, id, now, out, &roll, err);

	cluster_roll_free(&roll);
	return rc;
}

int cluster_fetch_roll(bus *b, const struct cluster_secret *secret, const char *cluster, const char *id,
	struct cluster_now (*now)(void), struct cluster_found *out, struct cluster_roll *roll, struct ward_error *err)
{
	uint8_t query[CLUSTER_ID];
	char subject[CLUSTER_SUBJECT];
	int rc;

	*out = (struct cluster_found){0};
	*roll = (struct cluster_roll){0};
	if (!cluster_hex_read(id, CLUSTER_ID, query))
		return cluster_fail(err, WARD_E_USAGE, id, "is no query's ID");
	snprintf(subject, sizeof(subject), "ward.note.%s.>", id);
	rc = bus_subscribe(b, subject, err);
	rc = rc ? rc : cluster_roll_call(b, secret, cluster, ROLL_MS, now, roll, err);
	rc = rc ? rc : machines_ask(b, secret, cluster, query, roll, now, out, err);
	roll_keep_those_with(roll, query);
	return rc;
}
