/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace, in parts: its options (trace_options.c), attaching (trace_attach.c), records as they come
 * (trace_records.c), what maps hand on (trace_drain.c), and a trace from its start to its end (cmd_trace.c).
 */
#ifndef WARD_CLI_TRACE_H
#define WARD_CLI_TRACE_H

#include "cli.h"
#include "export.h"
#include "limits.h"

/* Sites that were reported, and not yet printed. They are printed together, or, if there are many, counted. */
struct trace_sites {
	FILE *lines; /* a line for each */
	char *text;
	size_t size;
	unsigned attached, skipped;
	unsigned ever;       /* how many there were in all */
	char last_site[300]; /* that was attached */
	uint64_t last_address;
	uint64_t noted;     /* the address of which it was said what it misses */
	char *only_skipped; /* the only one is skipped: then that is the error, if nothing else comes */
	struct trace_reason {
		char *reason;
		unsigned n;
	} why[8]; /* sites were skipped; the most frequent come first */
};

struct trace;

/* Processes that come and go, in place of one target: they are the caller's. */
struct trace_many {
	int (*attach)(struct trace *t);
	/* Look for new ones; returns in how many milliseconds it wants to be called next. */
	int (*look)(struct trace *t);
	void (*detach)(struct trace *t);
};

struct cluster_run;
struct cluster_event;

struct trace {
	const char *probe, *with_probe, *pid_text, *site, *output, *ctf_path;
	const char **more_sites;
	size_t n_more_sites;
	char **command; /* NULL: a process that is there already */
	pid_t pid;
	double duration;   /* seconds; 0: no end */
	double begin, end; /* by CLOCK_MONOTONIC, in seconds: when it attaches, and when it ends; 0: at once, never */
	double attached;   /* when it was attached */
	bool on_cluster;   /* an option of clusters was given */
	unsigned ctf_version; /* 0: the default */
	bool both_ends;       /* functions of which one end can't be probed are left out */
	bool ordered_times;   /* of events of different threads (ward_attach_options) */
	bool json, live, kernel, follow, later, records, cycles, quiet, verbose;
	uint32_t max_threads;
	struct front front;
	struct string_list settings; /* what -D gives: of a module they are settings, of a source macros */
	struct limits limits;
	struct cluster_use *cluster; /* with --cluster; NULL: this machine */
	/* prints what machines have sent, instead of the fields of the state; or NULL. Returns an exit status */
	int (*print_cluster)(struct trace *t, struct cli_output *out, struct cluster_run *run, bool is_final);
	/* on a cluster, again and again, also behind the end; sets *is_lacking if the result isn't complete */
	int (*round_cluster)(struct trace *t, struct cluster_run *run, bool *is_lacking);
	uint64_t window_ns; /* of windows; 0: there are none */
	unsigned by;        /* on a cluster: enum cluster_by */
	/* on a cluster, of ward query: its text, with which options it was compiled, and its `Now`; else NULL */
	const char *text;
	struct string_list text_options;
	uint64_t asked_at;
	/* gets each record of a machine, instead of a line for it; or NULL */
	void (*event_cluster)(struct trace *t, const struct cluster_event *event);
	bool has_times; /* it is made of counts of a clock, whether the module says so or not */

	struct cli_output out;
	struct cli_names names;
	struct cli_processes processes;
	struct cli_bytes module;
	ward_session *session;
	ward_schema *schema;
	ward_stream *stream; /* with --json */
	ward_ctf *ctf;       /* with --ctf */
	ward_drain *drain;   /* of maps that hand on; NULL: there are none */
	int drain_ms;        /* until it is polled again */
	bool made_directory; /* for those of two targets */
	uint64_t written;    /* records, there */
	int ctf_status;      /* an exit status */
	struct trace_sites sites;
	bool ended;        /* the target has */
	int target_status; /* and how, as of waitpid; 0: well, or it isn't known */
	bool reader_gone;  /* of the results */
	bool reads_time;   /* the probe */
	struct cli_clock start;
	/* prints the results instead of the state's members (ward query); returns an exit status */
	int (*print)(struct trace *t);
	/* prints the state's members in its own way, with all else as ever; or NULL */
	void (*print_snapshot)(struct trace *t, const ward_snapshot *snapshot);
	void *print_user;
	/* gets each record as it comes, instead of printing it; or NULL */
	void (*record)(struct trace *t, const struct ward_field *field, const struct ward_record *record);
	/*
	 * is called while the trace runs, with the seconds since its start, and returns in how many milliseconds it
	 * wants to be called next; at the end with -1. Or NULL
	 */
	int (*round)(struct trace *t, double elapsed);
	const struct trace_many *many; /* or NULL */
	bool enough;                   /* nothing more is wanted: the trace ends */
	unsigned skipped;              /* sites that matched and can't be probed */
	bool sampled;                  /* the probes run for samples */
	uint64_t inlined;              /* copies of functions, which no probe sees */
	struct trace *with;            /* the kernel's, beside a process's; or NULL */
	struct export_files *exports;  /* --export; of two targets they have one */
	struct cli_merge *merge;       /* of both; NULL: there is one target, or --ctf has the records */
};

enum { TRACE_SLICE_MS = 200, TRACE_RECORDS_MS = 5 }; /* at which a trace looks about; for what takes each record */

extern const char trace_help[];

/* An option's value; a second one is refused, as it would replace the first silently. */
bool trace_keep_once(const struct cli_command *command, const char *option, const char **kept);
bool trace_add_site(const struct cli_command *command, struct trace *t, const char *site);
/* Returns an exit status, or -1 to go on. */
int trace_parse(struct trace *t, int argc, char **argv);

/*
 * A trace from its start to its end, with its output; the module is loaded unless it is there. It frees the target's
 * part of *t. Returns an exit status; or ends this process as the target was ended.
 */
int trace_run(struct trace *t);

/* Compile or read the module, unless it is there. Returns an exit status. */
int trace_load_module(struct trace *t);

/* trace_cluster.c: on a cluster. What can't be had there: an exit status, or -1 to go on. */
int trace_cluster_check(const struct trace *t, int words);
int trace_cluster_run(struct trace *t);

/* Attach the module; its schema is read. What can't be had is said. Returns an exit status. */
int trace_attach(struct trace *t);

/* Print what was attached and skipped since the last time. */
void trace_print_sites(struct trace *t);
void trace_free_sites(struct trace *t);

/* Before the target is touched: where records are to be written (--ctf). Returns an exit status, as all of these do. */
int trace_open_ctfs(struct trace *t);
/* Status is that of what was before, and stays if it is an error. */
int trace_close_ctfs(struct trace *t, int status);
/* Are records exported? */
bool trace_exports_events(const struct trace *t);
/* Before the target is touched: the files that are exported. Once it is attached: what they are about. */
int trace_open_exports(struct trace *t);
int trace_begin_exports(struct trace *t);
/* Of one target, once it is attached: its records. */
int trace_open_stream(struct trace *t);
/* Once both are: records in the order of their time. */
int trace_open_merge(struct trace *t);
/* Say what a count of the time stamp counter is worth by now, unless counts are asked for. */
void trace_set_clock(struct trace *t);
/*
 * Write what there is. slice: milliseconds since the last time. Returns how many there are to be until the next one:
 * few while records come.
 */
int trace_write_records(struct trace *t, int slice);
/* trace_drain.c: of one target, once it is attached: the reader of maps that hand on, if there are any. */
int trace_open_drain(struct trace *t);
/* Take what they have handed on. Returns how many milliseconds there are to be until the next time. */
int trace_drain(struct trace *t);
/* Print what there is. last: nothing comes any more. */
void trace_stream_records(struct trace *t, bool last);

#endif
