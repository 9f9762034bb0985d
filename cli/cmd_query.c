/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query: one declarative text on functions of a live process, of a command, or of the kernel. The text becomes a
 * probe in C; that is compiled, verified and attached as any probe is, and what it has kept becomes rows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "query/machine.h"
#include "query_rows.h"
#include "trace.h"

static const char help[] =
	"usage: ward query -p PID [OPTION]... TEXT\n"
	"       ward query [OPTION]... TEXT -- COMMAND [ARGUMENT]...\n"
	"Ask a question about functions of a live process, or of a command that Ward starts, and print the answer\n"
	"as rows, when the query ends by itself, the process ends, the time is over, or Ctrl-C is pressed. TEXT is\n"
	"a query, a file of one (NAME.wq), or - for standard input. A query of the kernel's functions needs neither.\n"
	"\n"
	"  -p, --pid PID        the process\n"
	"  -d, --duration SEC   stop after that time\n"
	"  -D NAME=VALUE        the value of a parameter, or of a name that the query doesn't define\n"
	"  -o, --output FILE    write the rows there instead of to standard output\n"
	"  --json               print one object a line; durations are nanoseconds\n"
	"  --csv                print comma-separated values (RFC 4180); durations are nanoseconds\n"
	"  --explain            print the plan and the probe, and how dear an event is at most; attach nothing\n"
	"  -q, -v               name none of the sites that are probed; name each\n"
	"  --exact              test bounds on time in the probe, too\n"
	"  --no-rewrite R1,R5   leave rewrites out; the rows stay the same\n" LIMIT_HELP
	"  -h, --help           this help\n"
	"\n"
	"example: ward query -p $(pgrep -n sqlite3) -d 5 'Function(\"libc.so.6!read\").CountBy(arg2 / 1024)'\n"
	"         ward query 'Return(\"libc.so.6!open*\").GroupBy(site).Stat(elapsed)' -- ls /\n";

enum { OPTION_JSON = OPTION_OWN, OPTION_CSV, OPTION_EXPLAIN, OPTION_EXACT, OPTION_REWRITE };

struct command {
	struct trace trace;
	struct query_options options;
	struct string_list defines;
	enum query_format format;
	bool explain;
	const char *name; /* of the text, for messages */
	struct cli_bytes text;
	struct query *query;
	struct query_session session;
	char machine[65], process[32];
	struct query_printed printed; /* rows of events */
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

static bool parse_option(struct command *c, int option)
{
	switch (option) {
	case 'p': c->trace.pid_text = optarg; return true;
	case 'd': return cli_seconds(&cmd_query, "-d", optarg, &c->trace.duration);
	case 'D': return list_add(&c->defines, optarg);
	case 'o': c->trace.output = optarg; return true;
	case 'q': c->trace.quiet = true; return true;
	case 'v': c->trace.verbose = true; return true;
	case OPTION_JSON:
		c->format = QUERY_JSON;
		c->trace.json = true;
		return true;
	case OPTION_CSV: c->format = QUERY_CSV; return true;
	case OPTION_EXPLAIN: c->explain = true; return true;
	case OPTION_EXACT: c->options.exact = true; return true;
	case OPTION_REWRITE: return parse_rewrites(optarg, &c->options.without);
	default: return limits_option(&cmd_query, option, optarg, &c->trace.limits);
	}
}

/* Returns an exit status, or -1 to go on. */
static int parse_command_line(struct command *c, int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"duration", required_argument, NULL, 'd'},
		{"output", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"csv", no_argument, NULL, OPTION_CSV},
		{"explain", no_argument, NULL, OPTION_EXPLAIN},
		{"exact", no_argument, NULL, OPTION_EXACT},
		{"no-rewrite", required_argument, NULL, OPTION_REWRITE},
		{"help", no_argument, NULL, 'h'},
		LIMIT_LONGS,
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
	if (argc - optind != 1)
		return cli_usage(&cmd_query, argc - optind ? "one query at a time" : "no query given");
	if (c->trace.command && !c->trace.command[0])
		return cli_usage(&cmd_query, "no command after --");
	if (c->trace.pid_text && c->trace.command)
		return cli_usage(&cmd_query, "give either -p PID or -- COMMAND, not both");
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

static int read_text(struct command *c)
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

/* `Now`, and what a count of the time stamp counter is worth. */
static void read_clocks(struct query_options *o)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	struct cli_clock start;
	struct timespec now;

	cli_clock_start(&start);
	nanosleep(&pause, NULL);
	o->rate = cli_clock_rate(&start);
	o->rate = o->rate > 0 ? o->rate : 1000;
	clock_gettime(CLOCK_REALTIME, &now);
	o->now_counts = __rdtsc();
	o->now = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compile_text(struct command *c)
{
	struct query_error err;

	read_clocks(&c->options);
	c->options.defines = c->defines.at;
	c->options.n_defines = c->defines.n;
	c->query = query_compile((const char *)c->text.data, c->text.size, &c->options, &err);
	if (c->query)
		return CLI_OK;
	query_error_print(c->name, (const char *)c->text.data, c->text.size, &err, stderr);
	return CLI_REJECTED;
}

/* ---- the probe ---- */

static bool write_probe(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n > 0) {
		ssize_t done = write(fd, text, n);

		if (done <= 0)
			return false;
		text += done;
		n -= (size_t)done;
	}
	return true;
}

/* The compiler reads it from memory, by the number of our file: nothing is left behind, however this ends. */
static int compile_probe(struct command *c)
{
	struct trace *t = &c->trace;
	char path[40], map[60];
	const char *const maps[] = {map};
	struct cli_make make = {.kernel = t->kernel, .limits = &t->limits.options, .maps = maps, .n_maps = 1};
	int fd = memfd_create("ward_query.c", 0), status; /* clang has it as well */

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(map, sizeof(map), "/proc/%d/fd/=/query/", (int)getpid());
	limits_for(&t->limits, t->kernel);
	if (fd >= 0 && write_probe(fd, query_probe(c->query)))
		status = cli_compile(path, &make, &t->module);
	else
		status = cli_error(CLI_USAGE, "query", "free some memory and try again", "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

static int command_explain(struct command *c)
{
	struct ward_verdict *verdict = NULL;
	uint64_t most = 0;
	int status = compile_probe(c);

	query_explain(c->query, stdout);
	if (status == CLI_OK)
		status = cli_verify(c->name, &c->trace.module, &c->trace.limits.options, &verdict);
	if (status != CLI_OK)
		return status;
	for (size_t i = 0; i < verdict->module.n_entries; i++)
		most = verdict->module.entries[i].max_insns > most ? verdict->module.entries[i].max_insns : most;
	printf("--- proven: at most %" PRIu64 " instructions an event\n", most);
	ward_verdict_free(verdict);
	free(c->trace.module.data);
	return CLI_OK;
}

/* ---- rows ---- */

__attribute__((format(printf, 2, 3))) static void add_lack(struct query_lacks *lacks, const char *format, ...)
{
	va_list ap;

	if (lacks->n == QUERY_LACKS)
		return;
	va_start(ap, format);
	vsnprintf(lacks->line[lacks->n++], sizeof(lacks->line[0]), format, ap);
	va_end(ap);
}

/* "1 event was", "5 events were". */
struct counted {
	char text[64];
};
static struct counted count_text(uint64_t n, const char *what, const char *one, const char *many)
{
	struct counted c;

	snprintf(c.text, sizeof(c.text), "%" PRIu64 " %s%s %s", n, what, n == 1 ? "" : "s", n == 1 ? one : many);
	return c;
}

static void find_lacks(const struct trace *t, const ward_snapshot *snapshot, const struct ward_session_stats *stats,
	const struct query_kept *kept, struct query_lacks *lacks)
{
	if (stats->dropped)
		add_lack(lacks, "%s dropped", count_text(stats->dropped, "event", "was", "were").text);
	if (t->skipped)
		add_lack(lacks, "%s and can't be probed", count_text(t->skipped, "site", "matches", "match").text);
	if (t->stream) {
		uint64_t told, lost;

		ward_stream_totals(t->stream, "rows", &told, &lost);
		if (lost)
			add_lack(lacks, "%s overwritten before they were read",
				count_text(lost, "row", "was", "were").text);
	}
	if (kept->left_out)
		add_lack(lacks, "%s left out: a division by zero",
			count_text(kept->left_out, "event", "was", "were").text);
	if (kept->without_room)
		add_lack(lacks, "%s a key without room: Keys(n) has room for n",
			count_text(kept->without_room, "event", "had", "had").text);
	if (kept->unlisted)
		add_lack(lacks, "%s not among these", count_text(kept->unlisted, "key", "is", "are").text);
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		if (f->kind == WARD_FIELD_STOP && f->value)
			add_lack(lacks, "%s left out: %s", count_text(f->value, "event", "was", "were").text,
				cli_stop_text(f));
	}
}

static void name_value(void *user, const struct query_value *v, char *text, size_t size)
{
	struct command *c = user;

	if (v->kind == QUERY_SITE)
		cli_site_text(&c->trace.out, text, size, v->number);
	else
		cli_address_text(&c->trace.out, text, size, v->number, (struct cli_origin){.thread = WARD_ANY_THREAD});
}

/* Whose events they are. */
static void name_session(struct command *c)
{
	struct trace *t = &c->trace;

	gethostname(c->machine, sizeof(c->machine) - 1);
	snprintf(c->process, sizeof(c->process), "process %d", (int)t->pid);
	c->session = (struct query_session){.name = name_value,
		.user = c,
		.pid = t->pid,
		.machine = c->machine,
		.process = t->command ? t->command[0] : c->process};
}

/* A row of an event, as it comes. */
static void on_record(struct trace *t, const struct ward_field *field, const struct ward_record *record)
{
	struct command *c = t->print_user;
	struct query_value members[32] = {{0}}, row[32];

	if (c->printed.n >= query_most_records(c->query) || query_columns(c->query) > 32)
		return;
	name_session(c);
	query_record_read(c->query, field, record, members);
	query_record_row(c->query, &c->session, members, row);
	query_print_row(&t->out, c->format, c->query, row, &c->printed);
	t->enough = c->printed.n >= query_most_records(c->query);
}

static int print_rows(struct trace *t, const ward_snapshot *snapshot, const struct ward_session_stats *stats)
{
	struct command *c = t->print_user;
	struct query_kept kept;
	struct query_lacks lacks = {.n = 0};
	struct query_rows rows = {0};
	bool records = query_has_records(c->query);

	name_session(c);
	if (!snapshot || !query_kept_read(c->query, snapshot, &kept))
		return cli_error(CLI_USAGE, "query", NULL, "what the probe has kept can't be read");
	if (!records && !query_rows_make(c->query, &c->session, kept.entries, kept.n, &rows)) {
		query_kept_free(&kept);
		return cli_error(CLI_USAGE, "query", "ask for fewer rows: Take(n)", "out of memory");
	}
	if (records && c->printed.n == 0)
		query_print_row(&t->out, c->format, c->query, NULL, &c->printed);
	find_lacks(t, snapshot, stats, &kept, &lacks);
	if (rows.merged)
		add_lack(&lacks, "%s added up in the column \"other\"",
			count_text(rows.merged, "column", "is", "are").text);
	while (lacks.n_notes < QUERY_LACKS &&
		query_note(c->query, kept.gates, lacks.n_notes, lacks.note[lacks.n_notes], sizeof(lacks.note[0])))
		lacks.n_notes++;
	query_print(&t->out, c->format, &rows, &lacks);
	query_rows_free(&rows);
	query_kept_free(&kept);
	return CLI_OK;
}

/* ---- the command ---- */

/* Where the events come from is decided by the text and the options together. Returns an exit status. */
static int choose_target(struct command *c)
{
	struct trace *t = &c->trace;
	struct query_needs needs = query_needs_of(c->query);

	t->kernel = needs.kernel;
	if (needs.until >= 0) {
		double seconds = (double)needs.until / 1e9;

		seconds = seconds > 0.001 ? seconds : 0.001;
		t->duration = t->duration > 0 && t->duration < seconds ? t->duration : seconds;
	}
	if (c->explain)
		return CLI_OK;
	if (needs.kernel && (t->pid_text || t->command))
		return cli_usage(&cmd_query, "a query of the kernel's functions takes neither -p PID nor -- COMMAND");
	if (needs.pid && !t->command && !t->pid_text) {
		t->pid = (pid_t)needs.pid;
		return CLI_OK;
	}
	if (!needs.kernel && !t->pid_text && !t->command)
		return cli_usage(&cmd_query, "of which process? Use -p PID, or -- COMMAND");
	return t->pid_text ? cli_pid(&cmd_query, t->pid_text, &t->pid) : CLI_OK;
}

static int run_query(struct command *c)
{
	int status = read_text(c);

	if (status == CLI_OK)
		status = compile_text(c);
	if (status == CLI_OK)
		status = choose_target(c);
	if (status != CLI_OK)
		return status;
	if (c->explain)
		return command_explain(c);
	c->trace.probe = "query";
	c->trace.print = print_rows;
	c->trace.print_user = c;
	if (query_has_records(c->query)) {
		c->trace.record = on_record;
		c->trace.records = true;
	}
	status = compile_probe(c);
	return status == CLI_OK ? trace_run(&c->trace) : status;
}

static int run_command_line(int argc, char **argv)
{
	struct command c = {0};
	int status = limits_init(&c.trace.limits, false) ? parse_command_line(&c, argc, argv) : CLI_USAGE;

	if (status < 0)
		status = run_query(&c);
	query_free(c.query);
	free(c.text.data);
	free(c.defines.at);
	limits_free(&c.trace.limits);
	return status;
}

const struct cli_command cmd_query = {
	"query", "ask a question about functions, and print the answer as rows", help, run_command_line};
