/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a settle share: settle.c takes messages, settle_answer.c answers them, settle_sum.c has what is
 * settled, and the sum of all.
 */
#ifndef WARD_CLUSTER_MERGE_SETTLE_PARTS_H
#define WARD_CLUSTER_MERGE_SETTLE_PARTS_H

#include "epochs.h"
#include "settle.h"

/* An epoch. */
struct settle_entry {
	struct cluster_epoch last; /* as in the result */
	uint32_t shard;
	uint64_t mark; /* of the message that it is in */
	uint64_t seen; /* of the message that was looked at last; and which sequence it had there */
	uint64_t seen_sequence;
	size_t single; /* its place among the singles, and one; 0: none */
	uint64_t first_ns, heard_ns;
	bool is_settled;
};

struct settle_group {
	size_t *at; /* numbers of epochs */
	size_t n, room;
	ward_partial *sum; /* NULL of none */
	void *bytes;
	size_t size;
};

struct settle_slot {
	uint64_t term, combiner; /* who has the shard */
	uint64_t from, sequence; /* of whom the message is that is in the result */
	uint64_t mark;
	struct settle_group live, closed;
	uint64_t waits_ns; /* since when a newer one waits; 0: none does */
	size_t missing;
};

struct cluster_settle {
	struct cluster_settle_options options;
	struct cluster_epochs epochs;
	struct settle_entry *entries; /* by the epoch's number */
	size_t entries_room;
	size_t *order; /* the epochs' numbers, by the names of their machines */
	size_t n_order, order_room;
	bool *out; /* by the machine's number */
	size_t out_room;
	struct settle_slot *slots; /* by shard */
	cluster_children *singles;
	ward_partial *settled;
	size_t memory, bytes; /* of the slots' sums */
	uint64_t marks;
	uint64_t cut; /* entries that the settled sum had no room for */
	bool hurries;
	/* what is due */
	struct cluster_group *due;
	size_t n_due, due_room;
	struct cluster_epoch *due_epochs;
	size_t due_epochs_room;
};

static inline struct settle_entry *settle_find(const cluster_settle *s, const struct cluster_epoch *e)
{
	size_t i = cluster_epochs_find(&s->epochs, e->machine, e->epoch, e->nonce);
	return i == SIZE_MAX ? NULL : &s->entries[i];
}

static inline bool settle_is_out(const cluster_settle *s, const struct settle_entry *e)
{
	return s->out[s->epochs.at[e - s->entries].machine];
}

static inline const struct cluster_child *settle_single(const cluster_settle *s, const struct settle_entry *e)
{
	return e->single ? cluster_children_at(s->singles, e->single - 1) : NULL;
}

/* Is it in the message of its shard that is in the result? */
static inline bool settle_is_live(const cluster_settle *s, const struct settle_entry *e)
{
	return e->mark && e->mark == s->slots[e->shard].mark;
}

/* Does its single count? */
static inline bool settle_is_single(const cluster_settle *s, const struct settle_entry *e)
{
	const struct cluster_child *single = settle_single(s, e);
	return single && cluster_child_counts(single) && !e->is_settled && !settle_is_live(s, e);
}

/* settle.c: the epoch's number; SIZE_MAX without memory. */
size_t settle_add(cluster_settle *s, const struct cluster_epoch *e);
bool settle_heard(const cluster_settle *s, const struct cluster_epoch *e);
void settle_group_clear(struct settle_group *g);

#endif
