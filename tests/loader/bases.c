/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that changes the base of fs, as emulators do: `bases WHERE` prints "ready", waits for a line on its
 * input, calls work 1000 times with the C library's base and 9000 times with another one, and prints "right" if every
 * call gave the right result and nothing has been written to where the other base was. HOW says how the base is set.
 * "threads" makes another thread without the C library, with the same base, which calls work at the same time.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline, used))
#else
#define KEPT __attribute__((noinline, noclone, used))
#endif
#define RAW 1
#define WRFSBASE 2
#define FUNCTION 3
#define SYSCALL 4
enum { ROUNDS = 1000, EACH = 9 };

KEPT uint64_t work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

int arch_prctl(int code, unsigned long addr);
long raw_call(long number, long a, long b);
__asm__(".text\nraw_call:\n\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tsyscall\n\tret\n");
long raw_clone(long flags, void *stack, void (*f)(void));

#if HOW == WRFSBASE
static void set(unsigned long base)
{
	__asm__ volatile("wrfsbase %0" : : "r"(base));
}
#elif HOW == FUNCTION
static void set(unsigned long base)
{
	arch_prctl(ARCH_SET_FS, base);
}
#elif HOW == SYSCALL
static void set(unsigned long base)
{
	syscall(SYS_arch_prctl, ARCH_SET_FS, base);
}
#else
static void set(unsigned long base)
{
	raw_call(SYS_arch_prctl, ARCH_SET_FS, (long)base);
}
#endif

static uint64_t sum;

static void call_work(unsigned long own, unsigned long other)
{
	for (int i = 0; i < ROUNDS; i++) {
		sum += work(1, 1);
		set(other);
		for (int k = 0; k < EACH; k++)
			sum += work(1, 1);
		set(own);
	}
}

#if HOW == RAW
static volatile int done;
static uint64_t others;

static void other_thread(void)
{
	for (int i = 0; i < ROUNDS * (EACH + 1); i++)
		others += work(1, 1);
	done = 1;
	raw_call(SYS_exit, 0, 0);
}

__asm__("raw_clone:\n\tmov %rdx, %r9\n\tmov $56, %eax\n\txor %edx, %edx\n\txor %r10d, %r10d\n\txor %r8d, "
	"%r8d\n\tsyscall\n\ttest %eax, %eax\n\tjne 1f\n\tcall *%r9\n1:\tret\n");

/* Two threads with one control block. */
static void with_thread(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));

	raw_clone(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
		stack + sizeof(stack), other_thread);
	for (int i = 0; i < ROUNDS * (EACH + 1); i++)
		sum += work(1, 1);
	while (!done)
		;
	sum += others;
	sum /= 2;
}
#endif

int main(int argc, char **argv)
{
	static char buf[8192] __attribute__((aligned(64)));
	const char *where = argc > 1 ? argv[1] : "";
	unsigned long own, other = 0;
	int changed = 0;
	char c;

	__asm__("mov %%fs:0, %0" : "=r"(own));
	if (strcmp(where, "buffer") == 0)
		other = (unsigned long)buf + sizeof(buf) / 2;
	else if (strcmp(where, "one") == 0)
		other = 1;
	else if (strcmp(where, "two") == 0)
		other = 2;
	else if (strcmp(where, "nowhere") == 0)
		other = 0x10000000;
	if (write(1, "ready\n", 6) < 0 || read(0, &c, 1) < 0)
		return 2;
#if HOW == RAW
	if (strcmp(where, "threads") == 0)
		with_thread();
	else
#endif
		call_work(own, other);
	for (size_t i = 0; i < sizeof(buf); i++)
		changed += buf[i] != 0;
	if (sum == 4 * ROUNDS * (EACH + 1) && !changed && write(1, "right\n", 6) == 6)
		return 0;
	return 1;
}
