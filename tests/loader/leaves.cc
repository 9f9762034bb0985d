/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that exceptions leave, or don't. Some exceptions are caught in the first function that they reach, some
 * are thrown again, and some are replaced by another; some functions are only on the path. `leaves ROUNDS
 * [destructors|fiber|moving]` prints "ready", waits for a line, calls the functions, and prints "NAME COUNT SUM" for
 * each: how often an exception left it, and the sum of its first argument in these calls. With "destructors", a
 * destructor calls the functions, too, while an exception is in flight. With "fiber", a coroutine with a lower stack
 * meanwhile waits in calls of its own; with "moving", each time on another thread.
 */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

enum { L_SOME, L_EVERY, L_KEEPS, L_AGAIN, L_OTHER, L_PASSES, L_CLEANS, L_DEEP, L_YIELDS, N_FUNCTIONS };

static const char *const name[N_FUNCTIONS] = {"l_some", "l_every", "l_keeps", "l_again", "l_other", "l_passes", "l_cleans", "l_deep", "l_yields"};
static unsigned long left[N_FUNCTIONS], sum[N_FUNCTIONS], cleaned;
static bool busy_destructors;

/* A call begins; one that returns ends, too. */
static void begins(int which, long i)
{
	left[which]++;
	sum[which] += (unsigned long)i;
}
static long ends(int which, long i, long value)
{
	left[which]--;
	sum[which] -= (unsigned long)i;
	return value;
}

#define KEPT __attribute__((noinline, noclone, noipa))

KEPT static void throw_long(long i)
{
	throw i;
}

extern "C" {
KEPT long l_some(long i)
{
	begins(L_SOME, i);
	if (i % 3 == 0)
		throw i;
	return ends(L_SOME, i, i + 1);
}

KEPT long l_every(long i)
{
	begins(L_EVERY, i);
	throw i;
}

/* What it throws, or lets through, it catches. */
KEPT long l_keeps(long i)
{
	long r = 0;

	begins(L_KEEPS, i);
	try {
		r = l_some(i);
		if (i % 5 == 0)
			throw "mine";
	} catch (long x) {
		r = x;
	} catch (const char *) {
		r = 5;
	}
	return ends(L_KEEPS, i, r);
}

KEPT long l_again(long i)
{
	long r = 0;

	begins(L_AGAIN, i);
	try {
		r = l_every(i);
	} catch (long x) {
		if (i % 2)
			throw;
		r = x;
	}
	return ends(L_AGAIN, i, r);
}

/* Another one in its place, which stays, or not; a handler within a handler. */
KEPT long l_other(long i)
{
	long r = 0;

	begins(L_OTHER, i);
	try {
		try {
			r = l_some(i);
		} catch (long) {
			try {
				l_every(i + 1);
			} catch (long) {
				throw "other";
			}
		}
	} catch (const char *s) {
		if (i % 2)
			throw 2.5;
		r = s[0];
	}
	return ends(L_OTHER, i, r);
}

KEPT long l_passes(long i)
{
	long r;

	begins(L_PASSES, i);
	r = l_some(i) + l_some(i + 1);
	return ends(L_PASSES, i, r);
}

struct guard {
	long i;
	~guard()
	{
		cleaned++;
		try {
			if (busy_destructors)
				l_passes(i);
			throw_long(i);
		} catch (long) {
		}
	}
};

KEPT long l_cleans(long i)
{
	guard g = {i};
	long r;

	begins(L_CLEANS, i);
	r = l_passes(i) + 3;
	return ends(L_CLEANS, i, r);
}

KEPT long l_deep(long i, long depth)
{
	long r;

	begins(L_DEEP, i);
	r = (depth ? l_deep(i, depth - 1) : l_some(i)) + 1;
	return ends(L_DEEP, i, r);
}

static ucontext_t coroutine, resumed_by;
static bool with_fiber, moving, fiber_ends;

/* Others throw and catch while it waits; then it goes on, and throws itself, or not. */
KEPT long l_yields(long i, long depth)
{
	long r;

	begins(L_YIELDS, i);
	if (depth)
		r = l_yields(i, depth - 1);
	else
		r = swapcontext(&coroutine, &resumed_by);
	if (i % 3 == 1)
		throw i;
	return ends(L_YIELDS, i, r);
}
}

template <class F> static void tried(F f)
{
	try {
		f();
	} catch (...) {
	}
}

static void fiber()
{
	for (long i = 0; !fiber_ends; i++)
		tried([=] { l_yields(i, i % 4); });
}

static void switch_to_fiber()
{
	swapcontext(&resumed_by, &coroutine);
}

static void resume()
{
	if (moving)
		std::thread(switch_to_fiber).join();
	else if (with_fiber)
		switch_to_fiber();
}

int main(int argc, char **argv)
{
	static char stack[65536];
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	char c;

	busy_destructors = argc > 2 && !strcmp(argv[2], "destructors");
	with_fiber = argc > 2 && !strcmp(argv[2], "fiber");
	moving = argc > 2 && !strcmp(argv[2], "moving");
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &resumed_by;
	makecontext(&coroutine, fiber, 0);
	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 2;
	for (long i = 0; i < rounds; i++) {
		tried([=] { l_some(i); });
		tried([=] { l_every(i); });
		resume();
		l_keeps(i);
		tried([=] { l_again(i); });
		tried([=] { l_other(i); });
		tried([=] { l_passes(i); });
		tried([=] { l_cleans(i); });
		resume();
		tried([=] { l_deep(i, i % 40); });
	}
	fiber_ends = true;
	resume();
	for (int k = 0; k < N_FUNCTIONS; k++)
		printf("%s %lu %lu\n", name[k], left[k], sum[k]);
	return cleaned == 0;
}
