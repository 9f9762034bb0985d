/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of snapshots, and reading integers from memory that the target may change at any moment. */
#include <stdlib.h>
#include <string.h>

#include "merge_base.h"

struct block {
	struct block *next;
	max_align_t data[];
};

void *heap_take(struct heap *heap, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - sizeof(struct block))
		return NULL;
	struct block *block = calloc(1, sizeof(*block) + bytes);
	if (!block)
		return NULL;
	block->next = heap->blocks;
	heap->blocks = block;
	return block->data;
}

void heap_free(struct heap *heap)
{
	while (heap->blocks) {
		struct block *next = heap->blocks->next;
		free(heap->blocks);
		heap->blocks = next;
	}
}

uint64_t merge_read_any(const unsigned char *base, const struct state_int *i)
{
	const unsigned char *p = base + i->offset;
	uint64_t v = 0;
	if (((uintptr_t)p & (i->size - 1u)) == 0) { /* sizes are powers of two */
		switch (i->size) {
		case 1: v = __atomic_load_n(p, __ATOMIC_ACQUIRE); break;
		case 2: v = __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE); break;
		case 4: v = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE); break;
		case 8: v = __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE); break;
		}
	} else {
		for (unsigned b = 0; b < i->size; b++)
			v |= (uint64_t)__atomic_load_n(p + b, __ATOMIC_ACQUIRE) << (8 * b);
	}
	unsigned unused = 64 - (i->bits ? i->bits : 8u * i->size);
	v = v >> i->shift << unused;
	return i->is_signed ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

void merge_write_word(const struct states *states, size_t thread, const struct state_int *word, uint64_t value)
{
	if (!states->is_read_only)
		__atomic_store_n((uint64_t *)((uintptr_t)states->at[thread] + word->offset), value, __ATOMIC_RELEASE);
}

uint64_t merge_sum(const struct states *states, const struct state_int *i)
{
	uint64_t total = 0;
	for (size_t t = 0; t < states->n; t++)
		total += merge_read(states->at[t], i);
	return total;
}

char *merge_copy_text(struct heap *heap, const char *text, size_t most)
{
	size_t n = strnlen(text, most);
	char *copy = heap_take(heap, n + 1, 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}
