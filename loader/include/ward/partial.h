/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward/partial.h - partial aggregates: what probes have kept, in a form that can be merged on.
 *
 * A snapshot (ward/ward.h) is finished: it has quotients, percentiles and estimates, which can't be merged again. A
 * partial has sums, buckets and registers. Partials of the threads of a session, of several sessions, and of many
 * machines are added, in any order and grouping, and the sum is finished once. A snapshot is a partial that was
 * finished: ward_snapshot_take is ward_partial_take and ward_partial_finish.
 *
 * Adding is associative and commutative for every kind of field, to the last bit:
 *
 *      COUNT, VALUE, STOP, WIDE sum, modulo 2^64 (WIDE: 2^128)
 *      MIN, MAX, REAL, TEXT     the least, the greatest
 *      STAT                     count and sum (of 128 bits) add up; the least, the greatest
 *      LOG2, LINEAR, QUANTILES  buckets add up
 *      DISTINCT                 of each register the greatest
 *      MEAN                     sum of average times weight (of 128 bits), and of weights: exactly the mean of means
 *      GATE                     sums
 *      MAP, ARRAY               values by key; what is lost, evicted, and beside the keys adds up; entries that a map
 *                               has handed on (ward/spill.h) are of their keys
 *      TOP                      counts and errors by key; a partial without a key may have counted its floor
 *      CHOPSTIX                 weights by key, which are lower bounds
 *      RING, QUEUE, FLIGHT      records, in the order of a snapshot; they are not packed
 *
 * The thread of an entry is WARD_ANY_THREAD once it was in several partials or was packed; it has no part in this.
 *
 * Numbers are as the probe keeps them. Counts of the time stamp counter become nanoseconds when a partial is finished,
 * by the clock of the schema (ward_schema_set_clock), so counts of machines with different clocks can't be added.
 *
 * Names. An address, or the number of a site, means something only in its process. A partial that was taken with names
 * has the name in its place, wherever it is (a part of) a key: "libc.so.6!read+0x12"; the name of a site that
 * ward_schema_site has reported; that of a ward_module. Such keys are added by their names and finished as TEXT. An
 * address is added by its place, which is the build-id of its file and its offset there, and by its name; when it is
 * finished, those that show the same are one key. A place without a symbol is shown by the symbol that another partial
 * has for it.
 * Partials with and without names can't be added.
 *
 * Ownership, threads and errors are as in ward/ward.h: the caller owns what a function returns through `out`; several
 * threads may use a partial at once in functions that take it as const, any other function needs it for itself. A
 * partial outlives its session, but not its schema.
 */
#ifndef WARD_PARTIAL_H
#define WARD_PARTIAL_H

#include "ward/ward.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct ward_partial ward_partial;

enum {
	WARD_PARTIAL_MOST_BYTES = 1 << 20, /* of a packed partial, in any case */
	WARD_PARTIAL_BYTES = 1 << 16,      /* the default */
	WARD_PARTIAL_MEMORY = 1 << 22,     /* the default: bytes of a partial in memory */
};

/*
 * Limits, in bytes; 0 is the default. A call that exceeds one fails, and changes nothing, but for ward_partial_pack
 * and ward_partial_cut, which put entries aside.
 */
struct ward_partial_limits {
	size_t size;   /* sizeof(struct ward_partial_limits) */
	size_t bytes;  /* of a packed partial; at most WARD_PARTIAL_MOST_BYTES */
	size_t memory; /* of one partial; adding needs this once more for a moment */
};

/*
 * What a packed partial says of itself. The library packs it, unpacks it, and looks at nothing in it: what replaces
 * what, and who may send it, is the receiver's to decide. When partials are added, `into` keeps its own, but for
 * `flags`, of which each bit that one of them has is kept, and for `events` and `dropped`, which add up.
 */
enum { WARD_PARTIAL_LAST = 1, WARD_PARTIAL_CUT = 2, WARD_PARTIAL_CLOCK_JUMPED = 4 };
struct ward_partial_notes {
	size_t size; /* sizeof(struct ward_partial_notes) */
	unsigned char query[16];
	uint64_t epoch;    /* of the sender: it only rises */
	uint64_t nonce;    /* tells two senders of one name apart */
	uint64_t sequence; /* within the epoch: of two, the higher one is valid */
	uint32_t flags;    /* the last of its epoch; cut to the limit; the clock has jumped */
	uint64_t events;   /* runs of probes, and events that ran none: since the start */
	uint64_t dropped;
	uint64_t wall_ns;      /* the sender's clock when it was taken, in nanoseconds since 1970 */
	uint64_t overhead_ppm; /* the probes' share of the processes' time, in millionths */
	uint64_t window;       /* of a query by windows: which one */
};

/*
 * Take a partial of the states of a session's threads, by the schema of the session's module. `names`
 * (ward_names_open, or options->names of ward_attach) makes addresses, sites and modules names; NULL: they stay
 * numbers. limits may be NULL: as much memory as it takes. `events` and `dropped` of its notes are the session's.
 * WARD_E_USAGE if the schema doesn't fit; WARD_E_SYSTEM without memory or above the limit. Free with
 * ward_partial_free.
 */
int ward_partial_take(ward_session *session, const ward_schema *schema, ward_names *names,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err);
/*
 * The same for plain memory: n states of state_size bytes each, aligned to 8. Of no states (n is 0) it is the partial
 * that adds nothing, which a sum begins with.
 */
int ward_partial_merge(const ward_schema *schema, ward_names *names, const void *const *states, size_t n,
	size_t state_size, const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err);

/*
 * Add `from` to `into`, which may be the same. Their schemas need not be the same, but must be of one module (or one
 * source, compiled alike), else WARD_E_USAGE; so it is if just one has names. WARD_E_SYSTEM without memory, or if the
 * sum is above the limit that `into` was made with. On failure `into` is as it was.
 */
int ward_partial_add(ward_partial *into, const ward_partial *from, struct ward_error *err);

/*
 * Take `from` away, which `into` has come from while its probes ran on: what is left is what came in between. Sums,
 * counts and buckets have such a difference, exactly, modulo 2^64 (WIDE, and the sum of a STAT: 2^128). Of a STAT and
 * of QUANTILES the least and the largest number stay those of `into`. Entries to which nothing came are left out;
 * `events` and `dropped` are differences, too. WARD_E_USAGE: they can't be added either, or a field has no difference,
 * as a MIN has none; *err names it. So does the difference of one with itself. WARD_E_SYSTEM without memory or above
 * the limit of `into`. On failure `into` is as it was.
 */
int ward_partial_subtract(ward_partial *into, const ward_partial *from, struct ward_error *err);

/*
 * Finish it: percentiles, means, estimates, and entries by their weight. The snapshot is a copy that outlives the
 * partial, but not the schema. WARD_E_SYSTEM without memory. Free with ward_snapshot_free.
 */
int ward_partial_finish(const ward_partial *partial, ward_snapshot **out, struct ward_error *err);

/*
 * Put aside as many entries as it takes for the partial to have at most limits->memory, and limits->bytes when it is
 * packed. Each field keeps its heaviest entries. All fields keep equally many, or all that they have, so large maps
 * give before small ones. The values of the others are added to the value of the keys without room; a TOP's floor
 * rises instead, and where there is neither they are gone. What was put aside counts as `unlisted` when the partial is
 * finished (in sums, once for each partial that has put the key aside), and its flags have WARD_PARTIAL_CUT. *cut, if
 * `cut` isn't NULL, is how many entries this call has put aside. WARD_E_SYSTEM if it doesn't fit without any entry, or
 * without memory; the partial is as it was. limits may be NULL: the defaults.
 */
int ward_partial_cut(
	ward_partial *partial, const struct ward_partial_limits *limits, uint64_t *cut, struct ward_error *err);

/*
 * A partial as bytes, a protobuf (spec/partial.md), without records. Free *bytes with free. If there were more bytes
 * than limits->bytes, they are those of a copy that was cut, as of ward_partial_cut. WARD_E_SYSTEM if that isn't
 * enough, or without memory. limits may be NULL: the defaults.
 */
int ward_partial_pack(const ward_partial *partial, const struct ward_partial_limits *limits, void **bytes, size_t *size,
	struct ward_error *err);
/*
 * Read such bytes, which may be anybody's, by a schema of the same module. The partial has names if they have. Takes
 * time and memory in proportion to them and to the schema, and never more memory than limits->memory for the partial,
 * and eight times the bytes, 512 for each field and 64 KiB while they are read. WARD_E_USAGE: they are no partial of
 * this schema; *err names the field, and the number of the rule. WARD_E_SYSTEM above limits->memory, or without
 * memory. limits may be NULL: the defaults. Free with ward_partial_free.
 */
int ward_partial_unpack(const ward_schema *schema, const void *bytes, size_t size,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err);

/* The notes; all zeros of NULL. Set them: WARD_E_USAGE if `notes` has no size, or says what this version doesn't know.
 */
struct ward_partial_notes ward_partial_notes(const ward_partial *partial);
int ward_partial_note(ward_partial *partial, const struct ward_partial_notes *notes, struct ward_error *err);

/* ---- maps that hand entries on ---- */

typedef struct ward_drain ward_drain;

/*
 * The reader of a session's WARD_SPILLs. Such a map hands entries on to a queue when there are more keys than slots.
 * The reader takes them from there, so that the probes have room again, and keeps them: what it has taken and what is
 * in the states is all that was counted, however many keys there are. Poll it often, every millisecond while entries
 * come; what finds a queue full counts as lost, and goes to the value of the keys without room. So sums over keys are
 * exact in any case.
 *
 * Without a reader ward_partial_take has what is in the maps and queues. A map has one reader at a time, for as long
 * as the session lives: ward_partial_take doesn't know what a reader has taken. In the kernel, whose states can't be
 * written, queues are read as far as they are filled once.
 *
 * `names` and `limits` are as of ward_partial_take; the limit is that of all that was taken. The schema and the names
 * must outlive it. End with ward_drain_close. WARD_E_SYSTEM without memory.
 */
int ward_drain_open(const ward_schema *schema, ward_names *names, const struct ward_partial_limits *limits,
	ward_drain **out, struct ward_error *err);
/* Is there such a map in the schema? */
bool ward_drain_is_needed(const ward_schema *schema);
/* NULL is allowed. */
void ward_drain_close(ward_drain *drain);

/*
 * Take what waits. *taken, if `taken` isn't NULL, is how many entries that were. WARD_E_USAGE if the schema doesn't
 * fit; WARD_E_SYSTEM without memory or above the limit: entries that there is no room for stay in the queues.
 */
int ward_drain_poll(ward_drain *drain, ward_session *session, size_t *taken, struct ward_error *err);
/* A partial of all: as ward_partial_take, with the entries that were taken. */
int ward_drain_take(ward_drain *drain, ward_session *session, ward_partial **out, struct ward_error *err);

/* The same over plain memory, as ward_partial_merge. The cursors of the queues are written to the states. */
int ward_drain_read(ward_drain *drain, const void *const *states, size_t n, size_t state_size, size_t *taken,
	struct ward_error *err);
int ward_drain_merge(ward_drain *drain, const void *const *states, size_t n, size_t state_size, ward_partial **out,
	struct ward_error *err);

/*
 * A schema like this one, with a key more: `key`, such as "machine", is the first part of every key, and is a text.
 * What has no keys becomes a map with this one; rings and stops stay as they are. WARD_E_USAGE if `key` isn't a name,
 * or if the schema has such a key already; WARD_E_SYSTEM without memory. `schema` must outlive it. Free with
 * ward_schema_free.
 */
int ward_schema_by(const ward_schema *schema, const char *key, ward_schema **out, struct ward_error *err);
/*
 * The same partial by such a schema of its own: in all its keys the text is `text`. Partials with two texts have no
 * key in common. limits may be NULL: as much memory as it takes. WARD_E_USAGE: the schema isn't of the partial's;
 * WARD_E_SYSTEM without memory or above the limit. Free with ward_partial_free.
 */
int ward_partial_by(const ward_partial *partial, const ward_schema *by, const char *text,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err);

/*
 * The way back: a partial by the schema that `by` is made of for each text that is in its keys, in ascending order.
 * `fn` may keep what it is given, which is to be freed with ward_partial_free; it returns false to end. What isn't by
 * that text, such as keys that were lost, is in the first one; of a partial without any keys there is one, of the text
 * "". WARD_E_USAGE: the partial isn't by a schema of ward_schema_by; WARD_E_SYSTEM without memory.
 */
typedef bool ward_apart_fn(void *user, const char *text, ward_partial *partial);
int ward_partial_apart(const ward_partial *by, ward_apart_fn *fn, void *user, struct ward_error *err);

/*
 * Can `after` be what `before` has become while its probes ran on? Events and dropped events, stops, buckets,
 * registers, and the counts of STAT and GATE never fall. (A COUNT may: a probe may have added a negative number. What
 * is in maps may make room for others.) WARD_E_USAGE if not; *err says what has fallen.
 */
int ward_partial_follows(const ward_partial *before, const ward_partial *after, struct ward_error *err);

/* A copy of it, with the same limit. WARD_E_SYSTEM without memory. Free with ward_partial_free. */
int ward_partial_copy(const ward_partial *partial, ward_partial **out, struct ward_error *err);

/* Was it taken with names, so that keys that are addresses, sites and modules are texts? */
bool ward_partial_has_names(const ward_partial *partial);
/* Bytes of memory that a partial takes, without what each of its fields has in any case. */
size_t ward_partial_memory(const ward_partial *partial);

/* NULL is allowed. */
void ward_partial_free(ward_partial *partial);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
