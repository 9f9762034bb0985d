/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster with combiners, as a model: machines, combiners and a coordinator with the real merge/ and the real
 * messages, over a network that loses, doubles and reorders, where each of them dies at random, and journals fail.
 *
 *	test-cluster-model [SEEDS [FIRST]]
 *
 * At each step the value shown is, to the byte, the sum of what is said to be in it; nothing that was shown is less
 * than it was, unless that is said; and nothing that is settled is ever lost. At the end all machines are settled with
 * their last values. One seed gives one history.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/combine/told.h"
#include "cluster/merge/names.h"
#include "cluster/merge/settle.h"
#include "cluster/merge/subtotal.h"
#include "loader/state/schema.h"

#define SECOND 1000000000ull
#define QUERY "0123456789abcde"

enum {
	MACHINES = 12,
	COMBINERS = 4,
	SHARDS = 3,
	EPOCHS = 8,
	STEP_MS = 250,
	PERIOD_STEPS = 4,
	FAULTY_STEPS = 120,
	MOST_STEPS = 600,
	LATE_STEPS = 12,
	SILENT_STEPS = 24, /* after which a combiner loses its shards */
};

/* ---- chance ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % below;
}

/* ---- the world ---- */

struct machine {
	char name[24];
	uint64_t epoch, nonce, sequence;
	bool ends, is_got, is_gone;
	uint64_t last[EPOCHS + 1]; /* by epoch: the sequence of its last value; 0: it had none */
};

struct combiner {
	uint64_t nonce;
	bool is_stopped;
	struct {
		cluster_subtotal *subtotal;
		uint64_t term;
	} shard[SHARDS];
};

enum kind { PART, SUM, ANSWER, ASSIGN, GOT };
struct message {
	enum kind kind;
	size_t to, from; /* of combiners or machines */
	uint32_t shard;
	uint64_t nonce, term, epoch;
	void *bytes;
	size_t size;
	uint64_t due;
};

struct entry {
	void *bytes;
	size_t size;
};

static struct world {
	uint64_t seed, step, now;
	bool calm;
	struct machine machine[MACHINES];
	size_t n_machines, n_combiners;
	uint32_t shards;
	struct combiner combiner[COMBINERS];
	struct message *queue;
	size_t n_queue, queue_room;
	/* the coordinator */
	cluster_settle *settle;
	uint64_t term;
	size_t owner[SHARDS]; /* which combiner, and one */
	uint64_t owner_nonce[SHARDS];
	uint64_t heard[COMBINERS]; /* at which step */
	uint64_t met[COMBINERS];   /* its nonce, as it was heard */
	struct entry *journal;
	size_t n_journal, journal_room;
	/* what was shown: by machine and epoch, the sequence; and what was said to be missing */
	uint64_t shown[MACHINES][EPOCHS + 1], said[MACHINES][EPOCHS + 1], settled[MACHINES][EPOCHS + 1];
} w;

static uint64_t n_messages, n_falls, n_waits, n_stale, n_takeovers;

static _Noreturn void fail(const char *why, const char *what, uint64_t a, uint64_t b)
{
	fprintf(stderr, "model: seed %" PRIu64 ", step %" PRIu64 ": %s: %s (%" PRIu64 ", %" PRIu64 ")\n", w.seed,
		w.step, why, what, a, b);
	exit(1);
}

static void must(bool ok, const char *why, const char *what)
{
	if (!ok)
		fail(why, what, 0, 0);
}

static size_t machine_number(const char *name)
{
	return (size_t)atoi(name + 1);
}

static uint32_t shard_of(const char *machine, uint32_t shards)
{
	return (uint32_t)(machine_number(machine) % shards);
}

/* ---- partials: of a machine, an epoch and a sequence, and of nothing else ---- */

struct state {
	uint64_t calls, bytes[65], lost;
	struct {
		uint32_t used;
		int32_t key;
		uint64_t value;
	} by[4];
};

#define AT(member) offsetof(struct state, member)
#define SIZE(member) sizeof(((struct state *)0)->member)
static struct state_field fields[] = {
	{.name = "calls",
		.kind = WARD_FIELD_COUNT,
		.offset = AT(calls),
		.size = 8,
		.scalar = {.offset = AT(calls), .size = 8}},
	{.name = "bytes",
		.kind = WARD_FIELD_LOG2,
		.offset = AT(bytes),
		.size = SIZE(bytes),
		.scalar = {.offset = AT(bytes), .size = 8}},
	{.name = "by",
		.kind = WARD_FIELD_MAP,
		.offset = AT(lost),
		.size = 8 + SIZE(by),
		.map = {.slots = AT(by),
			.stride = SIZE(by[0]),
			.n = 4,
			.lost = {.offset = AT(lost), .size = 8},
			.used = {.offset = 0, .size = 4},
			.key = {.offset = 4, .size = 4, .is_signed = true},
			.value = {.offset = 8, .size = 8}}},
};
static struct ward_schema schema = {.n = 3, .fields = fields};

static void state_fill(struct state *s, size_t machine, uint64_t epoch, uint64_t sequence)
{
	*s = (struct state){.calls = 7 * sequence + machine + 3 * epoch};
	s->bytes[machine % 5] = sequence;
	s->bytes[40] = sequence / 2;
	for (int i = 0; i < 4; i++) {
		s->by[i].used = 1;
		s->by[i].key = (int32_t)((machine + (size_t)i) % 6);
		s->by[i].value = sequence * (uint64_t)(i + 1);
	}
}

static ward_partial *partial_make(size_t machine, uint64_t epoch, uint64_t sequence)
{
	static ward_names *names;
	struct state s;
	const void *at = &s;
	ward_partial *p;

	if (!names)
		must(ward_names_open(getpid(), &names, NULL) == 0, "names", "");
	state_fill(&s, machine, epoch, sequence);
	must(ward_partial_merge(&schema, names, &at, 1, sizeof(s), NULL, &p, NULL) == 0, "a partial", "");
	return p;
}

static void *partial_bytes(ward_partial *p, const struct ward_partial_notes *notes, size_t *size)
{
	void *bytes;

	must(ward_partial_note(p, notes, NULL) == 0 && ward_partial_pack(p, NULL, &bytes, size, NULL) == 0, "packing",
		"");
	ward_partial_free(p);
	return bytes;
}

static struct cluster_children_options children_options(void)
{
	return (struct cluster_children_options){.schema = &schema, .query = QUERY, .began_ns = SECOND};
}

/* ---- the network ---- */

static void queue_put(struct message m)
{
	if (!cluster_array_grow(&w.queue, &w.queue_room, w.n_queue + 1, sizeof(*w.queue)))
		abort();
	w.queue[w.n_queue++] = m;
}

/* Takes the bytes. */
static void send_message(struct message m)
{
	bool faulty = !w.calm, lost = faulty && draw(100) < 5, twice = faulty && draw(100) < 5;

	n_messages++;
	m.due = w.step + 1 + (faulty ? draw(LATE_STEPS) * (draw(4) == 0) : 0);
	if (twice) {
		struct message again = m;
		again.bytes = malloc(m.size + 1);
		memcpy(again.bytes, m.bytes, m.size);
		again.due += draw(LATE_STEPS);
		queue_put(again);
	}
	if (lost)
		free(m.bytes);
	else
		queue_put(m);
}

/* ---- machines ---- */

static void machine_begin(struct machine *m)
{
	m->epoch++;
	m->nonce = draw(UINT64_MAX) | 1;
	m->sequence = 0;
	m->is_got = false;
}

static void machine_say(size_t i)
{
	struct machine *m = &w.machine[i];
	struct ward_partial_notes notes = {.size = sizeof(notes), .query = QUERY, .epoch = m->epoch, .nonce = m->nonce};
	struct message out = {.kind = PART, .from = i, .shard = shard_of(m->name, w.shards)};

	if (m->is_gone || m->is_got)
		return;
	if (!m->ends || !m->last[m->epoch])
		m->sequence++;
	if (m->ends)
		m->last[m->epoch] = m->sequence;
	notes.sequence = m->sequence;
	notes.events = 10 * m->sequence;
	notes.flags = m->ends ? WARD_PARTIAL_LAST : 0;
	for (out.to = 0; out.to < w.n_combiners; out.to++) {
		out.bytes = partial_bytes(partial_make(i, m->epoch, m->sequence), &notes, &out.size);
		send_message(out);
	}
}

static void machines_step(void)
{
	for (size_t i = 0; i < w.n_machines; i++) {
		struct machine *m = &w.machine[i];
		if (!w.calm && !m->ends && m->epoch < EPOCHS && draw(60) == 0)
			machine_begin(m);
		if (!w.calm && draw(400) == 0)
			m->is_gone = true;
		if (w.step == FAULTY_STEPS - 30 + draw(60) || w.step > FAULTY_STEPS + 40)
			m->ends = true;
		if ((w.step + i) % PERIOD_STEPS == 0)
			machine_say(i);
	}
}

/* ---- combiners ---- */

static void combiner_clear(struct combiner *c)
{
	for (uint32_t i = 0; i < SHARDS; i++)
		cluster_subtotal_free(c->shard[i].subtotal);
	memset(c->shard, 0, sizeof(c->shard));
}

static void combiner_begin(struct combiner *c)
{
	combiner_clear(c);
	c->nonce = draw(UINT64_MAX) | 1;
}

static void combiner_say(size_t i)
{
	struct combiner *c = &w.combiner[i];
	struct message out = {.kind = SUM, .from = i, .nonce = c->nonce};
	struct cluster_told told;
	struct ward_error err;

	/* a Ready: that it is there */
	out.shard = SHARDS;
	out.bytes = malloc(1);
	out.size = 0;
	send_message(out);
	for (uint32_t s = 0; s < w.shards; s++) {
		if (!c->shard[s].subtotal)
			continue;
		must(cluster_subtotal_tell(c->shard[s].subtotal, c->shard[s].term, PERIOD_STEPS * STEP_MS * 1000000ull,
			     w.now, &told, &err) == 0,
			"telling", err.why);
		out.shard = s;
		out.bytes = cluster_told_write(&told, 0, &out.size);
		must(out.bytes, "a sum", "");
		send_message(out);
	}
}

static void combiners_step(void)
{
	for (size_t i = 0; i < w.n_combiners; i++) {
		struct combiner *c = &w.combiner[i];
		if (!w.calm && draw(100) == 0)
			combiner_begin(c);
		if (!w.calm && draw(80) == 0)
			c->is_stopped = !c->is_stopped;
		c->is_stopped &= !w.calm;
		if (!c->is_stopped && (w.step + i) % PERIOD_STEPS == 0)
			combiner_say(i);
	}
}

static void part_take(struct message *m)
{
	struct combiner *c = &w.combiner[m->to];
	struct cluster_sender sender = {.machine = w.machine[m->from].name};
	struct ward_error err;

	if (!c->shard[m->shard].subtotal || c->is_stopped)
		return;
	enum cluster_taken how =
		cluster_subtotal_take(c->shard[m->shard].subtotal, &sender, m->bytes, m->size, w.now, &err);
	must(how == CLUSTER_TAKEN || how == CLUSTER_OLD, "an honest partial isn't taken", err.why);
}

static void assign_take(struct message *m)
{
	struct combiner *c = &w.combiner[m->to];
	struct cluster_children_options options = children_options();

	if (m->nonce != c->nonce)
		return;
	for (uint32_t s = 0; s < w.shards; s++) {
		bool is_own = (m->epoch >> s & 1) != 0;
		if (!is_own) {
			cluster_subtotal_free(c->shard[s].subtotal);
			c->shard[s].subtotal = NULL;
		} else if (!c->shard[s].subtotal) {
			c->shard[s].subtotal = cluster_subtotal_new(&options, c->nonce);
		}
		if (is_own)
			c->shard[s].term = ((uint64_t *)m->bytes)[s];
	}
}

static void answer_take(struct message *m)
{
	struct combiner *c = &w.combiner[m->to];
	struct cluster_message message;
	struct cluster_answer_read read = {0};
	struct ward_error err = {0};

	must(cluster_message_read(&message, &ward__cluster__answer__descriptor, "answer", m->bytes, m->size, &err),
		"an answer", err.why);
	must(cluster_answer_read((const Ward__Cluster__Answer *)message.m, &read, &err), "an answer", err.why);
	if (c->nonce == m->nonce && c->shard[m->shard].subtotal)
		cluster_subtotal_answer(c->shard[m->shard].subtotal, &read.answer, w.now);
	cluster_answer_read_free(&read);
	cluster_message_free(&message);
}

/* ---- the coordinator ---- */

static bool on_missing(void *user, const struct cluster_epoch *e)
{
	(void)user;
	n_falls++;
	w.said[machine_number(e->machine)][e->epoch] = w.step;
	return true;
}

static bool on_settled(void *user, const struct cluster_epoch *e)
{
	size_t i = machine_number(e->machine);

	(void)user;
	must(e->flags & WARD_PARTIAL_LAST, "settled without a last value", e->machine);
	if (e->sequence != w.machine[i].last[e->epoch])
		fail("settled with another value than its last", e->machine, e->sequence, w.machine[i].last[e->epoch]);
	w.settled[i][e->epoch] = e->sequence;
	return true;
}

static bool on_blamed(void *user, const char *machine, const char *reason)
{
	(void)user;
	fail(machine, reason, 0, 0);
}

static void coordinator_begin(void)
{
	struct cluster_settle_options options = {.children = children_options(),
		.shards = w.shards,
		.shard_of = shard_of,
		.calls = {.missing = on_missing, .settled = on_settled, .blamed = on_blamed}};
	struct ward_error err;

	cluster_settle_free(w.settle);
	w.settle = cluster_settle_new(&options);
	w.term += 1 << 20;
	memset(w.owner, 0, sizeof(w.owner));
	memset(w.shown, 0, sizeof(w.shown)); /* what isn't settled comes again */
	for (size_t i = 0; i < w.n_journal; i++) {
		struct cluster_message message;
		struct cluster_told_read read;
		must(cluster_message_read(&message, &ward__cluster__sum__descriptor, "journal", w.journal[i].bytes,
			     w.journal[i].size, NULL) &&
				cluster_told_read((const Ward__Cluster__Sum *)message.m, &read, NULL) &&
				cluster_settle_restore(w.settle, &read.told.closed, w.now, &err) == 0,
			"the journal", err.why);
		cluster_told_free(&read);
		cluster_message_free(&message);
	}
	for (size_t i = 0; i < w.n_machines; i++)
		for (uint64_t e = 1; e <= EPOCHS; e++)
			must(!w.settled[i][e] || w.shown[i][e] == 0, "", "");
}

/* Who has which shard: a combiner that lives. One that is silent, or has begun anew, loses it. */
static void shards_assign(void)
{
	for (uint32_t s = 0; s < w.shards; s++) {
		size_t has = w.owner[s];
		if (has && w.step - w.heard[has - 1] < SILENT_STEPS && w.met[has - 1] == w.owner_nonce[s])
			continue;
		size_t best = 0, first = draw(w.n_combiners);
		for (size_t k = 0; k < w.n_combiners; k++) {
			size_t i = (first + k) % w.n_combiners;
			if (w.met[i] && w.step - w.heard[i] < SILENT_STEPS)
				best = i + 1;
		}
		if (!best)
			continue;
		n_takeovers++;
		w.owner[s] = best;
		w.owner_nonce[s] = w.met[best - 1];
		cluster_settle_assign(w.settle, s, ++w.term, w.owner_nonce[s]);
	}
}

static void assignments_send(void)
{
	static uint64_t terms[SHARDS];

	for (size_t i = 0; i < w.n_combiners; i++) {
		struct message out = {.kind = ASSIGN,
			.to = i,
			.nonce = w.met[i],
			.bytes = malloc(sizeof(terms)),
			.size = sizeof(terms)};
		for (uint32_t s = 0; s < w.shards; s++) {
			bool is_own = w.owner[s] == i + 1 && w.owner_nonce[s] == w.met[i];
			out.epoch |= (uint64_t)is_own << s;
			((uint64_t *)out.bytes)[s] = cluster_settle_term(w.settle, s);
		}
		send_message(out);
	}
}

static void got_send(const struct cluster_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (cluster_settle_has(w.settle, g->at[i].machine, g->at[i].epoch, g->at[i].nonce))
			send_message((struct message){.kind = GOT,
				.to = machine_number(g->at[i].machine),
				.epoch = g->at[i].epoch,
				.nonce = g->at[i].nonce,
				.bytes = malloc(1)});
}

/* What is over goes to the journal, unless that fails; then it is settled, and acknowledged. */
static void due_settle(void)
{
	const struct cluster_group *due;
	size_t n;

	must(cluster_settle_due(w.settle, &due, &n), "memory", "");
	if (!n || (!w.calm && draw(4) == 0))
		return;
	for (size_t i = 0; i < n; i++) {
		struct cluster_told told = {.closed = due[i], .combiner = 1, .term = 1, .sequence = 1};
		if (!cluster_array_grow(&w.journal, &w.journal_room, w.n_journal + 1, sizeof(*w.journal)))
			abort();
		w.journal[w.n_journal].bytes = cluster_told_write(&told, 0, &w.journal[w.n_journal].size);
		w.n_journal++;
	}
	must(cluster_settle_commit(w.settle, NULL) == 0, "settling", "");
	for (size_t i = 0; i < n; i++)
		got_send(&due[i]);
}

static void answer_send(const struct message *m, const struct cluster_told *told)
{
	struct message out = {.kind = ANSWER, .to = m->from, .shard = m->shard, .nonce = m->nonce};
	struct cluster_answer answer;
	struct cluster_answer_message message;

	must(cluster_settle_answer(w.settle, told, &answer) && cluster_answer_write(&answer, m->shard, 0, &message),
		"an answer", "");
	out.bytes = cluster_message_write(&message.m.base, &out.size);
	send_message(out);
	got_send(&told->again);
	cluster_answer_message_free(&message);
	cluster_answer_free(&answer);
}

static void sum_take(struct message *m)
{
	struct cluster_message message;
	struct cluster_told_read read = {0};
	struct ward_error err = {0};

	if (w.met[m->from] != m->nonce && draw(2)) /* an earlier life's, late: either may be heard last */
		return;
	w.heard[m->from] = w.step;
	w.met[m->from] = m->nonce;
	if (m->shard == SHARDS)
		return;
	must(cluster_message_read(&message, &ward__cluster__sum__descriptor, "sum", m->bytes, m->size, &err), "a sum",
		err.why);
	must(cluster_told_read((const Ward__Cluster__Sum *)message.m, &read, &err), "a sum", err.why);
	enum cluster_settle_how how =
		cluster_settle_take(w.settle, m->shard, &read.told, PERIOD_STEPS * STEP_MS * 1000000ull, w.now, &err);
	n_waits += how == CLUSTER_SETTLE_WAITS;
	n_stale += how == CLUSTER_SETTLE_STALE;
	must(how != CLUSTER_SETTLE_REFUSED && how != CLUSTER_SETTLE_NO_ROOM, "an honest sum isn't taken", err.why);
	if (how != CLUSTER_SETTLE_OLD)
		answer_send(m, &read.told);
	cluster_told_free(&read);
	cluster_message_free(&message);
}

static void coordinator_step(void)
{
	if (!w.calm && draw(150) == 0)
		coordinator_begin();
	shards_assign();
	if (w.step % PERIOD_STEPS == 0)
		assignments_send();
	if (w.step % 2 == 0)
		due_settle();
}

/* ---- what must be so at each step ---- */

/* A partial as it is on the wire, so that two that were added in different orders can be compared. */
static void *plain_bytes(const ward_partial *p, size_t *size)
{
	struct ward_partial_notes none = {.size = sizeof(none)};
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = 1 << 20, .memory = 64 << 20};
	ward_partial *copy;
	void *bytes;

	must(ward_partial_pack(p, &limits, &bytes, size, NULL) == 0 &&
			ward_partial_unpack(&schema, bytes, *size, &limits, &copy, NULL) == 0,
		"packing", "");
	free(bytes);
	return partial_bytes(copy, &none, size);
}

/* The sum of what the cover claims, made anew of what the machines have had. */
static ward_partial *claimed_sum(const struct cluster_cover *cover)
{
	ward_partial *sum;

	must(ward_partial_merge(&schema, NULL, NULL, 0, sizeof(struct state), NULL, &sum, NULL) == 0, "nothing", "");
	for (size_t i = 0; i < cover->n; i++) {
		const struct cluster_covered *c = &cover->at[i];
		ward_partial *p = partial_make(machine_number(c->machine), c->epoch, c->sequence), *before = sum;
		if (i == 0) {
			ward_partial_free(before);
			sum = p;
			continue;
		}
		must(ward_partial_add(sum, p, NULL) == 0, "adding", "");
		ward_partial_free(p);
	}
	return sum;
}

static void check_falls(const struct cluster_cover *cover)
{
	uint64_t now[MACHINES][EPOCHS + 1] = {0};

	for (size_t i = 0; i < cover->n; i++) {
		const struct cluster_covered *c = &cover->at[i];
		uint64_t *at = &now[machine_number(c->machine)][c->epoch];
		if (*at)
			fail("an epoch is in it twice", c->machine, c->epoch, c->sequence);
		*at = c->sequence;
	}
	for (size_t m = 0; m < w.n_machines; m++)
		for (uint64_t e = 1; e <= EPOCHS; e++) {
			if (now[m][e] < w.settled[m][e])
				fail("what was settled is gone", w.machine[m].name, e, w.settled[m][e]);
			if (now[m][e] < w.shown[m][e] && w.said[m][e] != w.step)
				fail("it has become less, and nobody said so", w.machine[m].name, now[m][e],
					w.shown[m][e]);
			w.shown[m][e] = now[m][e];
		}
}

static void check_step(void)
{
	struct cluster_total total;
	struct ward_error err;
	uint64_t events = 0;
	size_t n, claimed_n;

	must(cluster_settle_total(w.settle, 0, &total, &err) == 0, "the sum", err.why);
	ward_partial *claimed = claimed_sum(&total.cover);
	void *shown_bytes = plain_bytes(total.partial, &n), *claimed_bytes = plain_bytes(claimed, &claimed_n);
	for (size_t i = 0; i < total.cover.n; i++)
		events += 10 * total.cover.at[i].sequence;
	if (events != ward_partial_notes(total.partial).events || events != total.cover.events)
		fail("events", "what is shown isn't what is claimed", ward_partial_notes(total.partial).events, events);
	if (total.cover.n && (n != claimed_n || memcmp(shown_bytes, claimed_bytes, n) != 0))
		fail("the sum", "what is shown isn't what is claimed", n, claimed_n);
	check_falls(&total.cover);
	free(shown_bytes);
	free(claimed_bytes);
	ward_partial_free(claimed);
	cluster_total_free(&total);
}

/* ---- a run ---- */

static void message_take(struct message *m)
{
	switch (m->kind) {
	case PART: part_take(m); break;
	case SUM: sum_take(m); break;
	case ANSWER: answer_take(m); break;
	case ASSIGN: assign_take(m); break;
	case GOT: {
		struct machine *to = &w.machine[m->to];
		to->is_got |= to->epoch == m->epoch && to->nonce == m->nonce;
		break;
	}
	}
}

static void messages_step(void)
{
	size_t n = 0;

	for (size_t i = 0; i < w.n_queue; i++) {
		struct message m = w.queue[i];
		if (m.due > w.step) {
			w.queue[n++] = m;
			continue;
		}
		size_t before = w.n_queue;
		message_take(&m);
		free(m.bytes);
		(void)before;
	}
	w.n_queue = n;
}

static bool is_over(void)
{
	for (size_t i = 0; i < w.n_machines; i++)
		if (!w.machine[i].is_gone && !w.machine[i].is_got)
			return false;
	return true;
}

static void world_free(void)
{
	for (size_t i = 0; i < w.n_combiners; i++)
		combiner_clear(&w.combiner[i]);
	for (size_t i = 0; i < w.n_queue; i++)
		free(w.queue[i].bytes);
	for (size_t i = 0; i < w.n_journal; i++)
		free(w.journal[i].bytes);
	free(w.queue);
	free(w.journal);
	cluster_settle_free(w.settle);
}

static void run(uint64_t seed)
{
	memset(&w, 0, sizeof(w));
	random_state = seed * 0x9e3779b97f4a7c15;
	w.seed = seed;
	w.n_machines = 3 + draw(MACHINES - 2);
	w.n_combiners = 2 + draw(COMBINERS - 1);
	w.shards = 1 + (uint32_t)draw(SHARDS);
	for (size_t i = 0; i < w.n_machines; i++) {
		snprintf(w.machine[i].name, sizeof(w.machine[i].name), "m%zu", i);
		machine_begin(&w.machine[i]);
	}
	for (size_t i = 0; i < w.n_combiners; i++)
		combiner_begin(&w.combiner[i]);
	coordinator_begin();
	for (w.step = 1; w.step < MOST_STEPS && !(w.calm && is_over()); w.step++) {
		w.now = SECOND + w.step * STEP_MS * 1000000ull;
		w.calm = w.step > FAULTY_STEPS;
		machines_step();
		combiners_step();
		coordinator_step();
		messages_step();
		check_step();
	}
	for (size_t i = 0; i < w.n_machines; i++) {
		const struct machine *m = &w.machine[i];
		if (!m->is_gone && (!m->is_got || w.settled[i][m->epoch] != m->last[m->epoch]))
			fail("it isn't settled at the end", m->name, w.settled[i][m->epoch], m->last[m->epoch]);
	}
	world_free();
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	for (uint64_t seed = first; seed < first + n; seed++)
		run(seed);
	printf("%" PRIu64 " runs: %" PRIu64 " messages, %" PRIu64 " changes of a shard's combiner, %" PRIu64
	       " sums had to wait, %" PRIu64 " had what was settled; %" PRIu64 " epochs fell, all of them said\n",
		n, n_messages, n_takeovers, n_waits, n_stale, n_falls);
	return n_takeovers && n_waits && n_stale && n_falls ? 0 : 1;
}
