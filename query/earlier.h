/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader knows of events before one that it has joined. earlier.c describes how. */
#ifndef WARD_QUERY_EARLIER_H
#define WARD_QUERY_EARLIER_H

#include "interpret.h"

struct earlier;

/* NULL: no memory. */
struct earlier *earlier_open(const struct query *q);
void earlier_free(struct earlier *e);
/* Does the event pass this gate (EXPR_GATE)? It is counted. */
bool earlier_pass(struct interpreter *in, const struct expr *gate);
/* Take a number in (EXPR_STEP). */
void earlier_take(struct interpreter *in, uint64_t which);
/* The number that was taken in, and what was known before that. */
uint64_t earlier_now(const struct earlier *e, uint64_t which);
uint64_t earlier_before(const struct earlier *e, uint64_t which);
struct query_gate earlier_gate(const struct earlier *e, size_t which);

#endif
