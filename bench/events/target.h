/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-target RUN: the program that is traced. RUN is a file that it shares with the benchmark: what it must
 * do, and how long that took.
 *
 * It prepares itself, reports that, and waits until it may start. Then it calls an untraced function and its traced
 * twin in turn, again and again, so that a disturbance of the machine affects both. Times are of the thread's own
 * processor time.
 */
#ifndef WARD_BENCH_EVENTS_TARGET_H
#define WARD_BENCH_EVENTS_TARGET_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_REPETITIONS = 64, RECURSION_SIDE = 4096, STREAM_RATE = 10000000 };

/*
 * The rows' loads; and those of parts of their own: so many calls in a second (stream.c), and the threads of another
 * program (sleepers.c).
 */
enum workload { LOOP, RECURSION_20, RECURSION_1000, TWO_THREADS, SQLITE, WORKLOADS, STREAM = WORKLOADS, PAUSE };
enum entry { PUSH, NOP, ENDBR64, ENTRIES };
enum floor { NO_FLOOR, L1, L2, L3, L4 };

struct run {
	/* told by the bench */
	enum workload workload;
	enum entry entry;
	enum floor floor;
	bool forked;                   /* the calls are made in a child that the target forks once it may go */
	bool more;                     /* SQLITE: with more libraries, which nobody calls */
	uint32_t repetitions, threads; /* PAUSE: threads, of which one is busy */
	uint64_t calls;                /* of the function, each repetition; of sqlite about so many */
	_Atomic int go;
	/* told by the target */
	_Atomic int ready, done;
	char library[256]; /* SQLITE: the copy that is traced */
	uint64_t function; /* address of the traced one */
	uint64_t made;     /* calls of it in all; SQLITE with a floor that counts: as counted, else 0 */
	uint64_t took;     /* STREAM: ns */
	/* PAUSE: the longest time, in ns, that the clock wasn't looked at since this was made 0 */
	_Atomic uint64_t gap;
	double plain[MOST_REPETITIONS], traced[MOST_REPETITIONS]; /* ns a call; SQLITE: ns a repetition */
};

/* Lead a function's entry to a floor. False if it can't be done. */
bool floor_install(enum floor floor, void *function);

/* How often the calling thread has entered a function with a floor that counts. */
uint64_t floor_counted(void);

#endif
