/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of all machines: each once, in order of time. A stream is one life of a machine's agent in a query; it
 * numbers its records from 1, whichever rings they are of. Agents send batches again until they are acknowledged.
 * records.c describes how what is late is told from what is lost. Times are nanoseconds: `now_ns` of the caller's
 * clock, those of records corrected to it.
 */
#ifndef WARD_CLUSTER_MERGE_RECORDS_H
#define WARD_CLUSTER_MERGE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/ward.h"

enum {
	CLUSTER_RECORD_BYTES = 64 << 20, /* the default: of all records that wait for their time */
	CLUSTER_MOST_STREAMS = 64,       /* of one machine */
	CLUSTER_MOST_STRIDE = 64 << 10,
	CLUSTER_MOST_PROGRAMS = 4096, /* names of programs that are remembered */
};

struct cluster_stream {
	const char *machine;
	uint64_t epoch, nonce;
};

/* Whose records they are. */
struct cluster_origin {
	uint32_t unit, ring;
	uint64_t session;    /* of the epoch: a process that executes another program is another one */
	uint32_t pid;        /* 0: the kernel's */
	const char *program; /* the name of its program, or "" */
	uint32_t thread;     /* of the session */
	uint64_t number;     /* of the first record, in its thread's ring */
};

struct cluster_batch {
	struct cluster_stream stream;
	struct cluster_origin origin;
	uint64_t first; /* number of its first record in the stream */
	uint32_t count, stride;
	const void *records;   /* count × stride bytes */
	const uint64_t *times; /* of each record, by the caller's clock */
};

struct cluster_record {
	struct cluster_stream stream;
	struct cluster_origin origin; /* `number` is the record's */
	uint64_t number, time_ns;
	const void *bytes;
	uint32_t stride;
	bool is_late; /* one with a later time was given out before */
};

struct cluster_record_counts {
	uint64_t taken, twice, late;
	uint64_t given_up; /* by their agent, as nobody acknowledged them in time */
	uint64_t unread;   /* on the machine: overwritten, refused by a full queue, or above its rate */
	uint64_t missing;  /* that are known to be there, and haven't come yet */
	uint64_t waiting, waiting_bytes;
};

typedef struct cluster_records cluster_records;

/*
 * `delay_ns`: how long a record waits for earlier ones. `bytes`: 0: CLUSTER_RECORD_BYTES. `goes_on`: what a stream's
 * agent has given up when it first comes was another coordinator's. NULL without memory.
 */
cluster_records *cluster_records_new(uint64_t delay_ns, size_t bytes, bool goes_on);
void cluster_records_free(cluster_records *records);
void cluster_records_delay(cluster_records *records, uint64_t delay_ns);

/* Take a batch. WARD_E_USAGE: it is none (C-20); WARD_E_SYSTEM: there is no room for it now, it must come again. */
int cluster_records_take(
	cluster_records *records, const struct cluster_batch *batch, uint64_t now_ns, struct ward_error *err);
/* Its agent has none below `kept` any more: what hasn't come of these never will. False without memory. */
bool cluster_records_kept(cluster_records *records, const struct cluster_stream *stream, uint64_t kept);
/* So many were numbered so far, and so many more weren't read. False without memory. */
bool cluster_records_said(
	cluster_records *records, const struct cluster_stream *stream, uint64_t numbered, uint64_t unread);

/*
 * The next record whose time has come; false: there is none now. `everything`: without waiting, as nothing comes any
 * more. What *out points to is there until the next call of a function with these records.
 */
bool cluster_records_next(cluster_records *records, uint64_t now_ns, bool everything, struct cluster_record *out);

/* All records of the stream below this number have arrived, or never will. 1 of a stream that isn't known. */
uint64_t cluster_records_below(const cluster_records *records, const struct cluster_stream *stream);
/* Of all; of one machine, whose records that wait aren't counted. */
struct cluster_record_counts cluster_records_counts(const cluster_records *records);
struct cluster_record_counts cluster_records_counts_of(const cluster_records *records, const char *machine);

#endif
