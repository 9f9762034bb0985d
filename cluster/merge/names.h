/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of names: each name that comes gets the next one, and keeps it. */
#ifndef WARD_CLUSTER_MERGE_NAMES_H
#define WARD_CLUSTER_MERGE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/base/array.h"

enum { CLUSTER_MOST_NAME = 255 };

struct cluster_names {
	char **at; /* by number */
	size_t n, room;
	size_t *table; /* by hash: a number, and one; 0: free */
	size_t table_size;
};

/* The name's number; SIZE_MAX without memory, or if it is empty or longer than CLUSTER_MOST_NAME. */
size_t cluster_names_add(struct cluster_names *names, const char *name);
/* SIZE_MAX: it never came. */
size_t cluster_names_find(const struct cluster_names *names, const char *name);
void cluster_names_free(struct cluster_names *names);

#endif
