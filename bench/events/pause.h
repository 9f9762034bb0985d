/* SPDX-License-Identifier: Apache-2.0 */
/* How long a target with PAUSE_THREADS threads is stopped when every function of a library is attached. */
#ifndef WARD_BENCH_PAUSE_H
#define WARD_BENCH_PAUSE_H

#include "codegen/codegen.h"
#include "run.h"

enum { MOST_PAUSE_ROUNDS = 16 };

struct pause {
	/* the longest gap that a thread of the target saw in the clock, while nobody traced and while Ward attached */
	double plain_ms[MOST_PAUSE_ROUNDS], traced_ms[MOST_PAUSE_ROUNDS];
	uint64_t sites; /* of the last */
	unsigned n;
};

/* One round; false, with a message on stderr, if it failed. */
bool pause_round(struct pause *p, const struct place *place, const struct ward_buf *module);

#endif
