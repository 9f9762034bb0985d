/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of all machines: each once, in order of time. A stream is one thread's ring in one life of a machine's
 * agent; it numbers its records from 1. Agents send batches again until they are acknowledged. records.c describes how
 * gaps are told from losses. Times are nanoseconds: `now_ns` of the caller's clock, those of records corrected to it.
 */
#ifndef WARD_CLUSTER_MERGE_RECORDS_H
#define WARD_CLUSTER_MERGE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/ward.h"

enum {
	CLUSTER_RECORD_BYTES = 64 << 20, /* the default: of all records that wait for their time */
	CLUSTER_MOST_STREAMS = 4096,     /* of one machine */
	CLUSTER_MOST_STRIDE = 64 << 10,
};

struct cluster_stream {
	const char *machine;
	uint64_t epoch, nonce;
	uint32_t unit, field;
	uint64_t stream;
};

struct cluster_batch {
	struct cluster_stream stream;
	uint64_t first; /* number of its first record */
	uint32_t count, stride;
	const void *records;   /* count × stride bytes */
	const uint64_t *times; /* of each record, by the caller's clock */
	uint64_t lost;         /* of the stream, before the batch's end: what will never come */
};

struct cluster_record {
	struct cluster_stream stream;
	uint64_t number, time_ns;
	const void *bytes;
	uint32_t stride;
	bool is_late; /* one with a later time was given out before */
};

struct cluster_record_counts {
	uint64_t taken, twice, late, lost;
	uint64_t waiting, waiting_bytes;
};

typedef struct cluster_records cluster_records;

/* `delay_ns`: how long a record waits for earlier ones. bytes: 0: CLUSTER_RECORD_BYTES. NULL without memory. */
cluster_records *cluster_records_new(uint64_t delay_ns, size_t bytes);
void cluster_records_free(cluster_records *records);

/* Take a batch. WARD_E_USAGE: it is none (C-20); WARD_E_SYSTEM: there is no room for it now, it must come again. */
int cluster_records_take(
	cluster_records *records, const struct cluster_batch *batch, uint64_t now_ns, struct ward_error *err);

/*
 * The next record whose time has come; false: there is none now. `everything`: without waiting, as nothing comes any
 * more. What *out points to is there until the next call of a function with these records.
 */
bool cluster_records_next(cluster_records *records, uint64_t now_ns, bool everything, struct cluster_record *out);

/* All records of the stream below this number have arrived, or never will. 1 of a stream that isn't known. */
uint64_t cluster_records_below(const cluster_records *records, const struct cluster_stream *stream);
struct cluster_record_counts cluster_records_counts(const cluster_records *records);

#endif
