/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running code that reads hostile input, and wasn't written for it, in a process that can do no harm. sandbox.c
 * describes how.
 */
#ifndef WARD_VERIFIER_SANDBOX_H
#define WARD_VERIFIER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sandbox {
	/* runs in the child, on its copy of the memory, and writes what it finds to fd */
	bool (*work)(void *arg, int fd);
	void *arg;
	uint64_t microseconds; /* of processor time */
	size_t memory;         /* bytes that it may allocate */
	size_t most;           /* bytes that it may write */
};

/*
 * Run the work and return all that it wrote, malloc'd (or NULL if that is nothing); if it died, what it had written
 * so far. Returns how many bytes, or -1 with errno: if there is no child, no memory (ENOMEM), or if each copy of this
 * program waited for a lock that another thread held at the fork (EDEADLK).
 */
long sandbox_run(const struct sandbox *s, uint8_t **out);

/* For the child. */
bool sandbox_write(int fd, const void *data, size_t size);

#endif
