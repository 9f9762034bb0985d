/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What viewers get (C-130). A viewer asks each few seconds, and a coordinator publishes what it shows for as long as
 * somebody has asked lately: a query that nobody looks at costs nothing. One publication serves all viewers. What is
 * shown is text, so that a viewer sees results, and never what a machine has sent.
 */
#include "run_parts.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t SECOND = 1000000000, HEAD_NS = 250000000;
enum { ASKED_S = 15, PIECE = 512 << 10, MOST_PIECES = 64, HEAD_TEXT = 4096 };

static void out_say(struct cluster_run *r, enum cluster_subject_kind kind, const ProtobufCMessage *m)
{
	struct cluster_subject to = {.kind = kind};
	char subject[CLUSTER_SUBJECT];
	size_t size;
	void *bytes = cluster_message_write(m, &size);

	memcpy(to.query, r->query, sizeof(to.query));
	cluster_subject_write(&to, subject);
	if (bytes)
		bus_publish(r->bus, subject, bytes, size, NULL);
	free(bytes);
}

static void head_say(struct cluster_run *r)
{
	Ward__Cluster__Head head = WARD__CLUSTER__HEAD__INIT;

	head.format = CLUSTER_FORMAT;
	head.query = r->body->query;
	head.cluster = r->body->cluster;
	head.issuer = r->body->issuer;
	head.left_ns = cluster_run_left(r, r->now.ns);
	head.machines = cluster_fleet_count(r->fleet);
	head.reporting = cluster_fleet_count_of(r->fleet, CLUSTER_STATE_REPORTING);
	head.has_text = r->body->has_text;
	head.text = r->body->text;
	if (head.text.len > HEAD_TEXT)
		head.text.len = HEAD_TEXT;
	out_say(r, CLUSTER_OUT_HEAD, &head.base);
}

void run_take_ask(struct cluster_run *r, const struct bus_message *message)
{
	struct cluster_message m;
	const Ward__Cluster__Ask *ask;
	bool ok = cluster_message_read(&m, &ward__cluster__ask__descriptor, "ask", message->data, message->size, NULL);

	ask = (const Ward__Cluster__Ask *)m.m;
	r->refused += !ok;
	if (ok && !r->is_looking && (!ask->has_query || cluster_bytes_equal(ask->query, r->query, sizeof(r->query)))) {
		if (ask->has_query && ask->has_shown)
			r->asked_ns[ask->shown] = r->now.ns; /* C-33: 1 or 2 */
		if (r->now.ns - r->head_ns >= HEAD_NS) {
			r->head_ns = r->now.ns;
			head_say(r);
		}
	}
	cluster_message_free(&m);
}

bool cluster_run_is_watched(const cluster_run *r, enum cluster_shown_as as)
{
	return !r->is_looking && r->asked_ns[as] && r->now.ns - r->asked_ns[as] < ASKED_S * SECOND;
}

bool cluster_run_show(
	cluster_run *r, enum cluster_shown_as as, const char *text, size_t size, enum cluster_shown_end end)
{
	Ward__Cluster__Out out = WARD__CLUSTER__OUT__INIT;
	size_t pieces = size ? (size + PIECE - 1) / PIECE : 1;

	if (pieces > MOST_PIECES)
		return false;
	/* it rises over a restart, and from one coordinator to the next */
	r->refresh = r->now.at > r->refresh ? r->now.at : r->refresh + 1;
	out.format = CLUSTER_FORMAT;
	out.refresh = r->refresh;
	out.pieces = (uint32_t)pieces;
	out.has_shown = true;
	out.shown = (Ward__Cluster__Shown)as;
	out.has_end = end != CLUSTER_GOES_ON;
	out.end = out.has_end ? (Ward__Cluster__Out__End)end : out.end;
	for (size_t i = 0; i < pieces; i++) {
		size_t n = size - i * PIECE < PIECE ? size - i * PIECE : PIECE;
		out.piece = (uint32_t)i;
		out.lines = (ProtobufCBinaryData){n, (uint8_t *)(uintptr_t)text + i * PIECE};
		out_say(r, CLUSTER_OUT_TABLE, &out.base);
	}
	return true;
}
