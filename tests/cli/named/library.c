/* SPDX-License-Identifier: Apache-2.0 */
/* A library that calls malloc. The function that does is called OWN, and begins at another place if PADDED. */
#include <stdlib.h>

static void *calls(long n)
{
	void *p = NULL;

	for (long i = 0; i < n; i++) {
		p = malloc((size_t)i + 16);
		__asm__ volatile("" : : "r"(p) : "memory");
		free(p);
	}
	return p;
}

#ifdef PADDED
int padding(int x)
{
	return x * 3;
}
#endif

__attribute__((noinline, noclone)) void *OWN(long n)
{
	return calls(n);
}

__attribute__((visibility("default"))) void call_malloc(long n)
{
	OWN(n);
}
