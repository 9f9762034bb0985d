/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records on disk in the Common Trace Format: what the writers of packets (ctf.c) and of metadata (ctf_metadata.c) have
 * in common. Internal to loader/state.
 */
#ifndef WARD_LOADER_STATE_CTF_H
#define WARD_LOADER_STATE_CTF_H

#include "schema.h"

/* The time stamp counter and the system's clocks, read together. */
struct ctf_clock {
	uint64_t counts;
	uint64_t ns;      /* CLOCK_MONOTONIC_RAW, which nobody sets */
	uint64_t unix_ns; /* CLOCK_REALTIME */
};

void ctf_clock_read(struct ctf_clock *clock);

/* What each packet begins with. The metadata has it as its packet header and context, field by field. */
struct ctf_packet {
	uint32_t magic, stream;
	uint64_t begin, end; /* time stamps of its first and last record */
	uint64_t content_bits, packet_bits;
	uint64_t discarded; /* records of this thread's ring lost so far */
	uint64_t sequence;
	uint64_t thread; /* as ward_record.thread */
};

enum { CTF_MAGIC = 0xc1fc1fc1 };

/*
 * Write the description of the rings' records, and of the clock by the two readings, to the file "metadata" of the
 * directory: at any moment it is either the old or the new one. Record i of `rings` is stream i. False with errno.
 */
bool ctf_write_metadata(int directory, const struct state_field *const *rings, size_t n, const struct ctf_clock *start,
	const struct ctf_clock *now);

#endif
