/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records from machines to a coordinator, over a bus in memory and in virtual time: an agent's kept.c, whose link the
 * test is, and a coordinator's run. Messages are lost, come twice and in any order, and the bus is away for long. Each
 * record is given out once, in order of time, or is counted.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster/agent/agent.h"
#include "cluster/coordinator/run.h"
#include "orders.h"
#include "sim.h"

enum { MACHINES = 3, STEP_MS = 20, MOST = 100000 };
static const uint64_t SECOND = 1000000000, BEGIN_AT = 1700000000ull * 1000000000;
/* Each machine's clocks: how far ahead, and what the time stamp counter counts in a microsecond. */
static const int64_t ahead_ns[MACHINES] = {0, 300000000, -2000000000};
static const double rates[MACHINES] = {1000, 2400, 3100.5};

struct call {
	uint64_t time, argument;
	char text[8];
};

struct machine {
	struct sim sim;
	struct agent agent;
	struct agent_query q;
	struct channel link; /* the other side */
	uint64_t numbered;
	unsigned char seen[MOST];
};

static struct world {
	bus_loop *loop;
	bus *b;
	cluster_run *run;
	struct machine m[MACHINES];
	int directory;
	char folder[40];
	struct cluster_secret secret;
	struct ward_error err;
	uint64_t given, late, last_ns;
	int64_t worst_ns; /* how far a time was off */
	uint32_t batch;   /* records of a message */
} w;

static uint64_t now_ns(void)
{
	return SECOND + (uint64_t)bus_loop_now(w.loop) * 1000000;
}

static struct cluster_now world_now(void)
{
	return (struct cluster_now){.ns = now_ns(), .at = BEGIN_AT + now_ns()};
}

/* The agent's clocks; kept.c asks these. */
uint64_t agent_now(void)
{
	return now_ns();
}

uint64_t agent_now_at(void)
{
	return BEGIN_AT + now_ns();
}

/* ---- machines ---- */

static void got_take(void *user, uint64_t epoch, uint64_t nonce, uint64_t below)
{
	struct machine *m = user;

	agent_kept_got(&m->q, &(struct agent_epoch){epoch, nonce}, below);
}

static void machine_open(size_t i)
{
	struct machine *m = &w.m[i];
	char host[16];
	int pair[2];
	bus *b;

	memset(m, 0, sizeof(*m));
	snprintf(host, sizeof(host), "web%zu", i);
	cr_assert_eq(bus_loop_open(w.loop, host, &b, NULL), 0);
	sim_open(&m->sim, b, host, NULL);
	m->sim.has_no_state = true;
	m->sim.on_got = got_take;
	m->sim.user = m;
	m->sim.day_ns = BEGIN_AT + (uint64_t)ahead_ns[i];
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	channel_open(&m->agent.link, pair[0], true);
	channel_open(&m->link, pair[1], false);
	m->agent.is_connected = true;
}

static void machine_close(struct machine *m)
{
	agent_kept_free(&m->q);
	channel_close(&m->agent.link);
	channel_close(&m->link);
	sim_close(&m->sim);
}

/* As the worker's reader: so many records, each a microsecond after the one before. */
static void records_make(size_t i, uint32_t n)
{
	struct machine *m = &w.m[i];
	struct call calls[512];
	Ward__Cluster__Records r = WARD__CLUSTER__RECORDS__INIT;
	Ward__Cluster__Batch b = WARD__CLUSTER__BATCH__INIT, *at[] = {&b};
	size_t size;

	r.format = CLUSTER_FORMAT;
	r.epoch = m->sim.epoch;
	r.nonce = m->sim.nonce;
	r.clock_at = BEGIN_AT + now_ns() + (uint64_t)ahead_ns[i];
	r.has_counts = r.has_counts_per_us = true;
	r.counts_per_us = rates[i];
	r.counts = (uint64_t)((double)now_ns() / 1000 * rates[i]);
	r.batch = at;
	r.n_batch = 1;
	for (uint32_t k = 0; k < n; k++) {
		uint64_t time_ns = now_ns() - (uint64_t)(n - k) * 1000;
		calls[k] = (struct call){(uint64_t)((double)time_ns / 1000 * rates[i]), m->numbered + 1 + k, "work"};
	}
	b.first = m->numbered + 1;
	b.count = n;
	b.stride = sizeof(*calls);
	b.record = (ProtobufCBinaryData){n * sizeof(*calls), (uint8_t *)calls};
	b.stream = 1;
	b.has_thread = b.has_number = b.has_pid = true;
	b.number = b.first;
	b.pid = 100 + i;
	b.has_process = true;
	b.process = made_text("some program");
	void *bytes = cluster_message_write(&r.base, &size);
	m->numbered += n;
	m->sim.records = m->numbered;
	m->q.epoch = (struct agent_epoch){m->sim.epoch, m->sim.nonce};
	m->q.kept_next = m->q.kept_next ? m->q.kept_next : 1;
	agent_kept_take(&m->agent, &m->q, bytes, size);
	free(bytes);
}

/* What the agent has sent goes to the bus. */
static void link_relay(struct machine *m)
{
	struct channel_message c;
	struct cluster_subject to = {.kind = CLUSTER_RECORD};
	char subject[CLUSTER_SUBJECT];

	memcpy(to.query, m->sim.query, sizeof(to.query));
	strcpy(to.name, m->sim.name);
	cluster_subject_write(&to, subject);
	for (enum channel_taken t; (t = channel_take(&m->link, &c)) != CHANNEL_NOTHING;) {
		cr_assert_neq(t, CHANNEL_END);
		if (t == CHANNEL_MESSAGE)
			bus_publish(m->sim.b, subject, c.bytes, c.size, NULL);
	}
}

/* ---- the coordinator ---- */

static void event_take(void *user, const struct cluster_event *e)
{
	size_t i = (size_t)(e->record->stream.machine[3] - '0');
	uint64_t argument = e->members->members[1].value;
	struct machine *m = &w.m[i];

	(void)user;
	cr_assert_str_eq(e->field->name, "last");
	cr_assert_str_eq(e->members->members[2].text, "work");
	cr_assert(argument == e->record->number && argument == e->members->number && argument && argument < MOST);
	cr_assert(e->record->origin.pid == 100 + i && strcmp(e->record->origin.program, "some program") == 0);
	cr_assert_eq(m->seen[argument]++, 0, "%s: record %d came twice", m->sim.host, (int)argument);
	w.given++;
	w.late += e->record->is_late;
	cr_assert(e->record->is_late == (e->record->time_ns < w.last_ns));
	w.last_ns = e->record->is_late ? w.last_ns : e->record->time_ns;
	int64_t off = (int64_t)(e->at - BEGIN_AT - (uint64_t)((double)e->members->members[0].value / rates[i] * 1000));
	w.worst_ns = off > w.worst_ns ? off : -off > w.worst_ns ? -off : w.worst_ns;
}

static void records_give(bool everything)
{
	cr_assert_eq(cluster_run_records(w.run, world_now(), everything, event_take, NULL, &w.err), 0);
}

static void world_open(const struct bus_loop_faults *faults, uint64_t duration_ns)
{
	static ProtobufCBinaryData module;
	static const char *const processes[] = {"exe=*"};
	struct cluster_run_unit unit = {.processes = {processes, 1}};
	struct cluster_run_options options = {.cluster = "test",
		.issuer = "alice",
		.selector = "",
		.most = UINT64_MAX,
		.late = true,
		.unit = &unit,
		.n_units = 1,
		.duration_ns = duration_ns,
		.lease_ns = 60 * SECOND,
		.period_ns = SECOND / 2,
		.keep_ns = 60 * SECOND,
		.grace_ns = 20 * SECOND};

	memset(&w, 0, sizeof(w));
	w.batch = 40;
	strcpy(w.folder, "/tmp/ward-kept-XXXXXX");
	cr_assert(mkdtemp(w.folder));
	w.directory = open(w.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(cluster_secret_make(&w.secret, NULL));
	cr_assert_eq(bus_loop_create(faults, &w.loop, NULL), 0);
	cr_assert_eq(bus_loop_open(w.loop, "coordinator", &w.b, NULL), 0);
	for (size_t i = 0; i < MACHINES; i++)
		machine_open(i);
	if (!module.len)
		module = made_file(MODULES "/events.ward");
	unit.variant[0] = (struct cluster_run_variant){.module = module.data, .size = module.len};
	unit.n_variants = 1;
	cr_assert_eq(cluster_run_begin(w.b, &w.secret, &options, w.directory, world_now(), &w.run, &w.err), 0, "%s: %s",
		w.err.what, w.err.why);
}

static void world_go(int64_t ms, bool makes)
{
	for (int64_t gone = 0; gone < ms; gone += STEP_MS) {
		bus_loop_advance(w.loop, STEP_MS);
		for (size_t i = 0; i < MACHINES; i++) {
			struct machine *m = &w.m[i];
			if (makes && m->sim.runs)
				records_make(i, w.batch);
			sim_step(&m->sim, now_ns());
			agent_kept_tick(&m->agent, &m->q);
			link_relay(m);
		}
		cr_assert_eq(cluster_run_step(w.run, world_now(), &w.err), 0, "%s", w.err.why);
		records_give(false);
	}
}

static void world_finish(void)
{
	for (int i = 0; i < 10000 && cluster_run_phase(w.run) < CLUSTER_OVER; i++)
		world_go(STEP_MS, true);
	cr_assert_eq(cluster_run_phase(w.run), CLUSTER_OVER);
	records_give(true);
	world_go(200, false); /* acknowledgements are on their way */
}

static uint64_t numbered(void)
{
	uint64_t all = 0;

	for (size_t i = 0; i < MACHINES; i++)
		all += w.m[i].numbered;
	return all;
}

static void world_close(void)
{
	char command[80];

	cluster_run_free(w.run);
	for (size_t i = 0; i < MACHINES; i++)
		machine_close(&w.m[i]);
	bus_close(w.b);
	bus_loop_free(w.loop);
	close(w.directory);
	snprintf(command, sizeof(command), "rm -r %s", w.folder);
	cr_assert_eq(system(command), 0);
}

static void expect_whole(int seed)
{
	struct cluster_record_counts c = cluster_run_record_counts(w.run, NULL);

	cr_expect_gt(w.given, 0);
	cr_expect_eq(w.given, numbered(), "seed %d: %d of %d", seed, (int)w.given, (int)numbered());
	cr_expect_eq(c.taken, w.given);
	cr_expect(c.given_up == 0 && c.unread == 0 && c.missing == 0 && c.waiting == 0);
	cr_expect(cluster_run_is_complete(w.run), "seed %d", seed);
}

/* In order, though one clock is 0.3 s ahead and one 2 s behind, and counters have other rates. */
Test(kept, records_of_all_machines_in_order)
{
	world_open(&(struct bus_loop_faults){.delay_ms = 5}, 5 * SECOND);
	world_go(3000, true);
	world_finish();
	expect_whole(0);
	cr_expect_eq(w.late, 0, "%d late", (int)w.late);
	cr_expect_lt(w.worst_ns, (int64_t)SECOND / 20, "times are off by up to %d us", (int)(w.worst_ns / 1000));
	for (size_t i = 0; i < MACHINES; i++)
		cr_expect_eq(
			w.m[i].q.n_kept, 0, "%zu messages of %s aren't acknowledged", w.m[i].q.n_kept, w.m[i].sim.host);
	world_close();
}

Test(kept, each_once_whatever_the_bus_does)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct bus_loop_faults faults = {
			.seed = seed, .lost = 100, .doubled = 100, .reordered = 200, .delay_ms = 30};

		world_open(&faults, 6 * SECOND);
		world_finish();
		expect_whole((int)seed);
		cr_expect_gt(cluster_run_record_counts(w.run, NULL).twice, 0);
		world_close();
	}
}

/* Two links can publish nothing for 5 s: all that was made meanwhile comes afterwards, late. */
Test(kept, a_bus_that_is_away)
{
	world_open(&(struct bus_loop_faults){.delay_ms = 5}, 20 * SECOND);
	w.batch = 20;
	world_go(3000, true);
	for (size_t i = 0; i < 2; i++) {
		bus_loop_cut(w.m[i].sim.b, true);
		w.m[i].agent.is_connected = i == 0; /* one doesn't know: what it sends is lost */
	}
	world_go(5000, true);
	for (size_t i = 0; i < 2; i++) {
		bus_loop_cut(w.m[i].sim.b, false);
		w.m[i].agent.is_connected = true;
		agent_kept_again(&w.m[i].q);
	}
	world_finish();
	expect_whole(0);
	cr_expect_gt(w.late, 0);
	world_close();
}

/* Longer than its megabyte lasts: the oldest are given up, all others come, and what is missing is known to one. */
Test(kept, what_has_no_room_is_counted)
{
	uint64_t given[MACHINES] = {0};

	world_open(&(struct bus_loop_faults){.delay_ms = 5}, 20 * SECOND);
	w.batch = 150;
	world_go(2000, true);
	bus_loop_cut(w.m[0].sim.b, true);
	world_go(10000, true);
	cr_expect_lt(w.m[0].q.kept_bytes, (size_t)1 << 20);
	bus_loop_cut(w.m[0].sim.b, false);
	w.batch = 10;
	world_finish();
	for (size_t i = 0; i < MACHINES; i++)
		for (size_t k = 0; k < MOST; k++)
			given[i] += w.m[i].seen[k];
	struct cluster_record_counts c = cluster_run_record_counts(w.run, "web0");
	cr_expect_gt(c.given_up, 0);
	cr_expect_eq(given[0] + c.given_up, w.m[0].numbered);
	cr_expect_eq(c.missing, 0);
	cr_expect_eq(given[1], w.m[1].numbered);
	cr_expect_eq(cluster_run_record_counts(w.run, "web1").given_up, 0);
	cr_expect(!cluster_run_is_complete(w.run));
	world_close();
}

/* What the machine itself couldn't read, and what is still on its way when it is gone, is missing, and known. */
Test(kept, what_never_came_is_known)
{
	world_open(&(struct bus_loop_faults){.delay_ms = 5}, 8 * SECOND);
	w.m[1].sim.unread = 5;
	world_go(3000, true);
	w.m[0].agent.is_connected = false;
	for (int i = 0; i < 5; i++)
		records_make(0, 10);
	w.batch = 0;
	world_go(2000, false);
	agent_kept_free(&w.m[0].q); /* as if its agent had died */
	for (int i = 0; i < 2000 && cluster_run_phase(w.run) < CLUSTER_OVER; i++)
		world_go(STEP_MS, false);
	records_give(true);
	cr_expect_eq(cluster_run_record_counts(w.run, "web0").missing, 50);
	cr_expect_eq(cluster_run_record_counts(w.run, "web1").unread, 5);
	cr_expect_eq(w.given + 50, numbered());
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)) && !cluster_run_is_complete(w.run));
	world_close();
}

/* Records that don't fit the module, of a machine that isn't meant, or of none. */
Test(kept, c20_what_are_no_records)
{
	static const struct {
		uint32_t unit, ring, stride, count, bytes;
	} wrong[] = {{1, 0, 24, 1, 24}, {0, 1, 24, 1, 24}, {0, 0, 23, 1, 23}, {0, 0, 24, 2, 24}, {0, 0, 24, 1, 25},
		{0, 0, 0, 1, 24}, {0, 0, 24, 0, 0}};
	uint64_t before;
	char subject[100];
	uint8_t bytes[64] = {0};

	world_open(NULL, 8 * SECOND);
	world_go(2000, true);
	world_go(200, false);
	uint64_t given = cluster_run_record_counts(w.run, NULL).taken;
	before = cluster_run_refused(w.run);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		Ward__Cluster__Records r = WARD__CLUSTER__RECORDS__INIT;
		Ward__Cluster__Batch b = WARD__CLUSTER__BATCH__INIT, *at[] = {&b};
		size_t size;
		r.format = CLUSTER_FORMAT;
		r.epoch = w.m[0].sim.epoch;
		r.nonce = w.m[0].sim.nonce;
		r.batch = at;
		r.n_batch = 1;
		b.unit = wrong[i].unit;
		b.field = wrong[i].ring;
		b.first = 1000000;
		b.stride = wrong[i].stride;
		b.count = wrong[i].count;
		b.record = (ProtobufCBinaryData){wrong[i].bytes, bytes};
		void *message = cluster_message_write(&r.base, &size);
		snprintf(subject, sizeof(subject), "ward.record.%s.web0", cluster_run_id(w.run));
		bus_publish(w.m[0].sim.b, subject, message, size, NULL);
		free(message);
	}
	snprintf(subject, sizeof(subject), "ward.record.%s.web9", cluster_run_id(w.run));
	bus_publish(w.m[0].sim.b, subject, bytes, 8, NULL);
	world_go(200, false);
	cr_expect_eq(cluster_run_refused(w.run), before + sizeof(wrong) / sizeof(*wrong) + 1);
	cr_expect_eq(cluster_run_record_counts(w.run, NULL).taken, given);
	world_close();
}
