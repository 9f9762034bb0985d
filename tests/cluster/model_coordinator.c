/* SPDX-License-Identifier: Apache-2.0 */
/* The model's coordinator: it gives shards away, takes sums, settles what is over, and dies. */
#include "model.h"

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

void coordinator_begin(void)
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

void sum_take(struct message *m)
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

void coordinator_step(void)
{
	if (!w.calm && draw(150) == 0)
		coordinator_begin();
	shards_assign();
	if (w.step % PERIOD_STEPS == 0)
		assignments_send();
	if (w.step % 2 == 0)
		due_settle();
}
