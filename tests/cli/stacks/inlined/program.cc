/* SPDX-License-Identifier: Apache-2.0 */
/* The same in C++: a method, and a function that no other file sees. */
#include <cstdlib>

static volatile long sum;

extern "C" __attribute__((noinline)) void marked(long i)
{
	sum += i;
	__asm__ volatile("" : : : "memory");
}

namespace shop
{
struct box {
	long size;
	__attribute__((always_inline)) void next(long i) const
	{
		marked(i + size);
		sum++;
	}
};

namespace
{
inline __attribute__((always_inline)) void parse(const box &b, long n)
{
	for (long i = 0; i < n; i++)
		b.next(i);
}
}
}

extern "C" __attribute__((noinline)) void work(long n)
{
	shop::box b = {n};

	sum = 1;
	shop::parse(b, n);
	sum = 2;
}

int main(int argc, char **argv)
{
	work(argc > 1 ? atol(argv[1]) : 0);
	return sum == 1;
}
