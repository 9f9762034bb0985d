/* SPDX-License-Identifier: Apache-2.0 */
/* Merging fields over the threads' states. Internal to loader/state; the essay is in snapshot.c. */
#ifndef WARD_LOADER_STATE_MERGE_H
#define WARD_LOADER_STATE_MERGE_H

#include "merge_base.h"
#include "schema.h"

/* describe.c: what a field is, by its schema: everything of *out but the results. The name is copied to the heap. */
bool merge_describe(const struct state_field *f, struct ward_field *out, struct heap *heap);

/* merge_part.c: describe and read a member of a record. False without memory, as all that follow. */
bool merge_part(const struct state_field *f, const unsigned char *record, struct ward_field *out, struct heap *heap);

/* merge_time.c: make results that are counts nanoseconds, of a field that is timed. */
bool merge_in_time(const struct state_field *f, struct ward_field *out, struct heap *heap);

/*
 * merge_ring.c: records that thread t has pushed since its seen[t]-th, which is moved on. out->lost: those that are
 * overwritten.
 */
bool merge_ring_since(const struct state_field *f, const struct states *states, uint64_t *seen, struct ward_field *out,
	struct heap *heap);

#endif
