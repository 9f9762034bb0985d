/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of the probe, computed by the reader: of events that it has joined. Numbers are as a probe has them,
 * durations and instants counts of the time stamp counter.
 */
#ifndef WARD_QUERY_INTERPRET_H
#define WARD_QUERY_INTERPRET_H

#include "plan.h"

/* Of what it is computed; and which division was by zero, from 1; 0: none. */
struct interpreter {
	const struct query *q;
	const struct query_value *captures;
	struct earlier *earlier; /* what is known of the events before it */
	uint64_t time;           /* of the event */
	unsigned zero;
};

uint64_t query_compute(struct interpreter *in, const struct expr *e);
/* Of a duration nanoseconds: how it is kept by its size, or as a key. */
uint64_t query_compute_value(struct interpreter *in, const struct expr *e);
const char *query_compute_text(const struct interpreter *in, const struct expr *e);

#endif
