/* SPDX-License-Identifier: Apache-2.0 */
/* A program with tracepoints of ward/tracepoint.h, in C11 and in C++11: `tracepoint ROUNDS`. */
#include "ward/tracepoint.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus
enum class mood : signed char { bad = -3 };
static const mood bad = mood::bad;
#define BOOL bool
#else
enum mood { bad = -3 };
#define BOOL _Bool
#endif

struct order {
	char name[16];
	unsigned short n;
	signed char c;
	BOOL ok;
};

WARD_TRACEPOINT_SEMAPHORE(shop, costly);

static unsigned computed;

static unsigned total(unsigned n)
{
	return computed += n;
}

__attribute__((noinline)) static uint64_t serve(const struct order *o, int a, unsigned b, uint64_t *sum)
{
	WARD_TRACEPOINT(shop, none);
	WARD_TRACEPOINT(shop, order, a, b, o->name, o->n, o->c, o->ok);
	WARD_TRACEPOINT(shop, constant, 1, -2, 3u, 4ull, (const char *)0, bad);
	WARD_TRACEPOINT(shop, one, *sum);
	WARD_TRACEPOINT(shop, two, (short)a, (unsigned char)b);
	WARD_TRACEPOINT(shop, three, a + 1, &o->n, serve);
	WARD_TRACEPOINT(shop, four, a, a, a, (long)a);
	WARD_TRACEPOINT(shop, five, b, 0x123456789abcdefll, a * 3, sum, (long)a);
	WARD_TRACEPOINT_IF_USED(shop, costly, total(2), a);
	*sum += (uint64_t)(int64_t)a;
	return *sum;
}

/* The same function in copies of it: each has a place of its own. */
static inline __attribute__((always_inline)) int twice(int v)
{
	WARD_TRACEPOINT(shop, inlined, v);
	return v * 2;
}

int main(int argc, char **argv)
{
	struct order o = {"bread", 65000, -7, 1};
	int n = argc > 1 ? atoi(argv[1]) : 1;
	uint64_t sum = 0;
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		return 2;
	for (int i = 0; i < n; i++) {
		serve(&o, -i, 4000000000u + (unsigned)i, &sum);
		sum += (uint64_t)(twice(i) + twice(i + 1));
	}
	printf("%lu %u\n", (unsigned long)sum, computed);
	return 0;
}
