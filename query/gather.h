/* SPDX-License-Identifier: Apache-2.0 */
/* What a query keeps, kept by the reader: of events that it has joined. The results are those of a probe. */
#ifndef WARD_QUERY_GATHER_H
#define WARD_QUERY_GATHER_H

#include "interpret.h"

struct gather;

/* Of hashes of what the target says. */
uint64_t random_seed(void);

/* NULL: no memory. */
struct gather *gather_open(const struct query *q);
void gather_free(struct gather *g);
/* An event: its values are computed, and kept under its key. False: no memory. in->zero: it is left out. */
bool gather_add(struct gather *g, struct interpreter *in);
/*
 * Entries of what there is so far, in memory of their own, to be freed with free: n of all events, and behind them
 * those of windows. NULL: no memory.
 */
struct query_entry *gather_entries(
	const struct gather *g, const struct query_session *session, size_t *n, size_t *n_windowed);
/* Drop windows that are over, and were given. */
void gather_forget(struct gather *g);

#endif
