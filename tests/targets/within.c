/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program single-steps through a call and what is patched into it, and at each step its handler of SIGTRAP makes
 * a call. It prints how many calls there were.
 */
#include <signal.h>
#include <stdio.h>

static volatile long calls;

__attribute__((noinline, noclone)) long work(long x)
{
	long y = x * 3;

	__asm__ volatile("nop; nop; nop; nop" : "+r"(y));
	return y + 1;
}

static void on_step(int number)
{
	work(number + calls++);
}

#define STEPPING(change) \
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; " change ", (%%rsp); popf; lea 128(%%rsp), %%rsp" \
		: \
		: \
		: "cc", "memory")

int main(void)
{
	signal(SIGTRAP, on_step);
	for (long i = 0; i < 3; i++) {
		STEPPING("orl $0x100");
		work(i);
		STEPPING("andl $~0x100");
		calls++;
	}
	printf("%ld calls\n", calls);
	return 0;
}
