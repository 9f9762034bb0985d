/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions without frame pointers (CMakeLists.txt), that use rbp for what they please, and call the kernel through
 * the C library. How their callers are found is in unwind tables only.
 */
#include "unframed.h"

#include <signal.h>
#include <unistd.h>

#define APART __attribute__((noinline, used))

/* Seven values, with what `call` returns between: more than there are registers that a call keeps. */
#define WITH_SEVEN(call) \
	long a = seed + 1, b = seed ^ 2, c = seed * 3, d = seed - 4, e = seed << 5, f = seed / 6, g = ~seed; \
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g)); \
	long result = (call); \
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g)); \
	return result + (a ^ b ^ c ^ d ^ e ^ f ^ g)

APART static long unframed_inner(long seed)
{
	WITH_SEVEN(getppid());
}

APART static long unframed_middle(long seed)
{
	WITH_SEVEN(unframed_inner(seed + 1));
}

APART long unframed_outer(long seed)
{
	WITH_SEVEN(unframed_middle(seed + 2));
}

APART static void unframed_handler(int signal)
{
	unframed_outer(signal);
}

APART long unframed_signalled(long seed)
{
	signal(SIGUSR1, unframed_handler);
	WITH_SEVEN(raise(SIGUSR1));
}

int unframed_program(void)
{
	char go;

	if (read(STDIN_FILENO, &go, 1) != 1)
		return 1;
	for (int i = 0; i < UNFRAMED_CALLS; i++)
		unframed_outer(i);
	for (;;)
		pause();
}
