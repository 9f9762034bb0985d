/* SPDX-License-Identifier: Apache-2.0 */
/* Merging the threads' states, kind by kind. Internal to loader/state; the essay is in snapshot.c. */
#ifndef WARD_LOADER_STATE_MERGE_H
#define WARD_LOADER_STATE_MERGE_H

#include "schema.h"

/* What a snapshot consists of: memory that is freed all at once. */
struct heap {
	struct block *blocks;
};

/* Zeroed memory, or NULL. */
void *heap_take(struct heap *heap, size_t n, size_t size);
void heap_free(struct heap *heap);

/* Read an integer from memory that others write, sign-extended if it is signed. */
uint64_t merge_read(const unsigned char *base, const struct state_int *i);

/* The sum of an integer over all states, modulo 2^64. */
uint64_t merge_sum(const void *const *states, size_t n, const struct state_int *i);

/* What a field is, by its schema: everything of *out but the results. Parts get names in the heap. False without memory. */
bool merge_describe(const struct state_field *f, struct ward_field *out, struct heap *heap);

/*
 * Merge one field of n states, or of n slots, into *out, which has been described. The parts of f follow it. False without memory.
 */
bool merge_field(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);

bool merge_log2(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);
bool merge_linear(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);
bool merge_quantiles(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);
void merge_stat(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out);
void merge_extreme(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out);
void merge_mean(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out);
bool merge_distinct(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out);

bool merge_plain_map(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);
bool merge_map(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);
/* Records that thread t has pushed since its seen[t]-th, which is moved on. out->lost: those that are overwritten. */
bool merge_ring_since(const struct state_field *f, const void *const *states, size_t n, uint64_t *seen, struct ward_field *out, struct heap *heap);
bool merge_ring(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap);

#endif
