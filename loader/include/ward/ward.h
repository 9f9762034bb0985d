/*
 * ward/ward.h - libward: verify a module, attach it to functions of a live process, read its state, detach.
 *
 * Conventions. Functions that can fail return 0 or a negative enum ward_status and fill *err if err is not NULL. Option structs start with
 * their size, set by the caller to sizeof; zero in any other field means the default. Handles are opaque; one handle belongs to one thread at a time, different handles are
 * independent. There is no global state.
 */
#ifndef WARD_WARD_H
#define WARD_WARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ward/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ward_status {
	WARD_OK = 0,
	WARD_E_REJECTED = -1, /* the verifier refused the module */
	WARD_E_USAGE = -2,    /* a wrong argument, or a file that can't be read */
	WARD_E_TARGET = -3,   /* the target refused: gone, no permission, no such site */
	WARD_E_SYSTEM = -4,   /* out of memory and the like */
};

/* What went wrong, for a line "ward: what: why" and a hint below. Empty strings if there was no error. */
struct ward_error {
	int status;
	char what[160];
	char why[320];
	char hint[320];
};

typedef struct ward_session ward_session;

/* Told once for each place that a site pattern matched, during ward_attach. */
struct ward_site_report {
	const char *site;     /* "libc.so.6!read", or "libc.so.6!read:return" */
	const char *probe;    /* the probe function */
	const char *method;   /* "jump", "call" (a call in the first bytes is led through the stub) or, of a return site, "exits"; NULL if skipped */
	const char *reason;   /* why it was skipped; NULL if attached */
	uint64_t address;     /* in the target */
	uint32_t number;      /* ev->site; only if attached */
	uint32_t exits;       /* of a return site: places at which the function is left, each of which is patched */
};
typedef void ward_site_fn(void *user, const struct ward_site_report *report);

struct ward_attach_options {
	size_t size;
	const char *site;           /* replaces the sites in the module ("libc.so.6!read"), or NULL */
	uint64_t max_insns;         /* limits for the verifier */
	uint32_t max_stack;
	uint32_t max_state;
	uint32_t max_threads;       /* slots for threads; default 1024 */
	ward_site_fn *on_site;      /* may be NULL */
	void *user;
	struct ward_verdict **verdict; /* if not NULL, receives the verdict (freed by the caller), also on rejection */
	const char *const *allow;   /* names of imports, and of features that need permission, that the module may use, or NULL for none */
	size_t n_allow;
	struct ward_names **names;  /* if not NULL, receives the names of the target's addresses, as ward_names_open, of the moment before it runs on; NULL on failure, or if they can't be had */
};

/*
 * Verify the module of `size` bytes at `image` and, only if it is accepted, attach it to process `pid`. The bytes are copied first; exactly the verified copy is mapped.
 * The target runs on, its threads are stopped only for moments. On failure nothing is left in the target.
 * Children that it forks later run no probes; those that share its memory (vfork) do, as the thread that made them or as one more. Needs the right to ptrace it. On success *out is a session to be ended with ward_detach.
 */
int ward_attach(pid_t pid, const void *image, size_t size, const struct ward_attach_options *options, ward_session **out,
                struct ward_error *err);

/*
 * Start the program argv[0] (found in PATH) with the probes attached before its first instruction of main runs: all libraries that it is linked with are
 * mapped by then. *pid receives its process id; it is a child of the caller, who waits for it with ward_wait. If the program then replaces itself
 * (exec: a shell script that ends in `exec real-program`), the new one is not probed. On failure the program has not run.
 */
int ward_spawn(char *const argv[], const void *image, size_t size, const struct ward_attach_options *options, ward_session **out,
               pid_t *pid, struct ward_error *err);

/* Wait up to timeout_ms (-1: for ever) for the target to end. Returns 1 if it has ended, 0 if not. Interrupted by a signal: 0. */
int ward_wait(ward_session *session, int timeout_ms);

/* A ward_spawn'ed target's wait status once ward_wait returned 1, else -1. */
int ward_exit_status(const ward_session *session);

/* Take the probes off. The state stays readable until ward_session_free. A target that is gone is no error. */
int ward_detach(ward_session *session, struct ward_error *err);

/* Detach if that was not done, and free. NULL is allowed. */
void ward_session_free(ward_session *session);

/* Numbers about a session at this moment. */
struct ward_session_stats {
	uint64_t events;     /* probe runs, over all threads */
	uint64_t dropped;    /* events that came while a probe of the same thread ran, or with no slot left */
	uint32_t threads;    /* slots in use */
	uint32_t sites;      /* attached */
};
void ward_session_stats(const ward_session *session, struct ward_session_stats *stats);

/*
 * Raw state of the session's threads: thread i < returned count has its state at *states[i], each `state_size` bytes, in shared memory that the target
 * goes on writing and may fill with anything. The array is the session's, valid until the next call.
 */
size_t ward_session_states(ward_session *session, const void *const **states, size_t *state_size);

/* List the sites of a process that match `glob` ("libc.so.6!str*"; NULL: all), attachable or not, through `fn`. */
int ward_list(pid_t pid, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/* ---- Names of addresses ---- */

typedef struct ward_names ward_names;

/* See what a process has mapped now; its addresses have names from then on, also when it is gone. Symbols are read of the modules that are asked for. Free with ward_names_close. */
int ward_names_open(pid_t pid, ward_names **out, struct ward_error *err);
void ward_names_close(ward_names *names);

/*
 * The name of an address in a module's code, cut to fit: "libc.so.6!read+0x12", or "libc.so.6+0x1234", an address of the file's own, where no function is known. False if it is in none. The name is the target's: it may hold
 * anything.
 */
bool ward_names_find(ward_names *names, uint64_t address, char *text, size_t size);

/* ---- State: what the fields mean, and their values merged over threads ---- */

typedef struct ward_schema ward_schema;
typedef struct ward_snapshot ward_snapshot;

/*
 * The aggregates of probes/include/ward. STOP is no field of the author's: it counts the runs that a guard has stopped at one place of the source. TEXT is met
 * only as a part of keys and records.
 */
enum ward_field_kind {
	WARD_FIELD_COUNT,
	WARD_FIELD_LOG2,
	WARD_FIELD_MAP,
	WARD_FIELD_VALUE,
	WARD_FIELD_STOP,
	WARD_FIELD_MIN,
	WARD_FIELD_MAX,
	WARD_FIELD_STAT,
	WARD_FIELD_LINEAR,
	WARD_FIELD_QUANTILES,
	WARD_FIELD_MEAN,
	WARD_FIELD_GATE,
	WARD_FIELD_DISTINCT,
	WARD_FIELD_TOP,
	WARD_FIELD_CHOPSTIX,
	WARD_FIELD_RING,
	WARD_FIELD_FLIGHT,
	WARD_FIELD_TEXT,
};

/* One bucket: values lo … hi inclusive; of LINEAR they are signed. */
struct ward_bucket { uint64_t lo, hi, count; };

/* The number at a rank: `rank` of all numbers, a fraction, are at most that. */
struct ward_quantile { double rank, value; };

struct ward_field;

/*
 * One map entry. A key that is an integer is in key (sign-extended if is_signed), a value that is one in value. A map that has parts has them here too: n_keys of the key, n_values of the value.
 */
struct ward_map_entry {
	uint64_t key, value;
	uint64_t error;                  /* TOP: so much of value may be others' */
	const struct ward_field *keys;   /* or NULL */
	const struct ward_field *values; /* or NULL */
};

/* One record of a ring. */
struct ward_record {
	uint32_t thread, dump;           /* 0 …; FLIGHT: which dump, of this thread; n_dumps of the field for those recorded last */
	uint64_t number;                 /* within the thread, and the dump, from 1 */
	const struct ward_field *members;
};

struct ward_field {
	const char *name;                      /* STOP: the source file */
	enum ward_field_kind kind;
	bool key_is_signed;                    /* MAP */
	bool value_is_signed;                  /* numbers, a MAP's values, LINEAR's bounds: print as int64_t */
	bool is_address;                       /* VALUE: a pointer */
	bool is_empty;                         /* MIN, STAT, MEAN: of no numbers */
	uint32_t size;                         /* bytes in the state */
	uint32_t slots;                        /* MAP, TOP, CHOPSTIX, RING, FLIGHT: what one thread can hold (of one dump) */
	uint32_t n_keys, n_values;             /* of a map, 0 if keys and values are plain integers; of a ring n_values members of a record */
	const struct ward_field *parts;        /* their names and kinds: keys, then values */
	uint64_t value;                        /* COUNT, STOP, VALUE, STAT: the sum; MIN, MAX; GATE: what passed; DISTINCT: the estimate; CHOPSTIX: events */
	uint64_t count;                        /* STAT, MEAN, QUANTILES: of so many numbers; GATE: what was asked */
	uint64_t min, max;                     /* STAT, if not empty */
	double real;                           /* STAT, MEAN: the mean */
	double error;                          /* QUANTILES: most relative error; DISTINCT: standard error */
	uint32_t line;                         /* STOP: in the source file */
	const char *reason;                    /* STOP: what the guard stops; a static string. Else NULL */
	const char *text;                      /* TEXT: whatever the probe wrote, up to a zero byte */
	size_t n;                              /* LOG2, LINEAR: buckets; QUANTILES: ranks; maps: entries; rings: records */
	const struct ward_bucket *buckets;     /* from the first to the last non-empty one */
	const struct ward_quantile *quantiles; /* by rank */
	const struct ward_map_entry *entries;  /* largest value first */
	const struct ward_map_entry *other;    /* MAP: the value of all keys that found no room, or NULL */
	const struct ward_record *records;     /* oldest first */
	uint32_t n_dumps;                      /* FLIGHT: how often one thread can be dumped */
	uint64_t lost;                         /* MAP: updates that found the map full; CHOPSTIX, RING: overwritten; FLIGHT: triggers missed */
	uint64_t evicted;                      /* MAP: keys that made room for others */
	uint64_t unlisted;                     /* entries that there are beside the n listed */
};

/*
 * Learn from the module's debug information what the fields of its state are. Hostile input: a wrong description makes wrong numbers, nothing worse. A module without
 * debug information gives a schema of no fields.
 */
int ward_schema_read(const void *image, size_t size, ward_schema **out, struct ward_error *err);
void ward_schema_free(ward_schema *schema);

/* Field names and kinds alone, for `ward info`: number of fields; field i (value, n and arrays zero). */
size_t ward_schema_fields(const ward_schema *schema);
struct ward_field ward_schema_field(const ward_schema *schema, size_t i);

/* Merge the states of a session's threads as the schema says. Free with ward_snapshot_free. */
int ward_snapshot_take(ward_session *session, const ward_schema *schema, ward_snapshot **out, struct ward_error *err);
/* The same over plain memory: n states of state_size bytes each. */
int ward_snapshot_merge(const ward_schema *schema, const void *const *states, size_t n, size_t state_size, ward_snapshot **out,
                        struct ward_error *err);
size_t ward_snapshot_fields(const ward_snapshot *snapshot);
const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i);
void ward_snapshot_free(ward_snapshot *snapshot);

/* ---- Records as they come ---- */

typedef struct ward_stream ward_stream;

/* Told of a record once: field as in a snapshot, without results. What it is given lasts until it returns. */
typedef void ward_record_fn(void *user, const struct ward_field *field, const struct ward_record *record);

/* Follow the rings of a schema, which must outlive the stream; flight recorders aren't followed. */
int ward_stream_open(const ward_schema *schema, ward_stream **out, struct ward_error *err);
void ward_stream_close(ward_stream *stream);

/* Tell of all records since the last time, ring by ring, in order of their time. */
int ward_stream_poll(ward_stream *stream, ward_session *session, ward_record_fn *fn, void *user, struct ward_error *err);
/* The same over plain memory: thread i is at states[i] each time, and there are never fewer than before. */
int ward_stream_read(ward_stream *stream, const void *const *states, size_t n, size_t state_size, ward_record_fn *fn, void *user,
                     struct ward_error *err);

/* How many records of a field were told, and how many came too fast for that. */
void ward_stream_totals(const ward_stream *stream, const char *field, uint64_t *told, uint64_t *lost);

#ifdef __cplusplus
}
#endif
#endif
