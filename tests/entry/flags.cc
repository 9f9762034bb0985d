/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are called with flags set that compilers keep clear, and with unusual contents of the rest of the
 * processor's state. `flags SET OFF ROUNDS [KIND]` prints "ready", waits for a line, and prints what it found wrong,
 * and "ok" at the end. SET is a mask of the flags; flags.S describes SET and OFF. With KIND, functions of carry.S are
 * called instead. The main thread calls f_quiet once, with nothing set; another thread makes all other calls. The
 * tests count the events of these.
 */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, noipa))

extern "C" {

struct alignas(32) calling {
	long (*function)(long, const char *);
	uint64_t argument[2], set, off, result, flags;
	uint32_t mxcsr, mxcsr_after;
	uint16_t x87, x87_after;
	uint32_t has_ymm;
	uint64_t mm, mm_after, pad;
	uint8_t ymm[32], ymm_after[32];
};
static_assert(offsetof(calling, ymm_after) == 128 && offsetof(calling, mm) == 72 && offsetof(calling, mxcsr) == 56, "flags.S says so");

uint64_t flags_call(struct calling *c);
long f_point(long a, const char *s);

KEPT long f_quiet(long a)
{
	return a + 1;
}

KEPT long f_work(long a, const char *s)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop" : "+r"(a) : "r"(s));
	return a + 1;
}

}

static uint64_t set, off;
static long rounds;

static void wrong(const char *what, long i, uint64_t is)
{
	printf("%s is wrong in round %ld: %lx\n", what, i, (unsigned long)is);
	exit(1);
}

static void call(const char *what, long (*function)(long, const char *), long i)
{
	struct calling c = {};

	c.function = function;
	c.argument[0] = (uint64_t)i;
	c.argument[1] = (uint64_t) "a string";
	c.set = set;
	c.off = off;
	c.mxcsr = 0x7fbf; /* rounds to zero, exceptions masked and seen */
	c.x87 = 0x0e7f;
	c.mm = 0x0123456789abcdef;
	c.has_ymm = __builtin_cpu_supports("avx");
	memset(c.ymm, 0xa7, sizeof(c.ymm));
	flags_call(&c);
	if (c.result != (uint64_t)i + 1)
		wrong(what, i, c.result);
	if ((c.flags ^ set) & 0x240400)
		wrong("a flag", i, c.flags);
	if (function == f_point && !(c.flags & 1))
		wrong("the carry flag", i, c.flags);
	if (c.mxcsr_after != c.mxcsr || c.x87_after != c.x87 || c.mm_after != c.mm || (c.has_ymm && memcmp(c.ymm, c.ymm_after, sizeof(c.ymm)) != 0))
		wrong("the floating-point state", i, c.mxcsr_after);
}

/* What sets the flags when an exception has come to its handler's function, right before the handler begins. */
struct setter {
	bool does;
	~setter()
	{
		if (does)
			__asm__ volatile("pushf; or %0, (%%rsp); popf" ::"r"(set & (0x400 | 0x40000)) : "memory", "cc");
	}
};

extern "C" KEPT long f_throws(long a)
{
	throw a;
}

/* Between the handler's beginning and its first line there is nothing but the call that is probed. */
static uint64_t caught(long i)
{
	uint64_t flags = 0;

	try {
		setter s = {i >= 0};
		f_throws(i);
	} catch (long) {
		__asm__ volatile("pushf; pop %0; push %0; andl %1, (%%rsp); popf" : "=&r"(flags) : "i"(~(0x400 | 0x40000)) : "memory", "cc");
	}
	return flags;
}

/* Functions of carry.S, of each kind. */
#define KIND(kind) extern "C" void kind##_less(), kind##_adc(), kind##_tail()
KIND(plain);
KIND(debug);
KIND(neither);

static const struct {
	void (*less)(), (*adc)(), (*tail)();
} kinds[] = {{plain_less, plain_adc, plain_tail}, {debug_less, debug_adc, debug_tail}, {neither_less, neither_adc, neither_tail}};

/* What comes back in flags, or goes there. */
static void carry(unsigned kind, long i)
{
	uint64_t a = (uint64_t)i, flags, sum = (uint64_t)i, below = (uint64_t)i;

	__asm__ volatile("call *%2; pushf; pop %1" : "+D"(a), "=&r"(flags) : "b"(kinds[kind].less), "S"(50l) : "rax", "memory", "cc");
	if ((flags & 1) != (i < 50) || (flags >> 6 & 1) != (i == 50))
		wrong("less", i, flags);
	__asm__ volatile("stc; call *%1" : "+D"(sum) : "b"(kinds[kind].adc), "S"(7l) : "rax", "memory", "cc");
	if (sum != (uint64_t)i + 8)
		wrong("adc", i, sum);
	__asm__ volatile("call *%1; mov %%rax, %%rdi" : "+D"(below) : "b"(kinds[kind].tail), "S"(50l) : "rax", "memory", "cc");
	if (below != (i < 50))
		wrong("tail", i, below);
}

static int kind = -1;

static void *work(void *)
{
	uint64_t flags;

	for (long i = 0; kind >= 0 && i < rounds; i++)
		carry((unsigned)kind, i);
	if (kind >= 0)
		return NULL;
	caught(-1); /* so that nothing is looked up with flags set */
	for (long i = 0; i < rounds; i++) {
		call("f_work", f_work, i);
		call("f_point", f_point, i);
		if (off)
			continue;
		flags = caught(i);
		if ((flags & (0x400 | 0x40000)) != (set & (0x400 | 0x40000)))
			wrong("a flag in a handler", i, flags);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char c;

	if (argc < 4)
		return 2;
	set = strtoul(argv[1], NULL, 0);
	off = strtoul(argv[2], NULL, 0);
	rounds = atol(argv[3]);
	kind = argc > 4 ? atoi(argv[4]) : -1;
	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		return 2;
	f_quiet(1);
	if (pthread_create(&thread, NULL, work, NULL))
		return 2;
	pthread_join(thread, NULL);
	printf("ok\n");
	return 0;
}
