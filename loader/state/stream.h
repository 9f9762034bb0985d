/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of records: one by one (stream.c), or as bytes (batch.c). Internal to loader/state. */
#ifndef WARD_LOADER_STATE_STREAM_H
#define WARD_LOADER_STATE_STREAM_H

#include "merge.h"

/* One ring of the schema. */
struct followed {
	const struct state_field *field;
	struct ring_seen *seen; /* by thread */
	struct ring_totals totals;
	struct ward_layout layout; /* batch.c; of `members` */
	struct ward_member *members;
};

struct ward_stream {
	size_t n, threads;
	unsigned char *buffer; /* batch.c: for copies of records; NULL until they are asked for */
	size_t room;
	struct followed rings[];
};

/* Threads that weren't there the last time have been seen to do nothing. False without memory. */
bool stream_room(ward_stream *stream, size_t threads);
int stream_no_memory(struct ward_error *err);

/* batch.c: what the layout of a ring's records is. False without memory. */
bool batch_describe(struct followed *ring);

#endif
