/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that exceptions pass through. Some return from a handler, some have parts that the compiler split off,
 * and some are left by an exception, which is no return. `throws ROUNDS` prints "ready", waits for a line, calls
 * them, and prints "NAME COUNT SUM" for each: how often it returned, and the sum of what it returned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { T_THROWS, T_CATCHES, T_CLEANS, T_RETHROWS, T_LOOPS, T_DEEP, T_CHECKS, N_FUNCTIONS };

static const char *const name[N_FUNCTIONS] = {"t_throws", "t_catches", "t_cleans", "t_rethrows", "t_loops", "t_deep",
	"t_checks"};
static unsigned long n[N_FUNCTIONS], sum[N_FUNCTIONS], cleaned;

static long returned(int which, long r)
{
	n[which]++;
	sum[which] += (unsigned long)r;
	return r;
}

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone, noipa))
#endif

struct guard {
	~guard() { cleaned++; }
};

extern "C" {
KEPT long t_throws(long i)
{
	if (i % 3 == 0)
		throw i;
	if (i % 3 == 1 && i % 7 == 0)
		throw "seven";
	return i + 1;
}

KEPT long t_catches(long i)
{
	try {
		return returned(T_THROWS, t_throws(i)) * 2;
	} catch (long x) {
		return x + 5;
	} catch (const char *s) {
		return (long)strlen(s);
	}
}

KEPT long t_cleans(long i)
{
	guard g;

	return returned(T_THROWS, t_throws(i)) + 3;
}

KEPT long t_rethrows(long i)
{
	guard g;

	try {
		return returned(T_CLEANS, t_cleans(i)) ^ 1;
	} catch (long) {
		if (i % 2)
			throw;
	} catch (...) {
		return -i;
	}
	return returned(T_CATCHES, t_catches(i)) - 4;
}

KEPT long t_loops(long i)
{
	long r = 0;

	for (long k = 0; k < 5; k++) {
		try {
			r += returned(T_RETHROWS, t_rethrows(i + k));
		} catch (long x) {
			if (k == 4 && i % 5 == 0)
				return x * 7;
			r -= x;
		}
	}
	return r;
}

/* An exception that goes through many frames of one function. */
KEPT long t_deep(long depth, long i)
{
	guard g;
	long r = depth ? returned(T_DEEP, t_deep(depth - 1, i)) : returned(T_THROWS, t_throws(i));

	return r + 1;
}

/* It has no frame, and is left for a part of it that only calls this. */
[[noreturn]] KEPT __attribute__((cold)) void fails(long i)
{
	throw i;
}

KEPT long t_checks(long i)
{
	if (i % 3 == 0)
		fails(i);
	return i + 1;
}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0, caught = 0;
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 2;
	for (long i = 0; i < rounds; i++) {
		returned(T_CATCHES, t_catches(i));
		returned(T_LOOPS, t_loops(i));
		try {
			returned(T_DEEP, t_deep(i % 30, i));
			returned(T_CHECKS, t_checks(i / 2));
		} catch (...) {
			caught++;
		}
	}
	for (int k = 0; k < N_FUNCTIONS; k++)
		printf("%s %lu %lu\n", name[k], n[k], sum[k]);
	return caught == 0 || cleaned == 0;
}
