/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose calls are known: events SEED N calls event() N times with numbers of events.h. `iolib` is the program
 * that both of Fay's queries are asked of: `events iolib N` reads N times, and allocates at every other read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

#define CALLED __attribute__((noinline, noclone, visibility("default")))

CALLED uint64_t event(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	static volatile uint64_t sum;

	sum += a ^ b ^ c ^ d ^ e ^ f;
	return sum;
}

CALLED uint64_t Read(int handle, char *buffer, size_t size)
{
	static volatile uint64_t sum;

	sum += (uint64_t)handle + (buffer != NULL) + size;
	return size;
}

CALLED void *ExAllocatePool(size_t size)
{
	static volatile uint64_t sum;

	sum += size;
	return (void *)&sum;
}

CALLED size_t open_path(const char *path)
{
	static volatile size_t sum;

	sum += strlen(path);
	return sum;
}

static void work(long n)
{
	static const char *const paths[] = {"/etc/passwd", "/etc/group", "/tmp/a, \"b\"", ""};
	char buffer[1];

	for (long i = 0; i < n; i++) {
		Read(3, buffer, (size_t)(i % 16 * 1024 + i % 7));
		if (i % 2)
			ExAllocatePool((size_t)i);
		open_path(paths[i % 4]);
	}
}

int main(int argc, char **argv)
{
	uint64_t state = argc > 1 ? first_state(strtoull(argv[1], NULL, 10)) : 1;
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 1 && !strcmp(argv[1], "iolib")) {
		work(n);
		return 0;
	}
	for (long i = 0; i < n; i++) {
		struct numbers e = next_event(&state);

		event(e.arg[0], e.arg[1], e.arg[2], e.arg[3], e.arg[4], e.arg[5]);
	}
	return 0;
}
