/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-130. A viewer asks again and again, and takes what the coordinator publishes. A refresh comes in pieces; it is
 * taken once all of them are there, and a later one takes the place of one that isn't whole. What isn't such a message
 * is ignored: the bus lets only coordinators publish there, and a viewer prints text and does nothing else with it.
 */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/subject.h"

static const uint64_t ASK_NS = 4000000000, ASK_FIRST_NS = 500000000;
enum { MOST_PIECES = 64 };

struct cluster_view {
	bus *b;
	bool has_query;
	uint8_t query[CLUSTER_ID];
	enum cluster_shown_as as;
	uint64_t ask_ns, connects;
	bool has_head;
	struct cluster_head head;

	uint64_t refresh; /* that comes, or came last */
	char *piece[MOST_PIECES];
	size_t size[MOST_PIECES];
	uint32_t pieces, got;
	bool is_whole;
	char *text;
	size_t text_size;
	enum cluster_shown_end end;
};

static void pieces_forget(struct cluster_view *v)
{
	for (uint32_t i = 0; i < MOST_PIECES; i++) {
		free(v->piece[i]);
		v->piece[i] = NULL;
	}
	v->pieces = v->got = 0;
}

int cluster_view_open(bus *b, const char *query, enum cluster_shown_as as, cluster_view **out, struct ward_error *err)
{
	struct cluster_view *v = calloc(1, sizeof(*v));
	char subject[CLUSTER_SUBJECT];
	int rc;

	*out = NULL;
	if (!v)
		return cluster_no_memory(err);
	v->b = b;
	v->as = as;
	v->has_query = query != NULL;
	rc = query && !cluster_hex_read(query, CLUSTER_ID, v->query)
		     ? cluster_fail(err, WARD_E_USAGE, query, "is no query's ID")
		     : 0;
	snprintf(subject, sizeof(subject), "ward.out.%s.%s", query ? query : "*", query ? "*" : "head");
	rc = rc ? rc : bus_subscribe(b, subject, err);
	if (rc)
		cluster_view_close(v);
	else
		*out = v;
	return rc;
}

void cluster_view_close(cluster_view *v)
{
	if (!v)
		return;
	pieces_forget(v);
	free(v->text);
	free(v);
}

static void ask_say(struct cluster_view *v)
{
	Ward__Cluster__Ask ask = WARD__CLUSTER__ASK__INIT;
	struct cluster_subject to = {.kind = CLUSTER_ASK};
	char subject[CLUSTER_SUBJECT];
	size_t size;
	void *bytes;

	ask.format = CLUSTER_FORMAT;
	ask.has_query = ask.has_shown = v->has_query;
	ask.query = (ProtobufCBinaryData){sizeof(v->query), v->query};
	ask.shown = (Ward__Cluster__Shown)v->as;
	bytes = cluster_message_write(&ask.base, &size);
	cluster_subject_write(&to, subject);
	if (bytes)
		bus_publish(v->b, subject, bytes, size, NULL); /* what can't be sent now is asked again */
	free(bytes);
}

static void head_take(struct cluster_view *v, const Ward__Cluster__Head *m)
{
	struct cluster_head *h = &v->head;

	cluster_hex(m->query.data, CLUSTER_ID, h->id); /* C-32: of this length */
	cluster_text(m->cluster.data, m->cluster.len, h->cluster, sizeof(h->cluster));
	cluster_text(m->issuer.data, m->issuer.len, h->issuer, sizeof(h->issuer));
	cluster_text(m->text.data, m->has_text ? m->text.len : 0, h->text, sizeof(h->text));
	h->left_ns = m->left_ns;
	h->machines = m->machines;
	h->reporting = m->reporting;
	v->has_head = true;
}

/* All pieces as one text. */
static bool text_join(struct cluster_view *v)
{
	size_t all = 0, at = 0;

	for (uint32_t i = 0; i < v->pieces; i++)
		all += v->size[i];
	free(v->text);
	v->text = malloc(all + 1);
	if (!v->text)
		return false;
	for (uint32_t i = 0; i < v->pieces; i++) {
		memcpy(v->text + at, v->piece[i], v->size[i]);
		at += v->size[i];
	}
	v->text[at] = 0;
	v->text_size = at;
	return true;
}

/* Is this the last piece that was missing? */
static int piece_take(struct cluster_view *v, const Ward__Cluster__Out *m, bool *is_table, struct ward_error *err)
{
	if ((int)m->shown != (int)v->as || m->refresh < v->refresh || (m->refresh == v->refresh && v->is_whole))
		return 0;
	if (m->refresh > v->refresh) {
		pieces_forget(v);
		v->refresh = m->refresh;
		v->pieces = m->pieces;
		v->is_whole = false;
	}
	if (m->pieces != v->pieces || m->piece >= v->pieces || v->piece[m->piece])
		return 0;
	v->piece[m->piece] = malloc(m->lines.len + 1);
	if (!v->piece[m->piece])
		return cluster_no_memory(err);
	if (m->lines.len)
		memcpy(v->piece[m->piece], m->lines.data, m->lines.len);
	v->size[m->piece] = m->lines.len;
	if (++v->got < v->pieces)
		return 0;
	v->is_whole = *is_table = true;
	v->end = m->has_end ? (enum cluster_shown_end)m->end : CLUSTER_GOES_ON;
	bool ok = text_join(v);
	pieces_forget(v);
	return ok ? 0 : cluster_no_memory(err);
}

static int message_take(
	struct cluster_view *v, const struct bus_message *message, enum cluster_viewed *what, struct ward_error *err)
{
	struct cluster_subject s;
	struct cluster_message m = {0};
	bool is_table = false;
	int rc = 0;

	if (!cluster_subject_read(message->subject, &s) ||
		(v->has_query && memcmp(s.query, v->query, sizeof(v->query)) != 0))
		return 0;
	if (s.kind == CLUSTER_OUT_HEAD && cluster_message_read(&m, &ward__cluster__head__descriptor, "head",
						  message->data, message->size, NULL)) {
		head_take(v, (const Ward__Cluster__Head *)m.m);
		*what = CLUSTER_VIEW_HEAD;
	} else if (s.kind == CLUSTER_OUT_TABLE && v->has_query &&
		   cluster_message_read(
			   &m, &ward__cluster__out__descriptor, "table", message->data, message->size, NULL)) {
		rc = piece_take(v, (const Ward__Cluster__Out *)m.m, &is_table, err);
		*what = is_table ? CLUSTER_VIEW_TABLE : *what;
	}
	cluster_message_free(&m);
	return rc;
}

int cluster_view_step(cluster_view *v, struct cluster_now now, enum cluster_viewed *what, struct ward_error *err)
{
	struct bus_message message;
	struct bus_state state;
	int rc = 0;

	bus_get_state(v->b, &state);
	if (now.ns >= v->ask_ns || state.connects != v->connects) {
		ask_say(v);
		v->ask_ns = now.ns + (v->has_head && v->text ? ASK_NS : ASK_FIRST_NS);
		v->connects = state.connects;
	}
	*what = CLUSTER_VIEW_NOTHING;
	while (!rc && *what == CLUSTER_VIEW_NOTHING && bus_take(v->b, 0, &message, NULL) == 1)
		rc = message_take(v, &message, what, err);
	return rc;
}

const struct cluster_head *cluster_view_head(const cluster_view *v)
{
	return v->has_head ? &v->head : NULL;
}

struct cluster_table cluster_view_table(const cluster_view *v)
{
	return (struct cluster_table){v->text, v->text_size, v->end};
}
