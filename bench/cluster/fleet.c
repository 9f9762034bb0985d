/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many simulated agents over few connections: what a coordinator and a bus carry, without as many machines.
 *
 *      ward-bench-fleet URL CREDENTIALS AGENTS CONNECTIONS KEYS
 *
 * Each agent says hello, takes the order of keys.c, attaches for 10 ms, reports once a period with KEYS keys, at a
 * moment of the period's first half that its name decides, and gives its last values until they are acknowledged, as
 * an agent does. It traces nothing: in its n-th partial each key's count is n times as large as in its first one. So
 * all agents send the same bytes but for their nonce, and the fleet itself costs little beside what it measures.
 *
 * It prints a line for each thing that happens, with the time (CLOCK_MONOTONIC, in microseconds), and ends when all
 * agents have been acknowledged:
 *
 *      hello T              all agents have said hello once
 *      order T              the order has come
 *      sent T ROUND EVENTS  all agents have sent their partials of a round; what these add up to
 *      got T EVENTS         all last values have been acknowledged; what they add up to
 *
 * An agent's own checks of signatures and policy are left out: they are done on machines of their own.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/bus/bus.h"
#include "cluster/wire/message.h"
#include "cluster/wire/subject.h"
#include "partial.pb-c.h"

#define SECOND 1000000000ull

enum { ATTACH_MS = 10, MOST_KEYS = 4096, FIRST_COUNT = 3, NAMED = 8 /* of flags: spec/partial.md */ };
/* Where the agents are with a round: the next one to send, in the order of their moments. */
enum phase { IDLE, ATTACHING, REPORTING, ENDING, DONE };

struct agent {
	char name[CLUSTER_NAME];
	uint64_t nonce;
	uint32_t moment; /* millionths of a round */
	bool acknowledged;
};

struct fleet {
	size_t n, n_buses, keys;
	bus **buses;
	struct agent *agents; /* by their moments */
	size_t *by_number;
	enum phase phase;
	/* hello */
	uint64_t hello_start, hello_spread;
	size_t hello_next;
	bool hello_said;
	/* the query */
	uint8_t query[CLUSTER_ID];
	uint64_t begun, ends, period, lease_until;
	uint32_t shards;
	/* the round that is being sent */
	uint64_t round, round_start, round_spread;
	size_t next;
	uint8_t *bytes; /* the message, in which each agent's nonce is put */
	size_t size, nonce_at;
	uint64_t left; /* to be acknowledged */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static _Noreturn void fail(const char *what, const struct ward_error *err)
{
	fprintf(stderr, "ward-bench-fleet: %s: %s\n", what, err ? err->why : "failed");
	exit(1);
}

static void tell(const char *what)
{
	printf("%s %" PRIu64, what, now_ns(CLOCK_MONOTONIC) / 1000);
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = 14695981039346656037ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return h ^ h >> 29;
}

/* ---- messages ---- */

static void publish(struct fleet *f, size_t agent, const char *subject, const void *bytes, size_t size)
{
	struct ward_error err;

	bus_publish(f->buses[agent % f->n_buses], subject, bytes, size, &err);
}

static void message_publish(
	struct fleet *f, size_t i, enum cluster_subject_kind kind, const ProtobufCMessage *m, uint32_t shard)
{
	struct cluster_subject s = {.kind = kind, .shard = shard};
	char subject[CLUSTER_SUBJECT];
	size_t size;
	void *bytes = cluster_message_write(m, &size);

	memcpy(s.query, f->query, CLUSTER_ID);
	strcpy(s.name, f->agents[i].name);
	cluster_subject_write(&s, subject);
	if (bytes)
		publish(f, i, subject, bytes, size);
	free(bytes);
}

static ProtobufCBinaryData text_of(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

static void hello_say(struct fleet *f, size_t i)
{
	Ward__Cluster__Hello hello = WARD__CLUSTER__HELLO__INIT;
	ProtobufCBinaryData label = text_of("role=web"), query = {CLUSTER_ID, f->query};
	static uint8_t policy[CLUSTER_DIGEST];
	char host[CLUSTER_NAME];

	cluster_name_to_host(f->agents[i].name, host);
	hello.format = CLUSTER_FORMAT;
	hello.nonce = f->agents[i].nonce;
	hello.machine = text_of(host);
	hello.n_label = 1;
	hello.label = &label;
	hello.version = text_of("0.2");
	hello.release = text_of("6.1.0-28-amd64");
	hello.policy = (ProtobufCBinaryData){sizeof(policy), policy};
	hello.clock_at = now_ns(CLOCK_REALTIME);
	hello.n_query = f->phase == REPORTING || f->phase == ENDING;
	hello.query = &query;
	message_publish(f, i, CLUSTER_HELLO, &hello.base, 0);
}

static void note_say(struct fleet *f, size_t i, Ward__Cluster__Note__State state)
{
	Ward__Cluster__Note note = WARD__CLUSTER__NOTE__INIT;

	note.format = CLUSTER_FORMAT;
	note.agent = f->agents[i].nonce;
	note.sequence = state;
	note.state = state;
	note.clock_at = now_ns(CLOCK_REALTIME);
	note.has_epoch = note.has_nonce = note.has_processes = true;
	note.epoch = 1;
	note.nonce = f->agents[i].nonce;
	note.processes = 1;
	message_publish(f, i, CLUSTER_NOTE, &note.base, 0);
}

/* Events of one agent in its n-th partial. */
static uint64_t events_of(const struct fleet *f, uint64_t round)
{
	uint64_t sum = 0;

	for (uint64_t k = 0; k < f->keys; k++)
		sum += round * (FIRST_COUNT + k);
	return sum;
}

static void *partial_write(const struct fleet *f, uint64_t nonce, uint32_t flags, size_t *size)
{
	static uint64_t key[MOST_KEYS], count[MOST_KEYS];
	Ward__Partial partial = WARD__PARTIAL__INIT;
	Ward__Field field = WARD__FIELD__INIT, *fields = &field;
	Ward__Column keys = WARD__COLUMN__INIT, counts = WARD__COLUMN__INIT, *key_columns = &keys,
		     *value_columns = &counts;

	for (size_t k = 0; k < f->keys; k++) {
		key[k] = k ? 512 : 1;
		count[k] = f->round * (FIRST_COUNT + k);
	}
	keys.n_number = counts.n_number = f->keys;
	keys.number = key;
	counts.number = count;
	field.has_entries = true;
	field.entries = f->keys;
	field.n_key = field.n_value = 1;
	field.key = &key_columns;
	field.value = &value_columns;
	partial.format = 1;
	partial.query = (ProtobufCBinaryData){CLUSTER_ID, (uint8_t *)f->query};
	partial.epoch = 1;
	partial.nonce = nonce;
	partial.sequence = f->round;
	partial.has_flags = partial.has_events = partial.has_wall_ns = true;
	partial.flags = flags | NAMED;
	partial.events = events_of(f, f->round);
	partial.wall_ns = now_ns(CLOCK_REALTIME);
	partial.n_field = 1;
	partial.field = &fields;
	return cluster_message_write(&partial.base, size);
}

/* The message of a round: a nonce that is nowhere else marks the place of each agent's. */
static void round_write(struct fleet *f)
{
	const uint64_t mark = 0x57617264f1ee7e57ull;
	Ward__Cluster__Parts parts = WARD__CLUSTER__PARTS__INIT;
	Ward__Cluster__Piece piece = WARD__CLUSTER__PIECE__INIT, *pieces = &piece;
	uint8_t *at;

	piece.partial.data = partial_write(f, mark, f->phase == ENDING ? 1 : 0, &piece.partial.len);
	parts.format = CLUSTER_FORMAT;
	parts.clock_at = now_ns(CLOCK_REALTIME);
	parts.n_piece = 1;
	parts.piece = &pieces;
	free(f->bytes);
	f->bytes = cluster_message_write(&parts.base, &f->size);
	free(piece.partial.data);
	at = f->bytes ? memmem(f->bytes, f->size, &mark, sizeof(mark)) : NULL;
	if (!at)
		fail("message", NULL);
	f->nonce_at = (size_t)(at - f->bytes);
}

/* ---- what comes ---- */

static void roll_take(struct fleet *f, const Ward__Cluster__Roll *roll)
{
	f->hello_start = now_ns(CLOCK_MONOTONIC);
	f->hello_spread = roll->spread_ns;
	f->hello_next = 0;
}

static void order_take(struct fleet *f, const Ward__Cluster__Order *order)
{
	if (f->phase != IDLE)
		return;
	tell("order");
	puts("");
	memcpy(f->query, order->query.data, CLUSTER_ID);
	f->begun = now_ns(CLOCK_MONOTONIC);
	f->ends = f->begun + order->duration_ns;
	f->lease_until = f->begun + order->lease_ns;
	f->period = order->period_ns;
	f->shards = order->shards;
	f->phase = ATTACHING;
	f->left = f->n;
}

static void end_begin(struct fleet *f)
{
	f->phase = ENDING;
	f->next = f->n;
	f->round_start = 0;
}

static void beat_take(struct fleet *f, const Ward__Cluster__Beat *beat)
{
	if (!cluster_bytes_equal(beat->query, f->query, CLUSTER_ID))
		return;
	f->period = beat->period_ns;
	f->lease_until = now_ns(CLOCK_MONOTONIC) + beat->lease_ns;
}

static size_t agent_find(const struct fleet *f, const char *name)
{
	unsigned number;

	return sscanf(name, "sim%u", &number) == 1 && number < f->n ? f->by_number[number] : f->n;
}

static void got_take(struct fleet *f, const Ward__Cluster__Got *got, const char *name)
{
	size_t i = agent_find(f, name);

	if (i == f->n || f->agents[i].acknowledged || !got->n_epoch || f->phase != ENDING ||
		got->epoch[0]->nonce != f->agents[i].nonce)
		return;
	f->agents[i].acknowledged = true;
	f->left--;
	if (f->left == 0) {
		tell("got");
		printf(" %" PRIu64 "\n", f->n * events_of(f, f->round));
		fflush(stdout);
		f->phase = DONE;
	}
}

static void body_take(struct fleet *f, const Ward__Cluster__Signed *m, const char *name)
{
	static const ProtobufCMessageDescriptor *const types[] = {NULL, &ward__cluster__order__descriptor,
		&ward__cluster__cancel__descriptor, &ward__cluster__roll__descriptor, &ward__cluster__beat__descriptor,
		&ward__cluster__got__descriptor};
	struct cluster_message body;
	struct ward_error err;

	if ((unsigned)m->kind >= sizeof(types) / sizeof(*types) || !m->kind)
		return;
	if (!cluster_message_read(&body, types[m->kind], "body", m->body.data, m->body.len, &err))
		fail("a message of the coordinator's", &err);
	switch (m->kind) {
	case WARD__CLUSTER__SIGNED__KIND__ROLL: roll_take(f, (void *)body.m); break;
	case WARD__CLUSTER__SIGNED__KIND__ORDER: order_take(f, (void *)body.m); break;
	case WARD__CLUSTER__SIGNED__KIND__BEAT: beat_take(f, (void *)body.m); break;
	case WARD__CLUSTER__SIGNED__KIND__GOT: got_take(f, (void *)body.m, name); break;
	default:
		if (f->phase == REPORTING)
			end_begin(f);
	}
	cluster_message_free(&body);
}

static void message_take(struct fleet *f, const struct bus_message *m)
{
	struct cluster_subject s;
	struct cluster_message message;
	struct ward_error err;

	if (!cluster_subject_read(m->subject, &s))
		return;
	if (cluster_message_read(&message, &ward__cluster__signed__descriptor, "message", m->data, m->size, &err))
		body_take(f, (void *)message.m, s.name);
	cluster_message_free(&message);
}

/* ---- what goes out ---- */

static void hello_work(struct fleet *f, uint64_t now)
{
	while (f->hello_start && f->hello_next < f->n &&
		now >= f->hello_start + f->agents[f->hello_next].moment * (f->hello_spread / 1000000))
		hello_say(f, f->hello_next++);
	if (f->hello_next == f->n && !f->hello_said) {
		f->hello_said = true;
		tell("hello");
		puts("");
		fflush(stdout);
	}
}

static void round_begin(struct fleet *f, uint64_t now)
{
	/* The last values come at once, and again each period until they are acknowledged. */
	f->round += f->phase == REPORTING || f->round_start == 0;
	f->round_start = now;
	f->round_spread = f->phase == REPORTING ? f->period / 2 : f->period / 8;
	f->next = 0;
	round_write(f);
}

static void part_send(struct fleet *f, size_t i)
{
	struct cluster_subject s = {.kind = CLUSTER_PART, .shard = cluster_shard(f->agents[i].name, f->shards)};
	char subject[CLUSTER_SUBJECT];

	memcpy(s.query, f->query, CLUSTER_ID);
	strcpy(s.name, f->agents[i].name);
	cluster_subject_write(&s, subject);
	memcpy(f->bytes + f->nonce_at, &f->agents[i].nonce, sizeof(f->agents[i].nonce));
	publish(f, i, subject, f->bytes, f->size);
	if (f->round == 1)
		note_say(f, i, WARD__CLUSTER__NOTE__STATE__REPORTING);
	if (f->phase == ENDING)
		note_say(f, i, WARD__CLUSTER__NOTE__STATE__ENDED);
}

static void round_work(struct fleet *f, uint64_t now)
{
	if (f->phase == ATTACHING && now >= f->begun + ATTACH_MS * 1000000ull) {
		f->phase = REPORTING;
		f->next = f->n;
	}
	if (f->phase == REPORTING && (now >= f->ends || now >= f->lease_until) && f->next == f->n)
		end_begin(f);
	if (f->phase != REPORTING && f->phase != ENDING)
		return;
	if (f->next == f->n && now >= f->round_start + (f->round_start ? f->period : 0))
		round_begin(f, now);
	size_t before = f->next;
	while (f->next < f->n && now >= f->round_start + f->agents[f->next].moment * (f->round_spread / 1000000)) {
		if (!f->agents[f->next].acknowledged)
			part_send(f, f->next);
		f->next++;
	}
	if (f->next == f->n && before < f->n) {
		tell("sent");
		printf(" %" PRIu64 " %" PRIu64 "\n", f->round, f->n * events_of(f, f->round));
		fflush(stdout);
	}
}

/* ---- the fleet ---- */

static int moment_compare(const void *a, const void *b)
{
	const struct agent *x = a, *y = b;

	return (x->moment > y->moment) - (x->moment < y->moment);
}

static void agents_make(struct fleet *f)
{
	f->agents = calloc(f->n, sizeof(*f->agents));
	f->by_number = calloc(f->n, sizeof(*f->by_number));
	if (!f->agents || !f->by_number)
		fail("memory", NULL);
	for (size_t i = 0; i < f->n; i++) {
		uint64_t h;

		snprintf(f->agents[i].name, sizeof(f->agents[i].name), "sim%zu", i);
		h = hash_of(f->agents[i].name);
		f->agents[i].nonce = h | 1;
		f->agents[i].moment = (uint32_t)(h % 1000000);
	}
	qsort(f->agents, f->n, sizeof(*f->agents), moment_compare);
	for (size_t i = 0; i < f->n; i++)
		f->by_number[strtoul(f->agents[i].name + 3, NULL, 10)] = i;
}

static void buses_open(struct fleet *f, const char *url, const char *creds)
{
	static const char *const subjects[] = {"ward.order.all", "ward.order.*", "ward.beat.*", "ward.got.*"};
	const struct bus_nats_options options = {.urls = &url, .n_urls = 1, .creds = creds, .wait_ms = 10000};
	struct ward_error err;

	f->buses = calloc(f->n_buses, sizeof(*f->buses));
	for (size_t i = 0; f->buses && i < f->n_buses; i++)
		if (bus_nats_open(&options, &f->buses[i], &err))
			fail("bus", &err);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (bus_subscribe(f->buses[0], subjects[i], &err))
			fail("subscribe", &err);
}

int main(int argc, char **argv)
{
	struct fleet f = {0};
	struct bus_message m;
	struct ward_error err;

	if (argc != 6)
		return 2;
	f.n = strtoul(argv[3], NULL, 10);
	f.n_buses = strtoul(argv[4], NULL, 10);
	f.keys = strtoul(argv[5], NULL, 10);
	if (!f.n || !f.n_buses || !f.keys || f.keys > MOST_KEYS)
		return 2;
	agents_make(&f);
	buses_open(&f, argv[1], argv[2]);
	puts("ready");
	fflush(stdout);
	while (f.phase != DONE) {
		while (bus_take(f.buses[0], 1, &m, &err) == 1)
			message_take(&f, &m);
		hello_work(&f, now_ns(CLOCK_MONOTONIC));
		round_work(&f, now_ns(CLOCK_MONOTONIC));
	}
	for (size_t i = 0; i < f.n_buses; i++)
		bus_close(f.buses[i]);
	free(f.buses);
	free(f.agents);
	free(f.by_number);
	free(f.bytes);
	return 0;
}
