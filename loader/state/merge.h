/* SPDX-License-Identifier: Apache-2.0 */
/* Merging fields over the threads' states. Internal to loader/state; the essay is in snapshot.c. */
#ifndef WARD_LOADER_STATE_MERGE_H
#define WARD_LOADER_STATE_MERGE_H

#include "merge_base.h"
#include "schema.h"

/* describe.c: what a field is, by its schema: everything of *out but the results. The name is copied to the heap. */
bool merge_describe(const struct state_field *f, struct ward_field *out, struct heap *heap);

/* merge_part.c: describe and read a member of a record. False without memory, as all that follow. */
bool merge_part(const struct state_field *f, const unsigned char *record, struct ward_field *out, struct heap *heap);

/* merge_time.c: make results that are counts nanoseconds, of a field that is timed. */
bool merge_in_time(const struct state_field *f, struct ward_field *out, struct heap *heap);

/* How far a reader has come in one thread's ring or queue. */
struct ring_seen {
	uint64_t pushed;  /* records that were read, or are lost */
	uint64_t refused; /* of a queue: those that found it full, by the probe's count */
	bool is_known;    /* the reader has met the thread */
};

/*
 * merge_ring.c: what is new. Returns how many records were pushed so far. Adds to *lost those that can't be read any
 * more, and those that a queue has refused. What is left to read are the last ones behind seen->pushed.
 */
uint64_t ring_look(const struct state_field *f, const unsigned char *state, struct ring_seen *seen, uint64_t *lost);
/* Records before seen->pushed have been read: a queue has room again. */
void ring_move(const struct state_field *f, const struct states *states, size_t thread, const struct ring_seen *seen);

/* How many records a reader was given, and how many were lost before. */
struct ring_totals {
	uint64_t told, lost;
};

/* Give out the records that are new, in the order of their time; seen[t] is moved on. */
bool ring_read_new(const struct state_field *f, const struct states *states, struct ring_seen *seen, ward_record_fn *fn,
	void *user, struct ring_totals *totals);

/* stream.c, batch.c, ctf.c: as ward_stream_read and so on, without checks of the arguments. */
int wl_stream_read(ward_stream *stream, const struct states *states, size_t state_size, ward_record_fn *fn, void *user,
	struct ward_error *err);
int wl_stream_batch(ward_stream *stream, const struct states *states, size_t state_size, ward_batch_fn *fn, void *user,
	struct ward_error *err);
int wl_ctf_read(ward_ctf *ctf, const struct states *states, size_t state_size, struct ward_error *err);

#endif
