/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of one query: it is all freed at once. There is a limit, as a short text may stand for a large query (each of
 * its names for what uses another one twice). Beyond it, or without memory, an allocation still returns memory to write
 * to, and the arena is `full`: whoever made something of it must not use that, and looks before it returns.
 */
#ifndef WARD_QUERY_ARENA_H
#define WARD_QUERY_ARENA_H

#include <stdbool.h>
#include <stddef.h>

enum { QUERY_ARENA_MOST = 32 << 20, QUERY_ARENA_OBJECT = 4096 };

struct query_chunk;

/* Zero at first. */
struct query_arena {
	struct query_chunk *chunks;
	char *at, *end;
	size_t used;
	bool full;
	_Alignas(16) char spare[QUERY_ARENA_OBJECT];
};

/* Zeroed. An object has at most QUERY_ARENA_OBJECT bytes; a larger one makes the arena full. */
void *query_alloc(struct query_arena *a, size_t size);
/* A copy of n bytes, with a zero behind. */
char *query_copy(struct query_arena *a, const char *bytes, size_t n);
/* A text of at most QUERY_ARENA_OBJECT - 1 bytes. */
char *query_format(struct query_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void query_arena_free(struct query_arena *a);

#endif
