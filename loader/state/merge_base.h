/* SPDX-License-Identifier: Apache-2.0 */
/* What all merging is made of: memory, and reading integers that others write. Internal to loader/state. */
#ifndef WARD_LOADER_STATE_MERGE_BASE_H
#define WARD_LOADER_STATE_MERGE_BASE_H

#include "schema.h"

/* Memory that is freed all at once, as that of a snapshot. */
struct heap {
	struct block *blocks;
};

/* Zeroed memory, or NULL. */
void *heap_take(struct heap *heap, size_t n, size_t size);
void heap_free(struct heap *heap);

/* Read an integer from memory that others write, sign-extended if it is signed. */
uint64_t merge_read_any(const unsigned char *base, const struct state_int *i);
static inline uint64_t merge_read(const unsigned char *base, const struct state_int *i)
{
	const unsigned char *p = base + i->offset;
	bool is_whole = !i->bits && !i->shift && ((uintptr_t)p & (i->size - 1u)) == 0;
	if (is_whole && i->size == 8)
		return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
	if (is_whole && i->size == 4 && !i->is_signed)
		return __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
	return merge_read_any(base, i);
}

/* The states of n threads, or n slots. */
struct states {
	const void *const *at;
	size_t n;
	ward_names *names; /* of threads whose addresses differ in meaning; NULL: a number is a number */
	bool is_read_only; /* the kernel's: cursors can't be moved */
	/* What threads share: the data of each process, of so many bytes; the kernel's is one. */
	const void *const *shared;
	size_t n_shared, shared_size;
};

/* Write an aligned word, as the reader's cursor of a queue. Nothing, if the states are read-only. */
void merge_write_word(const struct states *states, size_t thread, const struct state_int *word, uint64_t value);

/* The sum of an integer over all states, modulo 2^64. */
uint64_t merge_sum(const struct states *states, const struct state_int *i);

/* A copy of a text of at most `most` bytes, which may have no end. NULL without memory. */
char *merge_copy_text(struct heap *heap, const char *text, size_t most);

/* Is a less than b? */
static inline bool merge_less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

#endif
