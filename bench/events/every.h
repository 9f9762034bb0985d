/* SPDX-License-Identifier: Apache-2.0 */
/* Tracing every function of the target and of its libraries at once, while sqlite answers queries. */
#ifndef WARD_BENCH_EVENTS_EVERY_H
#define WARD_BENCH_EVENTS_EVERY_H

#include "codegen/codegen.h"
#include "run.h"

enum { MOST_EVERY_ROUNDS = 16 };

struct every {
	/* of the queries' time, traced to untraced, of two processes that took turns */
	double attach_ms[MOST_EVERY_ROUNDS], ratio[MOST_EVERY_ROUNDS];
	double plain_ns[MOST_EVERY_ROUNDS], added_ns[MOST_EVERY_ROUNDS]; /* of a call: untraced, and what is added */
	uint64_t sites, skipped, events;                                 /* of the last */
	unsigned n;
};

/* One round; false, with a message on stderr, if it failed. */
bool every_round(struct every *e, const struct place *place, const struct ward_buf *module, uint64_t calls,
	uint32_t repetitions);

#endif
