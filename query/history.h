/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of events that came before. history.c describes how. */
#ifndef WARD_QUERY_HISTORY_H
#define WARD_QUERY_HISTORY_H

#include "names.h"

bool is_history(const struct node *call);
struct expr *resolve_history(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit);

#endif
