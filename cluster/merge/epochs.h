/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of epochs: each (machine, epoch, nonce) that comes gets the next one, and keeps it. */
#ifndef WARD_CLUSTER_MERGE_EPOCHS_H
#define WARD_CLUSTER_MERGE_EPOCHS_H

#include "names.h"

struct cluster_epoch_key {
	size_t machine; /* number of its name */
	uint64_t epoch, nonce;
};

struct cluster_epochs {
	struct cluster_names names;
	struct cluster_epoch_key *at; /* by number */
	size_t n, room;
	size_t *table; /* by hash: a number, and one; 0: free */
	size_t table_size;
};

/* The epoch's number; SIZE_MAX without memory, or if `machine` is no name. */
size_t cluster_epochs_add(struct cluster_epochs *epochs, const char *machine, uint64_t epoch, uint64_t nonce);
/* SIZE_MAX: it never came. */
size_t cluster_epochs_find(const struct cluster_epochs *epochs, const char *machine, uint64_t epoch, uint64_t nonce);
void cluster_epochs_free(struct cluster_epochs *epochs);

#endif
