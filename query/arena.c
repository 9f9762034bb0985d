/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 << 10 };

struct query_chunk {
	struct query_chunk *next;
	_Alignas(16) char bytes[CHUNK];
};

static bool arena_grow(struct query_arena *a)
{
	struct query_chunk *c = a->used + CHUNK <= QUERY_ARENA_MOST ? malloc(sizeof(*c)) : NULL;

	if (!c)
		return false;
	c->next = a->chunks;
	a->chunks = c;
	a->at = c->bytes;
	a->end = c->bytes + CHUNK;
	a->used += CHUNK;
	return true;
}

void *query_alloc(struct query_arena *a, size_t size)
{
	size_t whole = (size + 15) & ~(size_t)15;
	void *p;

	if (size > QUERY_ARENA_OBJECT || a->full || ((size_t)(a->end - a->at) < whole && !arena_grow(a))) {
		a->full = true;
		memset(a->spare, 0, sizeof(a->spare));
		return a->spare;
	}
	p = a->at;
	a->at += whole;
	return memset(p, 0, size);
}

char *query_copy(struct query_arena *a, const char *bytes, size_t n)
{
	char *copy = query_alloc(a, n + 1);

	if (a->full)
		n = n < QUERY_ARENA_OBJECT ? n : QUERY_ARENA_OBJECT - 1;
	return memcpy(copy, bytes, n);
}

char *query_format(struct query_arena *a, const char *format, ...)
{
	char text[QUERY_ARENA_OBJECT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return query_copy(a, text, strlen(text));
}

void query_arena_free(struct query_arena *a)
{
	while (a->chunks) {
		struct query_chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	a->at = a->end = NULL;
}
