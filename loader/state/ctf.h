/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records on disk in the Common Trace Format: what the writers of packets (ctf.c) and of metadata (ctf_metadata.c) have
 * in common. Internal to loader/state.
 */
#ifndef WARD_LOADER_STATE_CTF_H
#define WARD_LOADER_STATE_CTF_H

#include <stdio.h>

#include "merge.h"

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
 * directory: at any moment it is either the old or the new one. Record i of `rings` is stream i. `host`: NULL, or the
 * machine whose they are, and then stamps are nanoseconds since 1970. version: 1 (1.8) or 2. False with errno.
 */
bool ctf_write_metadata(int directory, unsigned version, const struct state_field *const *rings, size_t n,
	const struct ctf_clock *start, const struct ctf_clock *now, const char *host);

/* Counts in a second; and when the counter was 0, in whole seconds since 1970 and counts. */
struct ctf_zero {
	uint64_t hz, seconds, cycles;
};
struct ctf_zero ctf_clock_zero(const struct ctf_clock *start, const struct ctf_clock *now);

/* Names of members: none is twice, as those might be that differ only in the signs taken out. */
struct ctf_names {
	size_t n;
	char (*text)[STATE_MAX_NAME * 2];
};
/* An identifier behind an underscore. It lasts as long as the names. */
const char *ctf_name(struct ctf_names *names, const char *name);

/* The metadata of version 2 (ctf2_metadata.c). False without memory, or if the file can't be written. */
bool ctf2_put_all(FILE *f, const struct state_field *const *rings, size_t n, const struct ctf_clock *start,
	const struct ctf_clock *now, const char *host);

enum { CTF_PACKET_MAX = 1 << 20, CTF_STAMP = sizeof(uint64_t) };

/* Bytes of a slot that are copied together; or a bit-field, which becomes an integer of its own. */
struct ctf_span {
	uint32_t offset, size;
	const struct state_int *bits; /* or NULL */
};

/* One thread's ring, and its file. */
struct ctf_track {
	struct ring_seen seen; /* what it counts is the target's word */
	uint64_t written, lost;
	uint64_t stamp;           /* the last one's */
	uint64_t packets, length; /* of the file, which is there from the first packet on */
};

struct ctf_ring {
	const struct state_field *field;
	const struct state_int *time; /* or NULL */
	struct ctf_span *spans;
	size_t n_spans;
	uint32_t size;            /* of a record in a packet */
	struct ctf_track *tracks; /* by thread */
};

/*
 * What the time stamp counter is against the one on the wall, as all traces that share it say; the two readings are the
 * further apart the older it is.
 */
struct ctf_clocks {
	struct ctf_clock start, now;
	uint64_t age; /* between them, in ns; 0: there is one reading yet */
	bool final;   /* a trace that shares it has been closed, and it stays as that one has it */
	unsigned traces;
};

struct ward_ctf {
	int directory;
	unsigned version; /* of the format: 1 (1.8) or 2 */
	char *path;
	char *host; /* NULL: this machine */
	struct ctf_clocks *clock;
	uint64_t described; /* the clock's age when the metadata was written last */
	const struct state_field **fields;
	unsigned char *packet;
	size_t threads, n;
	struct ctf_ring rings[];
};

/* ctf.c. Put a packet of `size` bytes behind the others of its file. It is there whole, or not at all. */
bool ctf_append_packet(
	const ward_ctf *ctf, const struct ctf_ring *r, struct ctf_track *t, size_t thread, uint64_t begin, size_t size);
/* An empty packet: readers compare how many were lost with the packet before. */
bool ctf_begin_file(const ward_ctf *ctf, const struct ctf_ring *r, struct ctf_track *t, size_t thread, uint64_t stamp);
/* Tracks for so many threads. False without memory. */
bool ctf_make_room(ward_ctf *ctf, size_t threads);
/* Say what the clock is by now, if that is something new. */
bool ctf_describe(ward_ctf *ctf, bool last);
/* A record's members, one behind the other. */
void ctf_copy_members(const struct ctf_ring *r, const unsigned char *slot, unsigned char *to);
int ctf_disk_failed(struct ward_error *err);

#endif
