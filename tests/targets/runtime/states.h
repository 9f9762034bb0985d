/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unusual states of a thread, in which only the functions are called: another base of fs, flags, no time stamp
 * counter, strict seccomp; and code in memory that belongs to no file.
 */
#ifndef WARD_TESTS_TARGETS_STATES_H
#define WARD_TESTS_TARGETS_STATES_H

#include "middle.h"
#include <asm/prctl.h>
#include <linux/seccomp.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static inline long system_call(long number, long a, long b)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return result;
}

enum { FS_BUFFER, FS_ZERO, FS_UNMAPPED, FS_KINDS };
enum { OTHER_SIZE = 8192 };

static __attribute__((noipa)) void set_fs(u64 to, int by_instruction)
{
	if (by_instruction)
		__asm__ volatile("wrfsbase %0" : : "r"(to) : "memory");
	else
		system_call(SYS_arch_prctl, ARCH_SET_FS, (long)to);
}

static __attribute__((noipa)) void with_fs(u64 base, int by_instruction, block_fn *block, u64 n)
{
	u64 fs;

	system_call(SYS_arch_prctl, ARCH_GET_FS, (long)&fs);
	set_fs(base, by_instruction);
	block(n);
	set_fs(fs, by_instruction);
}

/* How many events come while a block runs in which probes may have to be skipped. */
static u64 events_of(const struct tally *t)
{
	u64 n = 0;

	for (int k = 0; k < FUNCTIONS; k++)
		n += t->f[k].entered + t->f[k].ended;
	return n;
}

PLAIN void in_fs(u64 n, block_fn *block)
{
	unsigned char *other = mmap(NULL, OTHER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int instruction = getauxval(AT_HWCAP2) >> 1 & 1;
	sigset_t all, before;
	u64 events;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	events = events_of(T);
	for (u64 i = 0; i < n; i++) {
		u64 kind = i % FS_KINDS;
		u64 base = kind == FS_ZERO ? 0 : kind == FS_UNMAPPED ? 0x10000 : (u64)other + OTHER_SIZE / 2;
		unsigned char filled = i & 1 ? 0 : 0x55;

		memset(other, filled, OTHER_SIZE);
		with_fs(base, instruction && (i & 2), block, i);
		for (size_t k = 0; k < OTHER_SIZE; k++)
			if (other[k] != filled) {
				wrong("bytes at the other base of fs");
				break;
			}
	}
	count(&T->aside, events_of(T) - events);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(other, OTHER_SIZE);
}

enum { FLAG_AC = 1 << 18, FLAG_DF = 1 << 10 };

static __attribute__((noipa)) void with_flag(u64 flag, block_fn *block, u64 n)
{
	u64 flags;

	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; orq %0, (%%rsp); popf; lea 128(%%rsp), %%rsp"
		:
		: "r"(flag)
		: "memory", "cc");
	block(n);
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; pop %0; push %0; andq %1, (%%rsp); popf; lea 128(%%rsp), %%rsp"
		: "=&r"(flags)
		: "r"(~flag)
		: "memory", "cc");
	if (!(flags & flag))
		wrong("a flag is lost");
}

PLAIN void in_ac(u64 n, block_fn *block)
{
	for (u64 i = 0; i < n; i++)
		with_flag(FLAG_AC, block, i);
}

PLAIN void in_df(u64 n, block_fn *block)
{
	for (u64 i = 0; i < n; i++)
		with_flag(FLAG_DF, block, i);
}

PLAIN void in_no_tsc(u64 n, block_fn *block)
{
	count(&T->forbidden, 1);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	for (u64 i = 0; i < n; i++)
		block(i);
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
}

/* It is known to probes already when it confines itself. */
static void *strict_start(void *p)
{
	struct start *start = p;

	start->block(0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		wrong("no strict mode");
	for (u64 i = 1; i < start->n; i++)
		start->block(i);
	system_call(SYS_exit, 0, 0);
	return NULL;
}

PLAIN void in_strict(u64 n, block_fn *block)
{
	struct start start = {block, n};
	pthread_t thread;

	count(&T->forbidden, 1);
	if (pthread_create(&thread, NULL, strict_start, &start))
		wrong("no thread");
	else
		pthread_join(thread, NULL);
}

/* The pages with the functions become anonymous memory with the same bytes. */
extern char __start_traced_text[], __stop_traced_text[];

PLAIN void move_text(void)
{
	char *from = (char *)((u64)__start_traced_text & ~4095ul);
	size_t size = (((u64)__stop_traced_text + 4095) & ~4095ul) - (u64)from;
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		abort();
	memcpy(copy, from, size);
	if (mprotect(copy, size, PROT_READ | PROT_EXEC) ||
		mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) == MAP_FAILED)
		wrong("text that can't be moved");
}

#endif
