/* SPDX-License-Identifier: Apache-2.0 */
/* A library with an old version of a function, and a new one, and with a function of several names. */
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

int shut(int x) __attribute__((visibility("default"), noinline));
int shut(int x)
{
	__asm__ volatile("nop; nop; nop; nop" : "+r"(x));
	return x + 3;
}

/* In no good order. */
extern __typeof(shut) __shut __attribute__((alias("shut"), visibility("default")));
extern __typeof(shut) _shut __attribute__((alias("shut"), visibility("default")));
extern __typeof(shut) shut_door __attribute__((alias("shut"), visibility("default")));
extern __typeof(shut) shut64 __attribute__((alias("shut"), visibility("default")));
extern __typeof(shut) shut_it __attribute__((alias("shut"), visibility("default")));
