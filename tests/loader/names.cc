/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions with names that only C++ has. `names ROUNDS` prints "ready", waits for a line, and calls each of them
 * ROUNDS times, with arguments from 0 to ROUNDS - 1.
 */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone, noipa))
#endif

static volatile long sink;

namespace shop
{
struct price {
	long cents;
	explicit price(long c);
	long times(long n) const;
	long times(const char *n) const;
	long operator()(long n) &;
};

KEPT price::price(long c) : cents(c) {}
KEPT long price::times(long n) const { return cents * n; }
KEPT long price::times(const char *n) const { return cents * n[0]; }
KEPT long price::operator()(long n) & { return sink += n; }

KEPT long operator*(const price &p, const price &q) { return p.cents * q.cents; }
KEPT long operator+(const price &p, const price &q) { return p.cents + q.cents; }

template <class T> KEPT T largest(T a, T b) { return a < b ? b : a; }
template long largest<long>(long, long);
template unsigned largest<unsigned>(unsigned, unsigned);

/* One with parameters that have parentheses of their own. */
KEPT long apply(long n, long (*f)(long)) { return f(n); }
}

namespace
{
KEPT long hidden(long n) { return n + 1; }
}

extern "C" {
KEPT long plain(long n) { return n - 1; }
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 2;
	for (long i = 0; i < rounds; i++) {
		shop::price p(i), q(i + 1);

		sink = p.times(i) + p.times("a") + p(i) + p * q + (p + q) + hidden(i) + plain(i) + shop::apply(i, plain);
		sink = shop::largest<long>(i, 7) + shop::largest<unsigned>((unsigned)i, 7);
	}
	return 0;
}
