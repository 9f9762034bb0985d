/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query at its combiner: the shape of its partials from the order, and a subtotal for each shard and unit. A shard
 * that a Work doesn't name any more is another one's, and is forgotten at once.
 */
#include <stdlib.h>
#include <string.h>

#include "combine_parts.h"
#include "told.h"

#include "cluster/base/error.h"
#include "cluster/merge/names.h"
#include "cluster/wire/order.h"

#define CLOCK_TOLERANCE 0.002

static const uint64_t SECOND = 1000000000;
enum { LEAST_KEEP_S = 60 };

/* ---- the order ---- */

static bool schemas_read(struct combine_query *q, const Ward__Cluster__Order *order)
{
	for (size_t i = 0; i < order->n_unit; i++) {
		const Ward__Cluster__Variant *first = order->unit[i]->variant[0]; /* C-41, C-46: all have one shape */
		if (ward_schema_read(first->module.data, first->module.len, &q->schema[i], NULL))
			return false;
		q->n_units = i + 1;
	}
	return true;
}

bool combine_query_begin(
	struct cluster_combine *c, struct combine_query *q, const Ward__Cluster__Work *work, uint64_t now_ns)
{
	struct cluster_message envelope, body = {0};
	bool ok = cluster_message_read(
		&envelope, &ward__cluster__signed__descriptor, "order", work->order.data, work->order.len, NULL);
	const Ward__Cluster__Signed *from = (const Ward__Cluster__Signed *)envelope.m;

	*q = (struct combine_query){.began_ns = now_ns, .work_ns = now_ns, .told_ns = now_ns};
	memcpy(q->id, work->query.data, CLUSTER_ID);
	ok = ok && from->kind == WARD__CLUSTER__SIGNED__KIND__ORDER && combine_key(c, from->key) != SIZE_MAX &&
	     cluster_signed_check(from, NULL) &&
	     cluster_message_read(
		     &body, &ward__cluster__order__descriptor, "order", from->body.data, from->body.len, NULL);
	const Ward__Cluster__Order *order = (const Ward__Cluster__Order *)body.m;
	ok = ok && cluster_order_check(order, NULL) && cluster_bytes_equal(order->query, q->id, CLUSTER_ID) &&
	     order->n_unit <= COMBINE_UNITS && schemas_read(q, order);
	if (ok)
		q->shards = order->shards;
	else
		c->refused++;
	cluster_message_free(&body);
	cluster_message_free(&envelope);
	if (!ok)
		combine_query_end(c, q);
	return ok;
}

/* ---- shards ---- */

static void shard_subject(const struct combine_query *q, uint32_t shard, char subject[CLUSTER_SUBJECT])
{
	char id[2 * CLUSTER_ID + 1];

	cluster_hex(q->id, CLUSTER_ID, id);
	snprintf(subject, CLUSTER_SUBJECT, "ward.part.%s.0.%u.*", id, shard);
}

static struct combine_shard *shard_find(const struct combine_query *q, uint32_t number)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->at[i].number == number)
			return &q->at[i];
	return NULL;
}

/* NULL without memory. */
static struct combine_shard *shard_begin(struct cluster_combine *c, struct combine_query *q, uint32_t number)
{
	struct combine_shard *more = reallocarray(q->at, q->n + 1, sizeof(*more)), *s;
	char subject[CLUSTER_SUBJECT];
	bool ok = true;

	if (!more)
		return NULL;
	q->at = more;
	s = &more[q->n];
	*s = (struct combine_shard){.number = number};
	for (size_t i = 0; i < q->n_units; i++) {
		struct cluster_children_options options = {
			.schema = q->schema[i], .began_ns = q->began_ns, .bytes = c->options.bytes};
		memcpy(options.query, q->id, CLUSTER_ID);
		s->subtotal[i] = cluster_subtotal_new(&options, c->nonce);
		ok &= s->subtotal[i] != NULL;
	}
	shard_subject(q, number, subject);
	if (ok && bus_subscribe(c->bus, subject, NULL) == 0) {
		q->n++;
		return s;
	}
	for (size_t i = 0; i < q->n_units; i++)
		cluster_subtotal_free(s->subtotal[i]);
	return NULL;
}

/* The last one takes its place. */
static void shard_end(struct cluster_combine *c, struct combine_query *q, struct combine_shard *s)
{
	char subject[CLUSTER_SUBJECT];

	shard_subject(q, s->number, subject);
	bus_unsubscribe(c->bus, subject);
	for (size_t i = 0; i < q->n_units; i++)
		cluster_subtotal_free(s->subtotal[i]);
	*s = q->at[--q->n];
}

void combine_query_end(struct cluster_combine *c, struct combine_query *q)
{
	while (q->n)
		shard_end(c, q, &q->at[q->n - 1]);
	for (size_t i = 0; i < COMBINE_UNITS; i++)
		ward_schema_free(q->schema[i]);
	free(q->at);
	*q = (struct combine_query){0};
}

/* ---- a Work ---- */

static bool work_has_shard(const Ward__Cluster__Work *m, uint32_t number)
{
	for (size_t i = 0; i < m->n_shard; i++)
		if (m->shard[i]->shard == number)
			return true;
	return false;
}

static void shards_take(struct cluster_combine *c, struct combine_query *q, const Ward__Cluster__Work *m)
{
	for (size_t i = q->n; i-- > 0;)
		if (!work_has_shard(m, q->at[i].number))
			shard_end(c, q, &q->at[i]);
	for (size_t i = 0; i < m->n_shard; i++) {
		struct combine_shard *s = shard_find(q, m->shard[i]->shard);
		if (!s && m->shard[i]->shard < q->shards)
			s = shard_begin(c, q, m->shard[i]->shard);
		if (s)
			s->term = m->shard[i]->term;
	}
}

static void answer_take(
	struct cluster_combine *c, struct combine_query *q, const Ward__Cluster__Answer *m, uint64_t now_ns)
{
	struct combine_shard *s = shard_find(q, m->shard);
	struct cluster_answer_read read;

	if (!s || m->unit >= q->n_units)
		return;
	if (cluster_answer_read(m, &read, NULL))
		cluster_subtotal_answer(s->subtotal[m->unit], &read.answer, now_ns);
	else
		c->refused++;
	cluster_answer_read_free(&read);
}

void combine_query_work(
	struct cluster_combine *c, struct combine_query *q, const Ward__Cluster__Work *m, uint64_t now_ns)
{
	q->work_ns = now_ns;
	q->period_ns = m->period_ns;
	q->keep_ns = m->keep_ns > LEAST_KEEP_S * SECOND ? m->keep_ns : LEAST_KEEP_S * SECOND;
	q->counts_per_us = m->has_counts_per_us ? m->counts_per_us : 0;
	shards_take(c, q, m);
	for (size_t i = 0; i < m->n_answer; i++)
		answer_take(c, q, m->answer[i], now_ns);
}

/* ---- partials ---- */

/* C-96: both measure their rates, so these differ a little. */
static bool is_clock_alike(const struct combine_query *q, const Ward__Cluster__Parts *m)
{
	double ratio = m->has_counts_per_us ? m->counts_per_us / q->counts_per_us : 0;

	return ratio > 1 - CLOCK_TOLERANCE && ratio < 1 + CLOCK_TOLERANCE;
}

void combine_query_part(struct cluster_combine *c, struct combine_query *q, const struct cluster_subject *from,
	const Ward__Cluster__Parts *parts, uint64_t now_ns)
{
	struct combine_shard *s = shard_find(q, from->shard);
	char host[CLUSTER_NAME];
	struct cluster_sender sender = {.machine = host};

	if (!s) /* another one's by now */
		return;
	if (!cluster_name_to_host(from->name, host) || cluster_shard(from->name, q->shards) != from->shard) {
		c->refused++;
		return;
	}
	if (q->counts_per_us > 0 && !is_clock_alike(q, parts)) {
		for (size_t i = 0; i < q->n_units; i++)
			cluster_subtotal_blame(s->subtotal[i], host,
				"its time stamp counter has another rate than the coordinator's, and the numbers are "
				"its counts (C-96)");
		return;
	}
	for (size_t i = 0; i < parts->n_piece; i++) {
		const Ward__Cluster__Piece *piece = parts->piece[i];
		enum cluster_taken how = piece->unit < q->n_units
						 ? cluster_subtotal_take(s->subtotal[piece->unit], &sender,
							   piece->partial.data, piece->partial.len, now_ns, NULL)
						 : CLUSTER_REFUSED;
		c->taken += how == CLUSTER_TAKEN;
		c->refused += how == CLUSTER_REFUSED;
	}
}

/* ---- sums ---- */

static int sum_say(struct cluster_combine *c, const struct combine_query *q, struct combine_shard *s, uint32_t unit,
	uint64_t now_ns, struct ward_error *err)
{
	struct cluster_subject to = {.kind = CLUSTER_PART, .level = 1, .shard = s->number};
	struct cluster_told told;
	char subject[CLUSTER_SUBJECT];
	size_t size;
	int rc = cluster_subtotal_tell(s->subtotal[unit], s->term, q->period_ns, now_ns, &told, err);
	void *bytes = rc ? NULL : cluster_told_write(&told, unit, &size);

	if (rc || !bytes)
		return rc ? rc : cluster_no_memory(err);
	memcpy(to.query, q->id, CLUSTER_ID);
	strcpy(to.name, c->name);
	cluster_subject_write(&to, subject);
	bus_publish(c->bus, subject, bytes, size, NULL); /* what can't be sent now comes with the next one */
	free(bytes);
	return 0;
}

int combine_query_tell(struct cluster_combine *c, struct combine_query *q, uint64_t now_ns, struct ward_error *err)
{
	int rc = 0;

	q->told_ns = now_ns;
	for (size_t i = 0; i < q->n && !rc; i++)
		for (uint32_t unit = 0; unit < q->n_units && !rc; unit++)
			rc = sum_say(c, q, &q->at[i], unit, now_ns, err);
	return rc;
}
