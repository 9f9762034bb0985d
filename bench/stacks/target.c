/* SPDX-License-Identifier: Apache-2.0 */
/* See target.h. This file has the stacks. */
#define _GNU_SOURCE
#include "target.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OTHER_WORK = 8 << 20 }; /* more than the processor's nearer caches hold */

static struct measured measured;
static volatile uint64_t sum;
static double busy_ns[MOST_ROUNDS * BUSY_CALLS];

double thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void settle(struct measured *m, unsigned row, unsigned column, double *times, unsigned n)
{
	qsort(times, n, sizeof(*times), ascending);
	m->median[row][column] = n ? times[n / 2] : NAN;
	m->least[row][column] = n ? times[0] : NAN;
}

/* ---- who takes the stack ---- */

/* There is room for a jump, and no two are the same text, which a compiler would merge. */
#define TRACED(name) \
	APART void name(void) \
	{ \
		__asm__ volatile("nopw 0(%%rax,%%rax)\n# " #name : : : "memory"); \
	}
TRACED(plain)
TRACED(traced_take)
TRACED(traced_count)
TRACED(traced_by_bpftrace)

APART static void by_libgcc(void)
{
	void *frames[FRAMES];

	measured.failed += backtrace(frames, FRAMES) != FRAMES;
}

/* Of libunwind. It isn't linked, as then its own functions would take the place of libgcc's. */
static int (*unw_backtrace)(void **frames, int size);

APART static void by_libunwind(void)
{
	void *frames[FRAMES];

	measured.failed += unw_backtrace(frames, FRAMES) != FRAMES;
}

static void (*takers[TAKERS])(void) = {plain, traced_take, traced_count, by_libgcc};

static void libraries_load(void)
{
	void *libunwind = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	by_libgcc(); /* loads it */
	measured.failed = 0;
	*(void **)&unw_backtrace = libunwind ? dlsym(libunwind, "unw_backtrace") : NULL;
	if (unw_backtrace)
		takers[LIBUNWIND] = by_libunwind;
}

/* Wait for its breakpoint. */
static void bpftrace_await(void)
{
	const volatile unsigned char *code = (const volatile unsigned char *)traced_by_bpftrace;

	for (int i = 0; i < 3000 && *code != 0xcc; i++)
		usleep(10000);
	if (*code == 0xcc)
		takers[BPFTRACE] = traced_by_bpftrace;
}

/* ---- where it is taken ---- */

APART void bottom(enum taker taker, unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		takers[taker]();
	sum++;
}

/* Each call comes after other work, as a sample of a busy thread does. */
APART void busy_bottom(enum taker taker, unsigned round)
{
	static char memory[OTHER_WORK];
	double start;

	for (unsigned i = 0; i < BUSY_CALLS; i++) {
		for (unsigned k = 0; k < OTHER_WORK; k += 64)
			memory[k]++;
		start = wall_ns();
		takers[taker]();
		busy_ns[round * BUSY_CALLS + i] = wall_ns() - start;
	}
	sum++;
}

/* Two functions that call each other and themselves, as the bits of the path say. */
APART void path_a(unsigned depth, unsigned path, enum taker taker, unsigned calls);
APART void path_b(unsigned depth, unsigned path, enum taker taker, unsigned calls);

static inline void descend(unsigned depth, unsigned path, enum taker taker, unsigned calls)
{
	if (depth == 0)
		bottom(taker, calls);
	else if (depth <= 8 && path >> (depth - 1) & 1)
		path_b(depth - 1, path, taker, calls);
	else
		path_a(depth - 1, path, taker, calls);
}

void path_a(unsigned depth, unsigned path, enum taker taker, unsigned calls)
{
	descend(depth, path, taker, calls);
	sum++;
}

void path_b(unsigned depth, unsigned path, enum taker taker, unsigned calls)
{
	char room[100];

	__asm__ volatile("" : : "r"(room) : "memory");
	descend(depth, path, taker, calls);
	sum += 2;
}

APART void deep(unsigned depth, enum taker taker, unsigned round)
{
	if (depth == 0)
		busy_bottom(taker, round);
	else
		deep(depth - 1, taker, round);
	sum++;
}

static void run_load(enum load load, enum taker taker, unsigned round)
{
	if (load == AGAIN)
		descend(DEPTH, 0, taker, AGAIN_CALLS);
	for (unsigned path = 0; load == IN_TURN && path < PATHS; path++)
		descend(DEPTH, path, taker, TURN_CALLS);
	if (load == BUSY)
		deep(DEPTH, taker, round);
}

static void measure_stacks(struct measured *m, unsigned rounds)
{
	static const uint64_t calls[LOADS] = {AGAIN_CALLS, PATHS * TURN_CALLS, BUSY_CALLS};
	static double times[TAKERS][LOADS][MOST_ROUNDS], busy[TAKERS][MOST_ROUNDS * BUSY_CALLS];
	double start;

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned load = 0; load < LOADS; load++)
			for (unsigned taker = 0; taker < TAKERS; taker++) {
				if (!takers[taker])
					continue;
				start = thread_ns();
				run_load(load, taker, round);
				times[taker][load][round] = (thread_ns() - start) / (double)calls[load];
				m->calls[taker][load] += calls[load];
				if (load == BUSY)
					memcpy(busy[taker] + round * BUSY_CALLS, busy_ns + round * BUSY_CALLS,
						BUSY_CALLS * sizeof(double));
			}
	for (unsigned taker = 0; taker < TAKERS; taker++) {
		for (unsigned load = 0; load < BUSY; load++)
			settle(m, taker, load, times[taker][load], rounds);
		settle(m, taker, BUSY, busy[taker], rounds * BUSY_CALLS);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0;
	char byte = 0;

	if (rounds < 1 || rounds > MOST_ROUNDS)
		return 2;
	libraries_load();
	if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 1)
		return 1;
	if (strcmp(argv[1], "bpftrace") == 0)
		bpftrace_await();
	if (strcmp(argv[1], "shared") == 0)
		measure_shared(&measured, (unsigned)rounds);
	else
		measure_stacks(&measured, (unsigned)rounds);
	if (write(1, &measured, sizeof(measured)) != sizeof(measured))
		return 1;
	return read(0, &byte, 1) != 0;
}
