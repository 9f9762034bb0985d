/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program single-steps through two functions and what is patched into them. At the given step its handler of
 * SIGTRAP leaves by siglongjmp. Then it calls them again at the same place of the stack, or, with `below`, often on a
 * lower stack. It exits with 3 if there is no such step.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static sigjmp_buf env;
static volatile long steps, limit;

/* No word of how it is unwound, so its flags are kept; and it is patched at its call, so its two ends aren't alike. */
long odd(long x);
__asm__(".globl odd\n.type odd, @function\n"
	"odd: push %rbx; mov %rdi, %rbx; call inner; bt $16, %rbx; pop %rbx; ret\n.size odd, . - odd\n");

__attribute__((noinline, noclone, used)) static long inner(long x)
{
	__asm__ volatile("nop; nop; nop; nop" : "+r"(x));
	return x * 3 + 1;
}

__attribute__((noinline, noclone)) long plain(long x)
{
	x = x * 3 + 1;
	__asm__ volatile("nop; nop; nop; nop; nopl 0(%%rax)" : "+a"(x));
	return x;
}

/* Stubs ask whose the base of fs is in a program that may change it. */
__attribute__((used)) static void base(unsigned long b)
{
	__asm__ volatile("wrfsbase %0" : : "r"(b));
}

static void on_step(int number)
{
	(void)number;
	if (++steps == limit)
		siglongjmp(env, 1);
}

#define STEPPING(change) \
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; " change ", (%%rsp); popf; lea 128(%%rsp), %%rsp" \
		: \
		: \
		: "cc", "memory")

__attribute__((noinline)) static long block(long n, int steps_on)
{
	long a = 0;

	for (long i = 0; i < 4; i++) {
		if (steps_on && i == 1)
			STEPPING("orl $0x100");
		a -= odd(n + i) + (a >> 3);
		a += plain(n + i);
	}
	STEPPING("andl $~0x100");
	return a;
}

static void often(void)
{
	for (long i = 0; i < 50; i++)
		block(2000, 0);
}

static void go_below(void)
{
	static char stack[1 << 16];
	static ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, often, 0);
	swapcontext(&here, &there);
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_step};

	limit = argc > 1 ? atol(argv[1]) : 1;
	sigaction(SIGTRAP, &sa, NULL);
	if (!sigsetjmp(env, 1)) {
		block(1000, 1);
		return 3;
	}
	if (argc > 2)
		go_below();
	else
		block(2000, 0);
	return 0;
}
