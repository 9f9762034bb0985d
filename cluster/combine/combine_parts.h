/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a combiner share: combine.c its life, combine_query.c a query of it. */
#ifndef WARD_CLUSTER_COMBINE_PARTS_H
#define WARD_CLUSTER_COMBINE_PARTS_H

#include "cluster/merge/subtotal.h"
#include "cluster/wire/subject.h"
#include "combine.h"

enum { COMBINE_UNITS = 4, COMBINE_QUERIES = 64, COMBINE_KEYS = 16 };

struct combine_shard {
	uint32_t number;
	uint64_t term;
	cluster_subtotal *subtotal[COMBINE_UNITS];
};

struct combine_query {
	uint8_t id[CLUSTER_ID];
	ward_schema *schema[COMBINE_UNITS];
	size_t n_units;
	uint64_t began_ns, period_ns, keep_ns;
	uint64_t work_ns;                /* when the last Work came */
	uint64_t told_ns;                /* when sums were said */
	uint32_t shards;                 /* of the query */
	double counts_per_us;            /* the coordinator's; 0: numbers are no counts */
	uint64_t counters[COMBINE_KEYS]; /* by the key's place */
	struct combine_shard *at;        /* its own */
	size_t n;
};

struct cluster_combine {
	bus *bus;
	struct cluster_combine_options options;
	char name[CLUSTER_NAME]; /* on the bus */
	uint64_t nonce, ready_ns, connects;
	struct combine_query query[COMBINE_QUERIES];
	size_t n;
	uint64_t taken, refused;
};

/* Read the order, which is one of these keys'. False: it is none. */
bool combine_query_begin(
	struct cluster_combine *c, struct combine_query *q, const Ward__Cluster__Work *work, uint64_t now_ns);
/* What the Work says: which shards, how often, answers. */
void combine_query_work(
	struct cluster_combine *c, struct combine_query *q, const Ward__Cluster__Work *work, uint64_t now_ns);
/* Partials of a machine's. */
void combine_query_part(struct cluster_combine *c, struct combine_query *q, const struct cluster_subject *s,
	const Ward__Cluster__Parts *parts, uint64_t now_ns);
/* Say all sums. WARD_E_SYSTEM without memory. */
int combine_query_tell(struct cluster_combine *c, struct combine_query *q, uint64_t now_ns, struct ward_error *err);
void combine_query_end(struct cluster_combine *c, struct combine_query *q);
/* The place of a key among those of coordinators; SIZE_MAX: it is none. */
size_t combine_key(const struct cluster_combine *c, ProtobufCBinaryData key);

#endif
