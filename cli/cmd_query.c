/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query: one declarative text on functions of a live process, of a command, or of the kernel. The text becomes a
 * probe in C; that is compiled, verified and attached as any probe is, and what it has kept becomes rows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cluster_command.h"
#include "query_cache.h"
#include "query_command.h"
#include "query_metrics.h"

static const char help[] =
	"usage: ward query [OPTION]... TEXT\n"
	"       ward query -p PID [OPTION]... TEXT\n"
	"       ward query [OPTION]... TEXT -- COMMAND [ARGUMENT]...\n"
	"       ward query --cluster URL --creds FILE --process WHAT [OPTION]... TEXT\n"
	"       ward query --cluster URL --creds FILE --attach ID [OPTION]...\n"
	"Ask a question about functions of a live process, of a command that Ward starts, or of all processes that\n"
	"have the module mapped, now and later, and print the answer as rows, when the query ends by itself, the\n"
	"process ends, the time is over, or Ctrl-C is pressed. TEXT is a query, a file of one (NAME.wq), or - for\n"
	"standard input.\n"
	"\n"
	"  -p, --pid PID        the process\n"
	"  -d, --duration SEC   stop after that time\n"
	"  -D NAME=VALUE        the value of a parameter, or of a name that the query doesn't define\n"
	"  --every SEC          print the rows of what there is so far, again and again; 0.1 s is the least\n"
	"  --deltas             print what came since the last time instead, as far as that can be known\n"
	"  --live               draw the rows anew each second, or as --every says; keys: s sorts by the next column,\n"
	"                       p pauses, q ends. Where there is no terminal they are printed\n"
	"  -o, --output FILE    write the rows there instead of to standard output\n"
	"  --json               print one object a line; durations are nanoseconds\n"
	"  --plot heat          draw windows and the buckets of a histogram, or the columns of Pivot, as a heat map\n"
	"  --html FILE          write a page with charts there, too: it needs neither a script nor a network\n"
	"  --export FORMAT:FILE\n"
	"                       write the rows of the end there as stacks for a viewer, CountBy(stack): pprof, "
	"folded,\n"
	"                       flame, firefox\n"
	"  --openmetrics ADDRESS:PORT\n"
	"                       let Prometheus read the rows of what there is so far from there; without an\n"
	"                       address it is 127.0.0.1\n"
	"  --csv                print comma-separated values (RFC 4180); durations are nanoseconds\n"
	"  --explain            print the plan and the probe, and how dear an event is at most; attach nothing\n"
	"  -q, -v               name none of the sites that are probed; name each\n"
	"  --stats              say how long it took until the probes were there, whether a probe was compiled, and\n"
	"                       how long snapshots took\n"
	"  --exact              test bounds on time in the probe, too\n"
	"  --no-rewrite R1,R5   leave rewrites out; the rows stay the same\n" LIMIT_HELP CLUSTER_HELP
	"  -h, --help           this help\n"
	"\n"
	"example: ward query -p $(pgrep -n sqlite3) -d 5 'Function(\"libc.so.6!read\").CountBy(arg2 / 1024)'\n"
	"         ward query 'Return(\"libc.so.6!open*\").GroupBy(site).Stat(elapsed)' -- ls /\n";

enum {
	OPTION_JSON = OPTION_OWN,
	OPTION_CSV,
	OPTION_HTML,
	OPTION_EXPORT,
	OPTION_PLOT,
	OPTION_METRICS,
	OPTION_EXPLAIN,
	OPTION_EXACT,
	OPTION_REWRITE,
	OPTION_EVERY,
	OPTION_DELTAS,
	OPTION_LIVE,
	OPTION_STATS
};

/* ---- options ---- */

static bool parse_rewrites(const char *text, unsigned *without)
{
	for (const char *p = text; *p;) {
		char *end;
		unsigned long n = *p == 'R' ? strtoul(p + 1, &end, 10) : 0;

		if (n < 1 || n > 15 || (*end && *end != ',')) {
			cli_usage(&cmd_query, "--no-rewrite '%s': not a list of R1 to R15", text);
			return false;
		}
		*without |= 1u << n;
		p = *end ? end + 1 : end;
	}
	return true;
}

static bool word_is(const char *word, const char *option, const char **value)
{
	size_t n = strlen(option);

	*value = word + n;
	return strncmp(word, option, n) == 0;
}

bool query_with(struct query_command *c, const char *word)
{
	const char *value;
	bool ok = list_add(&c->with, word);

	if (strcmp(word, "--exact") == 0)
		return c->options.exact = ok;
	if (word_is(word, "-D ", &value))
		return ok && list_add(&c->defines, value);
	return word_is(word, "--no-rewrite ", &value) && ok && parse_rewrites(value, &c->options.without);
}

static bool parse_with(struct query_command *c, const char *option, const char *value)
{
	size_t room = strlen(option) + strlen(value) + 1;
	char *word = calloc(1, room);

	if (word)
		snprintf(word, room, "%s%s", option, value);
	if (word && list_add(&c->owned, word))
		return query_with(c, word);
	free(word);
	cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	return false;
}

static bool parse_interval(const char *text, double *seconds)
{
	if (!cli_seconds(&cmd_query, "--every", text, seconds))
		return false;
	if (*seconds >= QUERY_LEAST_INTERVAL)
		return true;
	cli_usage(&cmd_query, "--every '%s': 0.1 s is the least", text);
	return false;
}

static bool parse_option(struct query_command *c, int option)
{
	switch (option) {
	case 'p': c->trace.pid_text = optarg; return true;
	case 'd': return cli_seconds(&cmd_query, "-d", optarg, &c->trace.duration);
	case 'D': return parse_with(c, "-D ", optarg);
	case 'o': c->trace.output = optarg; return true;
	case 'q': c->trace.quiet = true; return true;
	case 'v': c->trace.verbose = true; return true;
	case OPTION_JSON:
		c->format = QUERY_JSON;
		c->trace.json = true;
		return true;
	case OPTION_HTML: c->html = optarg; return true;
	case OPTION_EXPORT: return export_files_option(&cmd_query, &c->exports, optarg);
	case OPTION_PLOT:
		c->format = QUERY_HEAT;
		if (strcmp(optarg, "heat") == 0)
			return true;
		cli_usage(&cmd_query, "--plot '%s': there is only --plot heat", optarg);
		return false;
	case OPTION_METRICS: c->openmetrics = optarg; return true;
	case OPTION_CSV: c->format = QUERY_CSV; return true;
	case OPTION_EXPLAIN: c->explain = true; return true;
	case OPTION_EXACT: return parse_with(c, "--exact", "");
	case OPTION_REWRITE: return parse_with(c, "--no-rewrite ", optarg);
	case OPTION_EVERY: return parse_interval(optarg, &c->stream.every);
	case OPTION_DELTAS: c->stream.deltas = true; return true;
	case OPTION_LIVE: c->stream.live = true; return true;
	case OPTION_STATS: c->stats = true; return true;
	case CLUSTER_OPTION_URL ... CLUSTER_OPTION_PARTIAL_OK:
		c->trace.cluster = &c->use;
		return cluster_use_option(&cmd_query, option, optarg, &c->use);
	default: return limits_option(&cmd_query, option, optarg, &c->trace.limits);
	}
}

/* Returns an exit status, or -1 to go on. */
static int parse_command_line(struct query_command *c, int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"duration", required_argument, NULL, 'd'},
		{"output", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"plot", required_argument, NULL, OPTION_PLOT},
		{"html", required_argument, NULL, OPTION_HTML},
		{"export", required_argument, NULL, OPTION_EXPORT},
		{"openmetrics", required_argument, NULL, OPTION_METRICS},
		{"csv", no_argument, NULL, OPTION_CSV},
		{"explain", no_argument, NULL, OPTION_EXPLAIN},
		{"exact", no_argument, NULL, OPTION_EXACT},
		{"no-rewrite", required_argument, NULL, OPTION_REWRITE},
		{"every", required_argument, NULL, OPTION_EVERY},
		{"deltas", no_argument, NULL, OPTION_DELTAS},
		{"live", no_argument, NULL, OPTION_LIVE},
		{"stats", no_argument, NULL, OPTION_STATS},
		{"help", no_argument, NULL, 'h'},
		LIMIT_LONGS,
		CLUSTER_LONGS,
		{0},
	};

	c->trace.command = cli_take_command(&argc, argv);
	for (;;) {
		int option = cli_getopt(&cmd_query, argc, argv, ":p:d:D:o:qvh", longs);

		if (option == CLI_OPT_DONE)
			break;
		if (option == CLI_OPT_HELP)
			return CLI_OK;
		if (option == CLI_OPT_BAD || !parse_option(c, option))
			return CLI_USAGE;
	}
	if (c->use.attach && argc - optind)
		return cli_usage(&cmd_query, "--attach goes on with a query's own text, and takes none");
	if (argc - optind != 1 && !c->use.attach)
		return cli_usage(&cmd_query, argc - optind ? "one query at a time" : "no query given");
	if (c->trace.command && !c->trace.command[0])
		return cli_usage(&cmd_query, "no command after --");
	if (c->trace.pid_text && c->trace.command)
		return cli_usage(&cmd_query, "give either -p PID or -- COMMAND, not both");
	if (c->format == QUERY_CSV && (c->stream.every > 0 || c->stream.live || c->stream.deltas))
		return cli_usage(&cmd_query, "--csv has the final rows alone; --json has those on the way, too");
	if (c->format == QUERY_JSON && c->stream.live)
		return cli_usage(&cmd_query, "--live is for people; --json goes with --every");
	c->name = argv[optind];
	return -1;
}

/* ---- the text ---- */

static int read_input(struct cli_bytes *out)
{
	size_t room = QUERY_TEXT_MOST + 1, n;

	out->data = malloc(room);
	if (!out->data)
		return cli_error(CLI_USAGE, "query", NULL, "out of memory");
	while ((n = fread(out->data + out->size, 1, room - out->size, stdin)) > 0)
		out->size += n;
	return CLI_OK;
}

static int read_text(struct query_command *c)
{
	const char *word = c->name;

	if (strcmp(word, "-") == 0) {
		c->name = "standard input";
		return read_input(&c->text);
	}
	if (cli_has_suffix(word, ".wq"))
		return cli_read_file(word, &c->text);
	c->name = "query";
	c->text.size = strlen(word);
	c->text.data = (uint8_t *)strdup(word);
	return c->text.data ? CLI_OK : cli_error(CLI_USAGE, "query", NULL, "out of memory");
}

double query_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* `Now`, and what a count of the time stamp counter is worth. */
static void read_clocks(struct query_command *c)
{
	struct query_options *o = &c->options;
	const struct timespec pause = {.tv_nsec = 20000000};
	struct cli_clock start;
	struct timespec now;

	o->rate = query_cache_rate();
	if (o->rate <= 0) {
		cli_clock_start(&start);
		nanosleep(&pause, NULL);
		o->rate = cli_clock_rate(&start);
		o->rate = o->rate > 0 ? o->rate : 1000;
		query_cache_keep_rate(o->rate);
	}
	clock_gettime(CLOCK_REALTIME, &now);
	c->submitted = query_monotonic();
	o->now_counts = __rdtsc();
	o->now = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compile_text(struct query_command *c)
{
	struct query_error err;

	read_clocks(c);
	c->options.name = c->name;
	c->options.defines = c->defines.at;
	c->options.n_defines = c->defines.n;
	c->options.types = query_types_read;
	c->options.types_user = c;
	c->options.wants_types = c->explain;
	c->options.module = query_module_read;
	c->options.use = query_use_read;
	c->options.module_user = c;
	query_attach_options(c);
	c->query = query_compile((const char *)c->text.data, c->text.size, &c->options, &err);
	if (c->query)
		return CLI_OK;
	query_error_print(c->name, (const char *)c->text.data, c->text.size, &err, stderr);
	return CLI_REJECTED;
}

/* ---- the probe ---- */

const char *query_keep(struct query_command *c, const char *text)
{
	char *copy = strdup(text);

	if (copy && list_add(&c->owned, copy))
		return copy;
	free(copy);
	return NULL;
}

/* What differs from run to run is set when the module is attached. */
static bool add_settings(struct query_command *c)
{
	char text[64];

	for (size_t i = 0; query_setting(c->query, i, text, sizeof(text)); i++) {
		const char *copy = query_keep(c, text);

		if (!copy || !list_add(&c->trace.settings, copy))
			return false;
	}
	return true;
}

/* From the cache, or by the compiler. */
static int compile_probe(struct query_command *c)
{
	struct trace *t = &c->trace;
	struct query_same same = query_probe_same(c->query);
	double start = query_monotonic();
	int status;

	if (query_module_of(c->query)) { /* it is there already */
		query_module_hook(c);
		return CLI_OK;
	}
	status = query_compile_text(c, query_probe(c->query), &same, t->kernel, &t->module, &c->was_cached);
	c->compile_seconds = query_monotonic() - start;
	if (status == CLI_OK && !add_settings(c))
		status = cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	return status;
}

/* How many instructions an event costs at most. */
static int find_cost(struct query_command *c)
{
	struct ward_verdict *verdict = NULL;
	int status = cli_verify(c->name, &c->trace.module, &c->trace.limits.options, &verdict);

	if (status != CLI_OK)
		return status;
	for (size_t i = 0; i < verdict->module.n_entries; i++)
		if (verdict->module.entries[i].max_insns > c->most_insns)
			c->most_insns = verdict->module.entries[i].max_insns;
	ward_verdict_free(verdict);
	return CLI_OK;
}

/* Whose numbers are added; nothing where rows come one by one. */
static void print_merge(const struct query_command *c)
{
	unsigned apart = query_sessions_apart(c->query);

	if (query_has_records(c->query))
		fputs("--- not merged: rows of all threads come in the order of their time\n", stdout);
	else if (c->trace.kernel)
		fputs("--- merged: processors\n", stdout);
	else if (apart & QUERY_BY_PID)
		fputs("--- merged: threads of a process\n", stdout);
	else
		printf("--- merged: threads, and processes%s\n", apart & QUERY_BY_PROCESS ? " of one program" : "");
}

/* What an event costs at most, and where a guard may leave one out. */
static int print_proven(struct query_command *c)
{
	ward_schema *schema = NULL;
	struct ward_error err = {0};
	size_t guards;

	if (ward_schema_read(c->trace.module.data, c->trace.module.size, &schema, &err) != WARD_OK)
		return cli_library_error(&err);
	guards = cli_count_guards(schema);
	ward_schema_free(schema);
	printf("--- proven: at most %" PRIu64 " instructions an event; %zu guard%s\n", c->most_insns, guards,
		guards == 1 ? "" : "s");
	return CLI_OK;
}

static int command_explain(struct query_command *c)
{
	int status = compile_probe(c);

	query_explain(c->query, stdout);
	if (status == CLI_OK)
		status = find_cost(c);
	if (status != CLI_OK)
		return status;
	print_merge(c);
	return print_proven(c);
}

/* ---- the command ---- */

/* Where the events come from is decided by the text and the options together. Returns an exit status. */
static int choose_target(struct query_command *c)
{
	struct trace *t = &c->trace;
	struct query_needs needs = query_needs_of(c->query);

	t->kernel = needs.kernel;
	if (needs.until >= 0)
		t->end = c->submitted + (double)needs.until / 1e9;
	if (needs.from > 0)
		t->begin = c->submitted + (double)needs.from / 1e9 - ATTACH_BEFORE;
	if (c->explain)
		return CLI_OK;
	if (t->cluster)
		return query_cluster_choose(c);
	if (needs.kernel && (t->pid_text || t->command))
		return cli_usage(&cmd_query, "a query of the kernel's functions takes neither -p PID nor -- COMMAND");
	if (needs.pid && !t->command && !t->pid_text) {
		t->pid = (pid_t)needs.pid;
		return CLI_OK;
	}
	if (needs.process && (t->pid_text || t->command))
		return cli_usage(&cmd_query, "the query says which processes: leave out -p PID, and -- COMMAND");
	if (!needs.kernel && needs.sample && !t->pid_text && !t->command)
		return cli_usage(
			&cmd_query, "samples of which process? Say -p PID; Sample(kernel, …) is of the processors");
	if (!needs.kernel && !t->pid_text && !t->command)
		return query_many_hook(c, needs.process);
	return t->pid_text ? cli_pid(&cmd_query, t->pid_text, &t->pid) : CLI_OK;
}

static void print_stats(const struct query_command *c)
{
	fprintf(stderr, "the probe was %s in %.1f ms", c->was_cached ? "taken from the cache" : "compiled",
		c->compile_seconds * 1000);
	if (c->trace.attached > 0)
		fprintf(stderr, "; it was there %.1f ms after the query was read",
			(c->trace.attached - c->submitted) * 1000);
	fputc('\n', stderr);
	if (c->stream.snapshots)
		fprintf(stderr, "%u snapshots took %.2f ms each, %.2f ms of processor time; the longest took %.2f ms\n",
			c->stream.snapshots, c->stream.all * 1000 / c->stream.snapshots,
			c->stream.cpu * 1000 / c->stream.snapshots, c->stream.longest * 1000);
}

static int run_query(struct query_command *c)
{
	int status = c->use.attach ? query_attach_read(c) : read_text(c);

	if (status == CLI_OK)
		status = compile_text(c);
	if (status == CLI_OK)
		status = choose_target(c);
	if (status != CLI_OK)
		return status;
	if (c->explain)
		return command_explain(c);
	c->trace.probe = "query";
	query_results_hook(c);
	status = c->openmetrics ? query_metrics_open(c) : CLI_OK;
	if (status == CLI_OK)
		status = query_export_open(c);
	if (status != CLI_OK)
		return status;
	status = compile_probe(c);
	if (status == CLI_OK)
		status = query_attach_check(c);
	if (status == CLI_OK && c->html)
		status = find_cost(c);
	if (status == CLI_OK && !c->trace.cluster)
		status = query_stream_hook(c);
	if (status == CLI_OK)
		status = trace_run(&c->trace);
	if (c->stats)
		print_stats(c);
	return status;
}

static int run_command_line(int argc, char **argv)
{
	struct query_command c = {0};
	cluster_use_init(&c.use);
	int status = limits_init(&c.trace.limits, false) ? parse_command_line(&c, argc, argv) : CLI_USAGE;

	if (status < 0)
		status = run_query(&c);
	if (c.exports.n)
		status = export_files_close(&c.exports, c.trace.quiet, status);
	query_stream_free(&c);
	query_far_sessions_free(&c);
	query_join_free(c.join);
	query_many_free(&c);
	metrics_server_close(c.metrics);
	query_page_free(&c);
	query_free(c.query);
	query_module_free(&c);
	query_use_free(&c);
	query_types_free(&c);
	free(c.text.data);
	cluster_asked_free(&c.asked);
	cluster_use_free(&c.use);
	for (size_t i = 0; i < c.owned.n; i++)
		free((void *)c.owned.at[i]);
	free(c.owned.at);
	free(c.trace.settings.at);
	free(c.trace.module.data); /* if it wasn't run */
	free(c.defines.at);
	free(c.with.at);
	limits_free(&c.trace.limits);
	return status;
}

const struct cli_command cmd_query = {
	"query", "ask a question about functions, and print the answer as rows", help, run_command_line};
