/* SPDX-License-Identifier: Apache-2.0 */
/* A library with an old version of a function, and a new one. */
#define EXPORTED __attribute__((visibility("default"), noinline))

EXPORTED int api_1(int x);
EXPORTED int api_2(int x);

int api_1(int x)
{
	__asm__ volatile("nop; nop; nop; nop" : "+r"(x));
	return x + 1;
}

int api_2(int x)
{
	__asm__ volatile("nop; nop; nop; nop" : "+r"(x));
	return x + 2;
}

__asm__(".symver api_1, api@VER_1");
__asm__(".symver api_2, api@@VER_2");
