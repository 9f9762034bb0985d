/* SPDX-License-Identifier: Apache-2.0 */
/* A program with functions that are chosen at load time (IFUNC): `chosen CALLS`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline, used))
#else
#define KEPT __attribute__((noinline, noclone, used))
#endif

KEPT static uint64_t plain(uint64_t v)
{
	__asm__ volatile("");
	return v + 1;
}

KEPT static uint64_t other(uint64_t v)
{
	__asm__ volatile("");
	return v + 2;
}

typedef uint64_t fn(uint64_t);

/* Never the first: whoever takes the resolver, or the first candidate, for the function sees nothing. */
static fn *choose(void)
{
	return other;
}

static fn *choose_too(void)
{
	return other;
}

static fn *choose_unused(void)
{
	return plain;
}

#define SEEN(resolver) __attribute__((visibility("default"), ifunc(resolver)))
uint64_t work(uint64_t v) SEEN("choose");
uint64_t alias(uint64_t v) SEEN("choose_too");
uint64_t unused(uint64_t v) SEEN("choose_unused");

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, sum = 0;
	size_t (*volatile length)(const char *) = strlen;
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		return 2;
	for (uint64_t i = 0; i < n; i++)
		sum += work(i) + length("four");
	sum += alias(1);
	if (argc > 5)
		sum += plain(sum);
	return sum == n * (n - 1) / 2 + 2 * n + 4 * n + 3 ? 0 : 1;
}
