// SPDX-License-Identifier: Apache-2.0
// Two functions with long names, which begin alike: they differ only behind their first thousand bytes.
#include <map>
#include <string>
#include <vector>

using table = std::map<std::string, std::vector<std::map<std::string, std::vector<std::string>>>>;

template <class A, class B> struct wrap {
	__attribute__((noinline)) static int first(const A &a, int i)
	{
		asm volatile("nop; nop; nop; nop; nop; nop" : : "r"(&a));
		return i;
	}
	__attribute__((noinline)) static int second(const A &a, int i)
	{
		asm volatile("nop; nop; nop; nop; nop; nop; nop; nop" : : "r"(&a));
		return i + 1;
	}
};

// Called with the addresses of functions.
extern "C" __attribute__((noinline)) int take(int (*f)(const table &, int))
{
	asm volatile("nop; nop; nop; nop; nop; nop" : : "r"(f) : "memory");
	return 0;
}

int main()
{
	table t;
	int sum = 0;

	for (int i = 0; i < 30; i++)
		sum += wrap<table, table>::first(t, i) + take(wrap<table, table>::first);
	for (int i = 0; i < 70; i++)
		sum += wrap<table, table>::second(t, i) + take(wrap<table, table>::second);
	return sum < 0;
}
