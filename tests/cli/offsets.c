/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose every instruction is probed by offsets.sh. `offsets FUNCTION` prints what the function's calls
 * return. `offsets FUNCTION count` also steps through it and prints how often each instruction ran: OFFSET TIMES.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { CALLS = 7, SIZE_MAX_HERE = 4096 };

static const uint8_t *begin;
static unsigned long times[SIZE_MAX_HERE];
static unsigned table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

__attribute__((noinline)) unsigned half(unsigned x)
{
	__asm__ volatile("" : "+r"(x));
	return x / 2;
}

/* What a compiler makes: a loop, a call, a branch, operands relative to rip. */
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned sum = n;

	for (unsigned i = 0; i < 10; i++) {
		if (table[(i + n) % 16] & 1)
			sum += half(table[i]);
		else
			sum ^= table[n % 16] << i;
	}
	return sum;
}

/*
 * Short jumps into what is beside each instruction, flags that live across them, a value below the stack pointer, loop
 * and jrcxz, an indirect call, an instruction that looks like another in its middle, and code behind the return.
 */
unsigned hops(unsigned n);
__asm__(".text\n.p2align 4\n.globl hops\n.type hops, @function\nhops:\n"
	".cfi_startproc\n"
	"	mov $1, %eax\n"
	"	mov $5, %ecx\n"
	"	mov %edi, -8(%rsp)\n"
	"1:	add %edi, %eax\n" /* the loop's first instruction is jumped to, */
	"	adc $3, %eax\n"
	"2:	lea 1(%rax), %eax\n" /* and so is one in its middle, */
	"	test $1, %al\n"
	"	jz 3f\n" /* which has two bytes */
	"	xor $0x90909090, %eax\n"
	"3:	loop 1b\n"
	"	cmp -8(%rsp), %edi\n"
	"	jne 2b\n"
	"	jrcxz 4f\n"
	"	ud2\n"
	"4:	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov %eax, %edi\n"
	"	call half\n"
	"	lea half(%rip), %rdx\n"
	"	mov %eax, %edi\n"
	"	call *%rdx\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	stc\n"
	"	mov $0, %edx\n"
	"	adc %edx, %eax\n"
	"	ret\n"
	".cfi_endproc\n.size hops, .-hops\n.p2align 4\n");

static void count_step(int sig, siginfo_t *info, void *context)
{
	uint64_t at = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] - (uint64_t)begin;

	(void)sig;
	(void)info;
	if (at < SIZE_MAX_HERE)
		times[at]++;
}

static void trap_flag(bool on)
{
	if (on)
		__asm__ volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::
				: "memory", "cc");
	else
		__asm__ volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::
				: "memory", "cc");
}

int main(int argc, char **argv)
{
	const struct sigaction step = {.sa_sigaction = count_step, .sa_flags = SA_SIGINFO};
	unsigned (*volatile function)(unsigned) = argc > 1 && strcmp(argv[1], "hops") == 0 ? hops : work;
	unsigned sum = 0;

	begin = (const uint8_t *)function;
	if (argc > 2 && sigaction(SIGTRAP, &step, NULL))
		return 1;
	if (argc > 2)
		trap_flag(true);
	for (unsigned i = 0; i < CALLS; i++)
		sum = sum * 31 + function(i);
	if (argc > 2)
		trap_flag(false);
	printf("result %u\n", sum);
	for (unsigned i = 0; i < SIZE_MAX_HERE && argc > 2; i++)
		if (times[i])
			printf("%u %lu\n", i, times[i]);
	return 0;
}
