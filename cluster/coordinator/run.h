/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query on many machines, as its coordinator runs it: order and beats out; hellos, notes and partials in; last values
 * into the journal, then acknowledged. run.c describes its life. The caller hands in the time, and takes the sums.
 */
#ifndef WARD_CLUSTER_COORDINATOR_RUN_H
#define WARD_CLUSTER_COORDINATOR_RUN_H

#include "cluster/bus/bus.h"
#include "cluster/merge/records.h"
#include "cluster/merge/windows.h"
#include "cluster/wire/by.h"
#include "cluster/wire/sign.h"
#include "fleet.h"

enum { CLUSTER_RUN_UNITS = 4, CLUSTER_RUN_VARIANTS = 16 };

/* Two clocks: one that never goes back, and the time of the day, in nanoseconds. */
struct cluster_now {
	uint64_t ns, at;
};

struct cluster_texts {
	const char *const *at;
	size_t n;
};

/* A module for one build: of a kernel, or of a program. */
struct cluster_run_variant {
	const void *module;
	size_t size;
	uint8_t build[64];
	size_t n_build; /* 0: for each build */
};

/* A module, and on what. */
struct cluster_run_unit {
	bool kernel;
	/* the first that fits is taken; all have one shape. The one for each build, if there is any, is the last */
	struct cluster_run_variant variant[CLUSTER_RUN_VARIANTS];
	size_t n_variants;
	struct cluster_texts sites, processes, imports, settings;
};

struct cluster_run_options {
	const char *cluster, *issuer; /* names */
	const char *selector;         /* which machines; "" for all */
	uint64_t most;                /* of the lot: UINT64_MAX for all */
	const uint8_t *query;         /* its ID, if it has one already; or NULL */
	struct cluster_texts names;   /* of the only machines that are meant; none: all */
	bool late;                    /* also machines that come later */
	const struct cluster_run_unit *unit;
	size_t n_units;
	uint64_t duration_ns, lease_ns, period_ns, keep_ns, grace_ns; /* grace: for last values, at the end */
	enum cluster_by by;                                           /* which process: a part of all keys */
	uint64_t window_ns;                                           /* of windows; 0: the query has none */
	uint64_t overhead_ppm, max_insns, partial;                    /* limits that are asked for; 0: none */
	struct cluster_texts expected;                                /* names of machines that must be there */
	uint32_t shards;                   /* above 1: combiners add up that many parts of the machines */
	const char *text;                  /* for the machines' audit, and for who goes on with it; or NULL */
	struct cluster_texts text_options; /* with which the text was compiled */
	uint64_t asked_at;                 /* its `Now`; 0: it isn't one of ward query */
	/* what this computer's time stamp counter counts in a microsecond, by which counts become nanoseconds */
	double counts_per_us;
	bool has_times; /* numbers are counts of it, whether the modules' state says so or not */
};

enum cluster_phase {
	CLUSTER_RUNS,
	CLUSTER_ENDING,     /* it has ended: last values are waited for */
	CLUSTER_TAKEN_OVER, /* another coordinator has it: this one looks on */
	CLUSTER_OVER,
};

typedef struct cluster_run cluster_run;

/*
 * Begin a query: its order is in the journal, and then on the bus. `directory` is an open one for journals, which are
 * files by the query's ID; -1: there is none, and nothing is acknowledged. The bus, the secret, and what `options`
 * points to but its texts of the order must outlive it.
 */
int cluster_run_begin(bus *b, const struct cluster_secret *secret, const struct cluster_run_options *options,
	int directory, struct cluster_now now, cluster_run **out, struct ward_error *err);

/* A query that runs already. */
struct cluster_again {
	uint64_t grace_ns;
	double counts_per_us; /* as in struct cluster_run_options, and so are these */
	bool has_times;
	struct cluster_texts expected;
	int directory; /* of journals, open */
	bool looks;    /* look on, and order nothing; it has no journal then */
};
/* Go on with the query of a journal, by its ID: with the next term. */
int cluster_run_attach(bus *b, const struct cluster_secret *secret, const char *id, const struct cluster_again *again,
	struct cluster_now now, cluster_run **out, struct ward_error *err);

/* An order as its machines have it, and the term of the coordinator that they follow. */
struct cluster_found {
	void *order;
	size_t size;
	uint64_t term;
};
/* Take over a query whose journal isn't here. */
int cluster_run_adopt(bus *b, const struct cluster_secret *secret, const struct cluster_found *found,
	const struct cluster_again *again, struct cluster_now now, cluster_run **out, struct ward_error *err);
void cluster_run_free(cluster_run *run);

/*
 * Do what is due: take messages, acknowledge, beat. Call it when messages wait, and ten times a second. WARD_E_SYSTEM
 * without memory; all else goes on.
 */
int cluster_run_step(cluster_run *run, struct cluster_now now, struct ward_error *err);
/* End it now, instead of when its time is over; of one that is taken over, look on no more. */
void cluster_run_end(cluster_run *run, struct cluster_now now, const char *reason);

enum cluster_phase cluster_run_phase(const cluster_run *run);
/* Another coordinator has the query, or had it to its end. With combiners that ends this one. */
bool cluster_run_is_looking(const cluster_run *run);
bool cluster_run_has_combiners(const cluster_run *run);
const char *cluster_run_id(const cluster_run *run); /* 32 hexadecimal digits */
cluster_fleet *cluster_run_fleet(cluster_run *run);
size_t cluster_run_units(const cluster_run *run);
const ward_schema *cluster_run_schema(const cluster_run *run, size_t unit); /* the module's */
/* The value of a machine's label, as it says; "-" if it has none. It lasts until the next step. */
const char *cluster_run_label(const cluster_run *run, const char *machine, const char *key);
/* What keys of its sums begin with: of ward_partial_apart, unless it is CLUSTER_BY_NONE. */
enum cluster_by cluster_run_by(const cluster_run *run);
uint64_t cluster_run_period(const cluster_run *run); /* how often machines send */
uint64_t cluster_run_left(const cluster_run *run, uint64_t now_ns);
/* Why nothing is acknowledged, or an empty text. */
const char *cluster_run_journal_fault(const cluster_run *run);
/* Messages that were refused: they were none, or of nobody. */
uint64_t cluster_run_refused(const cluster_run *run);

/* In which form a viewer wants what is shown, and how the query ends: as in the protocol. */
enum cluster_shown_as { CLUSTER_AS_JSON = 1, CLUSTER_AS_TEXT, CLUSTER_SHOWN_FORMS };
enum cluster_shown_end { CLUSTER_GOES_ON, CLUSTER_COMPLETE, CLUSTER_INCOMPLETE, CLUSTER_LEFT };

/* Does a viewer wait for this form? */
bool cluster_run_is_watched(const cluster_run *run, enum cluster_shown_as as);
/* Viewers see this. False: it is too much for messages. */
bool cluster_run_show(
	cluster_run *run, enum cluster_shown_as as, const char *text, size_t size, enum cluster_shown_end end);

/* Of a query that has combiners; else false, and all zeros. */
struct cluster_run_shards {
	size_t shards, combiners; /* combiners that are there */
	size_t unowned;           /* shards without a combiner that is there */
	size_t waiting; /* epochs that are missing in a new combiner's sum, so that the one before still counts */
};
/* Had all combiners the time to say that they are there? */
bool cluster_run_gathered(const cluster_run *run);
bool cluster_run_shards(const cluster_run *run, struct cluster_run_shards *out);

/* ---- run_records.c: single events ---- */

struct cluster_event {
	const struct cluster_record *record; /* as it came: whose, and its bytes */
	const struct ward_field *field;      /* its ring */
	const struct ward_record *members;
	uint64_t at; /* since 1970, by our clock */
};
typedef void cluster_event_fn(void *user, const struct cluster_event *event);

/* Has a module of the query a ring or queue? */
bool cluster_run_has_records(const cluster_run *run);
/*
 * Give out the records whose time has come; `everything`: all that are here. What fn gets lasts until it returns.
 * WARD_E_SYSTEM without memory.
 */
int cluster_run_records(cluster_run *run, struct cluster_now now, bool everything, cluster_event_fn *fn, void *user,
	struct ward_error *err);
/* Of one machine; NULL: of all. */
struct cluster_record_counts cluster_run_record_counts(const cluster_run *run, const char *machine);
/* Have all machines ended, and is all here that they have counted, and all records? */
bool cluster_run_is_complete(const cluster_run *run);

/* The sum so far, of one unit. Free it with cluster_total_free. */
int cluster_run_total(cluster_run *run, size_t unit, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err);
/*
 * The next window that is closed, or was amended since it was given out, as of cluster_windows_next; NULL: none now, or
 * the query has none. Ask at least as often as windows end.
 */
const struct cluster_window *cluster_run_window(cluster_run *run, size_t unit, struct cluster_now now);
/* All windows of a unit; NULL: the query has none. */
const cluster_windows *cluster_run_windows(const cluster_run *run, size_t unit);

#endif
