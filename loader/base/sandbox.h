/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running code that reads hostile input, and wasn't written for it, in a process that can do no harm. sandbox.c
 * describes how.
 */
#ifndef WARD_LOADER_CONFINED_H
#define WARD_LOADER_CONFINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_confined {
	/* runs in the child, on its copy of the memory, and writes what it finds to fd */
	bool (*work)(void *arg, int fd);
	void *arg;
	unsigned seconds; /* of processor time */
	size_t memory;    /* bytes that it may allocate */
	size_t most;      /* bytes that it may write */
};

/*
 * Run the work and return all that it wrote, malloc'd (or NULL if that is nothing); if it died, what it had written
 * so far. Returns how many bytes, or -1 with errno: if there is no child, no memory (ENOMEM), or if each copy of this
 * program waited for a lock that another thread held at the fork (EDEADLK).
 */
long wl_confined_run(const struct wl_confined *c, uint8_t **out);

/* For the child. */
bool wl_confined_write(int fd, const void *data, size_t size);

#endif
