/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A combiner: it adds up the partials of the shards that coordinators give to it. combine.c describes its life. The
 * caller hands in the time.
 */
#ifndef WARD_CLUSTER_COMBINE_COMBINE_H
#define WARD_CLUSTER_COMBINE_COMBINE_H

#include "cluster/bus/bus.h"
#include "cluster/wire/sign.h"

struct cluster_combine_options {
	const char *name;               /* its host name, by which the bus knows it */
	const char *cluster;            /* the cluster's name */
	const struct cluster_key *keys; /* of the coordinators for which it works */
	size_t n_keys;
	size_t bytes; /* of the partials of a shard and unit; 0: 1 GiB */
};

struct cluster_combine_counts {
	size_t queries, shards, children, bytes;
	uint64_t taken;   /* partials */
	uint64_t refused; /* messages that were none, or of nobody */
};

typedef struct cluster_combine cluster_combine;

/* The bus and what `options` points to must outlive it. Free with cluster_combine_free; NULL is allowed there. */
int cluster_combine_new(bus *b, const struct cluster_combine_options *options, uint64_t now_ns, cluster_combine **out,
	struct ward_error *err);
void cluster_combine_free(cluster_combine *combine);
/* Do what is due: take messages, say sums. Call it when messages wait, and ten times a second. WARD_E_SYSTEM. */
int cluster_combine_step(cluster_combine *combine, uint64_t now_ns, struct ward_error *err);
struct cluster_combine_counts cluster_combine_counts(const cluster_combine *combine);

#endif
