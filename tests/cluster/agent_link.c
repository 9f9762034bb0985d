/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link that the test is: it hands on what a coordinator signs, and remembers what the agent has said last.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent_test.h"

struct made_order order;
uint64_t counter = 1, wanted_processes, wanted_calls;
struct channel link_channel;
struct said said;

/* Two more partials: what was counted before is in the second. */
static uint64_t sequence_wanted;

uint64_t clock_at(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void link_connect(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct channel_message up = {.kind = CHANNEL_STATE, .bytes = "\1", .size = 1};
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/link", run);
	while (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		cr_assert(clock_at(CLOCK_MONOTONIC) < until && waitpid(agent, NULL, WNOHANG) == 0,
			"the agent doesn't listen");
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	channel_open(&link_channel, fd, false);
	cr_assert(channel_send(&link_channel, &up));
}

void link_send(const void *bytes, size_t n)
{
	const struct channel_message m = {.kind = CHANNEL_SIGNED, .bytes = bytes, .size = n};
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;

	while (!channel_send(&link_channel, &m)) /* the agent has no room for it now */
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "the agent takes nothing");
}

void order_send(const struct cluster_secret *key)
{
	size_t n;
	void *bytes = made_bytes(&order, key, &n);

	link_send(bytes, n);
	free(bytes);
}

static void body_send_by(const struct cluster_secret *key, Ward__Cluster__Signed__Kind kind, const ProtobufCMessage *m)
{
	size_t n;
	void *bytes = cluster_sign(key, kind, m, &n);

	link_send(bytes, n);
	free(bytes);
}

static void body_send(Ward__Cluster__Signed__Kind kind, const ProtobufCMessage *m)
{
	body_send_by(&alice, kind, m);
}

void cancel_send_by(const struct cluster_secret *key, uint64_t count)
{
	Ward__Cluster__Cancel m = WARD__CLUSTER__CANCEL__INIT;

	m.query = order.order.query;
	m.cluster = made_text("test");
	m.counter = count;
	m.has_reason = true;
	m.reason = made_text("enough");
	body_send_by(key, WARD__CLUSTER__SIGNED__KIND__CANCEL, &m.base);
}

void cancel_send(void)
{
	cancel_send_by(&alice, counter++);
}

uint64_t term = 1;

void fetch_send_by(const struct cluster_secret *key, uint64_t count)
{
	Ward__Cluster__Fetch m = WARD__CLUSTER__FETCH__INIT;

	m.query = order.order.query;
	m.cluster = made_text("test");
	m.counter = count;
	body_send_by(key, WARD__CLUSTER__SIGNED__KIND__FETCH, &m.base);
}

void beat_send(uint64_t count, uint64_t lease_ns)
{
	Ward__Cluster__Beat m = WARD__CLUSTER__BEAT__INIT;
	uint8_t digest[CLUSTER_DIGEST];
	size_t n;
	void *body = cluster_message_write(&order.order.base, &n);

	cluster_digest(body, n, digest);
	free(body);
	m.query = order.order.query;
	m.cluster = made_text("test");
	m.counter = count;
	m.term = term;
	m.clock_at = clock_at(CLOCK_REALTIME);
	m.left_ns = 600 * SECOND;
	m.lease_ns = lease_ns;
	m.period_ns = SECOND / 10;
	m.shards = 1;
	m.choice = &order.choice;
	m.order = (ProtobufCBinaryData){sizeof(digest), digest};
	m.hello_ns = 30 * SECOND;
	body_send(WARD__CLUSTER__SIGNED__KIND__BEAT, &m.base);
}

void got_send(uint64_t epoch, uint64_t nonce)
{
	Ward__Cluster__Got m = WARD__CLUSTER__GOT__INIT;
	Ward__Cluster__GotEpoch e = WARD__CLUSTER__GOT_EPOCH__INIT, *at[] = {&e};

	e.epoch = epoch;
	e.nonce = nonce;
	m.query = order.order.query;
	m.cluster = made_text("test");
	m.counter = counter++;
	m.epoch = at;
	m.n_epoch = 1;
	m.has_term = true;
	m.term = term;
	body_send(WARD__CLUSTER__SIGNED__KIND__GOT, &m.base);
}

static void part_take(const struct channel_message *m)
{
	static ward_schema *schema;
	struct cluster_message parts;
	ProtobufCBinaryData module = order.units[0].variants[0].module;
	ward_partial *p;
	ward_snapshot *s;
	size_t i;

	if (memcmp(m->query, order.id, CLUSTER_ID) != 0)
		return;
	if (!schema)
		cr_assert_eq(ward_schema_read(module.data, module.len, &schema, &err), 0);
	cr_assert(cluster_message_read(&parts, &ward__cluster__parts__descriptor, "parts", m->bytes, m->size, &err),
		"%s", err.why);
	const Ward__Cluster__Parts *at = (const Ward__Cluster__Parts *)parts.m;
	cr_assert_eq(at->n_piece, 1);
	cr_assert_eq(ward_partial_unpack(schema, at->piece[0]->partial.data, at->piece[0]->partial.len, NULL, &p, &err),
		0, "%s", err.why);
	struct ward_partial_notes n = ward_partial_notes(p);
	cr_expect_arr_eq(n.query, order.id, CLUSTER_ID);
	for (i = 0; i < said.n && (said.values[i].notes.epoch != n.epoch || said.values[i].notes.nonce != n.nonce); i++)
		;
	cr_assert_lt(i, 8);
	if (i == said.n)
		said.n++;
	cr_assert_eq(ward_partial_finish(p, &s, &err), 0);
	if (n.sequence >= said.values[i].notes.sequence) { /* an agent that was killed may repeat an older one */
		said.values[i].notes = n;
		said.values[i].calls = ward_snapshot_field(s, 0)->value;
	}
	ward_snapshot_free(s);
	ward_partial_free(p);
	cluster_message_free(&parts);
}

static void note_take(const struct channel_message *m)
{
	struct cluster_message note;
	size_t size;

	if (memcmp(m->query, order.id, CLUSTER_ID) != 0)
		return;
	cr_assert(cluster_message_read(&note, &ward__cluster__note__descriptor, "note", m->bytes, m->size, &err), "%s",
		err.why);
	const Ward__Cluster__Note *n = (const Ward__Cluster__Note *)note.m;
	said.state = n->state;
	snprintf(said.reason, sizeof(said.reason), "%.*s", (int)n->reason.len, (const char *)n->reason.data);
	for (size_t i = 0; i < n->n_warning; i++) {
		int size = n->warning[i].len < 200 ? (int)n->warning[i].len : 200;
		const char *text = (const char *)n->warning[i].data;
		/* whether a worker has a cgroup of its own is the machine's, where the test runs */
		if (!memmem(text, (size_t)size, "(C-152)", 7))
			snprintf(said.reason + strlen(said.reason), sizeof(said.reason) - strlen(said.reason),
				" [%.*s]", size, text);
	}
	said.note_epoch = n->epoch;
	said.notes++;
	said.term = n->term;
	if (n->has_order) {
		void *sent = made_bytes(&order, &alice, &size);
		said.orders += cluster_bytes_equal(n->order, sent, size);
		free(sent);
	}
	said.processes = n->processes;
	said.left_out = n->left_out;
	said.ended = n->ended_processes;
	said.sites = n->n_site;
	cluster_message_free(&note);
}

void message_take(const struct channel_message *m)
{
	struct cluster_message hello;

	if (m->kind == CHANNEL_PART)
		part_take(m);
	else if (m->kind == CHANNEL_NOTE)
		note_take(m);
	else if (m->kind == CHANNEL_WANT)
		said.wants += memcmp(m->query, order.id, CLUSTER_ID) == 0;
	else if (m->kind == CHANNEL_HELLO) {
		cr_expect(cluster_message_read(
			&hello, &ward__cluster__hello__descriptor, "hello", m->bytes, m->size, &err));
		const Ward__Cluster__Hello *h = (const Ward__Cluster__Hello *)hello.m;
		cr_expect(cluster_bytes_equal(h->machine, "web1.example", 12) && h->n_label == 1);
		said.hellos++;
		cluster_message_free(&hello);
	}
}

/* Take what comes until it is so. */
void wait_until(until_fn *is_so, const char *what)
{
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	struct channel_message m;

	while (!is_so()) {
		struct pollfd p = {.fd = link_channel.fd, .events = POLLIN};
		cr_assert(clock_at(CLOCK_MONOTONIC) < until,
			"it never came: %s; state %d, %s; %zu epochs, %llu calls in the last", what, said.state,
			said.reason, said.n, said.n ? (unsigned long long)said.values[said.n - 1].calls : 0);
		poll(&p, 1, 100);
		switch (channel_take(&link_channel, &m)) {
		case CHANNEL_MESSAGE: message_take(&m); break;
		case CHANNEL_END: cr_assert(false, "the agent is gone while waiting: %s", what);
		default: break;
		}
	}
}

bool has_hello(void)
{
	return said.hellos != 0;
}

bool is_refused(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__REFUSED;
}

bool is_waiting(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__NO_TARGET;
}

bool is_ended(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__ENDED;
}

bool has_processes(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__REPORTING && said.processes == wanted_processes;
}

/* The sum over all epochs. */
bool has_calls(void)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < said.n; i++)
		calls += said.values[i].calls;
	return calls == wanted_calls;
}

bool has_two_more(void)
{
	return said.n && said.values[said.n - 1].notes.sequence >= sequence_wanted;
}

uint64_t calls_now(void)
{
	sequence_wanted = (said.n ? said.values[said.n - 1].notes.sequence : 0) + 2;
	wait_until(has_two_more, "two more partials");
	wanted_calls = 0;
	for (size_t i = 0; i < said.n; i++)
		wanted_calls += said.values[i].calls;
	return wanted_calls;
}

bool has_last(void)
{
	return said.n && (said.values[said.n - 1].notes.flags & WARD_PARTIAL_LAST);
}

void expect_processes(uint64_t n)
{
	wanted_processes = n;
	wait_until(has_processes, "processes");
}

void expect_calls(void)
{
	wanted_calls = 0;
	for (int i = 0; i < COUNTERS; i++)
		wanted_calls += counters[i].calls;
	wait_until(has_calls, "calls");
}

void order_make(void)
{
	memset(&said, 0, sizeof(said));
	made_order(&order, MODULE("count"), clock_at(CLOCK_REALTIME));
	made_site(&order, SITE);
	made_process(&order, means);
	order.order.period_ns = SECOND / 10;
	order.order.text = made_text("From(cluster-counter!work)");
	order.order.has_text = true;
}

void up(void)
{
	agent_start();
	link_connect();
	wait_until(has_hello, "hello");
}
