/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `ward cluster`, and commands with --cluster, share. */
#ifndef WARD_CLI_CLUSTER_COMMAND_H
#define WARD_CLI_CLUSTER_COMMAND_H

#include "cli.h"
#include "cluster/coordinator/run.h"
#include "limits.h"

/* cluster_setup.c, cluster_machines.c */
int cluster_run_init(int argc, char **argv);
int cluster_run_enrol(int argc, char **argv);
int cluster_run_machines(int argc, char **argv);
int cluster_run_queries(int argc, char **argv);
int cluster_run_cancel(int argc, char **argv);
/* cluster_watch.c, cluster_show.c */
int cluster_run_watch(int argc, char **argv);
int cluster_run_show_query(int argc, char **argv);

/* ---- cluster_options.c: options of commands that use a cluster ---- */

enum {
	CLUSTER_OPTION_URL = 1024,
	CLUSTER_OPTION_CREDS,
	CLUSTER_OPTION_KEY,
	CLUSTER_OPTION_NAME,
	CLUSTER_OPTION_ON,
	CLUSTER_OPTION_SOME,
	CLUSTER_OPTION_PROCESS,
	CLUSTER_OPTION_EXPECT,
	CLUSTER_OPTION_PERIOD,
	CLUSTER_OPTION_LEASE,
	CLUSTER_OPTION_KEEP,
	CLUSTER_OPTION_GRACE,
	CLUSTER_OPTION_OVERHEAD,
	CLUSTER_OPTION_ATTACH,
	CLUSTER_OPTION_BY,
	CLUSTER_OPTION_WITHOUT,
	CLUSTER_OPTION_NO_LATE,
	CLUSTER_OPTION_PARTIAL_OK,
	CLUSTER_OPTION_VARIANT,
	CLUSTER_OPTION_SHARDS,
};

/* How to reach a cluster. */
#define CLUSTER_BUS_LONGS \
	{"cluster", required_argument, NULL, CLUSTER_OPTION_URL}, \
		{"creds", required_argument, NULL, CLUSTER_OPTION_CREDS}, \
		{"key", required_argument, NULL, CLUSTER_OPTION_KEY}, \
	{ \
		"cluster-name", required_argument, NULL, CLUSTER_OPTION_NAME \
	}
/* And what to do there. */
#define CLUSTER_LONGS \
	CLUSTER_BUS_LONGS, {"on", required_argument, NULL, CLUSTER_OPTION_ON}, \
		{"some", required_argument, NULL, CLUSTER_OPTION_SOME}, \
		{"process", required_argument, NULL, CLUSTER_OPTION_PROCESS}, \
		{"expect", required_argument, NULL, CLUSTER_OPTION_EXPECT}, \
		{"period", required_argument, NULL, CLUSTER_OPTION_PERIOD}, \
		{"lease", required_argument, NULL, CLUSTER_OPTION_LEASE}, \
		{"keep", required_argument, NULL, CLUSTER_OPTION_KEEP}, \
		{"grace", required_argument, NULL, CLUSTER_OPTION_GRACE}, \
		{"max-overhead", required_argument, NULL, CLUSTER_OPTION_OVERHEAD}, \
		{"attach", required_argument, NULL, CLUSTER_OPTION_ATTACH}, \
		{"by", required_argument, NULL, CLUSTER_OPTION_BY}, \
		{"without", required_argument, NULL, CLUSTER_OPTION_WITHOUT}, \
		{"variant", required_argument, NULL, CLUSTER_OPTION_VARIANT}, \
		{"shards", required_argument, NULL, CLUSTER_OPTION_SHARDS}, \
		{"no-late", no_argument, NULL, CLUSTER_OPTION_NO_LATE}, \
	{ \
		"partial-ok", no_argument, NULL, CLUSTER_OPTION_PARTIAL_OK \
	}

#define CLUSTER_HELP \
	"  --cluster URL        on the machines of a cluster: its bus, tls://HOST:4222,… Processes are chosen with\n" \
	"                       --process; the time (-d) is at most a day, and 5 minutes if it isn't given\n" \
	"  --creds FILE         the coordinator's credentials; --key FILE: its key (as FILE.creds has FILE.key)\n" \
	"  --cluster-name NAME  the cluster's name, as in the machines' configuration (default)\n" \
	"  --on SELECTOR        which machines: 'role=web rack=b*', 'web1[0-9].*' (all)\n" \
	"  --some N, --some N%  so many of them (up to 200), or a part of them, drawn at random\n" \
	"  --process WHAT       on a machine: exe=FILE, unit=NAME, user=NAME, cgroup=GLOB, pid=N; several in one\n" \
	"                       must all fit; of several options one must\n" \
	"  --expect FILE        names of machines, one a line: who doesn't answer is known for certain\n" \
	"  --period SEC, --lease SEC, --keep SEC, --grace SEC\n" \
	"                       how often machines send (1); how long they go on without us (60); how long they\n" \
	"                       keep last values (600); how long we wait for these at the end (5)\n" \
	"  --max-overhead N%    what the probes may take of a process's time\n" \
	"  --attach ID          go on with a query that runs, or has run lately; also one of another computer\n" \
	"  --by machine         of each machine what it has counted: its name is a part of all keys\n" \
	"  --by label=KEY       the same of machines with one value of a label together\n" \
	"  --without NAME       leave a machine out of the result\n" \
	"  --variant ID=MODULE  for the kernel, or programs, with this build-id: this module instead of PROBE,\n" \
	"                       which may be left out\n" \
	"  --shards N           combiners (ward combine) add the machines up, in N parts\n" \
	"  --no-late            without machines that come later\n" \
	"  --partial-ok         exit status 0 also if the result isn't complete\n"

struct cluster_use {
	const char *url, *creds, *key, *name, *on, *attach;
	uint64_t most, overhead_ppm;
	uint64_t some; /* so many are drawn; 0: all, or as `most` says */
	struct string_list process, expected, without, variants;
	char *expected_text;
	uint64_t shards; /* above 1: with combiners */
	double period, lease, keep, grace;
	bool no_late, partial_ok, by_machine;
	const char *by_label;       /* a label's key: with by_machine, machines with one value are one */
	struct cluster_found found; /* the order of `attach`, where it was looked at before */
	bool is_own;                /* that order is signed by our key */
	bool only_variants;         /* there is no PROBE: builds that --variant doesn't name are left out */
};

void cluster_use_init(struct cluster_use *use);
/* Takes an option of CLUSTER_LONGS. On failure prints an error and returns false. */
bool cluster_use_option(const struct cli_command *command, int option, const char *value, struct cluster_use *use);
/* What is missing, or can't be combined. Returns an exit status, or -1 to go on. */
int cluster_use_check(const struct cli_command *command, struct cluster_use *use);
void cluster_use_free(struct cluster_use *use);

/* Connect; or connect, and read the key. On failure prints an error and returns an exit status. */
int cluster_use_connect(const struct cluster_use *use, bus **b);
int cluster_use_open(const struct cluster_use *use, bus **b, struct cluster_secret *secret);
/* The directory of journals, open; -1 and an error if there is none. */
int cluster_journals_open(void);

struct cluster_now cluster_now(void);
/* What this computer's time stamp counter counts in a microsecond; measured for as long as a person doesn't notice. */
double cluster_rate(void);

/* ---- cluster_attach.c ---- */

/* The order of `attach`, from its journal here, or from a machine; it is use->found. Returns an exit status. */
int cluster_order_find(struct cluster_use *use);

/* ---- cluster_query.c: a query from its beginning to its end ---- */

struct cluster_ask {
	struct cluster_use *use;
	struct cluster_run_unit unit[CLUSTER_RUN_UNITS];
	size_t n_units;
	double duration; /* seconds; 0: the default */
	uint64_t max_insns;
	const char *text; /* for the machines' audit, and for who goes on with it, as the next two */
	struct cluster_texts text_options;
	uint64_t asked_at;
	double counts_per_us; /* of this computer's time stamp counter */
	bool has_times;       /* the results are counts of it, whether the module says so or not */
	bool quiet, live;
	struct cli_output *out;
	/* gets each record, in place of a line for it; or NULL */
	void (*event)(struct cluster_ask *ask, const struct cluster_event *event);
	uint64_t events;         /* that were given out */
	const char *ctf_path;    /* where traces of machines are written, instead; or NULL */
	struct cluster_ctf *ctf; /* those */
	bool has_enough;         /* it wants no more of them: the query is ended */
	/* prints the result instead of its fields, at the end or while it runs; or NULL. Returns an exit status */
	int (*print)(struct cluster_ask *ask, struct cli_output *out, cluster_run *run, bool is_final);
	/* does what is due while it runs, and once more behind the end; or NULL. Returns an exit status */
	int (*round)(struct cluster_ask *ask, cluster_run *run);
	bool is_lacking; /* the result isn't complete for another reason than the machines' states */
	uint64_t window_ns;
	enum cluster_by by;
	void *user;
};
/* Returns an exit status. */
int cluster_query(struct cluster_ask *ask);
/* Ctrl-C and the like are counted from now on. */
void cluster_interrupts_catch(void);
int cluster_interrupts(void);
/* Until a message comes, for a moment at most. */
void cluster_messages_wait(bus *b);

/* ---- cluster_variants.c ---- */

/*
 * Put the modules of --variant before the unit's own, and say which build that is for: a module that reads the
 * kernel's memory is for this computer's kernel, if it was compiled here, else it must be one of --variant. Their
 * bytes are to be freed with cluster_variants_free. On failure prints an error and returns an exit status.
 */
struct cluster_variants {
	struct cli_bytes bytes[CLUSTER_RUN_VARIANTS];
	size_t n;
};
int cluster_variants_take(const struct cluster_use *use, const struct cli_bytes *own,
	const struct ward_verdict *verdict, bool is_built_here, struct cluster_variants *kept,
	struct cluster_run_unit *unit);
/* The path of "ID=MODULE". */
const char *cluster_variant_path(const char *text);
void cluster_variants_free(struct cluster_variants *kept);

/* ---- cluster_records.c ---- */

/* Can records of this module be had of other machines; has it any, if it needs some? Returns an exit status. */
int cluster_records_check(const void *module, size_t size, bool needs_ring);
/* Where they are to be written, if that is asked for. Returns an exit status, as the next one does. */
int cluster_records_begin(struct cluster_ask *ask, cluster_run *run);
/* Print the records whose time has come; `everything`: all that are here. */
int cluster_records_show(struct cluster_ask *ask, cluster_run *run, struct cluster_now now, bool everything);
/* What of a machine's records isn't here, in words. False: nothing is missing. */
bool cluster_records_lack(const struct cluster_record_counts *counts, char *text, size_t size);
/* Add how many there are, of a machine or (NULL) of all. */
struct json_object;
void cluster_records_json(struct json_object *o, const cluster_run *run, const char *machine);

/* ---- cluster_ctf.c: traces of machines ---- */

struct cluster_ctf;
/* Make their directory, before anything else is done. Returns an exit status, as all of these do. */
int cluster_ctf_make(const char *directory);
/* NULL without memory. The schema, and the text, last longer. */
struct cluster_ctf *cluster_ctf_open(const char *directory, const ward_schema *schema);
void cluster_ctf_add(struct cluster_ctf *ctf, const struct cluster_event *event);
int cluster_ctf_write(struct cluster_ctf *ctf);
int cluster_ctf_close(struct cluster_ctf *ctf);

/* ---- cluster_print.c ---- */

/* What was shown so far. Zero at first. */
struct cluster_shown {
	bool any;
};
/* The result so far. */
struct cluster_so_far {
	uint64_t behind_ns, events;
	size_t cut; /* partials without room for all keys */
};
/* A line for each machine whose state has changed; one of all, for people only if any has. */
void cluster_print_changes(
	struct cluster_ask *ask, cluster_run *run, struct cluster_shown *shown, const struct cluster_so_far *so_far);
/* The line of all, as JSON. */
void cluster_print_counts(struct cli_output *out, cluster_run *run, const struct cluster_so_far *so_far);
/* "3 report, 1 refused" */
void cluster_counts_text(cluster_fleet *fleet, char *text, size_t size);

#endif
