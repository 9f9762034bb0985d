/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a coordinator keeps of one unit of a query that has combiners: the sum of each shard, those that are settled,
 * and partials of single machines. settle.c describes what is taken. The value so far is exactly the sum of what is
 * said to be in it, at every moment. Times are nanoseconds of one clock that never goes back, handed in.
 */
#ifndef WARD_CLUSTER_MERGE_SETTLE_H
#define WARD_CLUSTER_MERGE_SETTLE_H

#include "total.h"
#include "tree.h"

enum { CLUSTER_SETTLE_PERIODS = 20 }; /* how long a sum waits for what is missing in it */

/* What happens, for whoever keeps the states of machines. False: without memory. */
struct cluster_settle_calls {
	void *user;
	bool (*heard)(void *user, const struct cluster_epoch *epoch);   /* a newer partial of it is in the result */
	bool (*settled)(void *user, const struct cluster_epoch *epoch); /* for good */
	bool (*missing)(void *user, const struct cluster_epoch *epoch); /* this was in the result, and isn't now */
	bool (*blamed)(void *user, const char *machine, const char *reason);
};

struct cluster_settle_options {
	struct cluster_children_options children; /* of the singles, and the shape of all */
	uint32_t shards;
	uint32_t (*shard_of)(const char *machine, uint32_t shards);
	struct cluster_settle_calls calls; /* each may be NULL */
};

enum cluster_settle_how {
	CLUSTER_SETTLE_TAKEN,
	CLUSTER_SETTLE_OLD,     /* it is of nobody who has the shard, or came late or twice */
	CLUSTER_SETTLE_REFUSED, /* it is no such message */
	CLUSTER_SETTLE_STALE,   /* it has what is settled, or out: the answer says what */
	CLUSTER_SETTLE_WAITS,   /* something is missing in it that the sum before has */
	CLUSTER_SETTLE_NO_ROOM,
};

typedef struct cluster_settle cluster_settle;

/* NULL without memory. Free with cluster_settle_free; NULL is allowed there. */
cluster_settle *cluster_settle_new(const struct cluster_settle_options *options);
void cluster_settle_free(cluster_settle *settle);

/* A combiner, by the number that it has drawn, has the shard from now on. The term is above all before it. */
void cluster_settle_assign(cluster_settle *settle, uint32_t shard, uint64_t term, uint64_t combiner);

uint64_t cluster_settle_term(const cluster_settle *settle, uint32_t shard);

/* Take a message of a shard's. `period_ns`: of partials, as in the last beat. *err says why it wasn't taken. */
enum cluster_settle_how cluster_settle_take(cluster_settle *settle, uint32_t shard, const struct cluster_told *told,
	uint64_t period_ns, uint64_t now_ns, struct ward_error *err);
/* The answer to it. Free it with cluster_answer_free. False without memory. */
bool cluster_settle_answer(const cluster_settle *settle, const struct cluster_told *told, struct cluster_answer *out);
void cluster_answer_free(struct cluster_answer *answer);
/* Another rule puts a machine out: it is in no message that is taken from now on. False without memory. */
bool cluster_settle_blame(cluster_settle *settle, const char *machine);
/* The query is at its end: a sum that waits is taken when it comes again, and what is missing is said. */
void cluster_settle_hurry(cluster_settle *settle);

/*
 * What is over, and is to be in a journal before it is settled: *out has *n groups, which last until the next call of a
 * function with this settle. False without memory.
 */
bool cluster_settle_due(cluster_settle *settle, const struct cluster_group **out, size_t *n);
/* These groups are in the journal. WARD_E_SYSTEM without memory. */
int cluster_settle_commit(cluster_settle *settle, struct ward_error *err);
/* A group from the journal of a coordinator that has died. WARD_E_USAGE: it is none. One that came before is left. */
int cluster_settle_restore(
	cluster_settle *settle, const struct cluster_group *group, uint64_t now_ns, struct ward_error *err);

/* Is it counted for good? */
bool cluster_settle_has(const cluster_settle *settle, const char *machine, uint64_t epoch, uint64_t nonce);
/* How many epochs of the shard's sum before are missing in the one that waits. */
size_t cluster_settle_missing(const cluster_settle *settle, uint32_t shard);
size_t cluster_settle_bytes(const cluster_settle *settle); /* of the messages that are in the result */

/* The sum so far. *out is all zeros on failure. Free with cluster_total_free. `memory`: 0: CLUSTER_TOTAL_MEMORY. */
int cluster_settle_total(cluster_settle *settle, size_t memory, struct cluster_total *out, struct ward_error *err);

#endif
