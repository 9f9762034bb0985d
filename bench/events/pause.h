/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a target with many threads is stopped when Ward attaches to it and detaches, and what the stops are made of.
 * One thread is busy, and looks at the clock all the time; the others sleep.
 */
#ifndef WARD_BENCH_PAUSE_H
#define WARD_BENCH_PAUSE_H

#include "codegen/codegen.h"
#include "run.h"

enum { MOST_PAUSE_ROUNDS = 16, PAUSE_STAGES = 5 };

extern const char *const pause_stages[PAUSE_STAGES];

/* Of each round, in milliseconds. */
struct pause_times {
	double gap[MOST_PAUSE_ROUNDS];                 /* the longest that the busy thread saw in the clock */
	double busy[MOST_PAUSE_ROUNDS];                /* that a thread was held which wasn't asleep */
	double longest[MOST_PAUSE_ROUNDS];             /* that any thread was held */
	double stage[PAUSE_STAGES][MOST_PAUSE_ROUNDS]; /* of the longest stop of all threads */
};

struct pause {
	/* set by the caller */
	const char *site; /* NULL: a function of the target itself */
	unsigned threads;
	/* told */
	double plain[MOST_PAUSE_ROUNDS]; /* the gap while nobody attached or detached, for as long */
	struct pause_times attach, detach;
	uint64_t sites; /* of the last round */
	unsigned n;
};

/* One round; false, with a message on stderr, if it failed. */
bool pause_round(struct pause *p, const struct place *place, const struct ward_buf *module);

#endif
