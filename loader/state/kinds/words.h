/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of partials are made of. */
#ifndef WARD_LOADER_STATE_KINDS_WORDS_H
#define WARD_LOADER_STATE_KINDS_WORDS_H

#include "kind.h"

/* A number as a word that is greater where the number is, and back again. */
static inline uint64_t words_ordered(uint64_t number, bool is_signed)
{
	return is_signed ? number ^ 1ull << 63 : number;
}

/* Add numbers of 128 bits, the lower half first. */
static inline void words_add_wide(uint64_t *into, const uint64_t *from)
{
	into[1] += from[1] + (uint64_t)__builtin_add_overflow(into[0], from[0], &into[0]);
}

/* The text in the cells, eight characters in each, the first one in the highest byte. NULL without memory. */
char *words_text(const struct wl_words *words, struct heap *heap);

#endif
