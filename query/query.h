/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries: from one declarative text to a probe in C, and from what the probe has kept to rows. spec/query.md is the
 * language.
 *
 *	text ──lex, parse──▶ tree ──names, types──▶ expressions ──plan, rewrite──▶ plan ──emit──▶ C
 *	                                                                          └─────rows────▶ table
 *
 * Nothing here touches a process: this library knows neither the loader nor the compiler. The text may be a stranger's;
 * nothing of it reaches the C but numbers, checked names and escaped texts.
 *
 * Functions may be called from several threads, each with handles of its own.
 */
#ifndef WARD_QUERY_H
#define WARD_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ward/types.h"
#include "ward/ward.h"

/* Bytes of the text. */
struct query_span {
	uint32_t at, n;
};

/* What is wrong with a text, and a way out; the hint may be empty. */
struct query_error {
	bool is_set;
	struct query_span span;
	char message[320], hint[320];
};

/* Print "NAME:LINE:COLUMN: error: …", the line, a caret below the place, and the hint. */
void query_error_print(const char *name, const char *text, size_t n, const struct query_error *err, FILE *file);

/* Rewrites, by their numbers in spec/query.md: as a set of bits. */
enum query_rewrite {
	QUERY_R1 = 1 << 1,   /* conjunctions apart, and what is always true left out */
	QUERY_R2 = 1 << 2,   /* conditions are tested in the probe */
	QUERY_R3 = 1 << 3,   /* a bound on time ends the query */
	QUERY_R4 = 1 << 4,   /* groups are counted in the probe */
	QUERY_R5 = 1 << 5,   /* numbers of one argument are kept once */
	QUERY_R6 = 1 << 6,   /* constants leave the key */
	QUERY_R7 = 1 << 7,   /* time / period in a key is a window */
	QUERY_R8 = 1 << 8,   /* what nobody uses isn't kept */
	QUERY_R9 = 1 << 9,   /* cheap tests come first */
	QUERY_R10 = 1 << 10, /* members of one pointer are one read */
	QUERY_R11 = 1 << 11, /* keys are small */
	QUERY_R12 = 1 << 12, /* a map has room for as many keys as there can be */
	QUERY_R13 = 1 << 13, /* each thread takes only as many rows as are wanted */
	QUERY_R14 = 1 << 14, /* the most frequent keys, if they may be estimates, have counters */
	QUERY_R15 = 1 << 15, /* both ends of a function are a call */
};

/*
 * What the state of a probe that was written by hand has: its fields, with their parts, as an empty snapshot has them.
 * They live as long as the query.
 */
struct query_module {
	const struct ward_field *fields;
	size_t n;
};
/* Which probe the text names, and what it says of it: Probe("slow.c", "libc.so.6!read", THRESHOLD: 1000). */
enum { QUERY_MODULE_GIVEN = 8 };
struct query_module_file {
	const char *path;
	bool is_kernel;
	const char *sites[QUERY_MODULE_GIVEN]; /* of probe functions that leave theirs open */
	size_t n_sites;
	const char *defines[QUERY_MODULE_GIVEN]; /* "NAME=VALUE" */
	size_t n_defines;
};

/*
 * Which file an aggregate is in. Its text is read by who compiles the query; what its struct has is known once a probe
 * is compiled that has one, as the member "use" of its state: query_use_probe writes that.
 */
struct query_use_file {
	const char *path, *name; /* name: of the struct */
	unsigned n_args;
	bool is_kernel;
};
/* Malloc'd; NULL: no memory. */
char *query_use_probe(const struct query_use_file *file, const char *text);

/* An aggregate that a C file has (Use), and what its struct has. They live as long as the query. */
struct query_used {
	const char *text;                /* of the file */
	const struct ward_field *fields; /* of the struct */
	size_t n, size;                  /* size: bytes of the struct */
};

struct query_options {
	const char *name; /* of the text, for places in the probe; NULL: the probe's lines are its own */
	/* values of parameters and of unknown names: "NAME=TEXT", where TEXT is an expression of the language */
	const char *const *defines;
	size_t n_defines;
	unsigned without; /* rewrites that are not to be made */
	bool exact;       /* bounds on time are tested in the probe as well */
	/* `Now`: nanoseconds since the epoch, the time stamp counter then, and its counts in a microsecond */
	int64_t now;
	uint64_t now_counts;
	double rate;
	/*
	 * The types of what a site takes and returns, asked for at most once, when a name wants them: a parameter, a
	 * member, an enumerator. The table must live as long as the query. `pid` is the process that the text names,
	 * or 0. NULL: there are none, and *why may say why. The function itself may be NULL.
	 */
	const struct ward_types *(*types)(void *user, const char *site, int64_t pid, const char **why);
	void *types_user;
	bool wants_types; /* ask for them in any case */
	/* The module of a probe that the text names. NULL: there is none, and *why says why. It may be NULL. */
	const struct query_module *(*module)(void *user, const struct query_module_file *file, const char **why);
	/* The same of an aggregate. */
	const struct query_used *(*use)(void *user, const struct query_use_file *file, const char **why);
	void *module_user;
};

struct query;

enum { QUERY_TEXT_MOST = 64 << 10 };

/* Compile a text of at most QUERY_TEXT_MOST bytes. NULL: err says why. Free with query_free. */
struct query *query_compile(const char *text, size_t n, const struct query_options *options, struct query_error *err);
void query_free(struct query *q);

/* What a query needs of its machine. */
struct query_needs {
	bool kernel;         /* the kernel's profile */
	bool sample;         /* samples, which are of no module */
	int64_t from;        /* nanoseconds from `now` until the first event is wanted; or 0 */
	int64_t until;       /* nanoseconds from `now` until the query ends by itself; -1: it doesn't */
	int64_t pid;         /* which the text names; 0: none */
	const char *process; /* the name of programs that the text names; or NULL */
};
struct query_needs query_needs_of(const struct query *q);

/* The probe written by hand that the query is of; NULL: it has one of its own, which query_probe has. */
const struct query_module_file *query_module_of(const struct query *q);

/*
 * Divisions of the text that may be by zero: where they are. Events that one has left out are counted in a member of
 * the state, "left_outN".
 */
enum { QUERY_DIVISIONS = 16 };
struct query_point {
	uint32_t line, column;
};
size_t query_divisions(const struct query *q, const struct query_point **points);
/* The same without what differs from one run to the next, in two parts. */
struct query_same {
	const char *part[2];
	size_t size[2];
};
struct query_same query_probe_same(const struct query *q);
/* What differs, as settings of the module: "NAME=VALUE" into the text. False: there is none of that number. */
bool query_setting(const struct query *q, size_t i, char *text, size_t size);

/*
 * The query of the other one of two tables (Join, Diff); NULL: there is one table. Members of its part of the probe's
 * state are called as those of a query by itself, with "other." before them.
 */
const struct query *query_other(const struct query *q);

/* Its sites, as they are in the probe; NULL: there is none of that number. */
const char *query_site(const struct query *q, size_t i);

/* The probe, as a text that lives as long as the query. */
const char *query_probe(const struct query *q);

/* The plan, for people. */
void query_explain(const struct query *q, FILE *file);

/* ---- Rows: rows.c ---- */

/*
 * A number, a text or a histogram. DURATION: `real` nanoseconds. ADDRESS and SITE are the target's; whoever prints them
 * knows their names. NONE is what does not exist, such as the least of no numbers.
 */
enum query_value_kind {
	QUERY_NONE,
	QUERY_UNSIGNED,
	QUERY_SIGNED,
	QUERY_REAL,
	QUERY_BOOL,
	QUERY_TEXT,
	QUERY_DURATION,
	QUERY_ADDRESS,
	QUERY_SITE,
	QUERY_INSTANT, /* number: nanoseconds since the epoch */
	QUERY_BUCKETS,
};
/* Values lo to hi, both included; signed in a histogram of equal steps. */
struct query_bucket {
	uint64_t lo, hi, count;
};
struct query_arena;
struct query_value {
	enum query_value_kind kind;
	uint64_t number; /* SIGNED: as int64_t */
	double real;
	const char *text;
	const struct query_bucket *buckets;
	size_t n;
	bool is_stack;               /* TEXT, ADDRESS: functions with ; between, the innermost last */
	bool is_signed, is_duration; /* BUCKETS: their values; durations are in nanoseconds */
};

/*
 * What the probe has kept of one key: the parts of the key that are in the probe, in their order, and a result for each
 * that is kept there. Durations are as the probe has them.
 */
struct query_result {
	uint64_t count, number, min, max; /* number: a sum modulo 2^64, or an estimate */
	uint64_t error;                   /* of a count: at most so much of it is of other keys */
	uint64_t high;                    /* a STAT's sum: the upper half, whose lower one is `number` */
	double mean;                      /* if count isn't 0 */
	bool is_signed;                   /* the sum */
	bool is_empty;                    /* min and max are of no numbers */
	const struct query_bucket *buckets;
	size_t n;
};
/* What is the same for all events of a session. */
struct query_session {
	int64_t pid;
	const char *process, *machine;
	/* Write the name of an address or a site of the target. NULL: they are shown as numbers. */
	void (*name)(void *user, const struct query_value *v, char *text, size_t size);
	void *user;
};
struct query_entry {
	struct query_value *keys; /* UNSIGNED or TEXT: addresses and sites are texts where their names are known */
	struct query_result *results;
	const struct query_session *session;
	/* with windows: when it begins, in nanoseconds since 1970; of what is kept by window its number */
	int64_t window;
	double seconds; /* of it that were observed */
	uint64_t seen;  /* of what is kept by window: how many events it is of */
};
/*
 * What a module's probe has kept, as a query's own: an entry of its map, as far as the query is of that one; the one
 * entry of its state; a record of its ring. Texts last as long as *record. False: it is of something else.
 */
bool query_module_entry(const struct query *q, const struct ward_map_entry *from, uint32_t n_keys, uint32_t n_values,
	const struct ward_field *map, struct query_entry *entry);
void query_module_state(const struct query *q, const struct ward_field *field, struct query_entry *entry);
/* The name of the map; NULL: it is of no map. */
const char *query_module_table(const struct query *q);
/*
 * Which result a member of what the probe keeps is, by its name: "keep3", or "use0.count"; query_entry_results: rows
 * have nothing for it. False: it is none.
 */
bool query_result_named(const struct query *q, const char *name, size_t *result);
/* A result as a snapshot has it. */
struct query_result query_result_of(const struct ward_field *f);

/* How many of both an entry has. The member of the probe's state that has results is called "keepN". */
size_t query_entry_keys(const struct query *q);
/* Which one of them is called "keyN" in the probe; none: query_entry_keys. */
size_t query_key_place(const struct query *q, size_t number);
size_t query_entry_results(const struct query *q);
/* Is result i in the probe? If not, its member doesn't exist. */
bool query_has_result(const struct query *q, size_t i);
/* Are times, or numbers that are made of them, in what the probe keeps? They are counts of its time stamp counter. */
bool query_has_times(const struct query *q);
/* … and is one of these a time of the day, by this machine's counter? Another machine's has another beginning. */
bool query_has_day(const struct query *q);
/* Is it one map, "groups"? Else the results are members of the state. */
bool query_has_groups(const struct query *q);
/* Is its value the only count, without members? */
bool query_is_count(const struct query *q);

/*
 * Do the rows say which process, program, or machine they are of? Then what the sessions of different ones have kept
 * isn't added.
 */
enum query_by { QUERY_BY_PID = 1, QUERY_BY_PROCESS = 2, QUERY_BY_MACHINE = 4 };
unsigned query_sessions_apart(const struct query *q);

/*
 * Are rows events, and not what was counted of them? Then the probe's state has a ring, "rows", whose records have a
 * member "columnN" for each column N that isn't the same for all events.
 */
bool query_has_records(const struct query *q);
/* How many rows at most; UINT64_MAX: all. */
uint64_t query_most_records(const struct query *q);
size_t query_columns(const struct query *q);
const char *query_column(const struct query *q, size_t i);
bool query_column_is_stack(const struct query *q, size_t i);
/* Is a column of rows of groups a part of their key; or a count or a sum, so that those of several rows add up? */
bool query_column_is_key(const struct query *q, size_t i);
bool query_column_adds_up(const struct query *q, size_t i);
bool query_column_is_duration(const struct query *q, size_t i);
/* A row of a record: `members` are UNSIGNED or TEXT, one for each column, as far as the record has them. */
void query_record_row(const struct query *q, const struct query_session *session, const struct query_value *members,
	struct query_value *row);

/*
 * The record is another machine's, whose counter had `counts` at that moment (nanoseconds since 1970): its members that
 * are moments become counts of this one's.
 */
void query_record_moment(const struct query *q, uint64_t counts, int64_t at, struct query_value *members);
/* Has a row of an event a site or an address, whose name its own process knows? */
bool query_record_is_named(const struct query *q);

/* What let some events pass: how many of how many. A member of the state, "gateN". */
struct query_gate {
	uint64_t passed, of;
};
enum { QUERY_GATES = 8 };
size_t query_gates(const struct query *q);

/*
 * Events that are joined, and how many pairs they made: members of the state. Of a call that has begun, and has no end
 * yet, nothing is missing; of other joins a beginning without an end is.
 */
struct query_pairs {
	uint64_t begins, ends, pairs;
};
bool query_wants_ends(const struct query *q);

/*
 * Events of different threads are joined by the reader, in the order of their time: the probe's state has a ring,
 * "rows", of both sides' records, with members "time", "side", "keyN" and "captureN".
 */
bool query_is_joined(const struct query *q);
enum { QUERY_PAIR_KEYS = 8, QUERY_CAPTURES = 32 };
enum { QUERY_NUMBER_TEXT = 24 };
struct query_record {
	uint64_t time;
	bool is_end;
	uint64_t keys[QUERY_PAIR_KEYS];
	const char *key_texts[QUERY_PAIR_KEYS];          /* of those that are texts; else NULL */
	struct query_value captures[QUERY_CAPTURES];     /* UNSIGNED or TEXT */
	char numbers[QUERY_CAPTURES][QUERY_NUMBER_TEXT]; /* texts of numbers that have no name */
};
/* A record of a module's ring, which is an event by itself. False: it isn't of the query's ring. */
bool query_module_record(const struct query *q, const struct ward_field *ring, const struct ward_record *from,
	struct query_record *record);
/* What the ring of events is called. */
const char *query_ring(const struct query *q);
/* A pair that is a row: members as query_record_row takes them. */
typedef void query_pair_fn(void *user, const struct query_value *members);
struct query_join;
/* NULL: no memory. `row` may be NULL if rows aren't events. */
struct query_join *query_join_open(const struct query *q, query_pair_fn *row, void *user);
void query_join_free(struct query_join *j);
/* A record, which is copied. It is paired when it is a second older than the newest one. False: no memory. */
bool query_join_add(struct query_join *j, const struct query_record *record);
/* What was joined so far; `last`: all of it. The entries are to be freed with free. False: no memory. */
struct query_joined {
	struct query_entry *entries; /* n of all events, and behind them n_windowed of windows */
	size_t n, n_windowed;
	uint64_t seen; /* events that were kept */
	struct query_pairs pairs;
	struct query_gate gates[QUERY_GATES];
	uint64_t left_out[QUERY_DIVISIONS];
	uint64_t lost; /* records that there was no room for */
};
bool query_join_take(struct query_join *j, const struct query_session *session, bool last, struct query_joined *out);

/*
 * What is said of the rows beside them, line i: that they are of a sample, or how exact they are. False: no such line.
 * gates: query_gates of them.
 */
bool query_note(const struct query *q, const struct query_gate *gates, size_t i, char *text, size_t size);

/* What a column of the rows is: a part of the key; a number that only grows while the query runs; anything else. */
enum query_role { QUERY_KEY, QUERY_TOTAL, QUERY_MEASURE };
enum query_role query_role_of(const struct query *q, size_t column);
/* Is it a quantile? Those with one `of` are of one number. */
struct query_quantile {
	double rank; /* 0 to 1 */
	size_t of;
};
bool query_quantile_of(const struct query *q, size_t column, struct query_quantile *quantile);

struct query_rows {
	size_t n_columns, n;
	const char **names;
	struct query_value *values; /* row by row */
	size_t n_static;            /* columns that the text names; behind them are those of Pivot */
	const char *title;          /* of a second table: "centroids" */
	struct query_rows *second;  /* that table, or NULL */
	uint64_t merged;            /* columns of Pivot that are added up in the one called "other" */
	uint64_t unmet;             /* rows of two tables that there was no room for */
	/* private */
	struct query_arena *memory;
	struct query_entry *scaled; /* that they are made of; or NULL */
};

/*
 * Rows of what was kept, in their order, as the steps of analysis leave them. They use the entries' texts and buckets,
 * and live no longer than the query. False: no memory. Free with query_rows_free.
 */
bool query_rows_make(const struct query *q, const struct query_entry *entries, size_t n, struct query_rows *rows);
/* The same, with the entries of query_other. */
bool query_rows_meet(const struct query *q, const struct query_entry *entries, size_t n,
	const struct query_entry *others, size_t n_others, struct query_rows *rows);
void query_rows_free(struct query_rows *rows);
/* Order them by a column: the largest number first, or by the alphabet. */
void query_rows_sort(struct query_rows *rows, size_t column);

/*
 * What came between two times. Counts, sums and histograms have a difference; all else is what it is by now. Keys for
 * which nothing came are left out. *n: how many entries there are now; and how many are left. To be freed; they use the
 * keys of `now`. NULL: no memory.
 */
struct query_entry *query_entries_difference(const struct query *q, const struct query_entry *before, size_t n_before,
	const struct query_entry *now, size_t *n);

/*
 * Are counts and sums of a sample to be scaled to all events (Scaled)? Then these are the entries that rows are made
 * of; they use the keys of `entries`. To be freed once the rows are. gates: query_gates of them. NULL: no memory.
 */
bool query_is_scaled(const struct query *q);
struct query_entry *query_entries_scaled(
	const struct query *q, const struct query_entry *entries, size_t n, const struct query_gate *gates);

/* ---- Windows: window.c ---- */

/* Nanoseconds from one window to the next; 0: the query has none. */
int64_t query_window_step(const struct query *q);
/* At which count of the time stamp counter a window ends; the number of the window at that count. */
uint64_t query_window_end(const struct query *q, uint64_t number);
uint64_t query_window_at(const struct query *q, uint64_t counts);

/* Are all windows differences of totals? Else the probe keeps some results by window. */
bool query_windows_by_difference(const struct query *q);

/* What was kept in all windows so far. The probe isn't there before `counts`. NULL: no memory. */
struct query_windows;
struct query_windows *query_windows_open(const struct query *q, uint64_t counts);
void query_windows_free(struct query_windows *w);
/* The probe is there by now: the first window begins. */
void query_windows_begin(struct query_windows *w, uint64_t counts);
/*
 * What there is at that count: totals; what the probe keeps by window; and `seen`, of how many events that is. It is to
 * be told soon after the end of each window, and at the end of the query (`last`). Sessions of entries outlive the
 * windows; nothing else does. False: no memory.
 */
struct query_window_state {
	uint64_t counts;
	const struct query_entry *entries, *windowed;
	size_t n, n_windowed;
	uint64_t seen;
	bool last;
};
bool query_windows_add(struct query_windows *w, const struct query_window_state *state);
/*
 * Instead of states: entries of a window that come whole, such as those of many machines, in any order, and again.
 * First say which number is the lowest that may come. A window that isn't kept is left out. False: no memory.
 */
void query_windows_from(struct query_windows *w, uint64_t first);
bool query_windows_put(
	struct query_windows *w, uint64_t number, const struct query_entry *entries, size_t n, double seconds);
/* Numbers of windows: the first one that is kept, and the one that isn't over. */
uint64_t query_windows_first(const struct query_windows *w);
uint64_t query_windows_open_one(const struct query_windows *w);
/* Entries of the windows that end with one number up to, but without, another one. False: no memory. */
struct query_window_rows {
	struct query_entry *entries;
	size_t n;
	/* private */
	void *memory;
};
bool query_windows_rows(struct query_windows *w, uint64_t from, uint64_t to, struct query_window_rows *rows);
void query_window_rows_free(struct query_window_rows *rows);
/* What they lack. */
struct query_windows_lacks {
	uint64_t late;      /* windows that were read so late that their events are among those of the one before */
	uint64_t forgotten; /* windows that there was no room for */
	uint64_t unread;    /* events whose window made room in the probe before it was read */
};
struct query_windows_lacks query_windows_lacks(const struct query_windows *w);

#endif
