/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latest partial of each child, packed as it came. A child is one life of a machine's agent in one query: its
 * name, its epoch, and the nonce of that. children.c describes what is taken. Times are nanoseconds of one clock that
 * never goes back, handed in.
 */
#ifndef WARD_CLUSTER_MERGE_CHILDREN_H
#define WARD_CLUSTER_MERGE_CHILDREN_H

#include "ward/partial.h"

enum {
	CLUSTER_CHILD_BYTES = 256 << 10, /* the default of one partial */
	CLUSTER_MOST_EPOCHS = 64,        /* of one machine that are kept */
	CLUSTER_BLOCK = 128,             /* children of a block: they came one after the other */
};

struct cluster_children_options {
	const ward_schema *schema; /* must outlive the children */
	unsigned char query[16];
	uint64_t began_ns;  /* when the order was sent */
	bool is_windowed;   /* partials are of one window each, which may be less than the one before */
	size_t child_bytes; /* of one partial; 0: CLUSTER_CHILD_BYTES */
	size_t bytes;       /* of all together; 0: 1 GiB */
};

struct cluster_child {
	const char *machine;
	struct ward_partial_notes notes; /* of the latest */
	uint64_t first_ns, heard_ns;     /* when the first and the latest came */
	bool is_settled;                 /* its last value is kept for good */
	bool is_out;                     /* what it sent contradicts itself: it isn't in any sum */
	bool is_dropped;                 /* it is counted elsewhere: it isn't in any sum, and has no bytes */
	const void *bytes;               /* the latest, packed */
	size_t size;
	size_t machine_index; /* of its machine, in the order in which they came */
	size_t place;         /* its own, in that order */
};

enum cluster_taken {
	CLUSTER_TAKEN,
	CLUSTER_OLD,          /* it came late or twice: nothing has changed */
	CLUSTER_REFUSED,      /* it is no such partial */
	CLUSTER_INCONSISTENT, /* it contradicts what came before: the machine is out of the result */
	CLUSTER_NO_ROOM,      /* the child keeps what it had */
};

typedef struct cluster_children cluster_children;

/* NULL without memory. Free with cluster_children_free; NULL is allowed there. */
cluster_children *cluster_children_new(const struct cluster_children_options *options);
void cluster_children_free(cluster_children *children);

/* Whose partial it is: the name that the bus vouches for, and how many processors it says it has; 0: not known. */
struct cluster_sender {
	const char *machine;
	uint32_t processors;
};

/*
 * Take a partial as it came. *child, if `child` isn't NULL, is whose it is, unless it was refused. *err says why it
 * wasn't taken. `now_ns` is the caller's clock.
 */
enum cluster_taken cluster_children_take(cluster_children *children, const struct cluster_sender *sender,
	const void *bytes, size_t size, uint64_t now_ns, const struct cluster_child **child, struct ward_error *err);

/* Its last value is kept for good. False: there is no such child, or it has no last value. */
bool cluster_children_settle(cluster_children *children, const char *machine, uint64_t epoch, uint64_t nonce);
/*
 * It is counted elsewhere for good: its bytes are freed, and whatever comes of it is old. It needn't have come before.
 * False without memory.
 */
bool cluster_children_drop(
	cluster_children *children, const char *machine, uint64_t epoch, uint64_t nonce, uint64_t now_ns);
/* Is it in sums? */
static inline bool cluster_child_counts(const struct cluster_child *child)
{
	return !child->is_out && !child->is_dropped;
}
/* How many epochs of a machine are here. */
size_t cluster_children_epochs(const cluster_children *children, const char *machine);
/* Another rule puts a machine out of the result. False without memory. */
bool cluster_children_put_out(cluster_children *children, const char *machine);

size_t cluster_children_count(const cluster_children *children);
/* In the order in which they came. NULL behind the last one. */
const struct cluster_child *cluster_children_at(const cluster_children *children, size_t i);
/* NULL: it never came. */
const struct cluster_child *cluster_children_find(
	const cluster_children *children, const char *machine, uint64_t epoch, uint64_t nonce);
/* How often the children of a block have changed. Block i has those from i * CLUSTER_BLOCK on. */
uint64_t cluster_children_changes(const cluster_children *children, size_t block);
/* What was taken, refused, and so on so far. */
uint64_t cluster_children_taken(const cluster_children *children, enum cluster_taken how);
/* Bytes of all partials that are kept. */
size_t cluster_children_bytes(const cluster_children *children);
const struct cluster_children_options *cluster_children_options(const cluster_children *children);

/*
 * Read a child's partial. It was checked when it came, so only memory can be short. `memory`: as much as what is added
 * to it may take, or 0. Free with ward_partial_free.
 */
int cluster_child_read(const cluster_children *children, const struct cluster_child *child, size_t memory,
	ward_partial **out, struct ward_error *err);

#endif
