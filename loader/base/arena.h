/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a protobuf while it is read: one piece of a fixed size, freed at once. A hostile message can make the
 * reader want many times its size, so a message that needs more than the piece has is refused.
 */
#ifndef WARD_LOADER_BASE_ARENA_H
#define WARD_LOADER_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct arena {
	unsigned char *at;
	size_t n, room;
};

enum { ARENA_ALIGN = 16 };

static inline bool arena_make(struct arena *a, size_t room)
{
	*a = (struct arena){.at = malloc(room), .room = room};
	return a->at != NULL;
}

/* The two functions of a ProtobufCAllocator. */
static inline void *arena_take(void *arena, size_t size)
{
	struct arena *a = arena;
	if (size > a->room - a->n)
		return NULL;
	void *taken = a->at + a->n;
	size_t rounded = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	a->n += rounded < a->room - a->n ? rounded : a->room - a->n;
	return taken;
}

static inline void arena_give_back(void *arena, void *taken)
{
	(void)arena;
	(void)taken;
}

#endif
