/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a combiner keeps of one shard and one unit of a query: the latest partial of each child, and which of them its
 * coordinator has counted for good. subtotal.c describes what it says. Times are nanoseconds of one clock that never
 * goes back, handed in.
 */
#ifndef WARD_CLUSTER_MERGE_SUBTOTAL_H
#define WARD_CLUSTER_MERGE_SUBTOTAL_H

#include "children.h"
#include "tree.h"

typedef struct cluster_subtotal cluster_subtotal;

/* `combiner` is a number that it has drawn. NULL without memory. Free with cluster_subtotal_free; NULL is allowed. */
cluster_subtotal *cluster_subtotal_new(const struct cluster_children_options *options, uint64_t combiner);
void cluster_subtotal_free(cluster_subtotal *subtotal);

/* As cluster_children_take. CLUSTER_OLD also if it is settled: the next message says that it is sent again. */
enum cluster_taken cluster_subtotal_take(cluster_subtotal *subtotal, const struct cluster_sender *sender,
	const void *bytes, size_t size, uint64_t now_ns, struct ward_error *err);
/* Another rule puts a machine out of all sums. False without memory. */
bool cluster_subtotal_blame(cluster_subtotal *subtotal, const char *machine, const char *reason);
/* What the coordinator says. False without memory: it says it again. */
bool cluster_subtotal_answer(cluster_subtotal *subtotal, const struct cluster_answer *answer, uint64_t now_ns);

/*
 * The next message. *out lasts until the next call of a function with this subtotal. WARD_E_SYSTEM without memory.
 */
int cluster_subtotal_tell(cluster_subtotal *subtotal, uint64_t term, uint64_t period_ns, uint64_t now_ns,
	struct cluster_told *out, struct ward_error *err);

size_t cluster_subtotal_count(const cluster_subtotal *subtotal); /* children */
size_t cluster_subtotal_bytes(const cluster_subtotal *subtotal); /* of their partials */

#endif
