/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of stacks. Of one that the target shares, the target can overwrite anything at any moment: when it is read,
 * each word is read once, and checked.
 */
#include "stack_table.h"

#include <sys/mman.h>

const struct wl_stacks *wl_stacks_map(int fd, uint64_t offset)
{
	void *p = mmap(NULL, WL_STACKS_SIZE, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

void wl_stacks_unmap(const struct wl_stacks *stacks)
{
	if (stacks)
		munmap((void *)(uintptr_t)stacks, WL_STACKS_SIZE);
}

static uint64_t word_at(const struct wl_stacks *stacks, uint64_t at)
{
	const uint64_t *arena = (const uint64_t *)(stacks + 1) + WL_STACKS_N_BUCKETS;

	return __atomic_load_n(arena + at, __ATOMIC_RELAXED);
}

size_t wl_stacks_words(const struct wl_stacks *stacks, size_t from, uint64_t *words, size_t most)
{
	uint64_t used = stacks ? __atomic_load_n(&stacks->used, __ATOMIC_RELAXED) + 1 : 0;
	size_t end = used < WL_STACKS_WORDS ? (size_t)used : WL_STACKS_WORDS, n = 0;

	for (; from + n < end && n < most; n++)
		words[n] = word_at(stacks, from + n);
	return n;
}

/* Returns how many words it takes; 0: there is none. */
static size_t stack_at(const struct wl_stacks *stacks, uint64_t at, struct wl_stack *out)
{
	const uint64_t *arena = (const uint64_t *)(stacks + 1) + WL_STACKS_N_BUCKETS;
	uint64_t head = __atomic_load_n(arena + at, __ATOMIC_ACQUIRE);
	size_t before = 1;

	out->n = (uint32_t)head;
	out->how = (unsigned)(head >> 32);
	if (out->how & WL_STACK_OWNED)
		before += 2;
	if (out->n == 0 || out->n > WL_STACK_MOST || out->n + before > WL_STACKS_WORDS - at || out->how > 15)
		return 0;
	for (size_t i = 0; i < 2; i++)
		out->owner[i] = before > 1 ? word_at(stacks, at + 1 + i) : 0;
	for (size_t i = 0; i < out->n; i++)
		out->address[i] = word_at(stacks, at + before + i);
	return before + out->n;
}

bool wl_stack_read(const struct wl_stacks *stacks, uint64_t handle, struct wl_stack *out)
{
	uint64_t at = handle & (WL_STACKS_WORDS - 1);

	return stacks && wl_is_stack(handle) && at && stack_at(stacks, at, out);
}

bool wl_stack_next(const struct wl_stacks *stacks, uint64_t *at, struct wl_stack *out)
{
	uint64_t used = stacks ? __atomic_load_n(&stacks->used, __ATOMIC_RELAXED) : 0;
	size_t n = *at <= used && *at < WL_STACKS_WORDS ? stack_at(stacks, *at, out) : 0;

	*at += n;
	return n;
}

static uint64_t stack_word(const struct wl_stack *stack, size_t i)
{
	return i ? stack->address[i - 1] : (uint64_t)stack->how << 32 | stack->n;
}

static bool has_stack(const struct wl_stacks *stacks, uint64_t at, const struct wl_stack *stack)
{
	for (size_t i = 0; i <= stack->n; i++)
		if (at + i >= WL_STACKS_WORDS || word_at(stacks, at + i) != stack_word(stack, i))
			return false;
	return true;
}

uint64_t wl_stacks_put(struct wl_stacks *stacks, const struct wl_stack *stack)
{
	uint64_t *buckets = (uint64_t *)(stacks + 1), *arena = buckets + WL_STACKS_N_BUCKETS;
	uint64_t hash = 14695981039346656037u, at = stacks->used + 1; /* the first word stays unused: 0 is no handle */

	for (size_t i = 0; i <= stack->n; i++) {
		hash = (hash ^ stack_word(stack, i)) * 1099511628211u;
		hash ^= hash >> 29;
	}
	for (unsigned i = 0; i < WL_STACKS_TRIES; i++) {
		uint64_t *bucket = &buckets[(hash + i) % WL_STACKS_N_BUCKETS];

		if (*bucket && (*bucket >> 32 != hash >> 32 || !has_stack(stacks, (uint32_t)*bucket, stack)))
			continue;
		if (*bucket)
			return (uint32_t)*bucket | stacks->mark;
		if (at + stack->n >= WL_STACKS_WORDS)
			break;
		for (size_t k = 0; k <= stack->n; k++)
			__atomic_store_n(&arena[at + k], stack_word(stack, k), __ATOMIC_RELAXED);
		__atomic_store_n(&stacks->used, at + stack->n, __ATOMIC_RELAXED);
		*bucket = hash >> 32 << 32 | at;
		return at | stacks->mark;
	}
	__atomic_store_n(&stacks->lost, stacks->lost + 1, __ATOMIC_RELAXED);
	return 0;
}
