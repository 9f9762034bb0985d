/*
 * ward trace: probes on a live process, or on a command that it starts.
 *
 * The signals that end a trace (Ctrl-C, SIGTERM, SIGHUP) only set a flag, from before the first stop of the target until the results are
 * out, so that there is no moment at which they leave the target half patched.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "limits.h"

static const char help[] = "usage: ward trace -p PID [OPTION]... PROBE\n"
			   "       ward trace [OPTION]... PROBE -- COMMAND [ARGUMENT]...\n"
			   "       ward trace --kernel [OPTION]... PROBE\n"
			   "       ward trace -p PID --with-kernel PROBE [OPTION]... PROBE\n"
			   "       ward trace --with-kernel PROBE [OPTION]... PROBE -- COMMAND [ARGUMENT]...\n"
			   "Put a probe on functions of a live process, or of a command that is started for it, and print what it\n"
			   "found when the process ends, the time is over, or Ctrl-C is pressed. PROBE is a C source (.c) or a module.\n"
			   "\n"
			   "  -p, --pid PID        the process\n"
			   "  --kernel             the running kernel: sites are kernel!FUNCTION[:return], tracepoints or system calls,\n"
			   "                       kernel:SUBSYSTEM:EVENT, or a pattern. Wants the kernel module `ward`, and root\n"
			   "  --with-kernel PROBE  that probe on the kernel, at its own sites, as well. Records of both come in order of\n"
			   "                       their member `time`; those of the kernel's with a member `tid`, if the process's have\n"
			   "                       one, only of threads that these have named. With --ctf each has a directory in DIR\n"
			   "  -f, --site SITE      MODULE!FUNCTION, or a tracepoint, MODULE!:PROVIDER:NAME, or a pattern of either,\n"
			   "                       instead of the probe's own sites\n"
			   "  --follow             the processes that it forks as well, and the programs that these become\n"
			   "  --later              libraries that it loads later as well (dlopen); waits for those that aren't there yet\n"
			   "  -d, --duration SEC   stop after that time\n"
			   "  -o, --output FILE    results there instead of standard output\n"
			   "  --json               results as one object a line\n"
			   "  --live               show on the terminal what there is so far, drawn anew each second\n"
			   "  --ctf DIR            records of rings there, as they come, in the Common Trace Format (babeltrace2 DIR)\n"
			   "  -D, -U, -I, -W       as for ward cc, for a source\n"
			   "  --threads N          most threads that have a state at a time (default 1024)\n" LIMIT_HELP
			   "  -h, --help           this help\n"
			   "\n"
			   "example: ward trace -p $(pgrep -n sqlite3) -d 5 probes/reads.c\n"
			   "         ward trace -p $(pgrep -n sqlite3) --with-kernel probes/kernel/steps.c probes/steps.c\n";

enum { OPTION_JSON = OPTION_OWN, OPTION_THREADS, OPTION_LIVE, OPTION_CTF, OPTION_KERNEL, OPTION_WITH_KERNEL, OPTION_FOLLOW, OPTION_LATER, SLICE_MS = 200, CTF_SLICE_MS = 20, LONGEST_PATH = 4096, DEFAULT_THREADS = 1024 };

struct trace {
	const char *probe, *with_probe, *pid_text, *site, *output, *ctf_path;
	char **command; /* NULL: a process that is there already */
	pid_t pid;
	double duration; /* seconds; 0: no end */
	bool json, live, kernel, follow, later;
	uint32_t max_threads;
	struct front front;
	struct limits limits;

	struct cli_output out;
	struct cli_names names;
	struct cli_processes processes;
	struct cli_bytes module;
	ward_session *session;
	ward_schema *schema;
	ward_stream *stream; /* with --json */
	ward_ctf *ctf;       /* with --ctf */
	bool made_directory; /* for those of two targets */
	uint64_t written;    /* records, there */
	int ctf_status;
	unsigned sites; /* reported on */
	char last_site[300]; /* that was attached */
	uint64_t last_address;
	char *skip_site, *skip_reason;
	bool ended; /* the target has */
	bool reads_time; /* the probe */
	struct cli_clock start;
	struct trace *with;    /* the kernel's, beside a process's; or NULL */
	struct cli_join *join; /* of both; NULL: there is one target, or --ctf has the records */
};

static volatile sig_atomic_t signals, last_signal;

static void on_signal(int sig)
{
	last_signal = sig;
	signals = signals + 1;
}

static void catch_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: waiting ends */
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sigaction old;
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup means it */
			sigaction(ends[i], &action, NULL);
	}
	signal(SIGPIPE, SIG_IGN); /* a reader that goes away must not keep us from detaching */
}

static bool parse_duration(const char *text, double *seconds)
{
	char *end;
	errno = 0;
	*seconds = strtod(text, &end);
	if (errno == 0 && end != text && *end == 0 && isfinite(*seconds) && *seconds > 0 && *seconds <= 1e9)
		return true;
	cli_usage(&cmd_trace, "-d '%s': not a positive number of seconds", text);
	return false;
}

/* Of two the second would win, and nobody would see that the first is missing. */
static bool once(const char *option, const char **kept)
{
	if (*kept && strcmp(*kept, optarg) != 0) {
		cli_usage(&cmd_trace, "%s is given twice, '%s' and '%s': a trace has one", option, *kept, optarg);
		return false;
	}
	*kept = optarg;
	return true;
}

static bool option(struct trace *t, int c)
{
	uint64_t n;
	switch (c) {
	case 'p': return once("--pid", &t->pid_text);
	case 'f': return once("--site", &t->site);
	case 'd': return parse_duration(optarg, &t->duration);
	case 'o': return once("--output", &t->output);
	case 'D':
	case 'U':
	case 'I':
	case 'W': return front_option(&cmd_trace, c, optarg, &t->front);
	case OPTION_JSON: t->json = true; return true;
	case OPTION_LIVE: t->live = true; return true;
	case OPTION_CTF: return once("--ctf", &t->ctf_path);
	case OPTION_KERNEL: t->kernel = true; return true;
	case OPTION_WITH_KERNEL: return once("--with-kernel", &t->with_probe);
	case OPTION_FOLLOW: t->follow = true; return true;
	case OPTION_LATER: t->later = true; return true;
	case OPTION_THREADS:
		if (!cli_number(&cmd_trace, "--threads", optarg, 1, 1 << 20, &n))
			return false;
		t->max_threads = (uint32_t)n;
		return true;
	default: return limits_option(&cmd_trace, c, optarg, &t->limits);
	}
}

/* What goes with a second probe, the kernel's. Returns an exit status, or -1 to go on. */
static int check_both(const struct trace *t)
{
	if (t->with_probe && t->kernel)
		return cli_usage(&cmd_trace, "--with-kernel goes with -p PID or -- COMMAND: with --kernel the kernel is the only target");
	if (t->with_probe && t->live)
		return cli_usage(&cmd_trace, "--with-kernel goes not with --live: the records of both are told as they come");
	return -1;
}

static bool is_source(const char *probe)
{
	return probe && cli_has_suffix(probe, ".c");
}

/* What goes with what. Returns an exit status, or -1 to go on. */
static int check_usage(const struct trace *t, int words)
{
	if (words == 0)
		return cli_usage(&cmd_trace, "no probe given");
	if (words > 1)
		return cli_usage(&cmd_trace, "one probe at a time (`ward cc` makes one of several sources); a command to start comes after --");
	if (t->pid_text && t->command)
		return cli_usage(&cmd_trace, "either -p PID or -- COMMAND, not both");
	if (t->kernel && (t->pid_text || t->command || t->max_threads))
		return cli_usage(&cmd_trace, "--kernel goes with none of -p PID, -- COMMAND and --threads: the target is the kernel, with a state for each processor");
	if (t->kernel && t->follow)
		return cli_usage(&cmd_trace, "--follow goes with -p PID or -- COMMAND: the kernel has no children");
	if (t->later && t->kernel)
		return cli_usage(&cmd_trace, "--later goes with -p PID or -- COMMAND, and not with --kernel");
	if (t->later && t->follow)
		return cli_error(CLI_USAGE, "trace", "leave --later out, and start programs with the library: trace --follow PROBE -- env LD_PRELOAD=LIBRARY COMMAND",
			"--later doesn't go with --follow: what a process loads after its beginning isn't probed where children are followed");
	if (!t->pid_text && !t->command && !t->kernel)
		return cli_usage(&cmd_trace, "no target given: -p PID, -- COMMAND or --kernel");
	if (t->live && t->json)
		return cli_usage(&cmd_trace, "either --live, for people, or --json, for programs");
	if (t->live && !cli_live_possible())
		return cli_usage(&cmd_trace, "--live draws on the terminal, and standard error is none");
	if (t->command && !t->command[0])
		return cli_usage(&cmd_trace, "no command after --");
	if (!is_source(t->probe) && !is_source(t->with_probe) && (t->front.flags.n || t->front.dirs.n))
		return cli_usage(&cmd_trace, "-D, -U, -I and -W are for sources, and '%s' is a module", t->probe);
	return check_both(t);
}

/* Returns an exit status, or -1 to go on. */
static int parse(struct trace *t, int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"site", required_argument, NULL, 'f'},
		{"duration", required_argument, NULL, 'd'},
		{"output", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"live", no_argument, NULL, OPTION_LIVE},
		{"ctf", required_argument, NULL, OPTION_CTF},
		{"threads", required_argument, NULL, OPTION_THREADS},
		{"kernel", no_argument, NULL, OPTION_KERNEL},
		{"with-kernel", required_argument, NULL, OPTION_WITH_KERNEL},
		{"follow", no_argument, NULL, OPTION_FOLLOW},
		{"later", no_argument, NULL, OPTION_LATER},
		{"help", no_argument, NULL, 'h'},
		LIMIT_LONGS,
		{0},
	};
	/* getopt moves words about; what follows -- is none of its business */
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			t->command = argv + i + 1;
			argv[i] = NULL;
			argc = i;
		}
	}
	for (;;) {
		int c = cli_getopt(&cmd_trace, argc, argv, ":p:f:d:o:D:U:I:W:h", longs);
		if (c == CLI_OPT_DONE)
			break;
		if (c == CLI_OPT_HELP)
			return CLI_OK;
		if (c == CLI_OPT_BAD || !option(t, c))
			return CLI_USAGE;
	}
	t->probe = optind < argc ? argv[optind] : "";
	int status = check_usage(t, argc - optind);
	if (status < 0 && t->pid_text && (status = cli_pid(&cmd_trace, t->pid_text, &t->pid)) == CLI_OK)
		status = -1;
	return status;
}

static void print_site(const char *verb, const char *site, const char *before, const char *detail, const char *after)
{
	fprintf(stderr, "%s ", verb);
	cli_print_clean(stderr, site);
	fputs(before, stderr);
	cli_print_clean(stderr, detail);
	fprintf(stderr, "%s\n", after);
}

/* A site that is the only one and is skipped becomes the error; so the first skip waits until there is more to say. */
static void flush_skip(struct trace *t)
{
	if (t->skip_site && t->skip_reason)
		print_site("skipped", t->skip_site, ": ", t->skip_reason, "");
	free(t->skip_site);
	free(t->skip_reason);
	t->skip_site = t->skip_reason = NULL;
}

static void on_site(void *user, const struct ward_site_report *report)
{
	struct trace *t = user;
	const char *reason = report->reason ? report->reason : "unknown";
	const char *end = report->later ? "; loaded later)" : ")";
	char more[100];
	t->sites++;
	snprintf(more, sizeof(more), "%s", end);
	if (report->inlined)
		snprintf(more, sizeof(more), "%s; %" PRIu64 " inlined cop%s of it %s seen", end, report->inlined, report->inlined == 1 ? "y" : "ies", report->inlined == 1 ? "isn't" : "aren't");
	if (t->schema)
		ward_schema_site(t->schema, report, NULL); /* without memory it stays a number */
	if (t->json) {
		cli_json_site(&t->out, report, "attach");
		return;
	}
	flush_skip(t);
	if (report->method)
		cli_names_add_site(&t->names, report->number, report->site);
	bool again = report->method && report->address == t->last_address && strcmp(report->site, t->last_site) == 0;
	t->last_address = report->address;
	snprintf(t->last_site, sizeof(t->last_site), "%s", report->method ? report->site : "");
	if (t->live && t->session)
		return; /* a later program's: the terminal is taken */
	if (again) {
		/* two names of one function, as open and open64 are: both probes run at each of its calls */
		print_site("attached", report->site, " once more, for ", report->probe, "");
	} else if (report->method && report->exits) {
		/* one function of many: its number is what the probe knows it by */
		char exits[64];
		snprintf(exits, sizeof(exits), "%" PRIu32 " exit%s, site %" PRIu32, report->exits, report->exits == 1 ? "" : "s", report->number);
		print_site("attached", report->site, " (", exits, more);
	} else if (report->method && report->chosen) {
		print_site("attached", report->site, " (jump; chosen at load time: ", report->chosen, end);
	} else if (report->method) {
		print_site("attached", report->site, " (", report->method, more);
	} else if (t->sites > 1) {
		print_site("skipped", report->site, ": ", reason, "");
	} else {
		t->skip_site = strdup(report->site);
		t->skip_reason = strdup(reason);
	}
}

/* A program that was followed is over. */
static void on_process(void *user, const struct ward_process_report *report)
{
	struct trace *t = user;
	if (t->json)
		cli_json_process(&t->out, report);
	else
		cli_processes_add(&t->processes, report);
}

/* Are there counts of the time stamp counter in what the probe may have kept? */
static bool reads_time(const struct ward_verdict *verdict)
{
	unsigned fields = 0;
	for (size_t i = 0; i < verdict->module.n_entries; i++)
		fields |= verdict->module.entries[i].event_fields;
	for (unsigned i = 0; i < 16; i++) {
		const char *name = ward_event_field_name(i);
		if (fields >> i & 1 && (strcmp(name, "time") == 0 || strcmp(name, "elapsed") == 0))
			return true;
	}
	return false;
}

static int attach(struct trace *t)
{
	struct ward_error err = {0};
	struct ward_verdict *verdict = NULL;
	struct ward_attach_options options = {
		.size = sizeof(options),
		.site = t->site,
		.max_insns = t->limits.options.max_insns,
		.max_stack = t->limits.options.max_stack,
		.allow = t->limits.options.allow,
		.n_allow = t->limits.options.n_allow,
		.max_threads = t->max_threads,
		.on_site = on_site,
		.user = t,
		.verdict = &verdict,
		.names = &t->names.names,
		.on_process = on_process,
		.follow = t->follow,
		.later = t->later,
	};
	int result;
	if (!t->schema) /* for on_site; of what is no module the attach tells */
		ward_schema_read(t->module.data, t->module.size, &t->schema, NULL);
	if (t->kernel)
		result = ward_attach_kernel(t->module.data, t->module.size, &options, &t->session, &err);
	else if (t->command)
		result = ward_spawn(t->command, t->module.data, t->module.size, &options, &t->session, &t->pid, &err);
	else
		result = ward_attach(t->pid, t->module.data, t->module.size, &options, &t->session, &err);
	int status = CLI_OK;
	if (result == WARD_OK)
		flush_skip(t);
	if (result == WARD_E_REJECTED && verdict)
		status = cli_report_rejection(t->probe, &t->module, &t->limits.options, verdict);
	else if (result != WARD_OK)
		status = cli_library_error(&err);
	t->reads_time = verdict && reads_time(verdict);
	ward_verdict_free(verdict);
	return status;
}

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A line on the terminal that is written over once a second. */
static void show_progress(const struct trace *t, double elapsed, double *shown)
{
	struct ward_session_stats stats;
	if (elapsed < *shown + 1)
		return;
	*shown = elapsed;
	ward_session_stats(t->session, &stats);
	fprintf(stderr, "\r%.0f s, %" PRIu64 " events; Ctrl-C ends\033[K", elapsed, stats.events);
	fflush(stderr);
}

static void on_record(void *user, const struct ward_field *field, const struct ward_record *record)
{
	struct trace *t = user;
	if (t->join)
		cli_join_add(t->join, &t->out, t->kernel, field, record);
	else
		cli_json_record(&t->out, field, record);
}

/*
 * For programs, and where there are those of a process and of the kernel, records are printed as they come, all that there are by as few writes as their bytes take: a probe in the kernel sees these as well,
 * and one whose every record made a write would never come to an end of them. Without memory they are left for the next time.
 */
static void stream_records(struct trace *t, bool last)
{
	if (t->join)
		cli_join_round(t->join);
	if (t->stream)
		ward_stream_poll(t->stream, t->session, on_record, t, NULL);
	if (t->with && t->with->stream)
		ward_stream_poll(t->with->stream, t->with->session, on_record, t->with, NULL);
	if (t->join)
		cli_join_tell(t->join, &t->out, last);
	else if (t->stream)
		fflush(t->out.file);
}

/* Of one target. Returns whether there were any. */
static bool write_some(struct trace *t)
{
	struct ward_error err = {0};
	uint64_t before = t->written;
	if (ward_ctf_poll(t->ctf, t->session, &err) != WARD_OK)
		t->ctf_status = cli_library_error(&err);
	ward_ctf_totals(t->ctf, NULL, &t->written, NULL);
	return t->written != before;
}

/* Records are written, too; what the disk doesn't take ends the trace. Returns how many milliseconds there are until the next time: few while records come. */
static int write_records(struct trace *t, int slice)
{
	if (!t->ctf || t->ctf_status != CLI_OK)
		return SLICE_MS;
	bool some = write_some(t);
	if (t->with && t->ctf_status == CLI_OK) {
		some |= write_some(t->with);
		t->ctf_status = t->with->ctf_status;
	}
	if (some)
		return 1;
	return 2 * slice < CTF_SLICE_MS ? 2 * slice : CTF_SLICE_MS;
}

static void wait_for_end(struct trace *t)
{
	int slice = t->ctf ? 1 : SLICE_MS;
	char process[32];
	snprintf(process, sizeof(process), "process %d", (int)t->pid);
	struct cli_live live = {0};
	struct cli_view view = {t->session, t->schema, &t->names, t->command ? t->command[0] : process, t->duration};
	bool progress = !t->live && !t->join && isatty(STDERR_FILENO) && (t->duration == 0 || t->duration > 2) && !t->command;
	double start = now(), shown = 0;
	while (!signals && t->ctf_status == CLI_OK) {
		if (t->live)
			cli_live_draw(&live, &view, now() - start);
		double elapsed = now() - start, left = t->duration - elapsed;
		if (t->duration > 0 && left <= 0)
			break;
		int ms = t->duration > 0 && left * 1000 < slice ? (int)(left * 1000) + 1 : slice;
		if (ward_wait(t->session, ms)) {
			t->ended = true;
			break;
		}
		slice = write_records(t, slice);
		stream_records(t, false);
		if (progress)
			show_progress(t, now() - start, &shown);
	}
	cli_live_end(&live);
	if (shown > 0)
		fputs("\r\033[K", stderr);
}

/* Were there more threads at a time than can have a state? */
static void print_lack(struct trace *t, const struct ward_session_stats *stats)
{
	unsigned most = t->max_threads ? t->max_threads : DEFAULT_THREADS;
	if (stats->dropped && stats->threads >= most && !t->kernel && !t->follow && !t->later)
		fprintf(t->out.file, "all %u states were in use at a time: what more threads did was dropped; --threads N has room for them\n", most);
}

/* Of processes that were followed it is their number that tells something. */
static void print_end(struct trace *t, struct ward_session_stats *stats)
{
	bool tells_rate = t->reads_time && !t->with; /* of two targets the last does */
	if (t->follow)
		stats->threads = (uint32_t)t->processes.total;
	cli_print_end(&t->out, stats, t->kernel ? "processor" : t->follow ? "program" : "thread", tells_rate ? cli_clock_rate(&t->start) : 0);
	print_lack(t, stats);
	cli_processes_print(&t->out, &t->processes);
}

/* Whose results follow, for people. */
static void print_whose(const struct trace *t)
{
	if (t->with)
		fprintf(t->out.file, "process %d\n", (int)t->pid);
	else if (t->out.from)
		fputs("kernel\n", t->out.file);
}

static int print_results(struct trace *t)
{
	struct ward_error err = {0};
	struct ward_session_stats stats;
	ward_snapshot *snapshot = NULL;
	ward_session_stats(t->session, &stats);
	if (t->schema && ward_snapshot_take(t->session, t->schema, &snapshot, &err) != WARD_OK)
		return cli_library_error(&err);
	write_records(t, 0);
	stream_records(t, true);
	if (t->with && t->join)
		cli_join_end(t->join, &t->out);
	if (!t->json)
		print_whose(t);
	if (snapshot && t->json)
		cli_json_snapshot(&t->out, snapshot, t->stream);
	else if (snapshot)
		cli_print_snapshot(&t->out, snapshot);
	if (snapshot && ward_snapshot_fields(snapshot) == 0 && !t->json)
		fputs("the probe has no debug information, so there are no fields to show\n", stderr);
	if (t->json)
		cli_json_end(&t->out, t->session, &stats, snapshot, cli_clock_rate(&t->start));
	else
		print_end(t, &stats);
	ward_snapshot_free(snapshot);
	if (fflush(t->out.file) != 0 || ferror(t->out.file))
		return cli_error(CLI_USAGE, t->output ? t->output : "standard output", "is the disk full, or has the reader gone?",
			"the results can't be written");
	return CLI_OK;
}

/* The command was started for the trace: it isn't left behind. A signal that asked us to end is passed on; a second one ends the wait. */
static void wait_for_command(struct trace *t)
{
	int before = signals;
	if (!t->ended && before && last_signal != SIGINT) /* the terminal sent Ctrl-C to the command as well */
		kill(t->pid, last_signal);
	while (!t->ended && signals == before)
		t->ended = ward_wait(t->session, SLICE_MS);
	if (!t->ended)
		return;
	int status = ward_exit_status(t->session);
	if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return;
	cli_print_clean(stderr, t->command[0]);
	if (WIFSIGNALED(status))
		fprintf(stderr, " was ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, " exited with status %d\n", WEXITSTATUS(status));
}

static int read_schema(struct trace *t)
{
	struct ward_error err = {0};
	if (t->schema || ward_schema_read(t->module.data, t->module.size, &t->schema, &err) == WARD_OK)
		return CLI_OK;
	return cli_library_error(&err);
}

static int open_ctf(struct trace *t, const char *directory)
{
	struct ward_error err = {0};
	int status = read_schema(t);
	if (status != CLI_OK)
		return status;
	if (ward_ctf_open(directory, t->schema, &t->ctf, &err) != WARD_OK)
		return cli_library_error(&err);
	t->out.ctf = t->ctf;
	return CLI_OK;
}

/* Of two targets each has a directory below that, and both have one clock. */
static int open_two(struct trace *t)
{
	struct ward_error err = {0};
	char process[LONGEST_PATH], kernel[LONGEST_PATH];
	if (snprintf(process, sizeof(process), "%s/process", t->ctf_path) >= LONGEST_PATH || snprintf(kernel, sizeof(kernel), "%s/kernel", t->ctf_path) >= LONGEST_PATH)
		errno = ENAMETOOLONG;
	else
		t->made_directory = mkdir(t->ctf_path, 0777) == 0;
	if (!t->made_directory)
		return cli_error(CLI_USAGE, t->ctf_path, "name a directory that isn't there yet, where you may write", "%s", errno == EEXIST ? "there is something of this name already" : strerror(errno));
	int status = open_ctf(t, process);
	if (status == CLI_OK && (status = open_ctf(t->with, kernel)) == CLI_OK && ward_ctf_share_clock(t->with->ctf, t->ctf, &err) != WARD_OK)
		status = cli_library_error(&err);
	return status;
}

/* Before the target is touched: the name may be one that can't be had. */
static int open_ctfs(struct trace *t)
{
	if (!t->ctf_path)
		return CLI_OK;
	return t->with ? open_two(t) : open_ctf(t, t->ctf_path);
}

static int close_ctf(struct trace *t, int status)
{
	struct ward_error err = {0};
	if (ward_ctf_close(t->ctf, &err) != WARD_OK && t->ctf_status == CLI_OK)
		t->ctf_status = cli_library_error(&err);
	t->ctf = NULL;
	return status == CLI_OK ? t->ctf_status : status;
}

static int close_ctfs(struct trace *t, int status)
{
	if (t->with)
		status = close_ctf(t->with, status);
	status = close_ctf(t, status);
	if (t->made_directory)
		rmdir(t->ctf_path); /* it stays if there is a trace in it */
	return status;
}

static int load_module(struct trace *t)
{
	struct cli_make make = {.include_dirs = t->front.dirs.at,
		.n_include_dirs = t->front.dirs.n,
		.flags = t->front.flags.at,
		.n_flags = t->front.flags.n,
		.kernel = t->kernel,
		.limits = &t->limits.options};
	limits_for(&t->limits, t->kernel);
	cli_clock_start(&t->start);
	return cli_load_module(t->probe, &make, &t->module);
}

/* What isn't a module was refused by now, so this fails for want of memory at most. */
static int open_stream(struct trace *t)
{
	struct ward_error err = {0};
	int status = read_schema(t);
	if (status != CLI_OK || t->ctf || (!t->json && !t->join))
		return status;
	if (ward_stream_open(t->schema, &t->stream, &err) != WARD_OK)
		return cli_library_error(&err);
	if (t->join)
		t->out.told = t->stream;
	return CLI_OK;
}

/* Does the process say which threads its records are of? */
static int open_join(struct trace *t)
{
	struct ward_error err = {0};
	ward_snapshot *snapshot = NULL;
	if (ward_snapshot_take(t->session, t->schema, &snapshot, &err) != WARD_OK)
		return cli_library_error(&err);
	bool opened = cli_join_open(t->join, snapshot);
	ward_snapshot_free(snapshot);
	return opened ? CLI_OK : cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
}

static int detach(struct trace *t)
{
	struct ward_error err = {0};
	return ward_detach(t->session, &err) == WARD_OK ? CLI_OK : cli_library_error(&err);
}

/* The kernel's probe is there before the process's, and after it: what a thread asks for is seen on both sides. */
static int attach_with(struct trace *t)
{
	struct trace *k = t->with;
	int status = k ? cli_join_check(t->pid) : CLI_OK;
	if (status == CLI_OK && k && (status = attach(k)) == CLI_OK)
		status = open_stream(k);
	return status;
}

static int print_all(struct trace *t)
{
	int status = print_results(t);
	return status == CLI_OK && t->with ? print_results(t->with) : status;
}

static int run_trace(struct trace *t)
{
	int status = load_module(t);
	if (status == CLI_OK && t->with)
		status = load_module(t->with);
	if (status != CLI_OK)
		return status;
	catch_signals();
	if ((status = open_ctfs(t)) != CLI_OK || (status = attach_with(t)) != CLI_OK || (status = attach(t)) != CLI_OK)
		return status;
	if ((status = open_stream(t)) == CLI_OK && (!t->join || (status = open_join(t)) == CLI_OK))
		wait_for_end(t);
	if (!t->ended && !t->kernel)
		cli_names_again(&t->names, t->pid);
	int detached[] = {detach(t), t->with ? detach(t->with) : CLI_OK};
	for (int i = 0; i < 2; i++)
		status = detached[i] != CLI_OK ? detached[i] : status;
	int printed = print_all(t);
	if (t->command)
		wait_for_command(t);
	return status == CLI_OK ? printed : status;
}

static int open_output(struct trace *t)
{
	static char buffer[1 << 16];
	FILE *file = t->output ? fopen(t->output, "we") : stdout;
	if (!file)
		return cli_error(CLI_USAGE, t->output, "choose a place that you may write to with -o FILE", "%s", strerror(errno));
	if (t->json)
		setvbuf(file, buffer, _IOFBF, sizeof(buffer)); /* on a terminal, too; what is to be seen now is flushed */
	cli_output_init(&t->out, file, t->json);
	t->out.names = &t->names;
	return CLI_OK;
}

/* The kernel's trace beside a process's: by the same options, as far as these aren't the process's. */
static void add_kernel(struct trace *t, struct trace *kernel, struct cli_join *join)
{
	*kernel = (struct trace){.probe = t->with_probe, .json = t->json, .kernel = true, .front = t->front, .limits = t->limits, .out = t->out, .join = join};
	kernel->out.names = &kernel->names;
	kernel->out.from = "kernel";
	t->out.from = "process";
	t->with = kernel;
	t->join = join;
}

static void free_target(struct trace *t)
{
	ward_session_free(t->session);
	ward_stream_close(t->stream);
	ward_schema_free(t->schema);
	cli_names_close(&t->names);
	cli_processes_free(&t->processes);
	free(t->skip_site);
	free(t->skip_reason);
	free(t->module.data);
}

static int run(int argc, char **argv)
{
	struct trace t = {0}, kernel = {0};
	struct cli_join join = {0};
	int status = limits_init(&t.limits, false) ? parse(&t, argc, argv) : CLI_USAGE;
	if (status < 0 && (status = open_output(&t)) == CLI_OK) {
		if (t.with_probe)
			add_kernel(&t, &kernel, t.ctf_path ? NULL : &join);
		status = close_ctfs(&t, run_trace(&t));
	}
	free_target(&t);
	free_target(&kernel);
	cli_join_free(&join);
	front_free(&t.front);
	limits_free(&t.limits);
	if (t.output && t.out.file && fclose(t.out.file) != 0 && status == CLI_OK)
		status = cli_error(CLI_USAGE, t.output, "is the disk full?", "%s", strerror(errno));
	return status;
}

const struct cli_command cmd_trace = {"trace", "attach a probe to a process and print what it finds", help, run};
