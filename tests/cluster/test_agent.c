/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-agent with real processes that count for themselves. The test is the link: it hands on what a coordinator
 * signs, and whatever a link that was taken over could send.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cluster/agent/audit.h"
#include "cluster/agent/process.h"
#include "cluster/wire/channel.h"
#include "orders.h"
#include "ward/partial.h"

#define SECOND 1000000000ull
#define MODULE(name) made_file(MODULES "/" name ".ward")
#define SITE "cluster-counter!work"
enum { LONG_S = 30, COUNTERS = 3 };

static char folder[] = "/tmp/ward-agent-XXXXXX", run[64], program[64], means[80];
static struct cluster_secret alice, bob, carol, mallory;
static struct ward_error err;
static struct made_order order;
static pid_t agent;
static bool on_small_disk;
static uint64_t counter = 1;

static uint64_t clock_at(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", folder, name);
}

/* ---- processes that count ---- */

struct counted {
	pid_t pid;
	int in, out;
	uint64_t calls;
};
static struct counted counters[COUNTERS];

static void line_expect(struct counted *c, const char *text)
{
	char line[16] = "";
	size_t n = 0;

	while (n < sizeof(line) - 1 && !strchr(line, '\n') && read(c->out, line + n, 1) == 1)
		n++;
	line[strcspn(line, "\n")] = 0;
	cr_assert_str_eq(line, text);
}

/* It ends with the test, however that ends, and holds no file of it open. */
static void child_prepare(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

static void counter_start(struct counted *c)
{
	int in[2], out[2];

	cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	c->pid = fork();
	if (c->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		child_prepare();
		execl(program, program, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	*c = (struct counted){c->pid, in[1], out[0], 0};
	line_expect(c, "ready");
}

static void counter_call(struct counted *c, unsigned calls)
{
	dprintf(c->in, "%u\n", calls);
	line_expect(c, "done");
	c->calls += calls;
}

static void counter_end(struct counted *c)
{
	int status;

	close(c->in);
	cr_expect(waitpid(c->pid, &status, 0) == c->pid && status == 0, "the process ended with 0x%x", status);
	close(c->out);
	c->pid = 0;
}

static void leftover_count(void *user, const struct ward_leftover *l)
{
	*(int *)user += !l->freed;
}

/* Nothing of Ward's is in it. */
static void expect_clean(const struct counted *c)
{
	int n = 0;
	struct ward_cleanup_options o = {.size = sizeof(o), .on_leftover = leftover_count, .user = &n};

	cr_expect(ward_cleanup(c->pid, &o, &err) == 0 && n == 0, "%d attachments are left: %s", n, err.why);
}

/* ---- the agent ---- */

static void config_write(const char *of_alice, const char *more)
{
	char path[64], key[CLUSTER_KEY_TEXT];
	FILE *f;

	cluster_key_print(&alice.key, key);
	path_of(path, sizeof(path), "agent.conf");
	f = fopen(path, "w");
	fprintf(f,
		"[bus]\nurl = tls://127.0.0.1:1\ncluster = test\n[machine]\nname = web1.example\nlabels = role=web\n"
		"[coordinator alice]\nkey = %s\n%s\n[limits]\npause = 10s\noverhead = 100%%\n%s\n",
		key, of_alice, more);
	fclose(f);
}

#define MAY "may = user\nprocesses = exe=/tmp/*\nresults = keys\nmodules = any\n"
static const char usual[] = MAY "sites = cluster-counter!* libc.so.6!*\n";

static void agent_start(void)
{
	char config[64], state[64], log[64];

	path_of(config, sizeof(config), "agent.conf");
	path_of(state, sizeof(state), "state");
	path_of(log, sizeof(log), on_small_disk ? "small" : "log");
	fflush(NULL);
	agent = fork();
	if (agent == 0) {
		if (on_small_disk &&
			(unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
				mount("none", log, "tmpfs", 0, "size=16k") != 0))
			_exit(77);
		child_prepare();
		execl(AGENT, AGENT, "--config", config, "--state", state, "--log", log, "--run", run, NULL);
		_exit(127);
	}
}

static void copy_file(const char *from, const char *to)
{
	ProtobufCBinaryData bytes = made_file(from);
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	cr_assert(fd >= 0 && write(fd, bytes.data, bytes.len) == (ssize_t)bytes.len && close(fd) == 0);
}

static void begin(void)
{
	char path[64];

	cr_assert(cluster_secret_make(&alice, &err) && cluster_secret_make(&bob, &err) &&
		  cluster_secret_make(&carol, &err) && cluster_secret_make(&mallory, &err));
	cr_assert(mkdtemp(folder));
	/* a program of its own, so that no other test's processes are meant */
	path_of(program, sizeof(program), "cluster-counter");
	snprintf(means, sizeof(means), "exe=%s", program);
	copy_file(COUNTER, program);
	path_of(run, sizeof(run), "run");
	mkdir(run, 0700);
	path_of(path, sizeof(path), "small");
	mkdir(path, 0700);
	config_write(usual, "");
}

static void agent_kill(int signal)
{
	int status = 0;

	kill(agent, signal);
	cr_expect_eq(waitpid(agent, &status, 0), agent);
	if (signal == SIGTERM)
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the agent ended with 0x%x", status);
	agent = 0;
}

static void end(void)
{
	char command[128];

	for (int i = 0; i < COUNTERS; i++)
		if (counters[i].pid)
			counter_end(&counters[i]);
	if (agent)
		agent_kill(SIGTERM);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_expect_eq(system(command), 0);
}

/* ---- the link ---- */

static struct channel link_channel;

static void link_connect(void)
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

static void link_send(const void *bytes, size_t n)
{
	const struct channel_message m = {.kind = CHANNEL_SIGNED, .bytes = bytes, .size = n};
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;

	while (!channel_send(&link_channel, &m)) /* the agent has no room for it now */
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "the agent takes nothing");
}

static void order_send(const struct cluster_secret *key)
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

static void cancel_send_by(const struct cluster_secret *key, uint64_t count)
{
	Ward__Cluster__Cancel m = WARD__CLUSTER__CANCEL__INIT;

	m.query = order.order.query;
	m.cluster = made_text("test");
	m.counter = count;
	m.has_reason = true;
	m.reason = made_text("enough");
	body_send_by(key, WARD__CLUSTER__SIGNED__KIND__CANCEL, &m.base);
}

static void cancel_send(void)
{
	cancel_send_by(&alice, counter++);
}

static void beat_send(uint64_t count, uint64_t lease_ns)
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
	m.term = 1;
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

static void got_send(uint64_t epoch, uint64_t nonce)
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
	body_send(WARD__CLUSTER__SIGNED__KIND__GOT, &m.base);
}

/* What the agent has said last. */
struct said {
	Ward__Cluster__Note__State state;
	char reason[600];
	uint64_t note_epoch, processes, ended, left_out;
	size_t sites, hellos, wants;
	struct {
		struct ward_partial_notes notes;
		uint64_t calls;
	} values[8]; /* the latest of each epoch */
	size_t n;
};
static struct said said;

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

	if (memcmp(m->query, order.id, CLUSTER_ID) != 0)
		return;
	cr_assert(cluster_message_read(&note, &ward__cluster__note__descriptor, "note", m->bytes, m->size, &err), "%s",
		err.why);
	const Ward__Cluster__Note *n = (const Ward__Cluster__Note *)note.m;
	said.state = n->state;
	snprintf(said.reason, sizeof(said.reason), "%.*s", (int)n->reason.len, (const char *)n->reason.data);
	if (n->n_warning)
		snprintf(said.reason + strlen(said.reason), sizeof(said.reason) - strlen(said.reason), " [%.*s]",
			(int)n->warning[0].len < 200 ? (int)n->warning[0].len : 200, (const char *)n->warning[0].data);
	said.note_epoch = n->epoch;
	said.processes = n->processes;
	said.left_out = n->left_out;
	said.ended = n->ended_processes;
	said.sites = n->n_site;
	cluster_message_free(&note);
}

static void message_take(const struct channel_message *m)
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

typedef bool until_fn(void);

/* Take what comes until it is so. */
static void wait_until(until_fn *is_so, const char *what)
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

static bool has_hello(void)
{
	return said.hellos != 0;
}

static bool is_refused(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__REFUSED;
}

static bool is_waiting(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__NO_TARGET;
}

static bool is_ended(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__ENDED;
}

static bool is_guarded(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__GUARDED || strstr(said.reason, "can't be measured");
}

static bool is_second(void)
{
	return said.processes == 1 && said.ended == 1;
}

static bool is_stopped_enough(void)
{
	return strstr(said.reason, "more often than 2 times a minute (C-57)") != NULL;
}

static uint64_t wanted_processes, wanted_calls;

static bool has_processes(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__REPORTING && said.processes == wanted_processes;
}

/* The sum over all epochs. */
static bool has_calls(void)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < said.n; i++)
		calls += said.values[i].calls;
	return calls == wanted_calls;
}

/* Two more partials: what was counted before is in the second. */
static uint64_t sequence_wanted;

static bool has_two_more(void)
{
	return said.n && said.values[said.n - 1].notes.sequence >= sequence_wanted;
}

static uint64_t calls_now(void)
{
	sequence_wanted = (said.n ? said.values[said.n - 1].notes.sequence : 0) + 2;
	wait_until(has_two_more, "two more partials");
	wanted_calls = 0;
	for (size_t i = 0; i < said.n; i++)
		wanted_calls += said.values[i].calls;
	return wanted_calls;
}

static bool has_last(void)
{
	return said.n && (said.values[said.n - 1].notes.flags & WARD_PARTIAL_LAST);
}

static void expect_processes(uint64_t n)
{
	wanted_processes = n;
	wait_until(has_processes, "processes");
}

static void expect_calls(void)
{
	wanted_calls = 0;
	for (int i = 0; i < COUNTERS; i++)
		wanted_calls += counters[i].calls;
	wait_until(has_calls, "calls");
}

static void order_make(void)
{
	memset(&said, 0, sizeof(said));
	made_order(&order, MODULE("count"), clock_at(CLOCK_REALTIME));
	made_site(&order, SITE);
	made_process(&order, means);
	order.order.period_ns = SECOND / 10;
	order.order.text = made_text("From(cluster-counter!work)");
	order.order.has_text = true;
}

static void up(void)
{
	agent_start();
	link_connect();
	wait_until(has_hello, "hello");
}

/* How many lines of the audit have all of these texts; the chain must be whole. */
static size_t audit_count(const char *one, const char *other)
{
	static char line[300 << 10];
	char path[64];
	uint64_t lines;
	size_t n = 0;

	path_of(path, sizeof(path), "log/audit.jsonl");
	cr_expect(agent_audit_check(path, &lines, &err), "%s", err.why);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, one) && strstr(line, other);
	if (f)
		fclose(f);
	return n;
}

/* ---- what it does ---- */

/* Processes that are there, that come later, that go, and that execute a program: all of it is in the sum. */
Test(agent, counts, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	cr_expect_eq(said.sites, 1);
	counter_call(&counters[0], 1000);
	expect_calls();

	counter_start(&counters[1]);
	expect_processes(2);
	counter_call(&counters[1], 500);
	counter_call(&counters[0], 10);
	expect_calls();

	counter_end(&counters[1]); /* what it has counted stays */
	expect_processes(1);
	expect_calls();

	dprintf(counters[0].in, "x\n");
	line_expect(&counters[0], "ready");
	expect_processes(1);
	/* wait until the program that it has executed is probed, call by call */
	uint64_t before = wanted_calls, until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (calls_now() == before) {
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "the program isn't probed");
		dprintf(counters[0].in, "1\n");
		line_expect(&counters[0], "done");
	}
	cr_expect_eq(wanted_calls, before + 1);
	counters[0].calls++;
	counter_call(&counters[0], 77);
	expect_calls();

	/* the last value comes until it is acknowledged */
	cancel_send();
	wait_until(is_ended, "its end");
	wait_until(has_last, "the last value");
	cr_expect_str_eq(said.reason, "cancelled: enough");
	expect_clean(&counters[0]);
	counter_call(&counters[0], 5);
	counters[0].calls -= 5; /* nobody counts these */
	expect_calls();
	uint64_t epoch = said.values[0].notes.epoch, nonce = said.values[0].notes.nonce;
	memset(&said, 0, sizeof(said));
	wait_until(has_last, "the last value, again");
	got_send(epoch, nonce);
	cr_expect_eq(audit_count("\"event\":\"order\"", "\"verdict\":\"accepted\""), 1);
	cr_expect_eq(audit_count("\"event\":\"end\"", "\"how\":\"cancelled: enough\""), 1);
	cr_expect_eq(audit_count("From(cluster-counter!work)", "\"coordinator\":\"alice\""), 1);

	/* and it isn't taken again */
	memset(&said, 0, sizeof(said));
	order_send(&alice);
	uint64_t started = clock_at(CLOCK_MONOTONIC);
	while (!audit_count("it was taken before, and has ended here (C-47)", "refused"))
		cr_assert(clock_at(CLOCK_MONOTONIC) < started + LONG_S * SECOND);
	expect_clean(&counters[0]);
}

/* Whatever a link could send: nothing is attached, and each has its reason. */
Test(agent, hostile_link, .init = begin, .fini = end)
{
	size_t n;

	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&mallory);
	uint8_t *bytes = made_bytes(&order, &alice, &n);
	for (size_t i = 0; i < n; i += 7) {
		bytes[i] ^= 0x10;
		link_send(bytes, n);
		bytes[i] ^= 0x10;
	}
	free(bytes);
	order.order.cluster = made_text("other");
	order_send(&alice);
	wait_until(is_refused, "for another cluster");
	cr_expect(strstr(said.reason, "C-43"), "%s", said.reason);

	order_make();
	order.order.issued_at -= 7200 * SECOND;
	order.order.not_after_at = order.order.issued_at + 3600 * SECOND;
	order_send(&alice);
	wait_until(is_refused, "too old");
	cr_expect(strstr(said.reason, "C-44"), "%s", said.reason);

	order_make();
	order.units[0].sites[0] = made_text("libcrypto.so.3!*");
	order_send(&alice);
	wait_until(is_refused, "a site that isn't allowed");
	cr_expect(strstr(said.reason, "C-51"), "%s", said.reason);

	order_make(); /* a module whose coordinator's verifier was bypassed */
	ProtobufCBinaryData module = MODULE("count");
	struct ward_verdict *v = ward_verify(module.data, module.len, NULL);
	cr_assert(v && v->accepted);
	module.data[v->module.text.offset + (v->module.entries[0].addr - v->module.text.addr)] = 0xf4;
	ward_verdict_free(v);
	order.units[0].variants[0].module = module;
	order_send(&alice);
	wait_until(is_refused, "a module with a violation");
	cr_expect(strstr(said.reason, "C-60") && strstr(said.reason, "V-"), "%s", said.reason);

	cr_expect_eq(audit_count("\"verdict\":\"accepted\"", ""), 0);
	cr_expect_geq(audit_count("C-42", "\"verdict\":\"refused\""), 1);
	cr_expect_eq(audit_count("C-43", "\"coordinator\":\"alice\""), 1);
	cr_expect_eq(audit_count("C-51", "libcrypto.so.3!*"), 1);
	expect_clean(&counters[0]);

	/* packets that are none end the link's connection, and a link that comes anew goes on */
	cr_expect(send(link_channel.fd, "nonsense", 8, 0) == 8);
	struct channel_message m;
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (channel_take(&link_channel, &m) != CHANNEL_END)
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "the agent keeps a link that sends nonsense");
	channel_close(&link_channel);
	said.hellos = 0;
	link_connect();
	wait_until(has_hello, "hello, to the next link");

	/* replayed: an order that runs, and an old beat */
	order_make();
	order_send(&alice);
	expect_processes(1);
	order_send(&alice);
	counter_call(&counters[0], 3);
	expect_calls();
	until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (!audit_count("it was taken before, and runs here (C-47)", "refused"))
		cr_assert(clock_at(CLOCK_MONOTONIC) < until);
	cr_expect_eq(said.n, 1, "it runs twice");
}

/* Nobody renews its lease: it ends. An old beat renews nothing. */
Test(agent, lease, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order.order.lease_ns = 2 * SECOND;
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 42);
	uint64_t until = clock_at(CLOCK_MONOTONIC) + 3 * SECOND;
	for (uint64_t i = 5; clock_at(CLOCK_MONOTONIC) < until; i++) {
		beat_send(i, 2 * SECOND);
		wanted_calls = 42;
		wait_until(has_calls, "calls");
		nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	}
	cr_expect_neq(said.state, WARD__CLUSTER__NOTE__STATE__ENDED, "beats don't renew its lease");
	uint64_t last = clock_at(CLOCK_MONOTONIC);
	while (!is_ended()) {
		struct channel_message m;
		beat_send(5, 600 * SECOND); /* that one was taken */
		while (channel_take(&link_channel, &m) == CHANNEL_MESSAGE)
			message_take(&m);
		cr_assert(clock_at(CLOCK_MONOTONIC) < last + LONG_S * SECOND, "its lease doesn't end");
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	}
	cr_expect(strstr(said.reason, "its lease has ended"), "%s", said.reason);
	wait_until(has_last, "the last value");
	expect_calls();
	expect_clean(&counters[0]);
}

static bool has_two_epochs(void)
{
	return said.n == 2 && said.state == WARD__CLUSTER__NOTE__STATE__REPORTING && said.processes == 1;
}

/* The worker of the query: a child of the agent. */
static pid_t worker_find(void)
{
	char path[64], text[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)agent, (int)agent);
	int fd = open(path, O_RDONLY);
	cr_assert(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return atoi(text);
}

/* A query is its issuer's, and theirs who may take over; each has counters of its own. */
Test(agent, take_over, .init = begin, .fini = end)
{
	char more[512], bobs[CLUSTER_KEY_TEXT], carols[CLUSTER_KEY_TEXT];

	cluster_key_print(&bob.key, bobs);
	cluster_key_print(&carol.key, carols);
	snprintf(more, sizeof(more),
		"[coordinator bob]\nkey = %s\nmay = take-over\n[coordinator carol]\nkey = %s\nmay = user\n", bobs,
		carols);
	config_write(usual, more);
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	beat_send(1000, 60 * SECOND);
	cancel_send_by(&carol, 5000);
	cancel_send_by(&mallory, 5000);
	counter_call(&counters[0], 12);
	expect_calls();
	calls_now();
	cr_expect_eq(said.state, WARD__CLUSTER__NOTE__STATE__REPORTING, "%s", said.reason);
	cancel_send_by(&bob, 1);
	wait_until(is_ended, "its end");
	cr_expect_str_eq(said.reason, "cancelled: enough");
	wait_until(has_last, "the last value");
	expect_calls();
}

/* A worker, or all of the agent, is killed: what it had sent stays, and a new epoch goes on. */
static void epochs_expect(bool kill_all)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 1000);
	expect_calls();
	pid_t worker = worker_find();
	if (kill_all) {
		kill(agent, SIGSTOP); /* so that it can't react to the worker's end */
		kill(worker, SIGKILL);
		agent_kill(SIGKILL);
		channel_close(&link_channel);
		agent_start();
		link_connect();
	} else
		kill(worker, SIGKILL);
	wait_until(has_two_epochs, "a second epoch");
	cr_expect_eq(said.values[1].notes.epoch, said.values[0].notes.epoch + 1);
	counter_call(&counters[0], 234);
	expect_calls();
	cancel_send();
	wait_until(is_ended, "its end");
	wait_until(has_last, "the last value");
	expect_calls();
	expect_clean(&counters[0]);
}

Test(agent, worker_killed, .init = begin, .fini = end)
{
	epochs_expect(false);
}

Test(agent, agent_killed, .init = begin, .fini = end)
{
	epochs_expect(true);
}

/* Stopped for an update, and started again: the query goes on, and both epochs have all that was counted. */
Test(agent, started_again, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 17);
	agent_kill(SIGTERM);
	expect_clean(&counters[0]);
	channel_close(&link_channel);
	agent_start();
	link_connect();
	wait_until(has_two_epochs, "a second epoch");
	counter_call(&counters[0], 4);
	expect_calls();
}

Test(agent, policy_changes, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	kill(agent, SIGHUP); /* nothing has changed */
	counter_call(&counters[0], 9);
	expect_calls();
	config_write(MAY "sites = libc.so.6!*\n", "");
	kill(agent, SIGHUP);
	wait_until(is_ended, "the end of what isn't allowed any more");
	cr_expect(strstr(said.reason, "the policy has changed") && strstr(said.reason, "C-51"), "%s", said.reason);
	expect_calls();
	expect_clean(&counters[0]);
}

/* A process that the policy doesn't name isn't probed; nor is a second query where one is allowed. */
Test(agent, limits, .init = begin, .fini = end)
{
	config_write("may = user\nsites = *\nprocesses = exe=/usr/bin/none\nresults = keys\nmodules = any\n",
		"queries = 1\n");
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	wait_until(is_waiting, "no target");
	cr_expect_geq(said.left_out, 1);
	expect_clean(&counters[0]);
	order_make();
	order_send(&alice);
	wait_until(is_refused, "a second query");
	cr_expect(strstr(said.reason, "C-57"), "%s", said.reason);
}

/* Processes that begin while it runs are probed in a library that they map only after their start, each of them. */
Test(agent, beginners, .init = begin, .fini = end)
{
	up();
	order_make();
	order.units[0].sites[0] = made_text("libc.so.6!puts");
	order_send(&alice);
	wait_until(is_waiting, "no target");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNTERS; i++)
			counter_start(&counters[i]);
		expect_processes(COUNTERS);
		uint64_t before = calls_now(); /* perhaps with their first words */
		for (int i = 0; i < COUNTERS; i++) {
			dprintf(counters[i].in, "1\n"); /* it says "done" by puts */
			line_expect(&counters[i], "done");
		}
		wanted_calls = before + COUNTERS;
		wait_until(has_calls, "calls");
		for (int i = 0; i < COUNTERS; i++)
			counter_end(&counters[i]);
		wait_until(is_waiting, "no target any more");
	}
}

/* A process that executes program after program isn't stopped more often than is allowed. */
Test(agent, stops, .init = begin, .fini = end)
{
	config_write(usual, "stops = 2/min\n");
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	dprintf(counters[0].in, "x\n");
	line_expect(&counters[0], "ready");
	wait_until(is_second, "the second program is probed");
	dprintf(counters[0].in, "x\n");
	line_expect(&counters[0], "ready");
	wait_until(is_stopped_enough, "it is left alone");
	expect_clean(&counters[0]);
}

/* Probes that take too much of a process's time come off, and what they have counted stays. */
Test(agent, guard, .init = begin, .fini = end)
{
	config_write(usual, "");
	counter_start(&counters[0]);
	up();
	order_make();
	order.limits.has_overhead_ppm = true;
	order.limits.overhead_ppm = 20000;
	order_send(&alice);
	expect_processes(1);
	uint64_t started = clock_at(CLOCK_MONOTONIC);
	dprintf(counters[0].in, "6000000000\n"); /* each takes about as long as its probe */
	wait_until(is_guarded, "the guard");
	if (strstr(said.reason, "can't be measured"))
		cr_skip("there are no performance events here");
	fprintf(stderr, "guarded after %.1f s: %s\n", (double)(clock_at(CLOCK_MONOTONIC) - started) / 1e9, said.reason);
	wait_until(has_last, "the last value");
	cr_expect(said.values[0].calls > 0 && said.values[0].calls < 6000000000, "%llu calls",
		(unsigned long long)said.values[0].calls);
	expect_clean(&counters[0]);
	line_expect(&counters[0], "done");
}

/* not-sites, by a name that only the process knows: fopen64 is fopen. */
Test(agent, other_names, .init = begin, .fini = end)
{
	config_write(MAY "sites = libc.so.6!*\nnot-sites = libc.so.6!fopen64\n", "");
	counter_start(&counters[0]);
	up();
	order_make();
	order.units[0].sites[0] = made_text("libc.so.6!fopen");
	order_send(&alice);
	wait_until(is_waiting, "no target");
	cr_expect(strstr(said.reason, "C-52") || strstr(said.reason, "fopen64"), "%s", said.reason);
	expect_clean(&counters[0]);
}

/* Without room for a line of the audit nothing is attached. */
Test(agent, full_disk, .init = begin, .fini = end)
{
	static uint8_t text[4096];

	if (geteuid() != 0)
		cr_skip("a mount needs root");
	memset(text, 'x', sizeof(text));
	on_small_disk = true;
	counter_start(&counters[0]);
	up();
	for (int i = 0; i < 40; i++) { /* each is a line of some hundred bytes */
		order_make();
		order.order.cluster = made_text("other");
		order_send(&alice);
		wait_until(is_refused, "an order for another cluster");
	}
	order_make();
	order.order.text = (ProtobufCBinaryData){sizeof(text), text};
	order_send(&alice);
	wait_until(is_refused, "an order without an audit");
	cr_expect(strstr(said.reason, "C-61"), "%s", said.reason);
	expect_clean(&counters[0]);
}

static bool has_wants(void)
{
	return said.wants != 0;
}

/* A late joiner hears of a query by its beat, and asks for the order. */
Test(agent, late, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	beat_send(1, 60 * SECOND);
	wait_until(has_wants, "it asks for the order");
	order_send(&alice);
	expect_processes(1);
	order.choice.late = false;
}

/* Another user's connection isn't the link's. */
Test(agent, strangers, .init = begin, .fini = end)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char got;

	if (geteuid() != 0)
		cr_skip("there is one user only");
	up();
	chmod(folder, 0711);
	chmod(run, 0711);
	pid_t stranger = fork();
	if (stranger == 0) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		snprintf(at.sun_path, sizeof(at.sun_path), "%s/link", run);
		if (setuid(65534) != 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
			_exit(2);
		_exit(recv(fd, &got, 1, 0) != 0); /* settings would come, but the end does */
	}
	int status;
	cr_expect(waitpid(stranger, &status, 0) == stranger && status == 0, "0x%x", status);
	said.hellos = 0; /* and the link's goes on */
	link_connect();
	wait_until(has_hello, "hello");
}

/* The agent has no socket of the network, only those of AF_UNIX. */
Test(agent, no_network, .init = begin, .fini = end)
{
	static char unix_sockets[1 << 20];
	char path[64], entry[PATH_MAX], target[256];
	struct dirent *d;
	size_t sockets = 0;

	up();
	int fd = open("/proc/net/unix", O_RDONLY);
	size_t n = 0;
	for (ssize_t got;
		n < sizeof(unix_sockets) - 1 && (got = read(fd, unix_sockets + n, sizeof(unix_sockets) - 1 - n)) > 0;)
		n += (size_t)got;
	close(fd);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)agent);
	DIR *fds = opendir(path);
	while (fds && (d = readdir(fds))) {
		unsigned long inode;
		char text[32];
		snprintf(entry, sizeof(entry), "%s/%s", path, d->d_name);
		ssize_t length = readlink(entry, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = 0;
		if (sscanf(target, "socket:[%lu]", &inode) != 1)
			continue;
		sockets++;
		snprintf(text, sizeof(text), " %lu", inode);
		cr_expect(strstr(unix_sockets, text), "%s of the agent is no socket of AF_UNIX", d->d_name);
	}
	closedir(fds);
	cr_expect_geq(sockets, 2);
}
