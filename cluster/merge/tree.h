/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a combiner and a coordinator say to each other, of one shard and one unit of a query. subtotal.h is the
 * combiner's side, settle.h the coordinator's.
 */
#ifndef WARD_CLUSTER_MERGE_TREE_H
#define WARD_CLUSTER_MERGE_TREE_H

#include "children.h"

enum {
	CLUSTER_TREE_ROWS = 256 << 10,   /* bytes of the names and numbers of a message's epochs */
	CLUSTER_TREE_ROW = 64,           /* of one, beside its name */
	CLUSTER_TREE_LIVE = 256 << 10,   /* of the sum of epochs that go on */
	CLUSTER_TREE_CLOSED = 192 << 10, /* and of those that are over */
	CLUSTER_TREE_SINGLES = 256 << 10,
	CLUSTER_TREE_BLAMES = 64,
	CLUSTER_TREE_ANSWERS = 4096, /* epochs of an answer; the next answer has the others */
	CLUSTER_SILENT_PERIODS = 3,
};

/* An epoch, and what its latest partial says of itself. */
struct cluster_epoch {
	const char *machine;
	uint64_t epoch, nonce, sequence;
	uint64_t events, dropped, wall_ns, overhead_ppm;
	uint32_t flags;
};

static inline struct cluster_epoch cluster_epoch_of(const struct cluster_child *child)
{
	return (struct cluster_epoch){.machine = child->machine,
		.epoch = child->notes.epoch,
		.nonce = child->notes.nonce,
		.sequence = child->notes.sequence,
		.events = child->notes.events,
		.dropped = child->notes.dropped,
		.wall_ns = child->notes.wall_ns,
		.overhead_ppm = child->notes.overhead_ppm,
		.flags = child->notes.flags};
}

/* The sum of some epochs, packed; no bytes of none. */
struct cluster_group {
	const struct cluster_epoch *at;
	size_t n;
	const void *bytes;
	size_t size;
};

/* The latest partial of one epoch, as it came. */
struct cluster_single {
	struct cluster_epoch of;
	const void *bytes;
	size_t size;
};

struct cluster_blame {
	const char *machine, *reason;
};

/* What a combiner says, once a period. */
struct cluster_told {
	uint64_t combiner; /* drawn when it starts */
	uint64_t term;     /* by which the shard is its own */
	uint64_t sequence; /* it rises */
	struct cluster_group live, closed;
	struct cluster_group again;           /* settled, and still being sent: of these there is no sum */
	const struct cluster_single *singles; /* of machines that are silent */
	size_t n_singles;
	const struct cluster_blame *blames; /* machines that contradict themselves */
	size_t n_blames;
	uint64_t no_room; /* epochs that it has no room for */
};

/* What the coordinator answers. */
struct cluster_answer {
	struct cluster_epoch *settled; /* they are counted for good */
	size_t n_settled;
	struct cluster_epoch *kept; /* singles that it has */
	size_t n_kept;
	const char **out; /* machines that are in no sum */
	size_t n_out;
};

#endif
