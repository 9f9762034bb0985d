/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of machines, as they said hello with them last: "role=web". */
#ifndef WARD_CLUSTER_COORDINATOR_LABELS_H
#define WARD_CLUSTER_COORDINATOR_LABELS_H

#include "cluster/merge/names.h"
#include "cluster/wire/message.h"

/* Zero at first. */
struct cluster_labels {
	struct cluster_names names;
	char **at; /* of each machine: labels with a zero byte behind each, and one more */
	size_t room;
};

/* False without memory; then those before stay. */
bool cluster_labels_put(struct cluster_labels *labels, const char *machine, const Ward__Cluster__Hello *hello);
/* The value of a machine's label; "-" if it has none. It lasts until the machine says hello again. */
const char *cluster_labels_get(const struct cluster_labels *labels, const char *machine, const char *key);
void cluster_labels_free(struct cluster_labels *labels);

#endif
