/* SPDX-License-Identifier: Apache-2.0 */
/* Proves or refutes one statement. */
#ifndef WARD_Z3_PROVE_H
#define WARD_Z3_PROVE_H

#include "tests/z3/statements/statement.h"

enum outcome { PROVEN, REFUTED, UNDECIDED };
enum { AGAIN = 4 /* times the effort, the second time */, MOST_EFFORT = 4000 / AGAIN };

extern struct prove_options {
	unsigned effort;  /* for one goal, in millions of the solver's steps: not time, so that the outcome is the same
			     everywhere */
	const char *goal; /* for work on a proof: only goals whose names contain this; then nothing counts as proven */
	bool verbose;
} prove_options;

/* A statement that isn't proven at once is tried `again`, in a process of its own. Messages go to `out`. */
enum outcome decide(const struct query *q, bool again, FILE *out);

/* Begin the statement: its facts, and its goals. */
void ask(const struct query *q);

/* Of this process. */
double seconds_used(void);

#endif
