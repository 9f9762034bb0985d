/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-stacks-target stacks|shared|bpftrace ROUNDS: the program that is traced. It says on its output, by a
 * byte, that it is ready, and works when a byte comes on its input. Then it writes what it measured, a struct measured,
 * and ends when its input does.
 *
 * In each round all kinds of calls take turns. Times are of the thread's own processor time, but for those of single
 * calls (BUSY).
 */
#ifndef WARD_BENCH_STACKS_TARGET_H
#define WARD_BENCH_STACKS_TARGET_H

#include <stdint.h>

enum {
	FRAMES = 20,
	DEPTH = FRAMES + 4,
	PATHS = 256,
	AGAIN_CALLS = 2048,
	TURN_CALLS = 4, /* on each path */
	BUSY_CALLS = 8,
	MOST_ROUNDS = 101,
};

/*
 * Who takes the stack: an untraced function, as the comparison; two probes; libraries in the program itself; and
 * bpftrace, if it has a probe there within some seconds.
 */
enum taker { NOBODY, TAKE, COUNT, LIBGCC, LIBUNWIND, BPFTRACE, TAKERS };
/* One stack again and again; PATHS different ones in turn; one after other work that has used much memory. */
enum load { AGAIN, IN_TURN, BUSY, LOADS };

/* What the probe does with state: see shared_probe.c. */
enum update { NOTHING, PRIVATE_COUNT, SHARED_COUNT, PRIVATE_MAP, SHARED_MAP, PUT_POP, UPDATES };
/* One thread; two at once, each with a key of its own; two with the same key. */
enum threads { ALONE, OWN_KEYS, SAME_KEY, THREADS };

enum { ROWS = 6, COLUMNS = 3, UPDATE_CALLS = 200000, OWN_KEY = 1000 };
_Static_assert((int)TAKERS <= ROWS && (int)UPDATES <= ROWS && (int)LOADS == COLUMNS && (int)THREADS == COLUMNS,
	"both tables fit");

/* A function that stays what it is, under its own name. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

struct measured {
	double median[ROWS][COLUMNS], least[ROWS][COLUMNS]; /* ns a call; what couldn't be measured isn't a number */
	uint64_t calls[ROWS][COLUMNS];
	uint64_t failed; /* stacks of the libraries that hadn't FRAMES frames */
};

/* Put the median and the least of the times there; there may be none. */
void settle(struct measured *m, unsigned row, unsigned column, double *times, unsigned n);
double thread_ns(void);
double wall_ns(void);
void measure_shared(struct measured *m, unsigned rounds);

#endif
