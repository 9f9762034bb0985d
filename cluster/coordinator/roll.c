/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There is no list of machines: a coordinator calls, and those that are there say hello within the time that the call
 * says, each at a moment of its own. Who doesn't answer isn't known here. A hello is believed for what the bus vouches
 * for, its sender's name (C-80); all else in it is what the machine says of itself.
 */
#include "roll.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/merge/names.h"
#include "cluster/wire/choice.h"
#include "cluster/wire/refuse.h"

static const uint64_t SECOND = 1000000000, MILLISECOND = 1000000;
enum { HELLO_S = 30, SLICE_MS = 100 };

static int signed_send(bus *b, const struct cluster_secret *secret, Ward__Cluster__Signed__Kind kind,
	const ProtobufCMessage *body, struct ward_error *err)
{
	struct cluster_subject all = {.kind = CLUSTER_ORDER};
	char subject[CLUSTER_SUBJECT];
	size_t size;
	void *bytes = cluster_sign(secret, kind, body, &size);
	int rc;

	if (!bytes)
		return cluster_no_memory(err);
	cluster_subject_write(&all, subject);
	rc = bus_publish(b, subject, bytes, size, err);
	free(bytes);
	return rc;
}

static ProtobufCBinaryData text_bytes(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
}

/* ---- hellos ---- */

/* Several texts as one, with something between them; what has no room is left out. */
static void texts_join(const ProtobufCBinaryData *texts, size_t n, const char *between, char *out, size_t size)
{
	size_t at = 0;

	*out = 0;
	for (size_t i = 0; i < n && at + 1 < size; i++) {
		if (i)
			at += (size_t)snprintf(out + at, size - at, "%s", between);
		if (at + 1 < size)
			cluster_text(texts[i].data, texts[i].len, out + at, size - at);
		at += strlen(out + at);
	}
}

static struct cluster_present *present_find(struct cluster_roll *roll, const char *host)
{
	for (size_t i = 0; i < roll->n; i++)
		if (strcmp(roll->at[i].host, host) == 0)
			return &roll->at[i];
	if (!cluster_array_grow(&roll->at, &roll->room, roll->n + 1, sizeof(*roll->at)))
		return NULL;
	strcpy(roll->at[roll->n].host, host);
	return &roll->at[roll->n++];
}

static bool hello_fits(const struct cluster_roll *roll, const char *host, const Ward__Cluster__Hello *m)
{
	static const uint8_t no_query[CLUSTER_ID];
	Ward__Cluster__Choice choice = WARD__CLUSTER__CHOICE__INIT;

	choice.selector = text_bytes(roll->selector);
	return (!m->has_cluster || cluster_bytes_equal(m->cluster, roll->cluster, strlen(roll->cluster))) &&
	       cluster_hello_fits(m, host, &choice, no_query);
}

/*
 * C-170: what a machine's clock says is compared with ours at the middle of the way there and back. That is the time
 * from our call to its hello without what passed on the machine, which the machine says; one that lies about it is
 * wrong about its own clock only.
 */
static void clock_compare(struct cluster_present *p, const Ward__Cluster__Hello *m, const struct cluster_now *called,
	struct cluster_now now)
{
	uint64_t passed = now.ns - called->ns;
	bool is_ours = m->has_roll && m->has_roll_age_ns && m->roll == called->at && m->roll_age_ns <= passed;
	uint64_t way = is_ours ? passed - m->roll_age_ns : 0;

	p->clock_error_ns = is_ours ? (int64_t)(way / 2) : -1;
	p->clock_ns = (int64_t)(m->clock_at - (now.at - way / 2));
}

static bool present_fill(struct cluster_present *p, const Ward__Cluster__Hello *m, const struct cluster_now *called,
	struct cluster_now now)
{
	uint8_t(*queries)[CLUSTER_ID] = calloc(m->n_query + m->n_kept + 1, sizeof(*queries));

	if (!queries)
		return false;
	free(p->query);
	p->query = queries;
	p->n_queries = m->n_query;
	for (size_t i = 0; i < m->n_query; i++)
		memcpy(queries[i], m->query[i].data, CLUSTER_ID); /* C-32: of this length */
	p->n_kept = m->n_kept;
	for (size_t i = 0; i < m->n_kept; i++)
		memcpy(queries[m->n_query + i], m->kept[i].data, CLUSTER_ID);
	texts_join(m->label, m->n_label, " ", p->labels, sizeof(p->labels));
	texts_join(m->refuses, m->n_refuses, ", ", p->refuses, sizeof(p->refuses));
	cluster_text(m->version.data, m->version.len, p->version, sizeof(p->version));
	cluster_hex(m->kernel.data, m->has_kernel ? m->kernel.len : 0, p->kernel); /* C-32: at most 64 bytes */
	cluster_text(m->release.data, m->release.len, p->release, sizeof(p->release));
	clock_compare(p, m, called, now);
	return true;
}

static int hello_take(
	struct cluster_roll *roll, const struct bus_message *message, struct cluster_now now, struct ward_error *err)
{
	struct cluster_subject from;
	struct cluster_message hello = {0};
	char host[CLUSTER_NAME];
	bool ok = cluster_subject_read(message->subject, &from) && from.kind == CLUSTER_HELLO &&
		  cluster_name_to_host(from.name, host) &&
		  cluster_message_read(
			  &hello, &ward__cluster__hello__descriptor, "hello", message->data, message->size, NULL);
	struct cluster_present *p = ok ? present_find(roll, host) : NULL;
	bool is_there = p && present_fill(p, (const Ward__Cluster__Hello *)hello.m, &roll->called, now);

	if (is_there)
		p->fits = hello_fits(roll, host, (const Ward__Cluster__Hello *)hello.m);
	cluster_message_free(&hello);
	if (!ok)
		roll->refused++;
	return is_there || !ok ? 0 : cluster_no_memory(err);
}

static int by_host(const void *x, const void *y)
{
	return strcmp(((const struct cluster_present *)x)->host, ((const struct cluster_present *)y)->host);
}

static int roll_say(bus *b, const struct cluster_secret *secret, const char *cluster, int64_t wait_ms,
	struct cluster_now now, struct ward_error *err)
{
	Ward__Cluster__Roll roll = WARD__CLUSTER__ROLL__INIT;

	roll.cluster = text_bytes(cluster);
	roll.counter = now.at;
	roll.spread_ns = (uint64_t)wait_ms / 2 * MILLISECOND;
	roll.hello_ns = HELLO_S * SECOND;
	return signed_send(b, secret, WARD__CLUSTER__SIGNED__KIND__ROLL, &roll.base, err);
}

static int hellos_gather(bus *b, const struct cluster_secret *secret, const char *cluster, int64_t wait_ms,
	struct cluster_now (*now)(void), struct cluster_roll *out, struct ward_error *err)
{
	uint64_t until = now().ns + (uint64_t)wait_ms * MILLISECOND;
	struct bus_message message;
	int rc;

	rc = bus_subscribe(b, "ward.hello.*", err);
	out->called = now();
	rc = rc ? rc : roll_say(b, secret, cluster, wait_ms, out->called, err);
	while (!rc && now().ns < until) {
		int got = bus_take(b, SLICE_MS, &message, err);
		if (got < 0)
			return cluster_no_memory(err);
		if (got)
			rc = hello_take(out, &message, now(), err);
	}
	return rc;
}

int cluster_roll_call(bus *b, const struct cluster_secret *secret, const char *cluster, int64_t wait_ms,
	struct cluster_now (*now)(void), struct cluster_roll *out, struct ward_error *err)
{
	int rc;

	*out = (struct cluster_roll){.cluster = cluster, .selector = ""};
	rc = hellos_gather(b, secret, cluster, wait_ms, now, out, err);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_host);
	return rc;
}

static void presents_cut(struct cluster_roll *roll, size_t n)
{
	while (roll->n > n)
		free(roll->at[--roll->n].query);
}

void cluster_roll_free(struct cluster_roll *roll)
{
	presents_cut(roll, 0);
	free(roll->at);
	*roll = (struct cluster_roll){0};
}

/* ---- drawing ---- */

/* Those that don't fit come last. */
static int by_lot(const void *x, const void *y)
{
	const struct cluster_present *a = x, *b = y;

	if (a->fits != b->fits)
		return a->fits ? -1 : 1;
	return (a->lot > b->lot) - (a->lot < b->lot);
}

int cluster_roll_draw(bus *b, const struct cluster_secret *secret, const char *cluster, struct cluster_draw *draw,
	int64_t wait_ms, struct cluster_now (*now)(void), struct cluster_roll *out, struct ward_error *err)
{
	size_t fitting = 0;
	int rc;

	*out = (struct cluster_roll){.cluster = cluster, .selector = draw->selector};
	randombytes_buf(draw->query, sizeof(draw->query));
	rc = hellos_gather(b, secret, cluster, wait_ms, now, out, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < out->n; i++) {
		out->at[i].lot = cluster_lot(draw->query, out->at[i].host);
		fitting += out->at[i].fits;
	}
	if (fitting < draw->n) {
		rc = cluster_fail(err, WARD_E_TARGET, "draw", "%zu machines are to be drawn, and %zu that fit answer",
			draw->n, fitting);
		cluster_hint(err,
			"take fewer, or a part of them (--some 10%%), or all; ward cluster machines says who is "
			"there");
		return rc;
	}
	qsort(out->at, out->n, sizeof(*out->at), by_lot);
	presents_cut(out, draw->n);
	qsort(out->at, out->n, sizeof(*out->at), by_host);
	return 0;
}

int cluster_roll_cancel(bus *b, const struct cluster_secret *secret, const char *cluster,
	const uint8_t query[CLUSTER_ID], const char *reason, struct cluster_now now, struct ward_error *err)
{
	Ward__Cluster__Cancel cancel = WARD__CLUSTER__CANCEL__INIT;

	cancel.query = (ProtobufCBinaryData){CLUSTER_ID, (uint8_t *)(uintptr_t)query};
	cancel.cluster = text_bytes(cluster);
	cancel.counter = now.at;
	cancel.has_reason = true;
	cancel.reason = text_bytes(reason);
	return signed_send(b, secret, WARD__CLUSTER__SIGNED__KIND__CANCEL, &cancel.base, err);
}
