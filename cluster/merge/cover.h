/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a sum: which sequence of which epoch of which machine, since when, and how far behind. */
#ifndef WARD_CLUSTER_MERGE_COVER_H
#define WARD_CLUSTER_MERGE_COVER_H

#include "children.h"

/* A child that is in the sum. */
struct cluster_covered {
	char *machine;
	uint64_t epoch, nonce, sequence;
	uint64_t since_ns, heard_ns; /* the coordinator's clock: its first and its latest partial */
	uint64_t wall_ns;            /* the machine's clock when the latest was taken */
	uint64_t events, dropped, overhead_ppm;
	uint32_t flags;
	bool is_settled;
};

/* A copy, so it can be shown while more arrives. */
struct cluster_cover {
	struct cluster_covered *at;
	size_t n, room;
	size_t machines;          /* that have something in it */
	size_t left_out;          /* children whose machines contradict themselves, or that the caller left out */
	uint64_t events, dropped; /* of all */
	uint32_t flags;           /* of any */
};

/* Add a child. False without memory. */
bool cluster_cover_add(struct cluster_cover *cover, const struct cluster_child *child);
/* Count the machines, once all children are there: entries are then in the order of their machines' names. */
void cluster_cover_end(struct cluster_cover *cover);
void cluster_cover_free(struct cluster_cover *cover);

/* The entries of a machine: the first one, and how many; NULL: none. After cluster_cover_end. */
const struct cluster_covered *cluster_cover_find(const struct cluster_cover *cover, const char *machine, size_t *n);
/* How old the oldest value is that another one is still to follow; 0: all are last values. */
uint64_t cluster_cover_behind(const struct cluster_cover *cover, uint64_t now_ns);

#endif
