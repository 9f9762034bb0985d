/* SPDX-License-Identifier: Apache-2.0 */
/* A run's combiners: run_tree.c describes what is done with them. Without any, r->tree is NULL. */
#ifndef WARD_CLUSTER_COORDINATOR_RUN_TREE_H
#define WARD_CLUSTER_COORDINATOR_RUN_TREE_H

#include "run_parts.h"

/* After the order was read. */
int run_tree_open(struct cluster_run *r, struct ward_error *err);
void run_tree_free(struct run_tree *tree);

/* Messages, and an entry of the journal. WARD_E_SYSTEM without memory. */
int run_take_ready(struct cluster_run *r, const char *name, const Ward__Cluster__Ready *m, struct ward_error *err);
int run_take_sum(
	struct cluster_run *r, const struct cluster_subject *s, const Ward__Cluster__Sum *m, struct ward_error *err);
int run_tree_restore(struct cluster_run *r, const struct cluster_entry *entry, struct ward_error *err);

/* What is due. */
int run_tree_look(struct cluster_run *r, struct ward_error *err);
/* It is over: combiners may forget it. */
void run_tree_end(struct cluster_run *r);

size_t run_tree_bytes(const struct cluster_run *r);
int run_tree_total(struct cluster_run *r, size_t unit, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err);

#endif
