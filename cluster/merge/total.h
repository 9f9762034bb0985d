/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of all children's partials: by machine, or without some machines. */
#ifndef WARD_CLUSTER_MERGE_TOTAL_H
#define WARD_CLUSTER_MERGE_TOTAL_H

#include "cover.h"
#include "sums.h"

enum { CLUSTER_TOTAL_MEMORY = 64 << 20 }; /* the default: bytes of the sum in memory */

struct cluster_total_options {
	const char *const *without; /* machines that are left out */
	size_t n_without;
	/* Just this machine; NULL: all of them. */
	const char *only;
	/*
	 * By machine: a schema that ward_schema_by has made of the children's, and what a machine is called in its
	 * key; NULL: its name. Then the sum is by that schema.
	 */
	const ward_schema *by;
	const char *(*call)(void *user, const char *machine);
	void *user;
	cluster_sums *sums; /* sums of these children, which make it faster; or NULL */
	size_t memory;      /* of the sum; 0: CLUSTER_TOTAL_MEMORY */
};

struct cluster_total {
	ward_partial *partial;
	struct cluster_cover cover;
	uint64_t cut; /* entries that the sum had no room for, beside those that children have cut */
};

/*
 * Add all children: of each epoch the latest, but of machines that contradict themselves. *out is all zeros on
 * failure. Free with cluster_total_free. WARD_E_SYSTEM without memory. options may be NULL.
 */
int cluster_total_take(const cluster_children *children, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err);
void cluster_total_free(struct cluster_total *total);

#endif
