/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a made-up machine does: it says hello each 30 s, after each connect and at a roll; takes an order from the bus,
 * or wants one that a beat names; says in a note how it is; sends its partial each period; and at the end its last one,
 * until that is acknowledged. It ends when the time is over, at a cancel, or when no beat has come for a lease.
 */
#include "sim.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/wire/choice.h"

static const uint64_t SECOND = 1000000000;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "sim: %s\n", what);
	abort();
}

static ProtobufCBinaryData text_bytes(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

static void say(struct sim *s, enum cluster_subject_kind kind, const ProtobufCMessage *m)
{
	struct cluster_subject to = {.kind = kind, .shard = cluster_shard(s->name, s->shards)};
	char subject[CLUSTER_SUBJECT];
	size_t size;
	void *bytes = cluster_message_write(m, &size);

	must(bytes, "memory");
	strcpy(to.name, s->name);
	if (kind != CLUSTER_HELLO)
		memcpy(to.query, s->query, sizeof(to.query));
	cluster_subject_write(&to, subject);
	bus_publish(s->b, subject, bytes, size, NULL);
	free(bytes);
}

static void say_hello(struct sim *s)
{
	static uint8_t policy[32];
	Ward__Cluster__Hello m = WARD__CLUSTER__HELLO__INIT;
	ProtobufCBinaryData label, id;

	m.format = CLUSTER_FORMAT;
	m.nonce = s->agent;
	m.machine = text_bytes(s->host);
	if (s->label) {
		label = text_bytes(s->label);
		m.label = &label;
		m.n_label = 1;
	}
	m.version = text_bytes("0.1");
	m.release = text_bytes("6.1.0");
	m.policy = (ProtobufCBinaryData){sizeof(policy), policy};
	m.has_processors = true;
	m.processors = 2;
	id = (ProtobufCBinaryData){sizeof(s->query), s->query};
	m.query = m.kept = &id;
	m.n_query = s->schema && s->runs;
	m.n_kept = s->schema && s->is_last;
	say(s, CLUSTER_HELLO, &m.base);
}

static void say_note(struct sim *s, bool has_order)
{
	Ward__Cluster__Note m = WARD__CLUSTER__NOTE__INIT;

	m.has_missed = s->missed != 0;
	m.missed = s->missed;
	m.format = CLUSTER_FORMAT;
	m.agent = s->agent;
	m.sequence = ++s->note_sequence;
	m.state = s->mood == SIM_REFUSES     ? WARD__CLUSTER__NOTE__STATE__REFUSED
		  : s->mood == SIM_NO_TARGET ? WARD__CLUSTER__NOTE__STATE__NO_TARGET
		  : !s->runs && s->is_last   ? WARD__CLUSTER__NOTE__STATE__ENDED
					     : WARD__CLUSTER__NOTE__STATE__REPORTING;
	m.has_reason = s->mood == SIM_REFUSES;
	if (m.has_reason)
		m.reason = text_bytes("its policy says no");
	m.has_epoch = m.has_nonce = s->epoch != 0;
	m.epoch = s->epoch;
	m.nonce = s->nonce;
	m.has_term = m.has_coordinator = s->term != 0;
	m.term = s->term;
	m.coordinator = s->coordinator;
	m.has_order = has_order;
	m.order = (ProtobufCBinaryData){s->order_size, s->order};
	say(s, CLUSTER_NOTE, &m.base);
}

static ward_partial *count_take(struct sim *s)
{
	const void *states[] = {&s->count};
	struct ward_partial_notes notes = {.size = sizeof(notes), .events = s->count};
	ward_partial *p;

	must(ward_partial_merge(s->schema, s->names, states, 1, sizeof(s->count), NULL, &p, NULL) == 0, "a partial");
	must(ward_partial_note(p, &notes, NULL) == 0, "its notes");
	return p;
}

static struct agent_clocks clocks_of(const struct sim *s, uint64_t now_ns)
{
	return (struct agent_clocks){.steady_ns = now_ns, .at_ns = s->day_ns + now_ns};
}

static void window_cut(struct sim *s, uint64_t now_ns)
{
	struct agent_clocks now = clocks_of(s, now_ns);
	struct ward_partial_notes notes = {
		.epoch = s->epoch, .nonce = s->nonce, .sequence = ++s->sequence, .wall_ns = now.at_ns};
	ward_partial *total[] = {count_take(s)};

	memcpy(notes.query, s->query, sizeof(notes.query));
	must(agent_windows_cut(&s->windows, now, total, 1, &notes, NULL, NULL), "a window");
}

static void say_part(struct sim *s, uint64_t now_ns)
{
	Ward__Cluster__Piece windows[AGENT_WINDOWS], *windows_at[AGENT_WINDOWS];
	struct ward_partial_notes notes = {
		.size = sizeof(notes), .epoch = s->epoch, .nonce = s->nonce, .sequence = ++s->sequence};
	if (s->is_last && s->sent_last) /* the same once more: nothing comes behind a last value (C-04) */
		notes.sequence = --s->sequence;
	s->sent_last = s->is_last;
	uint64_t state = s->mood == SIM_LIES && s->sequence > 1 ? 1 : s->count;
	const void *states[] = {&state};
	Ward__Cluster__Parts m = WARD__CLUSTER__PARTS__INIT;
	Ward__Cluster__Piece piece = WARD__CLUSTER__PIECE__INIT, *pieces[] = {&piece};
	ward_partial *p;
	void *bytes;
	size_t size;

	must(ward_partial_merge(s->schema, s->names, states, s->has_no_state ? 0 : 1,
		     s->has_no_state ? SIZE_MAX : sizeof(state), NULL, &p, NULL) == 0,
		"a partial");
	memcpy(notes.query, s->query, sizeof(notes.query));
	notes.flags = s->is_last ? WARD_PARTIAL_LAST : 0;
	notes.events = s->mood == SIM_LIES ? 1000 - s->sequence : s->count;
	must(ward_partial_note(p, &notes, NULL) == 0, "its notes");
	must(ward_partial_pack(p, NULL, &bytes, &size, NULL) == 0, "packing");
	m.format = CLUSTER_FORMAT;
	m.piece = pieces;
	m.n_piece = 1;
	m.has_counts_per_us = s->counts_per_us != 0;
	m.counts_per_us = s->counts_per_us;
	m.clock_at = s->day_ns + now_ns;
	m.has_beat = m.has_beat_age_ns = s->beat != 0;
	m.beat = s->beat;
	m.beat_age_ns = now_ns - s->beat_ns;
	m.has_records = m.has_unread = s->records || s->unread;
	m.records = s->records;
	m.unread = s->unread;
	piece.partial = (ProtobufCBinaryData){size, bytes};
	for (size_t i = 0; i < s->windows.n; i++) {
		windows[i] = (Ward__Cluster__Piece)WARD__CLUSTER__PIECE__INIT;
		windows[i].partial = (ProtobufCBinaryData){s->windows.kept[i].size[0], s->windows.kept[i].partial[0]};
		windows[i].has_span_ns = true;
		windows[i].span_ns = s->windows.kept[i].span_ns;
		windows_at[i] = &windows[i];
	}
	m.window = windows_at;
	m.n_window = s->windows.n;
	say(s, CLUSTER_PART, &m.base);
	free(bytes);
	ward_partial_free(p);
}

/* ---- what it hears ---- */

static void epoch_begin(struct sim *s, uint64_t now_ns)
{
	s->epoch++;
	randombytes_buf(&s->nonce, sizeof(s->nonce));
	s->sequence = s->count = 0;
	s->runs = true;
	s->is_last = s->sent_last = s->is_got = false;
	s->part_ns = s->note_ns = now_ns;
	uint64_t length = s->windows.length_ns;
	agent_windows_close(&s->windows);
	agent_windows_open(&s->windows, length, clocks_of(s, now_ns));
}

static bool is_meant(const struct sim *s, const Ward__Cluster__Choice *choice, const uint8_t *query)
{
	const struct cluster_machine machine = {s->host, &s->label, s->label != NULL};

	return cluster_choice_fits(choice, query, &machine);
}

static void take_order(struct sim *s, const Ward__Cluster__Signed *from, const Ward__Cluster__Order *m, uint64_t now_ns,
	const struct bus_message *message)
{
	if (s->schema || !is_meant(s, m->choice, m->query.data)) { /* an order is taken once */
		s->orders += s->schema != NULL;
		return;
	}
	s->orders++;
	s->order = malloc(message->size);
	must(s->order, "memory");
	s->order_size = message->size;
	memcpy(s->order, message->data, message->size);
	memcpy(s->query, m->query.data, sizeof(s->query));
	cluster_digest(from->body.data, from->body.len, s->digest);
	must(ward_schema_read(
		     m->unit[0]->variant[0]->module.data, m->unit[0]->variant[0]->module.len, &s->schema, NULL) == 0,
		"a module");
	s->end_ns = now_ns + m->duration_ns;
	s->lease_ns = m->lease_ns;
	s->lease_end_ns = now_ns + s->lease_ns;
	s->period_ns = m->period_ns;
	s->shards = m->shards;
	s->note_ns = now_ns;
	s->windows.length_ns = m->window_ns;
	if (s->mood == SIM_WILLING || s->mood == SIM_LIES)
		epoch_begin(s, now_ns);
}

static void take_beat(struct sim *s, const Ward__Cluster__Beat *m, uint64_t now_ns)
{
	Ward__Cluster__Want want = WARD__CLUSTER__WANT__INIT;

	s->beats++;
	if (!s->schema) {
		if (!is_meant(s, m->choice, m->query.data))
			return;
		memcpy(s->query, m->query.data, sizeof(s->query));
		want.format = CLUSTER_FORMAT;
		if (now_ns >= s->wants_ns)
			say(s, CLUSTER_WANT, &want.base);
		s->wants_ns = now_ns + SECOND;
		return;
	}
	if (!cluster_bytes_equal(m->query, s->query, sizeof(s->query)) ||
		!cluster_bytes_equal(m->order, s->digest, sizeof(s->digest)))
		return;
	if (m->term < s->term || (m->term == s->term && m->coordinator < s->coordinator))
		return;
	if (m->term != s->term || m->coordinator != s->coordinator)
		s->is_got = false; /* C-131 */
	s->term = m->term;
	s->coordinator = m->coordinator;
	s->end_ns = now_ns + m->left_ns;
	s->lease_end_ns = now_ns + m->lease_ns;
	s->period_ns = m->period_ns;
	s->beat = m->counter;
	s->beat_ns = now_ns;
}

static void end(struct sim *s, uint64_t now_ns)
{
	if (!s->runs)
		return;
	if (s->windows.length_ns) {
		agent_windows_look(&s->windows, clocks_of(s, now_ns));
		window_cut(s, now_ns);
	}
	s->runs = false;
	s->is_last = true;
	s->part_ns = s->note_ns = now_ns;
}

static void take_got(struct sim *s, const Ward__Cluster__Got *m)
{
	if (m->has_term && m->term < s->term)
		return;
	for (size_t i = 0; i < m->n_epoch; i++)
		if (m->epoch[i]->epoch == s->epoch && m->epoch[i]->nonce == s->nonce && !s->is_got) {
			s->is_got = true;
			s->acknowledged++;
		}
	for (size_t i = 0; i < m->n_window; i++)
		if (m->window[i]->epoch == s->epoch && m->window[i]->nonce == s->nonce) {
			agent_windows_got(&s->windows, m->window[i]->below);
			s->got_windows++;
		}
	for (size_t i = 0; s->on_got && i < m->n_record; i++)
		s->on_got(s->user, m->record[i]->epoch, m->record[i]->nonce, m->record[i]->below);
}

static const ProtobufCMessageDescriptor *body_type(Ward__Cluster__Signed__Kind kind)
{
	switch (kind) {
	case WARD__CLUSTER__SIGNED__KIND__ORDER: return &ward__cluster__order__descriptor;
	case WARD__CLUSTER__SIGNED__KIND__CANCEL: return &ward__cluster__cancel__descriptor;
	case WARD__CLUSTER__SIGNED__KIND__BEAT: return &ward__cluster__beat__descriptor;
	case WARD__CLUSTER__SIGNED__KIND__GOT: return &ward__cluster__got__descriptor;
	case WARD__CLUSTER__SIGNED__KIND__FETCH: return &ward__cluster__fetch__descriptor;
	default: return &ward__cluster__roll__descriptor;
	}
}

static void take_message(struct sim *s, const struct bus_message *m, uint64_t now_ns)
{
	struct cluster_message envelope, body;
	const Ward__Cluster__Signed *from;

	if (!cluster_message_read(&envelope, &ward__cluster__signed__descriptor, "message", m->data, m->size, NULL)) {
		cluster_message_free(&envelope);
		return; /* a stranger's */
	}
	from = (const Ward__Cluster__Signed *)envelope.m;
	must(cluster_signed_check(from, NULL), "a coordinator's message has no good signature");
	must(cluster_message_read(&body, body_type(from->kind), "body", from->body.data, from->body.len, NULL),
		"a coordinator's message has no good body");
	if (from->kind == WARD__CLUSTER__SIGNED__KIND__ORDER)
		take_order(s, from, (const Ward__Cluster__Order *)body.m, now_ns, m);
	else if (from->kind == WARD__CLUSTER__SIGNED__KIND__BEAT)
		take_beat(s, (const Ward__Cluster__Beat *)body.m, now_ns);
	else if (from->kind == WARD__CLUSTER__SIGNED__KIND__CANCEL)
		end(s, now_ns);
	else if (from->kind == WARD__CLUSTER__SIGNED__KIND__GOT)
		take_got(s, (const Ward__Cluster__Got *)body.m);
	else if (from->kind == WARD__CLUSTER__SIGNED__KIND__FETCH)
		say_note(s, s->order != NULL);
	else
		s->hello_ns = now_ns;
	cluster_message_free(&body);
	cluster_message_free(&envelope);
}

/* ---- its life ---- */

void sim_open(struct sim *s, bus *b, const char *host, const char *label)
{
	char subject[CLUSTER_SUBJECT];

	memset(s, 0, sizeof(*s));
	s->b = b;
	s->label = label;
	snprintf(s->host, sizeof(s->host), "%s", host);
	must(cluster_name_from_host(host, s->name), "a name");
	must(sodium_init() >= 0, "libsodium");
	must(ward_names_open(getpid(), &s->names, NULL) == 0, "names");
	randombytes_buf(&s->agent, sizeof(s->agent));
	bus_subscribe(b, "ward.order.all", NULL);
	snprintf(subject, sizeof(subject), "ward.order.%s", s->name);
	bus_subscribe(b, subject, NULL);
	snprintf(subject, sizeof(subject), "ward.got.%s", s->name);
	bus_subscribe(b, subject, NULL);
	bus_subscribe(b, "ward.beat.*", NULL);
}

void sim_close(struct sim *s)
{
	agent_windows_close(&s->windows);
	ward_schema_free(s->schema);
	free(s->order);
	ward_names_close(s->names);
	bus_close(s->b);
}

void sim_crash(struct sim *s)
{
	bool goes_on = s->runs;

	randombytes_buf(&s->agent, sizeof(s->agent));
	s->hello_ns = s->note_sequence = 0;
	if (goes_on)
		epoch_begin(s, s->part_ns);
}

void sim_step(struct sim *s, uint64_t now_ns)
{
	struct bus_state state;
	struct bus_message m;

	while (bus_take(s->b, 0, &m, NULL) == 1)
		take_message(s, &m, now_ns);
	bus_get_state(s->b, &state);
	if (state.connects != s->connects)
		s->hello_ns = now_ns;
	s->connects = state.connects;
	if (now_ns >= s->hello_ns) {
		say_hello(s);
		s->hello_ns = now_ns + 30 * SECOND;
	}
	if (!s->schema)
		return;
	if (now_ns >= s->end_ns || now_ns >= s->lease_end_ns)
		end(s, now_ns);
	if (s->runs && agent_windows_look(&s->windows, clocks_of(s, now_ns)))
		window_cut(s, now_ns);
	if (now_ns >= s->note_ns) {
		say_note(s, false);
		s->note_ns = now_ns + s->period_ns;
	}
	if (now_ns >= s->part_ns && (s->runs || s->is_last) && !s->is_got) {
		say_part(s, now_ns);
		s->part_ns = now_ns + s->period_ns;
	}
}
