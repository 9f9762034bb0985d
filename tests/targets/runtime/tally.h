/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a random program counts, and how it calls the functions that are traced.
 *
 * Each traced function t_K has two arguments: x, which says what the call does, and the time before the call. It
 * returns VALUE(x), so that a probe at the return can match it with the entry. A count that something may interrupt
 * is kept twice, before and after the call; the true one is between them.
 */
#ifndef WARD_TESTS_TARGETS_TALLY_H
#define WARD_TESTS_TARGETS_TALLY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long u64;
typedef void block_fn(u64 n);

enum { FUNCTIONS = 8 };

/* x: the function's number, what is done in the middle of it, and how it is called; above, any number. */
enum { NONE = 0x000, YIELD = 0x100, RAISE = 0x200, LEAVE = 0x300, THROW = 0x400, JUMP = 0x500, DEEP = 0x600 };
enum { NUMBER = 0xff, ACTION = 0xf00, NOTIME = 1 << 12, HANDLER = 1 << 13, ODD = 1 << 14, TIMED = 1 << 15, SHIFT = 16 };

#define X(n, bits) ((((u64)(n) & 0xffff) << SHIFT) | (bits))
#define TAG(k, x) (((x) & ~(u64)(NUMBER | ODD | TIMED)) | (k) | BITS_##k)
#define VALUE(x) ((x) * 0x9e3779b97f4a7c15u + 12345)

struct function {
	u64 begun, args;    /* before the call */
	u64 entered;        /* in it */
	u64 ended, rets;    /* before it returns */
	u64 returned;       /* after the call */
	u64 thrown, jumped; /* it was left by an exception, or in another way */
};

struct tally {
	struct function f[FUNCTIONS];
	u64 sum;       /* what the program has reckoned */
	u64 wrong;     /* what it has seen that can't be */
	u64 handled;   /* events in signal handlers */
	u64 jumps;     /* signal handlers left by jumping out of them, wherever they came */
	u64 deep;      /* events of calls that are deep in a recursion */
	u64 aside;     /* events of threads that a probe can't tell from others, or can't run in */
	u64 forbidden; /* how often a thread was forbidden something */
	u64 copied;    /* stacks put back where others had been, and jumps between stacks, which look the same */
};

/* Shared with its children: of the process itself, and of all its children together. */
static struct tally *shared;
static struct tally *T;

static inline void count(u64 *at, u64 by)
{
	__atomic_fetch_add(at, by, __ATOMIC_RELAXED);
}

static inline void sum(u64 v)
{
	count(&T->sum, v * 0xff51afd7ed558ccdu >> 7);
}

/* Not above a later reading of a probe's, and not below an earlier one. */
static inline u64 ticks(void)
{
	unsigned low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}

static inline u64 now(u64 x)
{
	return x & NOTIME ? 0 : ticks();
}

static void wrong(const char *what)
{
	char line[160];
	int n = snprintf(line, sizeof(line), "wrong %s\n", what);

	count(&T->wrong, 1);
	if (write(1, line, (size_t)n) != n)
		_exit(99);
}

#define CALL(k, how) \
	({ \
		u64 x_ = TAG(k, how), r_; \
		count(&T->f[k].begun, 1); \
		count(&T->f[k].args, x_); \
		r_ = call_##k(x_, now(x_)); \
		count(&T->f[k].returned, 1); \
		if (!(x_ & TIMED) && r_ != VALUE_##k(x_)) \
			count(&T->wrong, 1); \
		x_ &TIMED ? 7 : r_; \
	})

/* The end of a function that is another's: nothing is done after it. */
#define TAIL(k, how, time) \
	({ \
		u64 y_ = TAG(k, how); \
		count(&T->f[k].begun, 1); \
		count(&T->f[k].args, y_); \
		count(&T->f[k].returned, 1); \
		t_##k(y_, time); \
	})

#define BEGIN(k, x) \
	do { \
		count(&T->f[k].entered, 1); \
		if ((x) & HANDLER) \
			count(&T->handled, 2); \
	} while (0)

#define END(k, v) \
	({ \
		u64 v_ = (v); \
		count(&T->f[k].rets, v_); \
		count(&T->f[k].ended, 1); \
		v_; \
	})

#ifdef WITH_MOVED
#define KEEP __attribute__((noinline, noclone, used, section("traced_text")))
#define SECTION "traced_text, \"ax\""
#else
#define KEEP __attribute__((noinline, noclone, used))
#define SECTION ".text"
#endif
/* A function as an assembler has it, with no word of how it is unwound. */
#define ASSEMBLY(name, text) \
	".pushsection " SECTION "\n.globl " name "\n.type " name ", @function\n" name ":\n" text "\n.size " name \
	", . - " name "\n.popsection\n"
#define TRACED static KEEP u64
#define PLAIN static __attribute__((noinline, noclone, used))
#define MIDDLE(x) \
	do { \
		if ((x) & ACTION) \
			middle(x); \
	} while (0)

/* What runs: a thread outside of fibers, or a fiber. */
struct self {
	sigjmp_buf *jump;
	int leave; /* the next handler leaves by that */
	void (*yield)(void);
};

static _Thread_local struct self *self_here;
static _Thread_local struct self thread_self;

/* Not in line: which thread this is changes where a fiber switches. */
static __attribute__((noipa)) struct self *self(void)
{
	if (!self_here)
		self_here = &thread_self;
	return self_here;
}

static __attribute__((noipa)) void set_self(struct self *to)
{
	self_here = to;
}

/* Generated: a call of the function that x names, what signal handlers do, and the phases. */
static u64 call_any(u64 x);
static void in_handler(u64 n);

#ifdef WITH_THROWS
void throw_one(void) __attribute__((noreturn));
int try_block(block_fn *block, u64 n);
#endif

#endif
