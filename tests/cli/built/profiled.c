/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that compilers prepare for profilers and tracers: each function begins with a call or with nops. It calls
 * its functions so often, or (`loop`) until its input ends, and sees that they do what they should.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

long work(long a, long b);
long many(long a, long b, long c, long d, long e, long f, long g);
long deep(long n);
extern long (*volatile through)(long, long);

APART long work(long a, long b)
{
	__asm__ volatile("" : "+r"(a));
	return a * 3 + b;
}

APART long many(long a, long b, long c, long d, long e, long f, long g)
{
	__asm__ volatile("" : "+r"(a));
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}

long (*volatile through)(long, long) = work;

APART long deep(long n)
{
	long r = through(n, 7);

	return n ? r + deep(n - 1) : r;
}

#ifdef OWN_FENTRY
/* glibc's writes a file at the end. */
__attribute__((naked, no_instrument_function)) void __fentry__(void);
__attribute__((naked, no_instrument_function)) void __fentry__(void)
{
	__asm__("ret");
}
#endif

static int go_round(void)
{
	return work(5, 6) == 21 && many(1, 2, 3, 4, 5, 6, 7) == 140 && deep(3) == 3 * 6 + 4 * 7;
}

int main(int argc, char **argv)
{
	struct pollfd end = {.events = POLLIN};
	long n = argc > 1 ? atol(argv[1]) : 0;
	int well = 1;

	/* A profiler's signals interrupt it. */
	if (argc > 1 && strcmp(argv[1], "loop") == 0)
		while (well && poll(&end, 1, 1) <= 0)
			well = go_round();
	for (long i = 0; i < n && well; i++)
		well = go_round();
	puts(well ? "all right" : "wrong");
	return !well;
}
