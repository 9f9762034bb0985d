/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of words, one behind the other, in memory that grows within a budget. */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

/* Let an array of `size` bytes an element have room for n elements. NULL: no memory, or none of the budget. */
static void *rows_grow(struct rows *rows, void *array, size_t *room, size_t n, size_t size)
{
	size_t more = n > *room * 2 ? n : *room * 2 < 8 ? 8 : *room * 2, bytes, spare;
	struct budget *budget = rows->budget;
	if (n <= *room)
		return array;
	if (__builtin_mul_overflow(more, size, &bytes))
		return NULL;
	if (bytes - *room * size > budget->most - budget->used) { /* then a quarter of what is left: few copies */
		spare = (budget->most - budget->used) / size / 4;
		more = n > *room + spare ? n : *room + spare;
		if (__builtin_mul_overflow(more, size, &bytes))
			return NULL;
	}
	if (bytes - *room * size > budget->most - budget->used) {
		budget->is_exceeded = true;
		return NULL;
	}
	void *grown = realloc(array, bytes);
	if (grown) {
		budget->used += bytes - *room * size;
		*room = more;
	}
	return grown;
}

void rows_begin(struct rows *rows)
{
	size_t *at = rows->has_failed ? NULL : rows_grow(rows, rows->at, &rows->room, rows->n + 1, sizeof(*at));
	if (!at) {
		rows->has_failed = true;
		return;
	}
	rows->at = at;
	rows->at[rows->n++] = rows->n_words;
}

uint64_t *rows_put(struct rows *rows, size_t n)
{
	uint64_t *words = rows->has_failed
				  ? NULL
				  : rows_grow(rows, rows->words, &rows->room_words, rows->n_words + n, sizeof(*words));
	if (!words) {
		rows->has_failed = rows->has_failed || n != 0;
		return NULL;
	}
	rows->words = words;
	words += rows->n_words;
	memset(words, 0, n * sizeof(*words));
	rows->n_words += n;
	return words;
}

void rows_copy(struct rows *rows, const uint64_t *words, size_t n)
{
	uint64_t *at = rows_put(rows, n);
	if (at && n)
		memcpy(at, words, n * sizeof(*at));
}

/* Exactly as many: what is reserved is mostly all that comes. */
static void array_reserve(struct rows *rows, void **array, size_t *room, size_t n)
{
	size_t more;
	if (n <= *room || __builtin_mul_overflow(n - *room, sizeof(uint64_t), &more) ||
		more > rows->budget->most - rows->budget->used)
		return;
	void *grown = realloc(*array, n * sizeof(uint64_t));
	if (grown) {
		*array = grown;
		*room = n;
		rows->budget->used += more;
	}
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "both arrays have elements of one size");

void rows_reserve(struct rows *rows, size_t n, size_t n_words)
{
	void *at = rows->at, *words = rows->words;
	if (rows->has_failed || n > SIZE_MAX / 16 - rows->n || n_words > SIZE_MAX / 16 - rows->n_words)
		return;
	array_reserve(rows, &at, &rows->room, rows->n + n);
	array_reserve(rows, &words, &rows->room_words, rows->n_words + n_words);
	rows->at = at;
	rows->words = words;
}

bool rows_copy_all(struct rows *rows, const struct rows *from)
{
	rows_reserve(rows, from->n, from->n_words);
	for (size_t i = 0; i < from->n; i++) {
		rows_begin(rows);
		rows_copy(rows, rows_at(from, i), rows_length(from, i));
	}
	return !rows->has_failed;
}

size_t rows_memory(const struct rows *rows)
{
	return rows->room_words * sizeof(*rows->words) + rows->room * sizeof(*rows->at);
}

void rows_free(struct rows *rows)
{
	rows->budget->used -= rows_memory(rows);
	free(rows->words);
	free(rows->at);
	*rows = (struct rows){.budget = rows->budget};
}
