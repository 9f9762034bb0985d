/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query whose machines are added up by combiners. The coordinator gives the shards to combiners that say they are
 * there: at first when a moment has gone in which all could, then as soon as one is silent (C-166). Each second it says
 * to each combiner which shards are its own; it takes their sums, and answers.
 *
 * What is over is written to the journal, one entry for each group, and then settled and acknowledged, as last values
 * of single machines are without combiners (run.c).
 */
#include "run_tree.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/combine/told.h"
#include "cluster/merge/settle.h"

enum { SILENT_S = 6, GATHER_MS = 1500, WORK_MS = 1000 };
static const uint64_t SECOND = 1000000000, MILLISECOND = 1000000;

struct combiner {
	char name[CLUSTER_NAME]; /* on the bus */
	uint64_t nonce, heard_ns;
	bool has_order;
	size_t shards; /* that are its own */
};

struct shard {
	size_t owner; /* the combiner's place, and one; 0: nobody has it */
	uint64_t nonce;
};

/* Whom a settle calls. */
struct unit {
	struct cluster_run *run;
	size_t number;
	cluster_settle *settle;
};

struct run_tree {
	struct cluster_names names; /* of combiners */
	struct combiner *at;        /* by the name's number */
	size_t room;
	struct shard *shards;
	uint32_t n_shards;
	struct unit unit[CLUSTER_RUN_UNITS];
	uint64_t begun_ns, work_ns, terms;
	uint64_t no_room;
	bool is_over;
};

/* ---- what happens to machines ---- */

static bool on_heard(void *user, const struct cluster_epoch *e)
{
	struct cluster_run *r = ((struct unit *)user)->run;

	return cluster_fleet_part(
		r->fleet, e->machine, e->epoch, e->nonce, (e->flags & WARD_PARTIAL_LAST) != 0, r->now.ns);
}

static bool is_settled(const struct cluster_run *r, const struct cluster_epoch *e)
{
	bool all = true;

	for (size_t i = 0; i < r->n_units; i++)
		all &= cluster_settle_has(r->tree->unit[i].settle, e->machine, e->epoch, e->nonce);
	return all;
}

static void got_say(struct cluster_run *r, const struct cluster_epoch *e)
{
	struct run_last last = {.machine = (char *)(uintptr_t)e->machine, .epoch = e->epoch, .nonce = e->nonce};

	if (is_settled(r, e))
		run_say_got(r, &last, 1);
}

/* In all units, or the others are still to come. */
static bool on_settled(void *user, const struct cluster_epoch *e)
{
	struct cluster_run *r = ((struct unit *)user)->run;

	if (!is_settled(r, e))
		return true;
	got_say(r, e);
	return cluster_fleet_settle(r->fleet, e->machine, e->epoch, e->nonce, r->now.ns);
}

static bool on_missing(void *user, const struct cluster_epoch *e)
{
	struct cluster_run *r = ((struct unit *)user)->run;

	return cluster_fleet_vanish(r->fleet, e->machine, e->epoch, r->now.ns);
}

static bool on_blamed(void *user, const char *machine, const char *reason)
{
	struct cluster_run *r = ((struct unit *)user)->run;
	bool ok = cluster_fleet_blame(r->fleet, machine, reason, r->now.ns);

	for (size_t i = 0; i < r->n_units && r->tree->unit[i].settle; i++)
		ok &= cluster_settle_blame(r->tree->unit[i].settle, machine);
	return ok;
}

static uint32_t shard_of(const char *machine, uint32_t shards)
{
	char name[CLUSTER_NAME];

	return cluster_name_from_host(machine, name) ? cluster_shard(name, shards) : UINT32_MAX;
}

/* ---- beginning ---- */

int run_tree_open(struct cluster_run *r, struct ward_error *err)
{
	if (r->body->shards <= 1)
		return 0;
	if (r->body->has_window_ns && r->body->window_ns)
		return cluster_fail(err, WARD_E_USAGE, "shards", "combiners add up no windows");
	struct run_tree *t = r->tree = calloc(1, sizeof(*t));
	if (!t || !(t->shards = calloc(r->body->shards, sizeof(*t->shards))))
		return cluster_no_memory(err);
	t->n_shards = r->body->shards;
	t->begun_ns = r->now.ns;
	for (size_t i = 0; i < r->n_units; i++) {
		struct unit *u = &t->unit[i];
		struct cluster_settle_options options = {.children = *cluster_children_options(r->children[i]),
			.shards = t->n_shards,
			.shard_of = shard_of,
			.calls = {u, on_heard, on_settled, on_missing, on_blamed}};
		u->run = r;
		u->number = i;
		u->settle = cluster_settle_new(&options);
		if (!u->settle)
			return cluster_no_memory(err);
	}
	return 0;
}

void run_tree_free(struct run_tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < CLUSTER_RUN_UNITS; i++)
		cluster_settle_free(t->unit[i].settle);
	cluster_names_free(&t->names);
	free(t->at);
	free(t->shards);
	free(t);
}

/* ---- what is said ---- */

struct work_lists {
	Ward__Cluster__WorkShard *shard, **shards;
};

/* False without memory. */
static bool work_shards(const struct run_tree *t, size_t owner, struct work_lists *l, Ward__Cluster__Work *m)
{
	size_t n = t->is_over ? 0 : t->at[owner].shards;

	l->shard = calloc(n + 1, sizeof(*l->shard));
	l->shards = calloc(n + 1, sizeof(*l->shards));
	if (!l->shard || !l->shards)
		return false;
	for (uint32_t i = 0; i < t->n_shards && m->n_shard < n; i++) {
		if (t->shards[i].owner != owner + 1)
			continue;
		Ward__Cluster__WorkShard *s = &l->shard[m->n_shard];
		*s = (Ward__Cluster__WorkShard)WARD__CLUSTER__WORK_SHARD__INIT;
		s->shard = i;
		s->term = cluster_settle_term(t->unit[0].settle, i);
		l->shards[m->n_shard++] = s;
	}
	m->shard = l->shards;
	return true;
}

/* With an answer, or NULL. What can't be said now is said again. */
static void work_say(struct cluster_run *r, size_t owner, Ward__Cluster__Answer *answer)
{
	const struct run_tree *t = r->tree;
	struct cluster_subject to = {.kind = CLUSTER_WORK};
	Ward__Cluster__Work m = WARD__CLUSTER__WORK__INIT;
	struct work_lists l = {0};

	if (work_shards(t, owner, &l, &m)) {
		strcpy(to.name, t->at[owner].name);
		m.query = r->body->query;
		m.cluster = r->body->cluster;
		m.counter = run_counter(r);
		m.combiner = t->at[owner].nonce;
		m.has_order = !t->at[owner].has_order && !t->is_over;
		m.order = (ProtobufCBinaryData){r->order_size, r->order};
		m.period_ns = r->period_ns;
		m.keep_ns = r->body->keep_ns;
		m.shards = t->n_shards;
		m.has_counts_per_us = r->has_times;
		m.counts_per_us = r->counts_per_us;
		m.n_answer = answer != NULL;
		m.answer = &answer;
		run_say(r, &to, WARD__CLUSTER__SIGNED__KIND__WORK, &m.base);
	}
	free(l.shard);
	free(l.shards);
}

static void works_say(struct cluster_run *r)
{
	struct run_tree *t = r->tree;

	t->work_ns = r->now.ns + WORK_MS * MILLISECOND;
	for (size_t i = 0; i < t->names.n; i++)
		if (t->at[i].shards || t->at[i].has_order)
			work_say(r, i, NULL);
}

/* ---- which shard is whose ---- */

static bool combiner_is_there(const struct cluster_run *r, const struct combiner *c)
{
	return c->heard_ns && r->now.ns - c->heard_ns < SILENT_S * SECOND;
}

/* The combiner that is there and has the fewest shards. SIZE_MAX: there is none. */
static size_t combiner_choose(const struct cluster_run *r)
{
	const struct run_tree *t = r->tree;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < t->names.n; i++)
		if (combiner_is_there(r, &t->at[i]) && (best == SIZE_MAX || t->at[i].shards < t->at[best].shards))
			best = i;
	return best;
}

static void shard_take_away(struct run_tree *t, struct shard *s)
{
	if (s->owner)
		t->at[s->owner - 1].shards--;
	s->owner = 0;
}

static void shard_give(struct cluster_run *r, uint32_t number, size_t to)
{
	struct run_tree *t = r->tree;
	uint64_t term = (r->beat.options.term << 32) + ++t->terms;

	t->shards[number] = (struct shard){to + 1, t->at[to].nonce};
	t->at[to].shards++;
	for (size_t i = 0; i < r->n_units; i++)
		cluster_settle_assign(t->unit[i].settle, number, term, t->at[to].nonce);
}

/* C-166. */
static void shards_look(struct cluster_run *r)
{
	struct run_tree *t = r->tree;
	bool changed = false;

	if (r->now.ns - t->begun_ns < GATHER_MS * MILLISECOND)
		return;
	for (uint32_t i = 0; i < t->n_shards; i++) {
		struct shard *s = &t->shards[i];
		const struct combiner *c = s->owner ? &t->at[s->owner - 1] : NULL;
		if (c && combiner_is_there(r, c) && c->nonce == s->nonce)
			continue;
		size_t to = combiner_choose(r);
		if (to == SIZE_MAX) /* who had it may still come back */
			continue;
		shard_take_away(t, s);
		shard_give(r, i, combiner_choose(r));
		changed = true;
	}
	if (changed)
		works_say(r);
}

/* ---- what is heard ---- */

int run_take_ready(struct cluster_run *r, const char *name, const Ward__Cluster__Ready *m, struct ward_error *err)
{
	struct run_tree *t = r->tree;

	if (!t || !cluster_bytes_equal(m->cluster, r->body->cluster.data, r->body->cluster.len))
		return 0;
	if (!cluster_array_grow(&t->at, &t->room, t->names.n + 1, sizeof(*t->at)))
		return cluster_no_memory(err);
	size_t i = cluster_names_add(&t->names, name);
	if (i == SIZE_MAX)
		return cluster_no_memory(err);
	struct combiner *c = &t->at[i];
	strcpy(c->name, name);
	c->nonce = m->nonce;
	c->heard_ns = r->now.ns;
	c->has_order = false;
	for (size_t k = 0; k < m->n_query; k++)
		c->has_order |= cluster_bytes_equal(m->query[k], r->query, CLUSTER_ID);
	return 0;
}

static void sum_answer(
	struct cluster_run *r, size_t owner, uint32_t shard, const struct unit *u, const struct cluster_told *told)
{
	struct cluster_answer answer;
	struct cluster_answer_message message = {0};

	if (cluster_settle_answer(u->settle, told, &answer) && (answer.n_settled || answer.n_kept || answer.n_out) &&
		cluster_answer_write(&answer, shard, (uint32_t)u->number, &message))
		work_say(r, owner, &message.m);
	cluster_answer_message_free(&message);
	cluster_answer_free(&answer);
	for (size_t i = 0; i < told->again.n; i++)
		got_say(r, &told->again.at[i]);
}

int run_take_sum(
	struct cluster_run *r, const struct cluster_subject *s, const Ward__Cluster__Sum *m, struct ward_error *err)
{
	struct run_tree *t = r->tree;
	size_t owner = t ? cluster_names_find(&t->names, s->name) : SIZE_MAX;
	struct cluster_told_read read;
	struct ward_error why;

	if (owner == SIZE_MAX || m->unit >= r->n_units) {
		r->refused++;
		return 0;
	}
	struct unit *u = &t->unit[m->unit];
	enum cluster_settle_how how = CLUSTER_SETTLE_REFUSED;
	if (cluster_told_read(m, &read, &why))
		how = cluster_settle_take(u->settle, s->shard, &read.told, r->period_ns, r->now.ns, &why);
	if (how == CLUSTER_SETTLE_REFUSED)
		r->refused++;
	else if (how != CLUSTER_SETTLE_OLD)
		sum_answer(r, owner, s->shard, u, &read.told);
	cluster_told_free(&read);
	return how == CLUSTER_SETTLE_NO_ROOM ? cluster_no_memory(err) : 0;
}

/* ---- settling ---- */

static int groups_put(struct cluster_run *r, const struct unit *u, const struct cluster_group *due, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct cluster_told told = {.closed = due[i]};
		struct cluster_entry entry = {.kind = CLUSTER_ENTRY_GROUP, .number = u->number, .name = ""};
		void *bytes = cluster_told_write(&told, (uint32_t)u->number, &entry.size);
		entry.bytes = bytes;
		rc = bytes ? run_journal_put(r, &entry) : WARD_E_SYSTEM;
		free(bytes);
	}
	return rc;
}

/* C-163: written, synced, and then settled. */
static int due_settle(struct cluster_run *r, struct ward_error *err)
{
	const struct cluster_group *due;
	size_t n, all = 0;
	int rc = 0;

	for (size_t i = 0; i < r->n_units && !rc; i++) {
		if (!cluster_settle_due(r->tree->unit[i].settle, &due, &n))
			return cluster_no_memory(err);
		all += n;
		if (n && r->journal)
			rc = groups_put(r, &r->tree->unit[i], due, n);
	}
	if (!all || rc || !r->journal || run_journal_sync(r))
		return 0;
	for (size_t i = 0; i < r->n_units && !rc; i++)
		rc = cluster_settle_commit(r->tree->unit[i].settle, err);
	return rc;
}

int run_tree_restore(struct cluster_run *r, const struct cluster_entry *e, struct ward_error *err)
{
	struct cluster_message m;
	struct cluster_told_read read;
	struct ward_error why;
	int rc = 0;

	if (!r->tree || e->number >= r->n_units)
		return 0;
	if (cluster_message_read(&m, &ward__cluster__sum__descriptor, "journal", e->bytes, e->size, &why)) {
		if (cluster_told_read((const Ward__Cluster__Sum *)m.m, &read, &why))
			rc = cluster_settle_restore(r->tree->unit[e->number].settle, &read.told.closed, r->now.ns, err);
		cluster_told_free(&read);
	}
	cluster_message_free(&m);
	return rc == WARD_E_SYSTEM ? rc : 0;
}

/* ---- each step ---- */

int run_tree_look(struct cluster_run *r, struct ward_error *err)
{
	struct run_tree *t = r->tree;

	if (!t)
		return 0;
	int rc = due_settle(r, err);
	shards_look(r);
	if (r->now.ns >= t->work_ns)
		works_say(r);
	if (r->phase == CLUSTER_ENDING && r->now.ns + r->grace_ns / 2 >= r->over_ns)
		for (size_t i = 0; i < r->n_units; i++)
			cluster_settle_hurry(t->unit[i].settle);
	return rc;
}

void run_tree_end(struct cluster_run *r)
{
	if (!r->tree)
		return;
	r->tree->is_over = true;
	works_say(r);
}

/* ---- what there is ---- */

size_t run_tree_bytes(const struct cluster_run *r)
{
	size_t bytes = 0;

	for (size_t i = 0; r->tree && i < r->n_units; i++)
		bytes += cluster_settle_bytes(r->tree->unit[i].settle);
	return bytes;
}

int run_tree_total(struct cluster_run *r, size_t unit, const struct cluster_total_options *o, struct cluster_total *out,
	struct ward_error *err)
{
	if (o && (o->n_without || o->only || o->by))
		return cluster_fail(
			err, WARD_E_USAGE, "shards", "combiners have added the machines up: there is just their sum");
	return cluster_settle_total(r->tree->unit[unit].settle, o ? o->memory : 0, out, err);
}

bool cluster_run_gathered(const cluster_run *r)
{
	return r->tree && r->now.ns - r->tree->begun_ns >= 2 * GATHER_MS * MILLISECOND;
}

bool cluster_run_shards(const cluster_run *r, struct cluster_run_shards *out)
{
	const struct run_tree *t = r->tree;

	*out = (struct cluster_run_shards){0};
	if (!t)
		return false;
	out->shards = t->n_shards;
	for (uint32_t i = 0; i < t->n_shards; i++) {
		out->unowned += !t->shards[i].owner || !combiner_is_there(r, &t->at[t->shards[i].owner - 1]);
		for (size_t unit = 0; unit < r->n_units; unit++)
			out->waiting += cluster_settle_missing(t->unit[unit].settle, i);
	}
	for (size_t i = 0; i < t->names.n; i++)
		out->combiners += combiner_is_there(r, &t->at[i]);
	return true;
}
