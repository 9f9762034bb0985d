/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many simulated combiners over one connection: what a coordinator carries whose machines are added up, without as many
 * machines.
 *
 *      ward-bench-combiners URL CREDENTIALS MACHINES COMBINERS KEYS
 *
 * Each combiner says each second that it is there, takes its shards, and says once a period what it has of each: of all
 * machines whose names are in the shard the next sequence, and a sum of KEYS keys that is as large as theirs would be.
 * Machines say hello as the coordinator asks them to. At the end all epochs are over, until the coordinator has
 * acknowledged each. It prints the lines that ward-bench-fleet prints.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/bus/bus.h"
#include "cluster/combine/told.h"
#include "cluster/wire/subject.h"
#include "partial.pb-c.h"

#define SECOND 1000000000ull

enum { MOST_KEYS = 4096, FIRST_COUNT = 3, LAST = 1, NAMED = 8 /* of flags: spec/partial.md */ };

struct combiner {
	char name[CLUSTER_NAME];
	uint64_t nonce;
};

struct shard {
	struct cluster_epoch *at; /* its machines */
	size_t n;
	bool is_settled;
	uint64_t term, sequence;
	size_t owner;
};

struct world {
	bus *b;
	size_t n_machines, n_combiners, keys;
	struct combiner *combiners;
	struct shard *shards;
	uint32_t n_shards, next; /* next: of the round; n_shards: it is over */
	char (*names)[24];
	uint8_t query[CLUSTER_ID];
	bool has_order, is_ending;
	uint64_t ends_ns, period_ns, round, round_ns, ready_ns;
	uint64_t hello_ns, hello_spread_ns;
	size_t hellos, n_got;
	bool *got; /* by machine: its last value was acknowledged */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static _Noreturn void fail(const char *what, const struct ward_error *err)
{
	fprintf(stderr, "ward-bench-combiners: %s: %s\n", what, err ? err->why : "failed");
	exit(1);
}

static void line_say(const char *what, uint64_t a, uint64_t b)
{
	printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", what, now_ns(CLOCK_MONOTONIC) / 1000, a, b);
	fflush(stdout);
}

static void bytes_publish(struct world *w, const struct cluster_subject *to, const void *bytes, size_t size)
{
	char subject[CLUSTER_SUBJECT];

	cluster_subject_write(to, subject);
	bus_publish(w->b, subject, bytes, size, NULL);
}

static void message_publish(struct world *w, const struct cluster_subject *to, const ProtobufCMessage *m)
{
	size_t size;
	void *bytes = cluster_message_write(m, &size);

	if (!bytes)
		fail("memory", NULL);
	bytes_publish(w, to, bytes, size);
	free(bytes);
}

static ProtobufCBinaryData text_of(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
}

/* ---- what is said ---- */

static void ready_say(struct world *w)
{
	ProtobufCBinaryData query = {CLUSTER_ID, w->query};

	for (size_t i = 0; i < w->n_combiners; i++) {
		Ward__Cluster__Ready m = WARD__CLUSTER__READY__INIT;
		struct cluster_subject to = {.kind = CLUSTER_READY};
		strcpy(to.name, w->combiners[i].name);
		m.format = CLUSTER_FORMAT;
		m.nonce = w->combiners[i].nonce;
		m.cluster = text_of("ward");
		m.version = text_of("0.1");
		m.n_query = w->has_order;
		m.query = &query;
		message_publish(w, &to, &m.base);
	}
}

static void hello_say(struct world *w, size_t i)
{
	static uint8_t policy[CLUSTER_DIGEST];
	Ward__Cluster__Hello m = WARD__CLUSTER__HELLO__INIT;
	struct cluster_subject to = {.kind = CLUSTER_HELLO};
	ProtobufCBinaryData label = text_of("role=web");

	strcpy(to.name, w->names[i]);
	m.format = CLUSTER_FORMAT;
	m.nonce = i + 1;
	m.machine = text_of(w->names[i]);
	m.n_label = 1;
	m.label = &label;
	m.version = text_of("0.1");
	m.release = text_of("6.1.0-28-amd64");
	m.policy = (ProtobufCBinaryData){sizeof(policy), policy};
	m.clock_at = now_ns(CLOCK_REALTIME);
	message_publish(w, &to, &m.base);
}

/* Events of one machine so far. */
static uint64_t events_of(const struct world *w)
{
	uint64_t sum = 0;

	for (uint64_t k = 0; k < w->keys; k++)
		sum += w->round * (FIRST_COUNT + k);
	return sum;
}

/* The sum of n machines. */
static void *partial_write(const struct world *w, size_t n, size_t *size)
{
	static uint64_t key[MOST_KEYS], count[MOST_KEYS];
	Ward__Partial partial = WARD__PARTIAL__INIT;
	Ward__Field field = WARD__FIELD__INIT, *fields = &field;
	Ward__Column keys = WARD__COLUMN__INIT, counts = WARD__COLUMN__INIT, *key_columns = &keys,
		     *value_columns = &counts;

	for (size_t k = 0; k < w->keys; k++) {
		key[k] = k ? 512 : 1;
		count[k] = n * w->round * (FIRST_COUNT + k);
	}
	keys.n_number = counts.n_number = w->keys;
	keys.number = key;
	counts.number = count;
	field.has_entries = true;
	field.entries = w->keys;
	field.n_key = field.n_value = 1;
	field.key = &key_columns;
	field.value = &value_columns;
	partial.format = 1;
	partial.query = (ProtobufCBinaryData){CLUSTER_ID, (uint8_t *)(uintptr_t)w->query};
	partial.epoch = partial.sequence = 1;
	partial.has_flags = partial.has_events = true;
	partial.flags = NAMED;
	partial.events = n * events_of(w);
	partial.n_field = 1;
	partial.field = &fields;
	return cluster_message_write(&partial.base, size);
}

static void shard_say(struct world *w, uint32_t number)
{
	struct shard *s = &w->shards[number];
	struct cluster_subject to = {.kind = CLUSTER_PART, .level = 1, .shard = number};
	struct cluster_told told = {
		.combiner = w->combiners[s->owner].nonce, .term = s->term, .sequence = ++s->sequence};
	struct cluster_group *g = w->is_ending ? &told.closed : &told.live;
	size_t size;

	if (!s->term || s->is_settled)
		return;
	for (size_t i = 0; i < s->n; i++) {
		s->at[i].sequence = w->round;
		s->at[i].events = events_of(w);
		s->at[i].wall_ns = now_ns(CLOCK_REALTIME);
		s->at[i].flags = w->is_ending ? LAST : 0;
	}
	g->at = s->at;
	g->n = s->n;
	void *sum = partial_write(w, s->n, &g->size);
	g->bytes = sum;
	void *bytes = cluster_told_write(&told, 0, &size);
	if (!sum || !bytes)
		fail("memory", NULL);
	memcpy(to.query, w->query, CLUSTER_ID);
	strcpy(to.name, w->combiners[s->owner].name);
	bytes_publish(w, &to, bytes, size);
	free(bytes);
	free(sum);
}

/* ---- what is heard ---- */

static void order_take(struct world *w, const Ward__Cluster__Order *m)
{
	if (w->has_order)
		return;
	w->has_order = true;
	memcpy(w->query, m->query.data, CLUSTER_ID);
	w->period_ns = m->period_ns;
	w->ends_ns = now_ns(CLOCK_MONOTONIC) + m->duration_ns;
	w->n_shards = w->next = m->shards;
	w->shards = calloc(m->shards, sizeof(*w->shards));
	line_say("order", 0, 0);
	for (size_t i = 0; w->shards && i < w->n_machines; i++) {
		struct shard *s = &w->shards[cluster_shard(w->names[i], w->n_shards)];
		s->at = reallocarray(s->at, s->n + 1, sizeof(*s->at));
		if (!s->at)
			fail("memory", NULL);
		s->at[s->n++] = (struct cluster_epoch){.machine = w->names[i], .epoch = 1, .nonce = i + 1};
	}
}

/* All epochs of a shard are in one group, so they are settled together. */
static void work_take(struct world *w, const Ward__Cluster__Work *m, const char *name)
{
	size_t owner = strtoul(name + 3, NULL, 10);

	if (!w->has_order || owner >= w->n_combiners)
		return;
	w->period_ns = m->period_ns;
	for (size_t i = 0; i < m->n_shard; i++) {
		struct shard *s = &w->shards[m->shard[i]->shard];
		s->term = m->shard[i]->term;
		s->owner = owner;
	}
	for (size_t i = 0; i < m->n_answer; i++)
		if (m->answer[i]->settled->n_epoch)
			w->shards[m->answer[i]->shard].is_settled = true;
}

static void got_take(struct world *w, const char *name)
{
	size_t i = strtoul(name + 3, NULL, 10);

	if (i >= w->n_machines || w->got[i])
		return;
	w->got[i] = true;
	w->n_got++;
}

static void signed_take(struct world *w, const Ward__Cluster__Signed *m, const char *name)
{
	static const ProtobufCMessageDescriptor *const types[] = {
		[WARD__CLUSTER__SIGNED__KIND__ORDER] = &ward__cluster__order__descriptor,
		[WARD__CLUSTER__SIGNED__KIND__ROLL] = &ward__cluster__roll__descriptor,
		[WARD__CLUSTER__SIGNED__KIND__GOT] = &ward__cluster__got__descriptor,
		[WARD__CLUSTER__SIGNED__KIND__WORK] = &ward__cluster__work__descriptor};
	struct cluster_message body;
	struct ward_error err;

	if ((unsigned)m->kind >= sizeof(types) / sizeof(*types) || !types[m->kind])
		return;
	if (!cluster_message_read(&body, types[m->kind], "body", m->body.data, m->body.len, &err))
		fail("a message of the coordinator's", &err);
	if (m->kind == WARD__CLUSTER__SIGNED__KIND__ORDER)
		order_take(w, (const Ward__Cluster__Order *)body.m);
	else if (m->kind == WARD__CLUSTER__SIGNED__KIND__WORK)
		work_take(w, (const Ward__Cluster__Work *)body.m, name);
	else if (m->kind == WARD__CLUSTER__SIGNED__KIND__GOT)
		got_take(w, name);
	else {
		w->hello_spread_ns = ((const Ward__Cluster__Roll *)body.m)->hello_ns;
		w->hello_ns = now_ns(CLOCK_MONOTONIC);
	}
	cluster_message_free(&body);
}

static void messages_take(struct world *w)
{
	struct bus_message m;
	struct cluster_message message;
	struct cluster_subject s;

	while (bus_take(w->b, 1, &m, NULL) == 1) {
		if (!cluster_subject_read(m.subject, &s))
			continue;
		if (cluster_message_read(&message, &ward__cluster__signed__descriptor, "message", m.data, m.size, NULL))
			signed_take(w, (const Ward__Cluster__Signed *)message.m, s.name);
		cluster_message_free(&message);
	}
}

/* ---- its life ---- */

static void hellos_do(struct world *w, uint64_t now)
{
	uint64_t due = w->hello_ns ? (now - w->hello_ns) * w->n_machines / w->hello_spread_ns : 0;

	for (; w->hellos < due; w->hellos++)
		hello_say(w, w->hellos % w->n_machines);
}

static void round_begin(struct world *w, uint64_t now)
{
	bool was_ending = w->is_ending;

	w->is_ending = now >= w->ends_ns;
	w->round += !was_ending;
	w->round_ns = now;
	w->next = 0;
}

/* All sums of a round, spread over the first half of the period. */
static void round_do(struct world *w, uint64_t now)
{
	if (!w->has_order)
		return;
	if (w->next == w->n_shards && now >= w->round_ns + w->period_ns)
		round_begin(w, now);
	if (w->next == w->n_shards)
		return;
	while (w->next < w->n_shards && now >= w->round_ns + w->period_ns / 2 * w->next / w->n_shards)
		shard_say(w, w->next++);
	if (w->next == w->n_shards)
		line_say("sent", w->round, w->n_machines * events_of(w));
}

static void world_open(struct world *w, char **argv)
{
	struct bus_nats_options options = {
		.urls = (const char *const *)&argv[1], .n_urls = 1, .creds = argv[2], .wait_ms = 10000};
	static const char *const subjects[] = {"ward.order.all", "ward.work.*", "ward.got.*"};
	struct ward_error err;

	w->n_machines = strtoul(argv[3], NULL, 10);
	w->n_combiners = strtoul(argv[4], NULL, 10);
	w->keys = strtoul(argv[5], NULL, 10);
	if (!w->n_machines || !w->n_combiners || !w->keys || w->keys > MOST_KEYS)
		exit(2);
	w->names = calloc(w->n_machines, sizeof(*w->names));
	w->combiners = calloc(w->n_combiners, sizeof(*w->combiners));
	w->got = calloc(w->n_machines, sizeof(*w->got));
	if (!w->names || !w->combiners || !w->got)
		fail("memory", NULL);
	for (size_t i = 0; i < w->n_machines; i++)
		snprintf(w->names[i], sizeof(w->names[i]), "sim%zu", i);
	for (size_t i = 0; i < w->n_combiners; i++) {
		snprintf(w->combiners[i].name, sizeof(w->combiners[i].name), "sum%zu", i);
		w->combiners[i].nonce = i + 1;
	}
	if (bus_nats_open(&options, &w->b, &err))
		fail("bus", &err);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (bus_subscribe(w->b, subjects[i], &err))
			fail("bus", &err);
}

int main(int argc, char **argv)
{
	struct world w = {0};

	if (argc != 6)
		return 2;
	world_open(&w, argv);
	puts("ready");
	fflush(stdout);
	while (w.n_got < w.n_machines) {
		messages_take(&w);
		uint64_t now = now_ns(CLOCK_MONOTONIC);
		if (now >= w.ready_ns) {
			ready_say(&w);
			w.ready_ns = now + SECOND;
		}
		hellos_do(&w, now);
		round_do(&w, now);
	}
	printf("got %" PRIu64 " %" PRIu64 "\n", now_ns(CLOCK_MONOTONIC) / 1000, w.n_machines * events_of(&w));
	fflush(stdout);
	bus_close(w.b);
	for (uint32_t i = 0; i < w.n_shards; i++)
		free(w.shards[i].at);
	free(w.shards);
	free(w.names);
	free(w.got);
	free(w.combiners);
	return 0;
}
