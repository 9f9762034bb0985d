/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the table of stacks, which the target can overwrite at any moment: each word is read once, and checked. */
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

bool wl_stack_read(const struct wl_stacks *stacks, uint64_t handle, struct wl_stack *out)
{
	uint64_t at = handle & (WL_STACKS_WORDS - 1), head;

	if (!stacks || !wl_is_stack(handle) || at == 0)
		return false;
	head = word_at(stacks, at);
	out->n = (uint32_t)head;
	out->how = (unsigned)(head >> 32);
	if (out->n == 0 || out->n > WL_STACK_MOST || out->n >= WL_STACKS_WORDS - at || out->how > 7)
		return false;
	for (size_t i = 0; i < out->n; i++)
		out->address[i] = word_at(stacks, at + 1 + i);
	return true;
}
