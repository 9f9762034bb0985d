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

static uint64_t words_zigzag(uint64_t number)
{
	return number << 1 ^ (uint64_t)((int64_t)number >> 63);
}

static uint64_t words_unzigzag(uint64_t number)
{
	return number >> 1 ^ -(number & 1);
}

uint64_t words_to_wire(enum wl_wire how, uint64_t word)
{
	switch (how) {
	case WIRE_SIGNED: return words_zigzag(word);
	case WIRE_ORDERED: return words_zigzag(words_ordered(word, true));
	case WIRE_NEGATIVE: return -word;
	case WIRE_NEGATIVE_ORDERED: return words_zigzag(words_ordered(-word, true));
	default: return word;
	}
}

uint64_t words_from_wire(enum wl_wire how, uint64_t number)
{
	switch (how) {
	case WIRE_SIGNED: return words_unzigzag(number);
	case WIRE_ORDERED: return words_ordered(words_unzigzag(number), true);
	case WIRE_NEGATIVE: return -number;
	case WIRE_NEGATIVE_ORDERED: return -words_ordered(words_unzigzag(number), true);
	default: return number;
	}
}

char *words_text(const struct wl_words *words, struct heap *heap)
{
	char *text = heap_take(heap, words->n * 8 + 1, 1);
	for (size_t i = 0; text && i < words->n * 8; i++)
		text[i] = (char)(words->cells[i / 8] >> (56 - i % 8 * 8));
	return text;
}
