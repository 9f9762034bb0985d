/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of `ward` share. */
#ifndef WARD_CLI_H
#define WARD_CLI_H

#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "ward/partial.h"
#include "ward/ward.h"

/* Exit statuses, the same for every command. */
enum cli_status {
	CLI_OK = 0,
	CLI_REJECTED = 1, /* the probe breaks the policy, or the language */
	CLI_USAGE = 2,    /* bad usage, or input that can't be read */
	CLI_TARGET = 3,   /* the target refused: gone, no permission, no such site */
};

struct cli_command {
	const char *name;
	const char *summary; /* for the list of commands */
	const char *help;    /* for --help: usage, options, an example */
	int (*run)(int argc, char **argv);
};

extern const struct cli_command cmd_cc, cmd_link, cmd_info, cmd_list, cmd_trace, cmd_graph, cmd_query, cmd_detach,
	cmd_cluster, cmd_agent, cmd_combine;

/* ---- error.c ---- */

/*
 * Print "ward: what: why" and "hint: …" on standard error, one line each whatever the strings hold (they may quote a
 * stranger's file). An empty or NULL `what` is left out. Returns status.
 */
int cli_error(int status, const char *what, const char *hint, const char *why, ...)
	__attribute__((format(printf, 4, 5)));

/* The same for an error of libward, with the exit status that belongs to it. */
int cli_library_error(const struct ward_error *err);

/*
 * Print a string that may come from a stranger's file: on one line, and with nothing in it that a terminal would act
 * on.
 */
void cli_print_clean(FILE *file, const char *s);

/* The same, as text of at most size - 1 bytes. */
void cli_clean_text(char *text, size_t size, const char *s);

/* ---- options.c ---- */

enum { CLI_OPT_DONE = -1, CLI_OPT_HELP = -2, CLI_OPT_BAD = -3 };

/* getopt_long with our way of reporting: prints help or the error itself. `shorts` must start with a colon. */
int cli_getopt(
	const struct cli_command *command, int argc, char **argv, const char *shorts, const struct option *longs);

/* Cut off the first "--" and what is behind it, which getopt would move about: that, or NULL if there is no "--". */
char **cli_take_command(int *argc, char **argv);

/* A number from lo to hi, in decimal or 0x hexadecimal. On failure prints an error and returns false. */
bool cli_number(const struct cli_command *command, const char *option, const char *text, uint64_t lo, uint64_t hi,
	uint64_t *value);

/* A positive number of seconds, with a fraction. On failure prints an error and returns false. */
bool cli_seconds(const struct cli_command *command, const char *option, const char *text, double *seconds);

/* "user" or "kernel". */
bool cli_profile(const struct cli_command *command, const char *text, bool *kernel);

/*
 * A process that exists, by its id, or its name if no other has that. On failure prints an error and returns an exit
 * status.
 */
int cli_pid(const struct cli_command *command, const char *text, pid_t *pid);

/* Usage error of a command: "ward: COMMAND: why", with a hint at its help. Returns CLI_USAGE. */
int cli_usage(const struct cli_command *command, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* ---- file.c ---- */

struct cli_bytes {
	uint8_t *data;
	size_t size;
};

/* Read a whole file. Prints an error and returns an exit status if that fails. The data is the caller's to free. */
int cli_read_file(const char *path, struct cli_bytes *out);

/*
 * Write a file so that its name never stands for half of it. Prints an error and returns an exit status if that fails.
 */
int cli_write_file(const char *path, const struct cli_bytes *bytes);

/* Remove an output file of an earlier run, if there is one, since it is not what was asked for. */
void cli_remove_stale(const char *path);

bool cli_has_suffix(const char *s, const char *suffix);

/* ---- listing.c ---- */

/* What the compiler guarded, and why. */
struct cli_guarded {
	struct cli_guarded_row {
		char *path;
		unsigned line, column;
		char *what, *why;
	} *row;
	size_t n;
};
struct ward_guarded;
void cli_keep_guarded(struct cli_guarded *kept, const struct ward_guarded *rows, size_t n);
void cli_free_guarded(struct cli_guarded *kept);

/*
 * An accepted module's code by lines of its source, with guards marked. Returns an exit status, with any error printed.
 */
int cli_print_listing(const struct cli_bytes *module, const struct ward_verdict *verdict,
	const struct ward_verify_options *limits, const struct cli_guarded *guarded);

/* ---- hints.c ---- */

enum { CLI_MAX_HINTS = 32 };

/* Hints that were found for what the compiler said. Start with zeros, and `kernel` if that's the profile. */
struct cli_hints {
	bool kernel, shown; /* some were printed below their messages */
	char *given[CLI_MAX_HINTS];
	size_t n;
};

/* Print what the compiler says; if there are several hints, each below its message. */
void cli_hints_print(struct cli_hints *h, const char *text, FILE *to);

/* The hint for the end, or NULL for none. */
const char *cli_hints_last(const struct cli_hints *h);

void cli_hints_free(struct cli_hints *h);

/* ---- module.c ---- */

/* How to make a module of a source or an object; zero for none of it. */
struct cli_make {
	const char *const *include_dirs;
	size_t n_include_dirs;
	const char *const *flags; /* for clang */
	size_t n_flags;
	const char *const *maps; /* of directories: "OLD=NEW" */
	size_t n_maps;
	const char *const *more_sources; /* that make one module together with the first */
	size_t n_more_sources;
	bool kernel;
	const char *btf;    /* a file of the kernel's types; NULL: the running kernel's, if the source asks for them */
	int64_t state_size; /* objects; -1: from debug information */
	const struct ward_verify_options *limits; /* NULL: the defaults */
	int guards;                               /* enum ward_guards */
	uint64_t rounds;                          /* of a loop that nothing bounds; 0: the default */
	bool report;
	struct cli_guarded *guarded; /* if not NULL: print the listing, and keep there what that needs to know */
};

/* Compile a source, or several. */
int cli_compile(const char *path, const struct cli_make *make, struct cli_bytes *out);
/* A source that is in memory. `name`: a short one, which its path in the debug information begins with. */
int cli_compile_text(const char *name, const char *text, const struct cli_make *make, struct cli_bytes *out);
int cli_link_object(const char *path, const struct cli_make *make, struct cli_bytes *out);

/* Compile a .c file, read anything else. */
int cli_load_module(const char *path, const struct cli_make *make, struct cli_bytes *out);

/* Print each violation that is worth it with its place in the source, then the error. Returns CLI_REJECTED. */
int cli_report_rejection(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options,
	const struct ward_verdict *verdict);

/* ward_verify; rejection is reported. *verdict is set only if CLI_OK is returned. */
int cli_verify(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options,
	struct ward_verdict **verdict);

/* A line of a source that was compiled just now, with a mark at the column (0: none), as the compiler shows it. */
void cli_print_source(const char *path, unsigned number, unsigned column);

/* ---- unshown.c ---- */

/*
 * Warn of members of the state that no result shows, of a module that was made of `path` just now. Returns an exit
 * status.
 */
int cli_warn_of_unshown(const char *path, const struct cli_make *make, const struct cli_bytes *module);
/* Name them: below the results, or in a table; the schema may be NULL. */
struct cli_output;
void cli_print_unshown(struct cli_output *out, const ward_schema *schema);
void cli_json_unshown(struct cli_output *out, const ward_schema *schema);

/* ---- stack_limit_hint.c ---- */

/*
 * Leave out of a verdict what only follows from a stack that is too deep. Returns the violations that are left, to be
 * freed when the verdict isn't needed any more; NULL: it is as it was.
 */
struct ward_violation *cli_drop_stack_followups(
	const struct cli_bytes *module, const struct ward_verify_options *options, struct ward_verdict *verdict);

/* ---- types.c ---- */

/* A header with the kernel's types, which clang can include by its path. */
struct cli_types {
	int fd; /* -1: none */
	char path[40];
};

/* What sources ask for. */
struct cli_wanted {
	bool kernel; /* <ward/kernel.h> */
	char modules[16][64];
	size_t n_modules;
};

/* Adds what this one asks for. Returns an exit status. */
int cli_types_wanted(const char *path, const struct cli_bytes *source, struct cli_wanted *wanted);

/* btf: NULL for the running kernel's. Returns an exit status. */
int cli_types_open(struct cli_types *types, const char *btf, const struct cli_wanted *wanted);
void cli_types_close(struct cli_types *types);

/* ---- build_output.c ---- */

struct cli_build {
	int (*make)(const char *path, const struct cli_make *options, struct cli_bytes *out);
	struct cli_make options;
	struct ward_verify_options limits;
};

/*
 * Make a module of `input`, verify it, and write it to `output` (NULL: the input's name with `suffix` replaced by
 * .ward, in this directory). If there is no proven module, no file is left under that name. Returns an exit status,
 * with any error printed.
 */
int cli_build_output(const struct cli_command *command, const char *input, const char *suffix, const char *output,
	struct cli_build *make);

/* ---- output: results.c, table.c, json.c ---- */

/* Where results go, and how. */
struct cli_output {
	FILE *file;
	bool json;
	bool colour;                   /* escape sequences are allowed */
	bool unicode;                  /* so are block characters */
	unsigned width;                /* columns */
	struct cli_names *names;       /* of the target's addresses, or NULL */
	const struct cli_clock *clock; /* of the trace, or NULL */
	const ward_ctf *ctf;           /* where the records of rings were written, or NULL */
	const ward_stream *stream;     /* which has read them for the merged sequence, for people; or NULL */
	bool is_streamed;              /* records of rings were printed as they came: fields have none */
	const char *from; /* of several targets, which one has these results: "process" or "kernel". Else NULL */
};

/* Look at the file and the environment: is it a terminal, how wide, which character set? */
void cli_output_init(struct cli_output *out, FILE *file, bool json);

void cli_print_snapshot(struct cli_output *out, const ward_snapshot *snapshot);
/* The last lines. rate: counts of the time stamp counter in a microsecond; 0: don't print it. */
void cli_print_end(struct cli_output *out, const struct ward_session_stats *stats, const char *of, double rate);

/* Which thread's state a value comes from, and from what time; WARD_ANY_THREAD, 0: unknown. */
struct cli_origin {
	uint32_t thread;
	uint64_t time;
};

/* field_text.c: does a field's value go on one line? That line; what a guard stopped, in words; a histogram's bars. */
bool cli_field_is_line(const struct ward_field *f);
/* Columns that a text takes on a terminal. */
int cli_width(const char *text);
/* Write µs as us where the terminal has no such character. */
void cli_plain_units(const struct cli_output *out, char *text);
void cli_field_text(
	const struct cli_output *out, char *text, size_t size, const struct ward_field *f, struct cli_origin from);
const char *cli_stop_text(const struct ward_field *stop);
/* The places at which a guard may stop a run; only those that the module's own table names. */
size_t cli_count_guards(const ward_schema *schema);
/* By the bound that the compiler gave a loop whose end it couldn't prove? */
bool cli_stop_is_rounds(const struct ward_field *stop);
void cli_print_bars(struct cli_output *out, const struct ward_field *f);

/*
 * merge_records.c: a record on one line, to be freed: whose it is, the ring, and each member's name and value. NULL
 * without memory.
 */
char *cli_record_text(const struct cli_output *out, const struct ward_field *f, const struct ward_record *r);

/* table.c: the entries of a map; the records of a ring. */
void cli_table_entries(struct cli_output *out, const struct ward_field *f);
/*
 * A stack in the last column of a table, `blanks` from the left, one frame a line, the innermost first. `first`: the
 * line has begun. `name`: of one of several in a row, else NULL. Its frames are used up.
 */
void cli_print_stack(FILE *file, int blanks, bool first, const char *name, char *frames);
void cli_table_records(struct cli_output *out, const struct ward_field *f);

/* Print a JSON object on a line of its own, and release it. */
struct json_object;
void cli_json_line(struct cli_output *out, struct json_object *object);
/* The same, without a write of its own: whoever has printed many flushes them together. */
void cli_json_put(struct cli_output *out, struct json_object *object);

/* text.c: a text of the target's for people, on one line, at most size - 1 bytes; what is cut off leaves "...". */
void cli_escape_text(char *text, size_t size, const char *s);
bool cli_is_utf8(const char *s);
/* A string that may hold any bytes; those that aren't UTF-8 become U+FFFD. All its bytes in hexadecimal. */
struct json_object *cli_json_string(const char *s);
struct json_object *cli_json_bytes(const char *s);
/* A line of JSON, malloc'd, in which what a terminal would act on is escaped; NULL without memory. */
char *cli_json_escape(const char *line);

void cli_json_site(struct cli_output *out, const struct ward_site_report *report, const char *type);
/* If there is a stream, it has read the records of rings. */
void cli_json_snapshot(struct cli_output *out, const ward_snapshot *snapshot, const ward_stream *stream);
void cli_json_record(struct cli_output *out, const struct ward_field *field, const struct ward_record *record);
/* The same of another machine's process. */
struct cli_sender {
	const char *machine, *program;
	uint32_t pid; /* 0: the kernel */
	int64_t at;   /* since 1970 */
	bool is_late; /* one with a later time came before */
};
void cli_json_record_of(struct cli_output *out, const struct ward_field *field, const struct ward_record *record,
	const struct cli_sender *sender);
/* A record's line without its end, to be freed; NULL without memory. */
char *cli_json_record_text(struct cli_output *out, const struct ward_field *field, const struct ward_record *record);
/* The last line. Runs that guards have stopped are in the snapshot, which may be NULL. */
void cli_json_end(struct cli_output *out, const ward_session *session, const struct ward_session_stats *stats,
	const ward_snapshot *snapshot, double rate);

/* ---- names.c ---- */

/* The names of a target's addresses and sites. Zero at first. */
struct cli_names {
	ward_names *names; /* or NULL */
	bool several;      /* of several processes */
	uint64_t *seen;    /* addresses that were printed as numbers */
	size_t n, cap;
	char **site; /* by its number; NULL: unknown */
	size_t n_sites;
};

/* Remember the name of an attached site by its number; its ends have the same. */
void cli_names_add_site(struct cli_names *n, uint32_t number, const char *site);
void cli_names_close(struct cli_names *n);

/* An address, and the number of a site: its name, or the number. */
void cli_address_text(const struct cli_output *out, char *text, size_t size, uint64_t address, struct cli_origin from);
void cli_site_text(const struct cli_output *out, char *text, size_t size, uint64_t number);

/* The frames of a stack that a probe has taken, the innermost last, with ; between; to be freed. NULL: it is none. */
char *cli_stack_text(const struct cli_output *out, uint64_t address, struct cli_origin from);

/* Remember an address, and later go through those that have names. */
void cli_names_note(struct cli_output *out, uint64_t address);
/*
 * The name of an address if others may have another name for it, as processes that were followed do; to be freed. Else
 * NULL.
 */
char *cli_names_own(const struct cli_output *out, uint64_t address, struct cli_origin from);
typedef void cli_name_fn(struct cli_output *out, uint64_t address, const char *name);
void cli_names_each(struct cli_output *out, cli_name_fn *fn);

/* ---- live.c ---- */

/* What a view shows. */
struct cli_view {
	ward_session *session;
	const ward_schema *schema;
	struct cli_names *names;
	ward_drain *drain; /* or NULL */
	const struct cli_clock *clock;
	const char *title; /* the target */
	double duration;   /* seconds, or 0 */
	const char *of;    /* what has a state each: "thread" */
};

/* trace_drain.c: a snapshot, with what a reader of maps that hand on has taken; `drain` may be NULL. */
int cli_take_snapshot(ward_session *session, const ward_schema *schema, ward_drain *drain, ward_snapshot **out,
	struct ward_error *err);

/* A view on standard error's terminal. Zero at first. */
struct cli_live {
	bool on;
	bool keys;        /* it is told the keys that are pressed, if standard input is this terminal: cli_live_key */
	double drawn, at; /* seconds */
	uint64_t events;
	struct sigaction before, before_quit; /* of SIGTSTP and SIGQUIT */
};

/* Is standard error a terminal that can be drawn on? */
bool cli_live_possible(void);
/* Draw the view again if a second is over; elapsed: seconds since the start. The first time takes the terminal. */
void cli_live_draw(struct cli_live *l, const struct cli_view *view, double elapsed);
/* Draw a frame of the caller's, which is lines. The first time takes the terminal. */
void cli_live_show(struct cli_live *l, const char *text);
/* How far it is: "12 s of 30 s ██████░░░░"; without an end (0) "12 s". */
void cli_live_progress(struct cli_output *out, double elapsed, double duration);
/* A key that was pressed, or -1. */
int cli_live_key(struct cli_live *l);
/* Restore the terminal, if it was taken. */
void cli_live_end(struct cli_live *l);

/* ---- processes.c ---- */

/* Programs that were followed. Zero at first. */
struct cli_processes {
	struct cli_process {
		int64_t pid;
		uint64_t events;
		char *text;
	} row[20]; /* those with most events */
	size_t n;
	uint64_t total, events; /* of all */
};
void cli_processes_add(struct cli_processes *p, const struct ward_process_report *report);
void cli_processes_print(struct cli_output *out, const struct cli_processes *p);
void cli_processes_free(struct cli_processes *p);
void cli_json_process(struct cli_output *out, const struct ward_process_report *report);

/* ---- merge_records.c ---- */

/* The records of a process and of the kernel as one sequence. Zero at first. */
struct cli_merge {
	struct cli_held {
		uint64_t time, number; /* `number`: in which order they came */
		uint64_t thread;
		bool kernel;
		char *line;
	} *held;
	size_t n, room;
	uint64_t begun,
		limit; /* when this round of reading began; what is older than the limit can be printed after it */
	uint64_t last; /* the latest time that was printed */
	uint64_t came, printed, late, others, lost;
	unsigned char *threads; /* a bit for each that the process's records have had; NULL: they don't say */
};

/*
 * Does the kernel number a process's threads as the process itself does? 0: those of a command that is started. Returns
 * an exit status.
 */
int cli_merge_check(pid_t pid);
/* Begin; the snapshot of the process's state says whether its records have threads. False without memory. */
bool cli_merge_open(struct cli_merge *merge, const ward_snapshot *process);
/* A round begins: all rings are read now. */
void cli_merge_round(struct cli_merge *merge);
void cli_merge_add(struct cli_merge *merge, struct cli_output *out, bool kernel, const struct ward_field *field,
	const struct ward_record *record);
/* The round is over: print the records that no other can come before; or all. */
void cli_merge_print(struct cli_merge *merge, struct cli_output *out, bool all);
/* A number that a record has by this name, or NULL; where the record comes from. */
const struct ward_field *cli_record_member(const struct ward_field *f, const struct ward_record *r, const char *name);
struct cli_origin cli_record_origin(const struct ward_field *f, const struct ward_record *r);
/* Print how many there were. */
void cli_merge_end(const struct cli_merge *merge, struct cli_output *out);
void cli_merge_free(struct cli_merge *merge);
void cli_json_sequence(struct cli_output *out, const struct cli_merge *merge);

/* ---- clock.c ---- */

/* The time stamp counter and the system's clock, read together. */
struct cli_clock {
	uint64_t counts, ns;
	int64_t epoch;     /* the time of the day then: nanoseconds since 1970; 0: not started */
	double rate;       /* set by the caller: counts in a microsecond, as they were found last; 0: show counts */
	bool is_elsewhere; /* another machine's: any count of it may be a moment */
};
void cli_clock_start(struct cli_clock *start);
/* Counts in a microsecond since the start; 0 if that can't be said. */
double cli_clock_rate(const struct cli_clock *start);
/*
 * The moment at which the time stamp counter had this value, in nanoseconds since 1970. False if that can't be said, or
 * was before the start, or is yet to come.
 */
bool cli_clock_moment(const struct cli_clock *start, uint64_t counts, int64_t *ns);
/* The time of the day, here, to the microsecond. */
void cli_moment_text(char *text, size_t size, int64_t ns);

/* ---- state_table.c ---- */

/* Print the first `n` fields of a state, in which guards come last, as a table. Returns an exit status. */
int cli_print_state_table(const ward_schema *schema, size_t n);

#endif
