/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: what is left of a text when all its names are resolved. An event passes the filter, and is counted under
 * its key; what was kept makes the rows.
 */
#ifndef WARD_QUERY_PLAN_H
#define WARD_QUERY_PLAN_H

#include "ast.h"
#include "expr.h"

enum {
	PLAN_SITES = 16,
	PLAN_FILTERS = 64,
	PLAN_KEYS = 8,
	PLAN_KEEPS = 64,
	PLAN_COLUMNS = 32,
	PLAN_ORDERS = 8,
	PLAN_GATES = QUERY_GATES,
	PLAN_HISTORIES = 16,
	PLAN_CAPTURES = QUERY_CAPTURES,
	PLAN_KEY_BYTES = 64,
	PLAN_STEPS = 16,
	PLAN_SETTINGS = 64,
	PLAN_GIVEN = 32, /* of them, from which on parameters have none */
	PLAN_BEFORE = 256,
	PLAN_BLOCKS = 8,
};

/* Where events come from. */
struct plan_site {
	const char *text; /* with ":return" or ":throw" at its end */
	struct query_span span;
	bool is_return, is_throw, is_tracepoint, is_kernel, is_sample;
	bool is_first; /* of a pair: its event is kept until the other one comes */
};

/*
 * Two events that are one: both ends of a call, or two that have the same key; in one thread, or anywhere, as records
 * that the reader joins.
 */
enum pair_kind { PAIR_NONE, PAIR_CALL, PAIR_THREAD, PAIR_RECORDS };
struct plan_filters {
	struct expr *at[PLAN_FILTERS];
	size_t n;
};
struct plan_pair {
	enum pair_kind kind;
	bool is_alone;                   /* RECORDS: each event is by itself; nothing is joined */
	struct plan_filters before[2];   /* of each event, before they meet */
	struct expr *keys[2][PLAN_KEYS]; /* of each */
	size_t n_keys;
	int64_t within; /* nanoseconds; 0: any time */
};
/* A value of one event of a pair. */
struct plan_capture {
	uint64_t side;
	struct expr *of;
};

/* What rows or events are of, if a probe that was written by hand keeps them: its state, a map of it, a ring. */
enum module_kind { MODULE_NONE, MODULE_STATE, MODULE_TABLE, MODULE_SEQUENCE };
struct plan_module {
	enum module_kind kind;
	const struct query_module_file *file;
	const struct query_module *has;
	const struct ward_field *member; /* of its state: the map, or the ring */
	bool has_times;                  /* the ring's records */
	/* of what is kept, and of captures: which part of an entry or record, or which field of the state */
	size_t parts[PLAN_KEEPS];
};

/* What several reads of memory are one read of: bytes lo to hi behind an address, and the parts that are wanted. */
enum { BLOCK_BYTES = 64, BLOCK_PARTS = 16 };
struct plan_block {
	const struct expr *base;
	uint64_t lo, hi;
	struct block_part {
		uint64_t offset; /* from lo */
		unsigned size;
	} parts[BLOCK_PARTS];
	unsigned n_parts, uses;
};

/* What the probe keeps of the events that have one key. */
enum keep_kind { KEEP_COUNT, KEEP_SUM, KEEP_STAT, KEEP_LOG2, KEEP_LINEAR, KEEP_DISTINCT, KEEP_QUANTILES, KEEP_BITS };
struct plan_keep {
	enum keep_kind kind;
	struct expr *of;      /* NULL for COUNT */
	struct expr *when;    /* only of events for which it is true; or NULL */
	int64_t lo, hi, step; /* LINEAR; QUANTILES: step is the bits of precision */
	struct query_span span;
	size_t use;         /* 1 + which Use it is of, whose struct has this `member`; 0: none */
	const char *member; /* its name in that struct */
	double error;       /* of what somebody else keeps: how exact it is; 0: as a query keeps it */
	size_t counted_by;  /* COUNT: 1 + which other one counts the same, so that this one isn't in the probe; or 0 */
	bool is_unused;     /* R8: no row needs it, so it isn't in the probe */
};

/* An aggregate in C: its struct is kept, and events are added to it. Its members follow each other in what is kept. */
enum { PLAN_USES = 4, USE_ARGUMENTS = 6 };
struct plan_use {
	const struct query_use_file *file;
	const struct query_used *has;
	struct expr *args[USE_ARGUMENTS];
	size_t n_args, first; /* first: of its members in what is kept */
};

/* A part of the key; `constant`: of the session, and not in the probe. */
struct plan_key {
	const char *name;  /* as g.Key has it */
	const char *shown; /* the name of its column */
	struct expr *of;
};

/*
 * What lets some events pass: one of n at random, each n-th, n in some time; or those whose key has come 1, 2, 4, 8 …
 * times. It counts both.
 */
enum gate_kind { GATE_RANDOM, GATE_EVERY, GATE_AT_MOST, GATE_CHOPSTIX };
struct plan_gate {
	enum gate_kind kind;
	uint64_t n;
	int64_t ns;      /* AT_MOST: within that time */
	struct expr *of; /* CHOPSTIX: the key */
};

/* What is known of a thread's earlier events: the number of the last one, or the mean of them. */
enum history_kind { HISTORY_LAST, HISTORY_MEAN };
struct plan_history {
	enum history_kind kind;
	struct expr *of;
	int64_t n; /* MEAN: of the last n; 0: of all, with weights that become smaller */
};

struct plan_column {
	const char *name;
	struct expr *value;
};

struct plan_order {
	struct expr *value;
	bool down;
};

/* How rows are made of what there is: which ones, in what order, and with what columns. */
#define PLAN_ROWS \
	struct expr *having[PLAN_FILTERS]; \
	size_t n_having; \
	struct plan_order orders[PLAN_ORDERS]; \
	size_t n_orders; \
	struct plan_column columns[PLAN_COLUMNS]; \
	size_t n_columns; \
	uint64_t skip, take; /* take UINT64_MAX: all */ \
	bool is_whole        /* behind the columns come those that a step finds only as it runs */
struct plan_rows {
	PLAN_ROWS;
};

/*
 * An operator on finished rows. It takes the rows that are made as `rows` says, and makes a table, whose cells are what
 * the next rows are made of (EXPR_CELL).
 */
enum step_kind { STEP_PIVOT, STEP_NORMALISE, STEP_KMEANS, STEP_MOVING_AVERAGE, STEP_JOIN, STEP_DIFF };
struct plan_step {
	enum step_kind kind;
	struct plan_rows rows;
	uint64_t n;            /* KMEANS: clusters; MOVING_AVERAGE: rows; JOIN: parts of the key, the last columns */
	bool by[PLAN_COLUMNS]; /* DIFF: columns of `rows` that rows are matched by */
	bool is_key[PLAN_COLUMNS];    /* of the columns of `rows` */
	bool is_number[PLAN_COLUMNS]; /* of those that are no keys */
	struct plan_step *next;
};

/*
 * Windows: equal pieces of time, of `step` nanoseconds, whose first begins at 1970; rows are of `length`, a multiple of
 * it. 0: there are none.
 */
struct plan_window {
	int64_t length, step;
	bool is_given; /* the step comes of a parameter */
};

struct plan {
	struct plan_site sites[PLAN_SITES];
	size_t n_sites;
	struct plan_module module;
	struct plan_pair pair;
	struct plan_capture captures[PLAN_CAPTURES];
	size_t n_captures;
	struct expr *filters[PLAN_FILTERS];
	size_t n_filters;
	struct plan_gate gates[PLAN_GATES];
	size_t n_gates;
	struct plan_history histories[PLAN_HISTORIES];
	size_t n_histories;
	struct plan_block blocks[PLAN_BLOCKS];
	size_t n_blocks;
	bool has_key;
	struct plan_key keys[PLAN_KEYS];
	size_t n_keys;
	struct plan_keep keeps[PLAN_KEEPS];
	size_t n_keeps;
	struct plan_use uses[PLAN_USES];
	size_t n_uses;
	size_t counts_group;     /* 1 + which one says if there were events of the only group there is; or 0 */
	struct plan_step *steps; /* on finished rows, in their order */
	union {                  /* the rows of the answer, behind all steps */
		struct plan_rows rows;
		struct {
			PLAN_ROWS;
		};
	};
	bool is_records; /* rows are events: the columns are of the probe, and nothing is kept */
	unsigned before; /* how many records of the thread come as well that were before one that passes; or 0 */
	uint64_t take_events;
	struct plan_window window;
	uint64_t slots;    /* of the map; 0: by default */
	bool is_about;     /* the counts of Top may be estimates */
	bool refuses;      /* keys that find no room in the map are counted, and not handed on */
	unsigned counters; /* of a sketch of the most frequent keys in place of the map; 0: a map */
	int64_t until;     /* nanoseconds from now; -1: no end */
	int64_t from;      /* nanoseconds from now until the first event is wanted; or 0 */
	int64_t pid;
	const char *process;                          /* the name of its program; or NULL */
	struct query_span divisions[QUERY_DIVISIONS]; /* that may be by zero; more of them count as the last */
	struct query_point division_at[QUERY_DIVISIONS];
	size_t n_divisions;
	bool is_scaled; /* what was counted of a sample is scaled */
	bool has_day;   /* the probe compares the counter with a time of the day */
	/* numbers that differ from one run to the next, and where they are in the text of the probe */
	uint64_t settings[PLAN_SETTINGS];
	size_t n_settings, settings_at, settings_end;
	unsigned made; /* rewrites that did something, as bits */
};

struct query {
	struct query_arena arena;
	const struct query_text *text; /* while it is compiled */
	struct query_options options;
	struct plan plan;
	char *probe;
	bool is_half;        /* two tables share the state */
	struct query *other; /* whose rows meet these in a step; its plan has a part of the same probe. Or NULL */
	/* of each site, once a name has wanted them; NULL: there are none, and why, if that is known */
	const struct ward_types *types[PLAN_SITES];
	const char *types_why[PLAN_SITES];
	bool asked_types[PLAN_SITES];
};

/* Tree to plan. False: err says why. */
bool plan_make(struct query *q, const struct query_tree *tree, struct query_error *err);

/* rewrite.c */
void plan_rewrite(struct query *q, struct expr_maker *m);
/* R2, R4 left out: the reader tests and counts. apart.c describes how. */
void rewrite_apart(struct query *q, struct expr_maker *m);
/* How many counters know the k most frequent keys. */
unsigned top_counters(uint64_t k);
/* The process that the text names so far; 0: none. */
int64_t plan_process(const struct plan *p);
/* R10, blocks.c: reads of one pointer's members become one. */
void rewrite_reads(struct query *q);
/* Bytes of the key. */
unsigned plan_key_bytes(const struct plan *p);
/* Into its conjuncts, each of them a filter. */
void plan_add_filter(struct query *q, struct expr_maker *m, struct expr *cond);

/* emit.c: the probe's source, malloc'd. NULL: err says why. */
char *plan_emit(struct query *q, struct query_error *err);

#endif
