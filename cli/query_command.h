/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query, in parts: its options and its text (cmd_query.c), rows and what they lack (query_results.c), rows while
 * it runs (query_stream.c), and those on a terminal (query_live.c).
 */
#ifndef WARD_CLI_QUERY_COMMAND_H
#define WARD_CLI_QUERY_COMMAND_H

#include "cluster/coordinator/asked.h"
#include "cluster/merge/names.h"
#include "cluster_command.h"
#include "query/processes.h"
#include "ward/types.h"
#include "query_rows.h"
#include "trace.h"

enum { QUERY_MOST_COLUMNS = 32 }; /* of a row of an event */
enum { QUERY_TABLES = 16 };       /* of types: one for each site of a query */

#define QUERY_LEAST_INTERVAL 0.1 /* seconds */
#define ATTACH_BEFORE 0.3        /* the first event that is wanted */

/* Rows while the query runs. */
struct query_stream {
	double every;      /* seconds; 0: not asked for */
	bool deltas, live; /* live: on a terminal */
	bool silent;       /* nothing is printed before the end: rows are metrics */
	double next;       /* seconds since the start */
	struct query_kept before;
	double took; /* the last snapshot, which was so long that the interval was doubled; or 0 */
	unsigned snapshots;
	double all, longest, cpu; /* seconds that they took; cpu: of the processor's time */
	int status;
	struct query_windows *windows; /* NULL: the query has none */
	uint64_t shown;                /* windows up to this number were printed */
	bool has_begun;
};

/* The view that is drawn anew. */
struct query_view {
	struct cli_live screen;
	struct query_kept kept; /* what it shows */
	bool has_kept, paused;
	size_t sort; /* 1 + the column that it is sorted by; 0: as the query says */
};

/* Processes that have a module mapped. */
struct query_many {
	struct query_processes *processes; /* NULL: there is one target */
	struct ward_attach_options attach;
	const char *program;
	char *modules[32];
	size_t n_modules;
	bool has_begun;
	int poll_ms;
	double next; /* look for new processes then, by CLOCK_MONOTONIC */
};

/* An aggregate in C. */
enum { QUERY_USED = 4 };
struct query_used_file {
	struct query_used used;
	char *text;
	ward_schema *schema;
	ward_snapshot *snapshot;
	struct ward_field *fields;
};

/* Whose rows are, on a cluster: rows point to these. */
struct query_far_sessions {
	struct cluster_names names;
	struct query_session **at;
	size_t room;
};

/* What windows of a cluster lack: events of machines that are in none, or more than these have counted. */
struct query_far_windows {
	uint64_t missing, surplus;
	bool cut;
};

struct query_command {
	struct trace trace;
	struct query_options options;
	struct string_list defines, owned; /* owned: texts that others' lists name */
	struct string_list with;           /* options with which the text is compiled */
	bool stats, was_cached;            /* was_cached: nothing was compiled */
	double compile_seconds;
	double submitted; /* `Now`, by CLOCK_MONOTONIC */
	enum query_format format;
	const char *openmetrics; /* where metrics are to be had */
	struct metrics_server *metrics;
	struct export_files exports; /* --export */
	const char *html;            /* a file for a page of the answer */
	struct query_rows events;    /* the first rows of events, for that page */
	uint64_t most_insns;         /* of an event, where that is asked for */
	bool explain;
	const char *name; /* of the text, for messages */
	struct cli_bytes text;
	struct query *query;
	struct ward_types *types[QUERY_TABLES]; /* that the query's names have wanted */
	size_t n_types;
	char types_why[500];
	struct query_used_file used[QUERY_USED]; /* that the text names */
	size_t n_used;
	struct query_module module; /* of a probe that the text names; its fields are ours */
	struct cli_bytes module_bytes;
	ward_schema *module_schema;
	ward_snapshot *module_fields;
	struct query_session session;
	char machine[65], process[32];
	struct query_printed printed; /* rows of events */
	struct query_join *join;      /* of events of different threads; NULL: there is none */
	bool join_failed;             /* for want of memory */
	bool is_over;                 /* all records have come */
	struct query_stream stream;
	struct query_view view;
	struct query_many many;
	struct cluster_use use;     /* trace.cluster, if the query is of a cluster */
	struct cluster_asked asked; /* with --attach: what its order asks */
	struct query_lacks far;     /* what its result lacks */
	struct query_far_sessions far_sessions;
	struct query_far_windows far_windows;
	uint64_t far_events; /* of all machines so far */
};

/* ---- cmd_query.c ---- */

/* A copy of a text that lasts as long as the command; NULL without memory. */
const char *query_keep(struct query_command *c, const char *text);
/* An option of how the text is compiled, as one word that lasts: "-D NAME=VALUE". False: it is none. */
bool query_with(struct query_command *c, const char *word);

/* ---- query_results.c ---- */

/* Seconds, by CLOCK_MONOTONIC. */
double query_monotonic(void);
/* Nanoseconds since 1970. */
int64_t query_now(void);
/* The trace prints the query's rows: those of events as they come, all others at the end. */
void query_results_hook(struct query_command *c);
/* What was kept so far; free with query_kept_free. Returns an exit status, as all of these do. */
int query_take(struct query_command *c, struct query_kept *kept);
/* Print its rows. sort: NULL, or 1 + the column by which they are sorted, 0 as the query says. */
int query_show(struct query_command *c, struct cli_output *out, const struct query_kept *kept,
	const struct query_moment *moment, size_t *sort);
/* Its rows are the metrics from now on. */
int query_publish(struct query_command *c, const struct query_kept *kept);

/* ---- query_publish.c ---- */

/* Metrics are to be had from now on (--openmetrics). Returns an exit status. */
int query_metrics_open(struct query_command *c);
void query_metrics_set(struct query_command *c, const struct query_rows *rows, const struct query_lacks *lacks);

/* ---- query_types.c ---- */

/* For struct query_options: the types of a site. The tables are the command's. */
const struct ward_types *query_types_read(void *user, const char *site, int64_t pid, const char **why);
void query_types_free(struct query_command *c);

/* ---- query_compile.c ---- */

/* The module of a probe's text, from the cache or by the compiler. `same`: what the text is known by, there. */
int query_compile_text(struct query_command *c, const char *text, const struct query_same *same, bool kernel,
	struct cli_bytes *module, bool *was_cached);

/* ---- query_use.c ---- */

/* For struct query_options: an aggregate that the text names. */
const struct query_used *query_use_read(void *user, const struct query_use_file *file, const char **why);
void query_use_free(struct query_command *c);

/* ---- query_module.c ---- */

/* For struct query_options: the module of a probe that the text names. */
const struct query_module *query_module_read(void *user, const struct query_module_file *file, const char **why);
/* The trace is of that module. */
void query_module_hook(struct query_command *c);
void query_module_free(struct query_command *c);

/* ---- query_export.c ---- */

/* Before the target is touched: can stacks be made of the rows, and files be written? Returns an exit status. */
int query_export_open(struct query_command *c);
/* The rows of the end. */
int query_export_write(struct query_command *c, const struct query_rows *rows);

/* ---- query_page.c ---- */

/* The page is to have this row of an event. */
void query_page_add(struct query_command *c, const struct query_value *row);
void query_page_free(struct query_command *c);
/* Write the page (--html). */
int query_page_write(struct query_command *c, const struct query_rows *rows, const struct query_lacks *lacks);

/* A row of an event, as it comes. */
void query_record_print(struct query_command *c, const struct query_session *who, const struct ward_field *field,
	const struct ward_record *record);
/* The same of what the record has, or a pair. */
void query_row_print(struct query_command *c, const struct query_session *who, const struct query_value *members);
/* Events so far, in all processes. */
struct ward_session_stats query_stats(struct query_command *c);

/* ---- query_many.c ---- */

/* The trace is of all processes that have a module mapped; program: NULL, or what theirs is called. */
int query_many_hook(struct query_command *c, const char *program);
void query_many_free(struct query_command *c);

/* ---- query_cluster.c ---- */

/* The query is of a cluster: on which processes there. What can't be had of one is refused. Returns an exit status. */
int query_cluster_choose(struct query_command *c);
__attribute__((format(printf, 2, 3))) void query_far_add(struct query_lacks *lacks, const char *format, ...);

/* ---- query_cluster_attach.c ---- */

/* The text and its options are those of a query that runs. Returns an exit status, as the last one. */
int query_attach_read(struct query_command *c);
/* What differs where that text is compiled: its `Now`, and that it reads no file. */
void query_attach_options(struct query_command *c);
/* Is the module of the text as that of the order? */
int query_attach_check(struct query_command *c);

/* ---- query_cluster_sums.c ---- */

/* All that was counted so far, or a window of it. */
struct query_sums_of {
	cluster_run *run;
	const struct cluster_window *window; /* or NULL */
};
/* What becomes rows, and whose it is. Zero at first. */
struct query_sums {
	struct cluster_total all, *totals; /* totals: of each machine, if rows tell them apart */
	struct query_part *parts;
	size_t n_totals, n, room;
	bool owns_parts; /* their partials are its own */
};
/* A status of libward, as the next one; free it in any case. */
int query_sums_take(
	struct query_command *c, const struct query_sums_of *of, struct query_sums *sums, struct ward_error *err);
void query_sums_free(struct query_sums *sums);
/* Free with query_kept_free. */
int query_sums_keep(struct query_command *c, struct cluster_run *run, const struct query_sums *sums,
	struct query_kept *kept, struct ward_error *err);
void query_far_sessions_free(struct query_command *c);

/* ---- query_cluster_windows.c; exit statuses ---- */

int query_cluster_windows_open(struct query_command *c);
/* Take those that are closed by now. *is_lacking: at the end some events are in none. */
int query_cluster_windows_round(struct query_command *c, cluster_run *run, bool *is_lacking);
/* Print rows of those from one on, or publish those of the last one; `kept` is what there is in all. */
int query_cluster_windows_show(
	struct query_command *c, struct cli_output *out, const struct query_kept *kept, uint64_t from, bool is_final);
int query_cluster_windows_publish(struct query_command *c, const struct query_kept *kept);
void query_cluster_windows_lacks(struct query_command *c, cluster_run *run, bool is_final);

/* ---- query_stream.c ---- */

/* The trace prints rows while it runs, and reads windows, as far as that is asked for. Returns an exit status. */
int query_stream_hook(struct query_command *c);
/* What is asked for, and can't be had? An exit status, as the next one. */
int query_stream_check(struct query_command *c);
/* Show, or publish, what there is so far; *total is freed, or kept until the next one. */
int query_stream_give(struct query_command *c, struct query_kept *total, double elapsed);
/* Print the rows of all windows. Returns an exit status. */
int query_show_windows(struct query_command *c);
void query_stream_free(struct query_command *c);

/* ---- query_live.c ---- */

/* Can the view be drawn? */
bool query_live_possible(void);
/* Draw what was kept, which becomes the view's; NULL: what it has. `elapsed`: seconds since the start. */
void query_live_draw(struct query_command *c, struct query_kept *kept, double elapsed);
/* Draw these, which stay the caller's. */
void query_live_rows(struct query_command *c, const struct query_kept *kept, double elapsed);
/* Do what keys say. Returns whether the view is to be drawn again. */
bool query_live_keys(struct query_command *c);
/* Give the terminal back, if it was taken. */
void query_live_end(struct query_command *c);

#endif
