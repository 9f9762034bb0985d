/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the compiler copies into others. `inlined ROUNDS` prints "ready", waits for a line, and makes ROUNDS
 * rounds of calls. Compilers don't treat main as hot, so what it calls is a function of its own.
 */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))
#define COPIED inline __attribute__((always_inline))

static volatile long sink;

namespace shop
{
struct box {
	long size;
	/* Copied wherever it is called: 3 times. */
	COPIED long twice(long n) const
	{
		sink = n;
		return size + n;
	}
};

/* Copied twice, and called once. */
static COPIED long half(long n)
{
	sink += n;
	return n / 2;
}
long (*volatile by_address)(long) = half;
}

/* One that is copied into one that is copied itself: 2 and 2 times. */
static COPIED long inner(long n)
{
	sink -= n;
	return n ^ 1;
}
static COPIED long outer(long n)
{
	sink -= 1;
	return inner(n) + 1;
}

extern "C" {
KEPT long first(long n)
{
	shop::box b = {n};

	return b.twice(n) + shop::half(n) + outer(n);
}

KEPT long second(long n)
{
	shop::box b = {n + 1};

	return b.twice(n) + b.twice(n + 1) + shop::half(n) + outer(n);
}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 2;
	for (long i = 0; i < rounds; i++)
		sink = first(i) + second(i) + shop::by_address(i);
	return 0;
}
