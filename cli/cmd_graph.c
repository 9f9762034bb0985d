/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward graph: the call tree of a live process. It is ward trace with a probe of its own (probes/graph.c) on both ends
 * of many functions, whose map is printed as a tree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph.h"
#include "trace.h"

static const char help[] =
	"usage: ward graph -p PID [OPTION]...\n"
	"       ward graph [OPTION]... -- COMMAND [ARGUMENT]...\n"
	"Show which functions of a process call which others, how often, and where the time goes: a tree with the\n"
	"time of each function with and without the calls that it made. It is printed when the process ends, the\n"
	"time is over, or Ctrl-C is pressed.\n"
	"\n"
	"  -p, --pid PID        the process: its number, or its name if no other has that\n"
	"  -f, --function GLOB  MODULE!FUNCTION, or a pattern of that; may be given several times. Default: all\n"
	"                       functions of the program itself\n"
	"  -d, --duration SEC   stop after that time\n"
	"  --depth N            how many calls in one another are told apart (128); deeper ones are a part of their\n"
	"                       caller. A power of two\n"
	"  --places N           how many places a thread's tree can have (16384). A power of two\n"
	"  --longer TIME        leave out functions without a call of that length: 1ms, 20us. Exported are only calls\n"
	"                       of that length\n"
	"  --all                print also what takes less than a 200th of the time\n"
	"  --export FORMAT:FILE\n"
	"                       write a file for a viewer; may be given several times. Each call is an event for\n"
	"                       perfetto, chrome, firefox; the tree is stacks for pprof, folded, flame, firefox\n"
	"  --ctf DIR            write each call there, in the Common Trace Format\n"
	"  --follow             also the processes that it forks, and the programs that these become\n"
	"  --later              also libraries that it loads later (dlopen)\n"
	"  -o, --output FILE    write the tree there instead of to standard output\n"
	"  --json               print one object a line\n"
	"  -q, --quiet          don't say what was attached and skipped\n"
	"  -v, --verbose        name each site, however many there are\n"
	"  --threads N          how many threads can have a state at a time (default 1024)\n"
	"  -h, --help           this help\n"
	"\n"
	"example: ward graph -p $(pgrep -n sqlite3) -d 5 -f 'libsqlite3.so.0!*'\n"
	"         ward graph --longer 1ms --export perfetto:calls.pftrace -- sqlite3 test.db 'SELECT count(*) FROM "
	"t'\n";

enum {
	OPTION_DEPTH = OPTION_OWN,
	OPTION_PLACES,
	OPTION_LONGER,
	OPTION_ALL,
	OPTION_EXPORT,
	OPTION_CTF,
	OPTION_FOLLOW,
	OPTION_LATER,
	OPTION_JSON,
	OPTION_THREADS
};
enum { DEPTH = 128, PLACES = 16384, EVENTS = 1 << 14, MOST_DEPTH = 256, MOST_PLACES = 1 << 20 };

struct graph_command {
	struct trace trace;
	struct graph_shown shown;
	struct export_files exports;
	uint64_t depth, places, threads;
	char site[PATH_MAX + 4]; /* the default */
};

/* ---- options ---- */

static bool power_option(const char *option, const char *text, uint64_t most, uint64_t *value)
{
	if (!cli_number(&cmd_graph, option, text, 1, most, value))
		return false;
	if ((*value & (*value - 1)) == 0)
		return true;
	cli_usage(&cmd_graph, "%s must be a power of two, not '%s'", option, text);
	return false;
}

/* "1ms", "20us", "500ns", "2s". */
static bool time_option(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double n = strtod(text, &end);
	for (size_t i = 0; end != text && n > 0 && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].name) == 0 && n * units[i].ns < 1e18) {
			*ns = (uint64_t)(n * units[i].ns);
			return true;
		}
	cli_usage(&cmd_graph, "--longer wants a time such as 1ms or 20us, not '%s'", text);
	return false;
}

static bool parse_option(struct graph_command *g, int c)
{
	struct trace *t = &g->trace;
	switch (c) {
	case 'p': return trace_keep_once(&cmd_graph, "--pid", &t->pid_text);
	case 'f': return trace_add_site(&cmd_graph, t, optarg);
	case 'd': return cli_seconds(&cmd_graph, "-d", optarg, &t->duration);
	case 'o': return trace_keep_once(&cmd_graph, "--output", &t->output);
	case 'q': t->quiet = true; return true;
	case 'v': t->verbose = true; return true;
	case OPTION_DEPTH: return power_option("--depth", optarg, MOST_DEPTH, &g->depth);
	case OPTION_PLACES: return power_option("--places", optarg, MOST_PLACES, &g->places);
	case OPTION_LONGER: return time_option(optarg, &g->shown.longest);
	case OPTION_ALL: g->shown.all = true; return true;
	case OPTION_EXPORT: return export_files_option(&cmd_graph, t->exports, optarg);
	case OPTION_CTF: return trace_keep_once(&cmd_graph, "--ctf", &t->ctf_path);
	case OPTION_FOLLOW: t->follow = true; return true;
	case OPTION_LATER: t->later = true; return true;
	case OPTION_JSON: t->json = true; return true;
	case OPTION_THREADS:
		if (!cli_number(&cmd_graph, "--threads", optarg, 1, 1 << 20, &g->threads))
			return false;
		t->max_threads = (uint32_t)g->threads;
		return true;
	default: return false;
	}
}

/* Returns an exit status, or -1 to go on. */
static int check_usage(const struct trace *t, int words)
{
	if (words)
		return cli_usage(&cmd_graph, "it takes no probe; a command to start comes after --");
	if (t->pid_text && t->command)
		return cli_usage(&cmd_graph, "give either -p PID or -- COMMAND, not both");
	if (!t->pid_text && !t->command)
		return cli_usage(&cmd_graph, "no target given: use -p PID or -- COMMAND");
	if (t->command && !t->command[0])
		return cli_usage(&cmd_graph, "no command after --");
	if (t->quiet && t->verbose)
		return cli_usage(&cmd_graph, "use either -q or -v");
	if (t->ctf_path && export_files_take_events(t->exports))
		return cli_usage(&cmd_graph, "calls can go to --ctf or to --export, not to both");
	return -1;
}

static int parse_command_line(struct graph_command *g, int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"function", required_argument, NULL, 'f'},
		{"duration", required_argument, NULL, 'd'},
		{"output", required_argument, NULL, 'o'},
		{"quiet", no_argument, NULL, 'q'},
		{"verbose", no_argument, NULL, 'v'},
		{"depth", required_argument, NULL, OPTION_DEPTH},
		{"places", required_argument, NULL, OPTION_PLACES},
		{"longer", required_argument, NULL, OPTION_LONGER},
		{"all", no_argument, NULL, OPTION_ALL},
		{"export", required_argument, NULL, OPTION_EXPORT},
		{"ctf", required_argument, NULL, OPTION_CTF},
		{"follow", no_argument, NULL, OPTION_FOLLOW},
		{"later", no_argument, NULL, OPTION_LATER},
		{"json", no_argument, NULL, OPTION_JSON},
		{"threads", required_argument, NULL, OPTION_THREADS},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct trace *t = &g->trace;
	t->command = cli_take_command(&argc, argv);
	for (;;) {
		int c = cli_getopt(&cmd_graph, argc, argv, ":p:f:d:o:qvh", longs);
		if (c == CLI_OPT_DONE)
			break;
		if (c == CLI_OPT_HELP)
			return CLI_OK;
		if (c == CLI_OPT_BAD || !parse_option(g, c))
			return CLI_USAGE;
	}
	int status = check_usage(t, argc - optind);
	if (status < 0 && t->pid_text && (status = cli_pid(&cmd_graph, t->pid_text, &t->pid)) == CLI_OK)
		status = -1;
	return status;
}

/* ---- what is probed, and by what ---- */

/* A command is found as execvp finds it. */
static bool find_program(const char *command, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	if (strchr(command, '/'))
		return realpath(command, path);
	for (const char *at = dirs ? dirs : "/usr/bin:/bin", *end; *at; at = *end ? end + 1 : end) {
		char try[PATH_MAX];
		end = strchrnul(at, ':');
		if (snprintf(try, sizeof(try), "%.*s/%s", (int)(end - at), at, command) < (int)sizeof(try) &&
			access(try, X_OK) == 0)
			return realpath(try, path);
	}
	return false;
}

/* All functions of the program, unless the command line names some. */
static int choose_sites(struct graph_command *g)
{
	struct trace *t = &g->trace;
	char link[40], path[PATH_MAX];
	if (t->site)
		return CLI_OK;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)t->pid);
	if (t->command ? !find_program(t->command[0], path) : !realpath(link, path))
		return cli_error(CLI_TARGET, t->command ? t->command[0] : t->pid_text,
			"name its functions with -f MODULE!FUNCTION", "can't find its program: %s", strerror(errno));
	snprintf(g->site, sizeof(g->site), "%s!*", basename(path));
	t->site = g->site;
	return CLI_OK;
}

static bool has_events(const struct graph_command *g)
{
	return g->trace.ctf_path || export_files_take_events(g->trace.exports);
}

static int compile_probe(struct graph_command *g)
{
	struct trace *t = &g->trace;
	char depth[32], places[32], events[32];
	const char *const flags[] = {depth, places, events};
	struct cli_make make = {.flags = flags, .n_flags = 3, .limits = &t->limits.options};
	snprintf(depth, sizeof(depth), "-DDEPTH=%d", (int)g->depth);
	snprintf(places, sizeof(places), "-DPLACES=%d", (int)g->places);
	snprintf(events, sizeof(events), "-DEVENTS=%d", has_events(g) ? EVENTS : 0);
	limits_for(&t->limits, false);
	cli_clock_start(&t->start);
	return cli_compile_text("graph", graph_probe_text, &make, &t->module);
}

/* ---- results ---- */

/* A place's own time is the weight of its stack. */
static void export_place(void *user, const char *const *functions, size_t n, const struct graph_node *node)
{
	struct trace *t = user;
	struct export_frame frame[GRAPH_DEEPEST];
	for (size_t i = 0; i < n; i++)
		frame[i] = (struct export_frame){.function = functions[n - 1 - i]};
	if (node->ended)
		export_files_stack(t->exports, frame, n, node->self < INT64_MAX ? (int64_t)node->self : INT64_MAX);
}

/* Calls whose record found the queue full aren't in the file: that is said. */
static void count_events(const struct trace *t, struct graph_tree *tree)
{
	tree->has_events = t->ctf || t->stream;
	if (t->ctf)
		ward_ctf_totals(t->ctf, "events", &tree->written, &tree->lost);
	else if (t->stream)
		ward_stream_totals(t->stream, "events", &tree->written, &tree->lost);
}

static void print_tree(struct trace *t, const ward_snapshot *snapshot)
{
	struct graph_command *g = t->print_user;
	struct graph_tree tree;
	bool is_made = graph_tree_make(&tree, snapshot);
	if (has_events(g))
		count_events(t, &tree);
	if (!is_made)
		cli_error(CLI_USAGE, "graph", "free some memory and try again", "out of memory");
	else if (t->json)
		graph_json(&t->out, &tree);
	else
		graph_print(&t->out, &tree, &g->shown);
	graph_walk(&t->out, &tree, export_place, t);
	graph_tree_free(&tree);
}

/* What the probe compares with are counts of the time stamp counter. */
static bool set_longer(struct graph_command *g)
{
	static char text[48];
	double rate = cli_clock_rate(&g->trace.start);
	if (g->shown.longest == 0 || !has_events(g))
		return true;
	snprintf(text, sizeof(text), "longer=%.0f", (double)g->shown.longest / 1000 * rate);
	return list_add(&g->trace.settings, text);
}

static int run_command_line(int argc, char **argv)
{
	struct graph_command g = {.depth = DEPTH, .places = PLACES};
	struct trace *t = &g.trace;
	t->exports = &g.exports;
	g.exports.measure = (struct export_measure){"self", "nanoseconds"};
	int status = limits_init(&t->limits, false) ? parse_command_line(&g, argc, argv) : CLI_USAGE;
	if (status < 0 && (status = choose_sites(&g)) == CLI_OK && (status = compile_probe(&g)) == CLI_OK) {
		t->probe = "graph";
		t->both_ends = true;
		t->print_snapshot = print_tree;
		t->print_user = &g;
		status = set_longer(&g)
				 ? trace_run(t)
				 : cli_error(CLI_USAGE, "graph", "free some memory and try again", "out of memory");
	}
	free(t->settings.at);
	free(t->module.data); /* if it wasn't run */
	limits_free(&t->limits);
	return status;
}

const struct cli_command cmd_graph = {"graph", "show a process's calls as a tree with times", help, run_command_line};
