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
#include "model.h"

struct world w;
uint64_t n_messages, n_falls, n_waits, n_stale, n_takeovers;

/* ---- chance ---- */

static uint64_t random_state;

uint64_t draw(uint64_t below)
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % below;
}

_Noreturn void fail(const char *why, const char *what, uint64_t a, uint64_t b)
{
	fprintf(stderr, "model: seed %" PRIu64 ", step %" PRIu64 ": %s: %s (%" PRIu64 ", %" PRIu64 ")\n", w.seed,
		w.step, why, what, a, b);
	exit(1);
}

void must(bool ok, const char *why, const char *what)
{
	if (!ok)
		fail(why, what, 0, 0);
}

size_t machine_number(const char *name)
{
	return (size_t)atoi(name + 1);
}

uint32_t shard_of(const char *machine, uint32_t shards)
{
	return (uint32_t)(machine_number(machine) % shards);
}

/* ---- what must be so at each step ---- */

/* A partial as it is on the wire, so that two that were added in different orders can be compared. */
static void *plain_bytes(const ward_partial *p, size_t *size)
{
	struct ward_partial_notes none = {.size = sizeof(none)};
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = 1 << 20, .memory = 64 << 20};
	ward_partial *copy = NULL;
	void *bytes = NULL;

	must(ward_partial_pack(p, &limits, &bytes, size, NULL) == 0 &&
			ward_partial_unpack(&model_schema, bytes, *size, &limits, &copy, NULL) == 0,
		"packing", "");
	free(bytes);
	return partial_bytes(copy, &none, size);
}

/* The sum of what the cover claims, made anew of what the machines have had. */
static ward_partial *claimed_sum(const struct cluster_cover *cover)
{
	ward_partial *sum;

	must(ward_partial_merge(&model_schema, NULL, NULL, 0, SIZE_MAX, NULL, &sum, NULL) == 0, "nothing", "");
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
		message_take(&m);
		free(m.bytes);
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
