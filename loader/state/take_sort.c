/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting slots whose keys are words: byte by byte from the lowest one on (radix sort), first by thread, then by key.
 * Bytes that all slots have alike are left out, so small keys take few rounds. Equal slots stay in their order, which
 * mostly is that of the threads already.
 */
#include <stdlib.h>
#include <string.h>

#include "take.h"

enum { BYTES = sizeof(uint32_t) + sizeof(uint64_t), VALUES = 256 };

static unsigned byte_of(const struct slot *slot, unsigned b)
{
	return b < sizeof(uint32_t) ? slot->copy.thread >> 8 * b & 0xff
				    : (unsigned)(slot->word >> 8 * (b - sizeof(uint32_t))) & 0xff;
}

/* Sort by one byte from one array to another; `count` says how many slots have each value of it. */
static void sort_byte(const struct slot *from, struct slot *to, size_t n, unsigned b, const size_t count[VALUES])
{
	size_t next[VALUES], before = 0;
	for (unsigned v = 0; v < VALUES; v++) {
		next[v] = before;
		before += count[v];
	}
	for (size_t i = 0; i < n; i++)
		to[next[byte_of(&from[i], b)]++] = from[i];
}

bool take_sort_words(struct slot *slots, size_t n)
{
	size_t(*count)[VALUES] = calloc(BYTES, sizeof(*count));
	struct slot *other = reallocarray(NULL, n + 1, sizeof(*other)), *from = slots, *to = other;
	bool ok = count && other, by_thread = true;
	for (size_t i = 0; ok && i < n; i++) {
		by_thread &= i == 0 || slots[i - 1].copy.thread <= slots[i].copy.thread;
		for (unsigned b = 0; b < BYTES; b++)
			count[b][byte_of(&slots[i], b)]++;
	}
	for (unsigned b = by_thread ? sizeof(uint32_t) : 0; ok && n && b < BYTES; b++) {
		if (count[b][byte_of(&slots[0], b)] == n)
			continue;
		sort_byte(from, to, n, b, count[b]);
		struct slot *was = from;
		from = to;
		to = was;
	}
	if (ok && from != slots)
		memcpy(slots, from, n * sizeof(*slots));
	free(count);
	free(other);
	return ok;
}
