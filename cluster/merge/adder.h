/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of many partials: adder.c describes how it is made. */
#ifndef WARD_CLUSTER_MERGE_ADDER_H
#define WARD_CLUSTER_MERGE_ADDER_H

#include "ward/partial.h"

enum { CLUSTER_ADDER_LEVELS = 48 };

/* Begin with all zeros but `memory`, of the sum, and `err`. */
struct cluster_adder {
	ward_partial *sum[CLUSTER_ADDER_LEVELS]; /* of 2^i partials; NULL: none waits */
	size_t memory;
	uint64_t cut; /* entries that the sum had no room for */
	struct ward_error *err;
};

/* Add a partial, which is the adder's from then on, also on failure. */
int cluster_adder_put(struct cluster_adder *adder, ward_partial *partial);
/* The sum; NULL of no partials. The adder can be used anew. */
int cluster_adder_end(struct cluster_adder *adder, ward_partial **out);
void cluster_adder_free(struct cluster_adder *adder);

#endif
