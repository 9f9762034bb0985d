/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a query is the sum of
 *
 *	settled: epochs that are over, whose last values are in the journal;
 *	of each shard, the last message that was taken: its epochs that go on, and those that are over but not settled;
 *	singles: the latest partial of an epoch that is in neither.
 *
 * An epoch is in one of these at most. That is so because a message is taken as a whole or not at all: it replaces the
 * one before of its shard, and it isn't taken while it has an epoch that is settled (C-162). Its sender is told which
 * are, and sends it again without them.
 *
 * A combiner that has just begun knows little. So a message is taken only if nothing is missing in it that the one
 * before had (C-165): what the user has seen doesn't become less. After some periods it is taken in any case, and what
 * is missing is said.
 *
 * Combiners are trusted for their numbers. What they send is checked for its form, and for its size.
 */
#include "settle_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"

enum { MOST_ENTRIES = 1 << 22 };
static const size_t MOST_MEMORY = (size_t)1 << 30; /* of all sums */

cluster_settle *cluster_settle_new(const struct cluster_settle_options *options)
{
	cluster_settle *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->options = *options;
	s->slots = calloc(options->shards, sizeof(*s->slots));
	s->singles = cluster_children_new(&options->children);
	if (s->slots && s->singles)
		return s;
	cluster_settle_free(s);
	return NULL;
}

void settle_group_clear(struct settle_group *g)
{
	ward_partial_free(g->sum);
	free(g->bytes);
	free(g->at);
	*g = (struct settle_group){0};
}

void cluster_settle_free(cluster_settle *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->slots && i < s->options.shards; i++) {
		settle_group_clear(&s->slots[i].live);
		settle_group_clear(&s->slots[i].closed);
	}
	cluster_epochs_free(&s->epochs);
	cluster_children_free(s->singles);
	ward_partial_free(s->settled);
	free(s->entries);
	free(s->order);
	free(s->out);
	free(s->slots);
	free(s->due);
	free(s->due_epochs);
	free(s);
}

void cluster_settle_assign(cluster_settle *s, uint32_t shard, uint64_t term, uint64_t combiner)
{
	if (shard >= s->options.shards || term <= s->slots[shard].term)
		return;
	s->slots[shard].term = term;
	s->slots[shard].combiner = combiner;
}

uint64_t cluster_settle_term(const cluster_settle *s, uint32_t shard)
{
	return shard < s->options.shards ? s->slots[shard].term : 0;
}

void cluster_settle_hurry(cluster_settle *s)
{
	s->hurries = true;
}

/* ---- epochs ---- */

size_t settle_add(cluster_settle *s, const struct cluster_epoch *e)
{
	size_t n = s->epochs.n;
	if (n >= MOST_ENTRIES || !cluster_array_grow(&s->entries, &s->entries_room, n + 1, sizeof(*s->entries)) ||
		!cluster_array_grow(&s->out, &s->out_room, s->epochs.names.n + 1, sizeof(*s->out)))
		return SIZE_MAX;
	size_t i = cluster_epochs_add(&s->epochs, e->machine, e->epoch, e->nonce);
	if (i != n)
		return i;
	const char *machine = s->epochs.names.at[s->epochs.at[i].machine];
	s->entries[i] = (struct settle_entry){.shard = s->options.shard_of(machine, s->options.shards),
		.last = {.machine = machine, .epoch = e->epoch, .nonce = e->nonce}};
	return i;
}

bool settle_heard(const cluster_settle *s, const struct cluster_epoch *e)
{
	return !s->options.calls.heard || s->options.calls.heard(s->options.calls.user, e);
}

static bool missing(const cluster_settle *s, const struct cluster_epoch *e)
{
	return !s->options.calls.missing || s->options.calls.missing(s->options.calls.user, e);
}

/* ---- a message ---- */

struct intake {
	cluster_settle *s;
	struct settle_slot *slot;
	uint32_t shard;
	const struct cluster_told *told;
	uint64_t period_ns, now_ns, mark;
	struct settle_group live, closed;
	bool is_stale;
	struct ward_error *err;
};

static enum cluster_settle_how told_refuse(struct intake *in, const char *why)
{
	cluster_fail(in->err, WARD_E_USAGE, "a combiner", "%s", why);
	return CLUSTER_SETTLE_REFUSED;
}

static enum cluster_settle_how told_no_room(struct intake *in)
{
	cluster_fail(in->err, WARD_E_SYSTEM, "a combiner", "there is no room for its sum");
	return CLUSTER_SETTLE_NO_ROOM;
}

/* C-161: an epoch is named once, and of one shard. */
static enum cluster_settle_how epoch_look(struct intake *in, struct settle_group *g, const struct cluster_epoch *e)
{
	if (e->epoch == 0 || e->sequence == 0 || !*e->machine)
		return told_refuse(in, "an epoch has no number, or no machine (C-161)");
	size_t i = settle_add(in->s, e);
	if (i == SIZE_MAX)
		return told_no_room(in);
	struct settle_entry *entry = &in->s->entries[i];
	if (entry->shard != in->shard)
		return told_refuse(in, "an epoch is of another shard (C-161)");
	if (entry->seen == in->mark)
		return told_refuse(in, "an epoch is there twice (C-161)");
	entry->seen = in->mark;
	entry->seen_sequence = e->sequence;
	in->is_stale |= entry->is_settled || settle_is_out(in->s, entry);
	g->at[g->n++] = i;
	return CLUSTER_SETTLE_TAKEN;
}

/* C-161: there is a sum of the query's shape if, and only if, there are epochs. */
static enum cluster_settle_how group_look(struct intake *in, const struct cluster_group *from, struct settle_group *g)
{
	const struct cluster_children_options *o = &in->s->options.children;
	struct ward_partial_limits limits = {
		.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES, .memory = CLUSTER_TOTAL_MEMORY};
	enum cluster_settle_how how = CLUSTER_SETTLE_TAKEN;

	if (!from->n != !from->size)
		return told_refuse(in, "a sum is of no epochs, or epochs have no sum (C-161)");
	if (!from->n)
		return CLUSTER_SETTLE_TAKEN;
	g->at = calloc(from->n, sizeof(*g->at));
	g->bytes = malloc(from->size);
	if (!g->at || !g->bytes)
		return told_no_room(in);
	memcpy(g->bytes, from->bytes, from->size);
	g->size = from->size;
	if (ward_partial_unpack(o->schema, from->bytes, from->size, &limits, &g->sum, in->err))
		return in->err->status == WARD_E_USAGE ? CLUSTER_SETTLE_REFUSED : CLUSTER_SETTLE_NO_ROOM;
	struct ward_partial_notes notes = ward_partial_notes(g->sum);
	if (memcmp(notes.query, o->query, sizeof(o->query)) != 0 || !ward_partial_has_names(g->sum))
		return told_refuse(in, "its sum is of another query, or its keys have no names (C-161)");
	for (size_t i = 0; i < from->n && how == CLUSTER_SETTLE_TAKEN; i++)
		how = epoch_look(in, g, &from->at[i]);
	return how;
}

/* The machine is out: *was says whether it was before. False without memory. */
static bool machine_put_out(cluster_settle *s, const char *name, bool *was)
{
	if (!cluster_array_grow(&s->out, &s->out_room, s->epochs.names.n + 1, sizeof(*s->out)))
		return false;
	size_t machine = cluster_names_add(&s->epochs.names, name);
	if (machine == SIZE_MAX || !cluster_children_put_out(s->singles, name))
		return false;
	*was = s->out[machine];
	s->out[machine] = true;
	return true;
}

bool cluster_settle_blame(cluster_settle *s, const char *machine)
{
	bool was;
	return machine_put_out(s, machine, &was);
}

/* C-168: what a machine that contradicts itself has sent is in no sum from now on. */
static bool blame_take(struct intake *in, const struct cluster_blame *blame)
{
	cluster_settle *s = in->s;
	bool was;
	if (!machine_put_out(s, blame->machine, &was))
		return false;
	if (was)
		return true;
	return !s->options.calls.blamed ||
	       s->options.calls.blamed(s->options.calls.user, blame->machine, blame->reason);
}

/* A single that isn't in the message of its shard is in the result by itself. */
static bool single_hear(struct intake *in, struct settle_entry *e, const struct cluster_child *child)
{
	if (settle_is_live(in->s, e) || child->notes.sequence <= e->last.sequence)
		return true;
	const char *machine = e->last.machine;
	e->last = cluster_epoch_of(child);
	e->last.machine = machine;
	e->first_ns = e->first_ns ? e->first_ns : in->now_ns;
	e->heard_ns = in->now_ns;
	return settle_heard(in->s, &e->last);
}

/* C-164. One that isn't taken, as it is older or no partial, changes nothing. */
static bool single_take(struct intake *in, const struct cluster_single *single)
{
	struct cluster_sender sender = {.machine = single->of.machine};
	const struct cluster_child *child = NULL;
	enum cluster_taken how = cluster_children_take(
		in->s->singles, &sender, single->bytes, single->size, in->now_ns, &child, in->err);
	if (how == CLUSTER_INCONSISTENT)
		return blame_take(in, &(struct cluster_blame){single->of.machine, in->err->why});
	if (how != CLUSTER_TAKEN)
		return how != CLUSTER_NO_ROOM;
	struct cluster_epoch e = cluster_epoch_of(child);
	size_t i = settle_add(in->s, &e);
	if (i == SIZE_MAX)
		return false;
	struct settle_entry *entry = &in->s->entries[i];
	if (entry->shard != in->shard)
		return cluster_children_drop(in->s->singles, e.machine, e.epoch, e.nonce, in->now_ns);
	entry->single = child->place + 1;
	if (entry->is_settled)
		return cluster_children_drop(in->s->singles, e.machine, e.epoch, e.nonce, in->now_ns);
	return single_hear(in, entry, child);
}

static enum cluster_settle_how message_look(struct intake *in)
{
	enum cluster_settle_how how = CLUSTER_SETTLE_TAKEN;
	for (size_t i = 0; i < in->told->n_blames; i++)
		if (!blame_take(in, &in->told->blames[i]))
			return told_no_room(in);
	for (size_t i = 0; i < in->told->n_singles; i++)
		if (!single_take(in, &in->told->singles[i]))
			how = told_no_room(in);
	if (how == CLUSTER_SETTLE_TAKEN)
		how = group_look(in, &in->told->live, &in->live);
	if (how == CLUSTER_SETTLE_TAKEN)
		how = group_look(in, &in->told->closed, &in->closed);
	if (how == CLUSTER_SETTLE_TAKEN && in->is_stale) {
		cluster_fail(in->err, WARD_E_TARGET, "a combiner", "it has epochs that are settled (C-162)");
		return CLUSTER_SETTLE_STALE;
	}
	return how;
}

/* ---- C-165: is anything missing? ---- */

static bool epoch_is_missing(const struct intake *in, const struct settle_entry *e)
{
	const struct cluster_child *single = settle_single(in->s, e);
	bool has_single = single && cluster_child_counts(single) && single->notes.sequence >= e->last.sequence;
	bool is_seen = e->seen == in->mark, is_there = is_seen && e->seen_sequence >= e->last.sequence;
	return !is_there && !e->is_settled && !settle_is_out(in->s, e) && (is_seen || !has_single);
}

/* Of epochs that the sum before has. */
static size_t group_missing(const struct intake *in, const struct settle_group *g, bool say)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct settle_entry *e = &in->s->entries[g->at[i]];
		if (!epoch_is_missing(in, e))
			continue;
		n++;
		if (say)
			missing(in->s, &e->last);
	}
	return n;
}

/* Of epochs that are in the result as singles, and that this message has an earlier partial of. */
static size_t group_older(const struct intake *in, const struct settle_group *g, bool say)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct settle_entry *e = &in->s->entries[g->at[i]];
		if (!settle_is_single(in->s, e) || settle_single(in->s, e)->notes.sequence <= e->seen_sequence)
			continue;
		n++;
		if (say)
			missing(in->s, &e->last);
	}
	return n;
}

static size_t message_missing(const struct intake *in, bool say)
{
	const struct settle_slot *slot = in->slot;
	return group_missing(in, &slot->live, say) + group_missing(in, &slot->closed, say) +
	       group_older(in, &in->live, say) + group_older(in, &in->closed, say);
}

static enum cluster_settle_how missing_look(struct intake *in)
{
	struct settle_slot *slot = in->slot;
	slot->missing = message_missing(in, false);
	if (!slot->missing)
		return CLUSTER_SETTLE_TAKEN;
	if (!slot->waits_ns)
		slot->waits_ns = in->now_ns ? in->now_ns : 1;
	if (!in->s->hurries && in->now_ns - slot->waits_ns < CLUSTER_SETTLE_PERIODS * in->period_ns) {
		cluster_fail(in->err, WARD_E_TARGET, "a combiner",
			"%zu epochs are missing in its sum that the one before had (C-165)", slot->missing);
		return CLUSTER_SETTLE_WAITS;
	}
	message_missing(in, true);
	return CLUSTER_SETTLE_TAKEN;
}

/* ---- taking it ---- */

static bool group_hear(struct intake *in, const struct cluster_group *from, const struct settle_group *g)
{
	bool ok = true;
	for (size_t i = 0; i < g->n; i++) {
		struct settle_entry *e = &in->s->entries[g->at[i]];
		const char *machine = e->last.machine;
		bool is_newer = from->at[i].sequence > e->last.sequence;
		e->last = from->at[i];
		e->last.machine = machine;
		e->mark = in->mark;
		e->first_ns = e->first_ns ? e->first_ns : in->now_ns;
		if (!is_newer)
			continue;
		e->heard_ns = in->now_ns;
		ok &= settle_heard(in->s, &e->last);
	}
	return ok;
}

static size_t group_memory(const struct settle_group *g)
{
	return g->sum ? ward_partial_memory(g->sum) : 0;
}

static void group_put(cluster_settle *s, struct settle_group *to, struct settle_group *from)
{
	s->memory += group_memory(from) - group_memory(to);
	s->bytes += from->size - to->size;
	settle_group_clear(to);
	*to = *from;
	*from = (struct settle_group){0};
}

static enum cluster_settle_how message_keep(struct intake *in)
{
	cluster_settle *s = in->s;
	struct settle_slot *slot = in->slot;
	size_t more = group_memory(&in->live) + group_memory(&in->closed);
	size_t less = group_memory(&slot->live) + group_memory(&slot->closed);

	if (s->memory - less + more > MOST_MEMORY)
		return told_no_room(in);
	slot->from = in->told->combiner;
	slot->sequence = in->told->sequence;
	slot->mark = in->mark;
	slot->waits_ns = 0;
	slot->missing = 0;
	bool ok = group_hear(in, &in->told->live, &in->live);
	ok &= group_hear(in, &in->told->closed, &in->closed);
	group_put(s, &slot->live, &in->live);
	group_put(s, &slot->closed, &in->closed);
	return ok ? CLUSTER_SETTLE_TAKEN : told_no_room(in);
}

enum cluster_settle_how cluster_settle_take(cluster_settle *s, uint32_t shard, const struct cluster_told *told,
	uint64_t period_ns, uint64_t now_ns, struct ward_error *err)
{
	struct ward_error own;
	struct intake in = {.s = s, .shard = shard, .told = told, .period_ns = period_ns, .now_ns = now_ns};
	in.err = err ? err : &own;
	if (shard >= s->options.shards)
		return told_refuse(&in, "there is no such shard (C-161)");
	in.slot = &s->slots[shard];
	if (told->term != in.slot->term || told->combiner != in.slot->combiner || !told->term ||
		(told->combiner == in.slot->from && told->sequence <= in.slot->sequence)) {
		cluster_fail(in.err, WARD_OK, "a combiner",
			"another one has the shard, or there is a newer message (C-160)");
		return CLUSTER_SETTLE_OLD;
	}
	in.mark = ++s->marks;
	enum cluster_settle_how how = message_look(&in);
	if (how == CLUSTER_SETTLE_TAKEN)
		how = missing_look(&in);
	if (how == CLUSTER_SETTLE_TAKEN)
		how = message_keep(&in);
	settle_group_clear(&in.live);
	settle_group_clear(&in.closed);
	return how;
}
