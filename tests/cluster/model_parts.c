/* SPDX-License-Identifier: Apache-2.0 */
/* The model's partials, which are made of a machine, an epoch and a sequence; its network, machines and combiners. */
#include "model.h"

#include <unistd.h>

#include "loader/state/schema.h"

/* ---- partials ---- */

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
struct ward_schema model_schema = {.n = 3, .fields = fields};

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

ward_partial *partial_make(size_t machine, uint64_t epoch, uint64_t sequence)
{
	static ward_names *names;
	struct state s;
	const void *at = &s;
	ward_partial *p;

	if (!names)
		must(ward_names_open(getpid(), &names, NULL) == 0, "names", "");
	state_fill(&s, machine, epoch, sequence);
	must(ward_partial_merge(&model_schema, names, &at, 1, sizeof(s), NULL, &p, NULL) == 0, "a partial", "");
	return p;
}

void *partial_bytes(ward_partial *p, const struct ward_partial_notes *notes, size_t *size)
{
	void *bytes = NULL;

	must(ward_partial_note(p, notes, NULL) == 0 && ward_partial_pack(p, NULL, &bytes, size, NULL) == 0, "packing",
		"");
	ward_partial_free(p);
	return bytes;
}

struct cluster_children_options children_options(void)
{
	return (struct cluster_children_options){.schema = &model_schema, .query = QUERY, .began_ns = SECOND};
}

/* ---- the network ---- */

static void queue_put(struct message m)
{
	if (!cluster_array_grow(&w.queue, &w.queue_room, w.n_queue + 1, sizeof(*w.queue)))
		abort();
	w.queue[w.n_queue++] = m;
}

/* Takes the bytes. */
void send_message(struct message m)
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

void machine_begin(struct machine *m)
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

void machines_step(void)
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

void combiner_clear(struct combiner *c)
{
	for (uint32_t i = 0; i < SHARDS; i++)
		cluster_subtotal_free(c->shard[i].subtotal);
	memset(c->shard, 0, sizeof(c->shard));
}

void combiner_begin(struct combiner *c)
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

void combiners_step(void)
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

void part_take(struct message *m)
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

void assign_take(struct message *m)
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

void answer_take(struct message *m)
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
