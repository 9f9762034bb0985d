/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WARD_ARENA_H
#define WARD_ARENA_H

#define WARD_ARENA_PAGE 4096
#define WARD_ARENA_UNIT 64
#define WARD_ARENA_SIZE 0x100000

#ifndef __ASSEMBLY__
#include <linux/types.h>

extern u8 ward_arena[];

/*
 * Allocate `bytes` bytes that begin at a multiple of `align`, a power of two of at least a unit. NULL if there is no
 * room.
 */
u8 *ward_arena_take(size_t bytes, size_t align);

/*
 * Write bytes to the arena, through a temporary mapping that isn't executable. No processor may run there before it
 * returns.
 */
int ward_arena_write(u8 *at, const void *bytes, size_t size);

/* Free a chunk, which is filled with int3. No processor may be there, or come back. NULL is allowed. */
void ward_arena_give(u8 *at, size_t bytes);
#endif

#endif
