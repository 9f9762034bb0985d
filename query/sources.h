/* SPDX-License-Identifier: Apache-2.0 */
/* Where events come from: Function(…), Return(…), and their like. */
#ifndef WARD_QUERY_SOURCES_H
#define WARD_QUERY_SOURCES_H

#include "names.h"

/* cluster, machine: a source may stand behind it. */
bool is_source_root(const struct node *n);

/* Add the sites of a source to the plan. */
void add_sources(struct resolver *r, struct node *n);

#endif
