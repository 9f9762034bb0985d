/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that end directly before a page that can't be read: a read past them crashes, in every kind of build. */
#ifndef WARD_TESTS_GUARDED_H
#define WARD_TESTS_GUARDED_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

struct guarded {
	uint8_t *map, *end; /* end: first byte that can't be read */
	size_t size;
};

/* Room for up to `room` bytes. */
static inline struct guarded guarded_new(size_t room)
{
	size_t size = (room + 4095) / 4096 * 4096 + 4096;
	uint8_t *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || mprotect(map + size - 4096, 4096, PROT_NONE) != 0)
		return (struct guarded){0};
	return (struct guarded){map, map + size - 4096, size};
}

/* A copy of `n` bytes, up against the end. */
static inline uint8_t *guarded_put(struct guarded *g, const void *bytes, size_t n)
{
	if (n)
		memcpy(g->end - n, bytes, n);
	return g->end - n;
}

static inline void guarded_free(struct guarded *g)
{
	munmap(g->map, g->size);
}

#endif
