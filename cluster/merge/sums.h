/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of blocks of children, made while more of them arrive: so the total of all is there as soon as the last one
 * is. sums.c describes how.
 */
#ifndef WARD_CLUSTER_MERGE_SUMS_H
#define WARD_CLUSTER_MERGE_SUMS_H

#include "children.h"

enum { CLUSTER_SUMS_MEMORY = 32 << 20 }; /* of all sums that are kept */

typedef struct cluster_sums cluster_sums;

/* NULL without memory. The children must outlive it. Free with cluster_sums_free; NULL is allowed there. */
cluster_sums *cluster_sums_new(const cluster_children *children);
void cluster_sums_free(cluster_sums *sums);

/*
 * Make the sum of a block of which all children have changed since it was made. False: there is none. For the time in
 * which nothing else is to do: a failure shows in cluster_sums_block.
 */
bool cluster_sums_work(cluster_sums *sums);

/*
 * The sum of a block's children, but of machines that contradict themselves; *out is the caller's, NULL of none.
 * `memory` and *cut are as of cluster_total_options and cluster_total.
 */
int cluster_sums_block(
	cluster_sums *sums, size_t block, size_t memory, ward_partial **out, uint64_t *cut, struct ward_error *err);

#endif
