/* SPDX-License-Identifier: Apache-2.0 */
/* Words of partials: adding them, and texts that are made of them. */
#include "words.h"

void words_sum(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	size_t n = wl_kind_at(f->kind)->fixed + cells;
	for (size_t i = 0; i < n; i++)
		into[i] += from[i];
}

void words_max(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	size_t n = wl_kind_at(f->kind)->fixed + cells;
	for (size_t i = 0; i < n; i++)
		into[i] = from[i] > into[i] ? from[i] : into[i];
}

char *words_text(const struct wl_words *words, struct heap *heap)
{
	char *text = heap_take(heap, words->n * 8 + 1, 1);
	for (size_t i = 0; text && i < words->n * 8; i++)
		text[i] = (char)(words->cells[i / 8] >> (56 - i % 8 * 8));
	return text;
}
