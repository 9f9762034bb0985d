/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is settled, and the sum of all. Epochs that are over are due: the caller writes them to its journal, and says
 * so. Until then they count as what they are, a part of the message that brought them; so if the journal can't be
 * written, nothing is wrong but that no machine is told that it may forget.
 */
#include "settle_parts.h"

#include <stdlib.h>
#include <string.h>

#include "adder.h"

#include "cluster/base/error.h"

enum { ANY_SIZE = 1 << 30 };

/* ---- what is due ---- */

/* A single that is over, and that no combiner has. */
static bool single_is_due(const cluster_settle *s, const struct cluster_child *c)
{
	struct cluster_epoch e = cluster_epoch_of(c);
	const struct settle_entry *entry = settle_find(s, &e);
	return (c->notes.flags & WARD_PARTIAL_LAST) && entry && settle_is_single(s, entry);
}

static bool due_add(cluster_settle *s, const void *bytes, size_t size)
{
	if (!cluster_array_grow(&s->due, &s->due_room, s->n_due + 1, sizeof(*s->due)))
		return false;
	s->due[s->n_due++] = (struct cluster_group){.bytes = bytes, .size = size};
	return true;
}

static bool due_add_epoch(cluster_settle *s, size_t *n, const struct cluster_epoch *e)
{
	if (!cluster_array_grow(&s->due_epochs, &s->due_epochs_room, *n + 1, sizeof(*s->due_epochs)))
		return false;
	s->due_epochs[(*n)++] = *e;
	s->due[s->n_due - 1].n++;
	return true;
}

static bool due_add_group(cluster_settle *s, size_t *n, const struct settle_group *g)
{
	bool ok = !g->n || due_add(s, g->bytes, g->size);
	for (size_t i = 0; i < g->n && ok; i++)
		ok = due_add_epoch(s, n, &s->entries[g->at[i]].last);
	return ok;
}

bool cluster_settle_due(cluster_settle *s, const struct cluster_group **out, size_t *n)
{
	size_t epochs = 0;
	bool ok = true;

	s->n_due = 0;
	for (uint32_t i = 0; i < s->options.shards && ok; i++)
		ok = due_add_group(s, &epochs, &s->slots[i].closed);
	for (size_t i = 0; i < cluster_children_count(s->singles) && ok; i++) {
		const struct cluster_child *c = cluster_children_at(s->singles, i);
		struct cluster_epoch e = cluster_epoch_of(c);
		if (single_is_due(s, c))
			ok = due_add(s, c->bytes, c->size) && due_add_epoch(s, &epochs, &e);
	}
	epochs = 0;
	for (size_t i = 0; i < s->n_due; i++) {
		s->due[i].at = s->due_epochs + epochs;
		epochs += s->due[i].n;
	}
	*out = s->due;
	*n = ok ? s->n_due : 0;
	return ok;
}

/* ---- settling ---- */

/* The sum is the settled one's from then on, also on failure. */
static int settled_add(cluster_settle *s, ward_partial *sum, struct ward_error *err)
{
	struct cluster_adder adder = {.memory = CLUSTER_TOTAL_MEMORY, .err = err};
	int status = WARD_OK;

	if (s->settled)
		status = cluster_adder_put(&adder, s->settled);
	s->settled = NULL;
	if (status == WARD_OK)
		status = cluster_adder_put(&adder, sum);
	else
		ward_partial_free(sum);
	if (status == WARD_OK)
		status = cluster_adder_end(&adder, &s->settled);
	s->cut += adder.cut;
	cluster_adder_free(&adder);
	return status;
}

static bool epoch_settle(cluster_settle *s, struct settle_entry *e)
{
	const struct cluster_child *single = settle_single(s, e);
	bool ok = !single || cluster_children_drop(s->singles, e->last.machine, e->last.epoch, e->last.nonce, 0);

	e->is_settled = true;
	if (s->options.calls.settled)
		ok &= s->options.calls.settled(s->options.calls.user, &e->last);
	return ok;
}

static int slot_commit(cluster_settle *s, struct settle_slot *slot, struct ward_error *err)
{
	struct settle_group *g = &slot->closed;
	bool ok = true;

	if (!g->n)
		return WARD_OK;
	s->memory -= ward_partial_memory(g->sum);
	s->bytes -= g->size;
	int status = settled_add(s, g->sum, err);
	g->sum = NULL;
	for (size_t i = 0; i < g->n; i++)
		ok &= epoch_settle(s, &s->entries[g->at[i]]);
	settle_group_clear(g);
	return status || ok ? status : cluster_no_memory(err);
}

/* What is said of the epoch may be of an earlier message, which had it when the single came. */
static bool single_hear(const cluster_settle *s, struct settle_entry *entry, const struct cluster_epoch *single)
{
	const char *machine = entry->last.machine;
	bool is_newer = single->sequence > entry->last.sequence;

	entry->last = *single;
	entry->last.machine = machine;
	return !is_newer || settle_heard(s, &entry->last);
}

static int single_commit(cluster_settle *s, const struct cluster_child *c, struct ward_error *err)
{
	struct cluster_epoch e = cluster_epoch_of(c);
	struct settle_entry *entry = settle_find(s, &e);
	ward_partial *sum;
	int status = cluster_child_read(s->singles, c, CLUSTER_TOTAL_MEMORY, &sum, err);

	if (status == WARD_OK)
		status = settled_add(s, sum, err);
	if (status)
		return status;
	return single_hear(s, entry, &e) && epoch_settle(s, entry) ? WARD_OK : cluster_no_memory(err);
}

int cluster_settle_commit(cluster_settle *s, struct ward_error *err)
{
	struct ward_error own;
	int status = WARD_OK;

	err = err ? err : &own;
	for (uint32_t i = 0; i < s->options.shards && status == WARD_OK; i++)
		status = slot_commit(s, &s->slots[i], err);
	for (size_t i = 0; i < cluster_children_count(s->singles) && status == WARD_OK; i++)
		if (single_is_due(s, cluster_children_at(s->singles, i)))
			status = single_commit(s, cluster_children_at(s->singles, i), err);
	return status;
}

/* Were all of them there before? Some of them can't be: a group is in the journal once, or twice as a whole. */
static bool group_is_settled(const cluster_settle *s, const struct cluster_group *group)
{
	for (size_t i = 0; i < group->n; i++)
		if (cluster_settle_has(s, group->at[i].machine, group->at[i].epoch, group->at[i].nonce))
			return true;
	return false;
}

int cluster_settle_restore(
	cluster_settle *s, const struct cluster_group *group, uint64_t now_ns, struct ward_error *err)
{
	struct ward_partial_limits limits = {
		.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES, .memory = CLUSTER_TOTAL_MEMORY};
	ward_partial *sum;

	if (group_is_settled(s, group))
		return WARD_OK;
	int status = ward_partial_unpack(s->options.children.schema, group->bytes, group->size, &limits, &sum, err);
	if (status == WARD_OK)
		status = settled_add(s, sum, err);
	for (size_t i = 0; i < group->n && status == WARD_OK; i++) {
		size_t number = settle_add(s, &group->at[i]);
		if (number == SIZE_MAX)
			return cluster_no_memory(err);
		struct settle_entry *e = &s->entries[number];
		const char *machine = e->last.machine;
		e->last = group->at[i];
		e->last.machine = machine;
		e->first_ns = e->heard_ns = now_ns;
		if (!settle_heard(s, &e->last) || !epoch_settle(s, e))
			return cluster_no_memory(err);
	}
	return status;
}

bool cluster_settle_has(const cluster_settle *s, const char *machine, uint64_t epoch, uint64_t nonce)
{
	struct cluster_epoch of = {.machine = machine, .epoch = epoch, .nonce = nonce};
	const struct settle_entry *e = settle_find(s, &of);
	return e && e->is_settled;
}

size_t cluster_settle_missing(const cluster_settle *s, uint32_t shard)
{
	return shard < s->options.shards ? s->slots[shard].missing : 0;
}

size_t cluster_settle_bytes(const cluster_settle *s)
{
	return s->bytes + cluster_children_bytes(s->singles);
}

/* ---- the sum ---- */

static int sum_add(struct cluster_adder *adder, const ward_partial *sum)
{
	ward_partial *copy;
	int status = sum ? ward_partial_copy(sum, &copy, adder->err) : WARD_OK;
	return status || !sum ? status : cluster_adder_put(adder, copy);
}

static int sums_add(const cluster_settle *s, struct cluster_adder *adder)
{
	int status = sum_add(adder, s->settled);
	for (uint32_t i = 0; i < s->options.shards && status == WARD_OK; i++) {
		status = sum_add(adder, s->slots[i].live.sum);
		if (status == WARD_OK)
			status = sum_add(adder, s->slots[i].closed.sum);
	}
	return status;
}

/* Who is in it, as the cover of children says it. */
static int entry_cover(
	const cluster_settle *s, const struct settle_entry *e, struct cluster_adder *adder, struct cluster_total *out)
{
	struct cluster_child child = {.machine = e->last.machine,
		.notes = {.epoch = e->last.epoch,
			.nonce = e->last.nonce,
			.sequence = e->last.sequence,
			.flags = e->last.flags,
			.events = e->last.events,
			.dropped = e->last.dropped,
			.wall_ns = e->last.wall_ns,
			.overhead_ppm = e->last.overhead_ppm},
		.first_ns = e->first_ns,
		.heard_ns = e->heard_ns,
		.is_settled = e->is_settled};
	bool is_single = settle_is_single(s, e);
	int status = WARD_OK;
	ward_partial *p;

	if (!is_single && !e->is_settled && !settle_is_live(s, e))
		return WARD_OK;
	if (is_single) {
		const struct cluster_child *single = settle_single(s, e);
		child.notes = single->notes;
		status = cluster_child_read(s->singles, single, adder->memory, &p, adder->err);
		if (status == WARD_OK)
			status = cluster_adder_put(adder, p);
	}
	return status || cluster_cover_add(&out->cover, &child) ? status : cluster_no_memory(adder->err);
}

static int total_end(const cluster_settle *s, struct cluster_adder *adder, struct cluster_total *out)
{
	int status = cluster_adder_end(adder, &out->partial);

	cluster_cover_end(&out->cover);
	out->cut = adder->cut + s->cut;
	if (status || out->partial)
		return status;
	return ward_partial_merge(s->options.children.schema, NULL, NULL, 0, ANY_SIZE, NULL, &out->partial, adder->err);
}

static int compare_entries(const void *a, const void *b, void *settle)
{
	const cluster_settle *s = settle;
	const struct cluster_epoch *x = &s->entries[*(const size_t *)a].last, *y = &s->entries[*(const size_t *)b].last;
	int order = strcmp(x->machine, y->machine);
	if (order)
		return order;
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	return (x->nonce > y->nonce) - (x->nonce < y->nonce);
}

/* Sorting takes longer than adding: the order is kept until there is another epoch. */
static bool order_make(cluster_settle *s)
{
	if (!cluster_array_grow(&s->order, &s->order_room, s->epochs.n, sizeof(*s->order)))
		return false;
	if (s->n_order == s->epochs.n)
		return true;
	for (; s->n_order < s->epochs.n; s->n_order++)
		s->order[s->n_order] = s->n_order;
	qsort_r(s->order, s->n_order, sizeof(*s->order), compare_entries, s);
	return true;
}

int cluster_settle_total(cluster_settle *s, size_t memory, struct cluster_total *out, struct ward_error *err)
{
	struct ward_error own;
	struct cluster_adder adder = {.memory = memory ? memory : CLUSTER_TOTAL_MEMORY, .err = err ? err : &own};

	*out = (struct cluster_total){0};
	int status = order_make(s) ? sums_add(s, &adder) : cluster_no_memory(adder.err);
	for (size_t i = 0; i < s->n_order && status == WARD_OK; i++)
		status = entry_cover(s, &s->entries[s->order[i]], &adder, out);
	if (status == WARD_OK)
		status = total_end(s, &adder, out);
	for (size_t i = 0; i < s->epochs.names.n; i++)
		out->cover.left_out += i < s->out_room && s->out[i];
	cluster_adder_free(&adder);
	if (status)
		cluster_total_free(out);
	return status;
}
