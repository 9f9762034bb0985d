/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose calls are known: events SEED N calls event() and typed() N times with numbers of events.h. `iolib` is
 * the program that both of Fay's queries are asked of: `events iolib N` reads N times, and allocates at every other
 * read. `events pairs N` begins N requests, and ends nine of ten, in turned order, in the same thread; a call nests 100
 * deep. `events threads N` begins N requests that another thread ends.
 */
#include <pthread.h>
#include <stdatomic.h>
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

/* The same numbers, as parameters of all widths and signs. */
CALLED uint64_t typed(signed char a, unsigned short b, int c, unsigned d, long e, unsigned long f)
{
	static volatile uint64_t sum;

	sum += (uint64_t)a ^ b ^ (uint64_t)c ^ d ^ (uint64_t)e ^ f;
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

CALLED long begin_request(long id, const char *what)
{
	static volatile long sum;

	sum += id + (what != NULL);
	return sum;
}

CALLED long end_request(long id, long bytes)
{
	static volatile long sum;

	sum += id + bytes;
	return sum;
}

/* At the entry *level is the depth; before it returns that is over. */
CALLED long nested(long depth, volatile long *level)
{
	long below = 0;

	if (depth > 0) {
		*level = depth - 1;
		below = nested(depth - 1, level);
	}
	*level = -1;
	return below + depth;
}

static void make_pairs(long n)
{
	static const char *const kinds[] = {"read", "write"};
	volatile long level = 100;

	for (long i = 0; i < n; i += 4) {
		for (long k = 0; k < 4; k++)
			begin_request(i + k, kinds[k % 2]);
		for (long k = 3; k >= 0; k--)
			if ((i + k) % 10 != 9)
				end_request(i + k, 100 * k);
	}
	end_request(-1, 0);
	nested(100, &level);
}

static atomic_long begun, ended;

static void *end_all(void *n)
{
	for (long i = 0; i < (long)(intptr_t)n; i++) {
		while (atomic_load(&begun) <= i)
			;
		end_request(i, i % 100);
		atomic_store(&ended, i + 1);
	}
	return NULL;
}

static void make_threads(long n)
{
	pthread_t other;

	if (pthread_create(&other, NULL, end_all, (void *)(intptr_t)n) != 0)
		exit(1);
	for (long i = 0; i < n; i++) {
		begin_request(i, i % 3 ? "read" : "write");
		atomic_store(&begun, i + 1);
		while (atomic_load(&ended) <= i)
			;
	}
	pthread_join(other, NULL);
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
	if (argc > 1 && !strcmp(argv[1], "pairs")) {
		make_pairs(n);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "threads")) {
		make_threads(n);
		return 0;
	}
	for (long i = 0; i < n; i++) {
		struct numbers e = next_event(&state);

		event(e.arg[0], e.arg[1], e.arg[2], e.arg[3], e.arg[4], e.arg[5]);
		typed((signed char)e.arg[0], (unsigned short)e.arg[1], (int)e.arg[2], (unsigned)e.arg[3],
			(long)e.arg[4], e.arg[5]);
	}
	return 0;
}
