/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming records to disk while a target makes STREAM_RATE of them in a second. */
#ifndef WARD_BENCH_STREAM_H
#define WARD_BENCH_STREAM_H

#include "codegen/codegen.h"
#include "run.h"

enum { MOST_STREAM_ROUNDS = 16 };

struct stream {
	/* records a second; processor time of the reader, a record */
	double rate[MOST_STREAM_ROUNDS], reader_ns[MOST_STREAM_ROUNDS];
	uint64_t made, written, lost; /* in all */
	unsigned n;
};

/*
 * One round; false, with a message on stderr, if it failed, or if what was written and what was lost aren't what was
 * made.
 */
bool stream_round(struct stream *s, const struct place *place, const struct ward_buf *module, uint64_t records);

#endif
