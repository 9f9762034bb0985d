/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent sends, all of it the whole of what is so, each time; and what it writes to the audit. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent.h"

#include "cluster/wire/refuse.h"
#include "cluster/wire/subject.h"

static ProtobufCBinaryData text_bytes(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
}

static void message_send(
	struct agent *a, enum channel_kind kind, const uint8_t *query, uint32_t shard, const ProtobufCMessage *m)
{
	struct channel_message c = {.kind = kind, .shard = shard};
	void *bytes = cluster_message_write(m, &c.size);

	c.bytes = bytes;
	if (query)
		memcpy(c.query, query, CLUSTER_ID);
	if (bytes)
		channel_send(&a->link, &c);
	free(bytes);
}

bool agent_settings_text(const struct agent *a, char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);

	if (!f)
		return false;
	fprintf(f, "name %s\n", a->name);
	for (size_t i = 0; i < a->config->urls.n; i++)
		fprintf(f, "url %s\n", a->config->urls.at[i]);
	if (a->config->ca)
		fprintf(f, "ca %s\n", a->config->ca);
	return fclose(f) == 0;
}

void agent_say_settings(struct agent *a)
{
	struct channel_message c = {.kind = CHANNEL_SETTINGS};
	char *text = NULL;

	if (agent_settings_text(a, &text, &c.size)) {
		c.bytes = text;
		channel_send(&a->link, &c);
	}
	free(text);
}

void agent_say_hello(struct agent *a)
{
	Ward__Cluster__Hello m = WARD__CLUSTER__HELLO__INIT;
	ProtobufCBinaryData labels[64], queries[AGENT_QUERIES], kept[AGENT_QUERIES], refuses[1];
	struct utsname u;

	uname(&u);
	m.format = CLUSTER_FORMAT;
	m.nonce = a->nonce;
	m.machine = text_bytes(a->host);
	for (size_t i = 0; i < a->config->labels.n && i < 64; i++)
		labels[m.n_label++] = text_bytes(a->config->labels.at[i]);
	m.label = labels;
	m.version = text_bytes(ward_version());
	m.release = text_bytes(u.release);
	m.has_kernel = a->here.n_kernel != 0;
	m.kernel = (ProtobufCBinaryData){a->here.n_kernel, a->here.kernel};
	m.policy = (ProtobufCBinaryData){CLUSTER_DIGEST, a->config->digest};
	m.clock_at = agent_now_at();
	for (size_t i = 0; i < a->n; i++)
		if (a->queries[i].worker)
			queries[m.n_query++] = (ProtobufCBinaryData){CLUSTER_ID, a->queries[i].id};
	m.query = queries;
	for (size_t i = 0; i < a->n; i++)
		if (!a->queries[i].worker && a->queries[i].order)
			kept[m.n_kept++] = (ProtobufCBinaryData){CLUSTER_ID, a->queries[i].id};
	m.kept = kept;
	if (!a->config->kernel)
		refuses[m.n_refuses++] = text_bytes("kernel probes");
	m.refuses = refuses;
	m.has_processors = m.has_cluster = true;
	m.processors = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	m.cluster = text_bytes(a->config->cluster);
	m.has_roll = m.has_roll_age_ns = a->roll != 0;
	m.roll = a->roll;
	m.roll_age_ns = agent_now() - a->roll_ns;
	message_send(a, CHANNEL_HELLO, NULL, 0, &m.base);
	a->hello_ns = agent_now() + a->hello_period_ns;
}

/* The worker's note, with what the agent knows better: how it has ended. */
static void note_say(struct agent *a, struct agent_query *q, bool has_order)
{
	Ward__Cluster__Note m = WARD__CLUSTER__NOTE__INIT;

	if (q->note.m)
		m = *(const Ward__Cluster__Note *)q->note.m;
	m.format = CLUSTER_FORMAT;
	m.agent = a->nonce;
	m.sequence = ++a->sequence;
	if (!q->worker || !q->note.m) {
		m.state = q->state;
		m.has_reason = *q->reason != 0;
		m.reason = text_bytes(q->reason);
	}
	m.has_early_ns = q->early_ns != 0;
	m.early_ns = m.has_early_ns ? agent_now() - q->early_ns : 0;
	m.clock_at = agent_now_at();
	m.has_order = has_order;
	if (has_order)
		m.order = (ProtobufCBinaryData){q->order->size, q->order->bytes};
	m.has_term = m.has_coordinator = q->term != 0;
	m.term = q->term;
	m.coordinator = q->coordinator;
	m.has_epochs = true;
	m.epochs = q->n_values + q->given_up;
	message_send(a, CHANNEL_NOTE, q->id, 0, &m.base);
	q->is_new = false;
}

void agent_say_note(struct agent *a, struct agent_query *q)
{
	note_say(a, q, false);
}

void agent_say_order(struct agent *a, struct agent_query *q)
{
	note_say(a, q, true);
}

void agent_say_value(struct agent *a, struct agent_query *q, const struct agent_value *v)
{
	struct channel_message c = {
		.kind = CHANNEL_PART, .shard = cluster_shard(a->name, q->shards), .bytes = v->bytes, .size = v->size};

	memcpy(c.query, q->id, CLUSTER_ID);
	if (v->bytes)
		channel_send(&a->link, &c);
}

void agent_say_want(struct agent *a, const uint8_t *id)
{
	Ward__Cluster__Want m = WARD__CLUSTER__WANT__INIT;

	m.format = CLUSTER_FORMAT;
	message_send(a, CHANNEL_WANT, id, 0, &m.base);
}

/* ---- the audit ---- */

static void list_write(struct agent_line *l, const char *key, const ProtobufCBinaryData *texts, size_t n)
{
	agent_line_list(l, key);
	for (size_t i = 0; i < n; i++)
		agent_line_text(l, NULL, texts[i].data, texts[i].len);
	agent_line_list_end(l);
}

static void module_write(struct agent_line *l, const char *key, const Ward__Cluster__Variant *v)
{
	uint8_t digest[CLUSTER_DIGEST];
	char hash[2 * CLUSTER_DIGEST + 1];

	cluster_digest(v->module.data, v->module.len, digest);
	cluster_hex(digest, sizeof(digest), hash);
	agent_line_text(l, key, hash, strlen(hash));
}

static void order_write(struct agent_line *l, const struct agent_order *o)
{
	const Ward__Cluster__Order *m = o->order;

	agent_line_text(l, "query", o->id, strlen(o->id));
	agent_line_text(l, "issuer", m->issuer.data, m->issuer.len);
	agent_line_number(l, "duration_ns", o->limits.duration_ns);
	agent_line_number(l, "lease_ns", o->limits.lease_ns);
	agent_line_number(l, "overhead_ppm", o->limits.overhead_ppm);
	agent_line_number(l, "max_insns", o->limits.max_insns);
	for (size_t i = 0; i < m->n_unit; i++) {
		const Ward__Cluster__Unit *u = m->unit[i];
		agent_line_number(l, "kernel", u->kernel);
		for (size_t j = 0; j < u->n_variant; j++)
			module_write(l, "module", u->variant[j]);
		list_write(l, "sites", u->site, u->n_site);
		list_write(l, "processes", u->process, u->n_process);
		list_write(l, "imports", u->import, u->n_import);
	}
	agent_line_list(l, "taken"); /* of these modules those that are for this machine */
	for (size_t i = 0; i < o->n; i++)
		for (size_t j = 0; j < o->units[i].n_modules; j++)
			module_write(l, NULL, o->units[i].modules[j].variant);
	agent_line_list_end(l);
	if (m->has_text)
		agent_line_text(l, "text", m->text.data, m->text.len);
}

bool agent_audit_order(
	struct agent *a, const struct agent_order *o, const struct ward_error *refused, struct ward_error *err)
{
	struct agent_line *l = agent_line_begin(a->audit, "order", agent_now_at());
	const char *verdict = refused ? "refused" : "accepted";
	char key[2 * CLUSTER_KEY + 1];

	agent_line_text(l, "verdict", verdict, strlen(verdict));
	if (refused)
		agent_line_text(l, "why", refused->why, strlen(refused->why));
	if (o && o->from) {
		const struct agent_coordinator *who = agent_config_coordinator(a->config, o->from->key.data);
		cluster_hex(o->from->key.data, CLUSTER_KEY, key);
		agent_line_text(l, "key", key, strlen(key));
		if (who)
			agent_line_text(l, "coordinator", who->name, strlen(who->name));
	}
	if (o && o->order)
		order_write(l, o);
	return agent_line_end(l, err);
}

bool agent_audit_end(struct agent *a, const struct agent_query *q, struct ward_error *err)
{
	struct agent_line *l = agent_line_begin(a->audit, "end", agent_now_at());
	const Ward__Cluster__Note *m = (const Ward__Cluster__Note *)q->note.m;
	char id[2 * CLUSTER_ID + 1];

	cluster_hex(q->id, CLUSTER_ID, id);
	agent_line_text(l, "query", id, strlen(id));
	agent_line_number(l, "epoch", q->epoch.number);
	agent_line_text(l, "how", q->reason, strlen(q->reason));
	if (m) {
		agent_line_number(l, "processes", m->processes + m->ended_processes);
		agent_line_number(l, "pause_ns", m->pause_ns);
		agent_line_number(l, "overhead_ppm", m->overhead_most_ppm);
	}
	return agent_line_end(l, err);
}
