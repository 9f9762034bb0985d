/* SPDX-License-Identifier: Apache-2.0 */
/* Calls `marked` N times from a function that is inlined into one that is inlined itself. */
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) void marked(long i)
{
	sum += i;
	__asm__ volatile("" : : : "memory");
}

static inline __attribute__((always_inline)) void next(long i)
{
	marked(i + 1);
	sum++;
}

static inline __attribute__((always_inline)) void parse(long n)
{
	for (long i = 0; i < n; i++)
		next(i);
}

__attribute__((noinline)) void work(long n)
{
	sum = 1;
	parse(n);
	sum = 2;
}

int main(int argc, char **argv)
{
	work(argc > 1 ? atol(argv[1]) : 0);
	return sum == 1;
}
