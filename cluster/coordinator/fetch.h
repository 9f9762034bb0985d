/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a query that runs, from a machine that has it. fetch.c describes how. */
#ifndef WARD_CLUSTER_COORDINATOR_FETCH_H
#define WARD_CLUSTER_COORDINATOR_FETCH_H

#include "roll.h"

/*
 * Ask the machines of a cluster that have a query, one after the other; free out->order with free. It takes seconds.
 * `now` is both clocks. WARD_E_USAGE: `id` is no ID. WARD_E_TARGET: no machine has it, or gives it to this key.
 */
int cluster_fetch(bus *b, const struct cluster_secret *secret, const char *cluster, const char *id,
	struct cluster_now (*now)(void), struct cluster_found *out, struct ward_error *err);
/* The same, and the machines that say they have it. Free them with cluster_roll_free in any case. */
int cluster_fetch_roll(bus *b, const struct cluster_secret *secret, const char *cluster, const char *id,
	struct cluster_now (*now)(void), struct cluster_found *out, struct cluster_roll *roll, struct ward_error *err);

#endif
