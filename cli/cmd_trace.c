/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace: probes on a live process, or on a command that it starts.
 *
 * The signals that end a trace (Ctrl-C, SIGTERM, SIGHUP) only set a flag, from before the first stop of the target
 * until the results are out. So they never leave the target half patched.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

enum { DEFAULT_THREADS = 1024 };

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

static double seconds_now(void)
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

static void wait_for_end(struct trace *t)
{
	int slice = t->ctf ? 1 : TRACE_SLICE_MS;
	char process[32];
	snprintf(process, sizeof(process), "process %d", (int)t->pid);
	struct cli_live live = {0};
	struct cli_view view = {t->session, t->schema, &t->names, t->command ? t->command[0] : process, t->duration};
	bool progress =
		!t->live && !t->merge && isatty(STDERR_FILENO) && (t->duration == 0 || t->duration > 2) && !t->command;
	double start = seconds_now(), shown = 0;
	while (!signals && t->ctf_status == CLI_OK) {
		if (t->live)
			cli_live_draw(&live, &view, seconds_now() - start);
		double elapsed = seconds_now() - start, left = t->duration - elapsed;
		if (t->duration > 0 && left <= 0)
			break;
		int ms = t->duration > 0 && left * 1000 < slice ? (int)(left * 1000) + 1 : slice;
		if (ward_wait(t->session, ms)) {
			t->ended = true;
			break;
		}
		slice = trace_write_records(t, slice);
		trace_stream_records(t, false);
		if (progress)
			show_progress(t, seconds_now() - start, &shown);
	}
	cli_live_end(&live);
	if (shown > 0)
		fputs("\r\033[K", stderr);
}

/* Were there more threads at a time than can have a state? */
static void print_thread_shortage(struct trace *t, const struct ward_session_stats *stats)
{
	unsigned most = t->max_threads ? t->max_threads : DEFAULT_THREADS;
	if (stats->dropped && stats->threads >= most && !t->kernel && !t->follow && !t->later)
		fprintf(t->out.file,
			"all %u states were in use at a time: what more threads did was dropped; --threads N has room "
			"for them\n",
			most);
}

/* Of processes that were followed it is their number that tells something. */
static void print_end(struct trace *t, struct ward_session_stats *stats)
{
	bool tells_rate = t->reads_time && !t->with; /* of two targets the last does */
	if (t->follow)
		stats->threads = (uint32_t)t->processes.total;
	cli_print_end(&t->out, stats,
		t->kernel   ? "processor"
		: t->follow ? "program"
			    : "thread",
		tells_rate ? cli_clock_rate(&t->start) : 0);
	if (ward_session_shut(t->session))
		fputs("a thread denied itself Ward's memory (pkey_set): what that process did afterwards was not "
		      "seen\n",
			t->out.file);
	print_thread_shortage(t, stats);
	cli_processes_print(&t->out, &t->processes);
}

/* Whose results follow, for people. */
static void print_target(const struct trace *t)
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
	trace_write_records(t, 0);
	trace_stream_records(t, true);
	if (t->with && t->merge)
		cli_merge_end(t->merge, &t->out);
	if (!t->json)
		print_target(t);
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
		return cli_error(CLI_USAGE, t->output ? t->output : "standard output",
			"is the disk full, or has the reader gone?", "the results can't be written");
	return CLI_OK;
}

/*
 * The command was started for the trace: it isn't left behind. A signal that asked us to end is passed on; a second one
 * ends the wait.
 */
static void wait_for_command(struct trace *t)
{
	int before = signals;
	if (!t->ended && before && last_signal != SIGINT) /* the terminal sent Ctrl-C to the command as well */
		kill(t->pid, last_signal);
	while (!t->ended && signals == before)
		t->ended = ward_wait(t->session, TRACE_SLICE_MS);
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

static int detach_target(struct trace *t)
{
	struct ward_error err = {0};
	return ward_detach(t->session, &err) == WARD_OK ? CLI_OK : cli_library_error(&err);
}

/* The kernel's probe is there before the process's, and after it: what a thread asks for is seen on both sides. */
static int attach_kernel(struct trace *t)
{
	struct trace *k = t->with;
	int status = k ? cli_merge_check(t->pid) : CLI_OK;
	if (status == CLI_OK && k && (status = trace_attach(k)) == CLI_OK)
		status = trace_open_stream(k);
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
	if ((status = trace_open_ctfs(t)) != CLI_OK || (status = attach_kernel(t)) != CLI_OK ||
		(status = trace_attach(t)) != CLI_OK)
		return status;
	if ((status = trace_open_stream(t)) == CLI_OK && (!t->merge || (status = trace_open_merge(t)) == CLI_OK))
		wait_for_end(t);
	if (!t->ended && !t->kernel)
		cli_names_again(&t->names, t->pid);
	int detached[] = {detach_target(t), t->with ? detach_target(t->with) : CLI_OK};
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
		return cli_error(CLI_USAGE, t->output, "choose a place that you may write to with -o FILE", "%s",
			strerror(errno));
	if (t->json)
		setvbuf(file, buffer, _IOFBF,
			sizeof(buffer)); /* on a terminal, too; what is to be seen now is flushed */
	cli_output_init(&t->out, file, t->json);
	t->out.names = &t->names;
	return CLI_OK;
}

/* The kernel's trace beside a process's: by the same options, as far as these aren't the process's. */
static void add_kernel(struct trace *t, struct trace *kernel, struct cli_merge *merge)
{
	*kernel = (struct trace){.probe = t->with_probe,
		.json = t->json,
		.kernel = true,
		.front = t->front,
		.limits = t->limits,
		.out = t->out,
		.merge = merge};
	kernel->out.names = &kernel->names;
	kernel->out.from = "kernel";
	t->out.from = "process";
	t->with = kernel;
	t->merge = merge;
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

static int run_command_line(int argc, char **argv)
{
	struct trace t = {0}, kernel = {0};
	struct cli_merge merge = {0};
	int status = limits_init(&t.limits, false) ? trace_parse(&t, argc, argv) : CLI_USAGE;
	if (status < 0 && (status = open_output(&t)) == CLI_OK) {
		if (t.with_probe)
			add_kernel(&t, &kernel, t.ctf_path ? NULL : &merge);
		status = trace_close_ctfs(&t, run_trace(&t));
	}
	free_target(&t);
	free_target(&kernel);
	cli_merge_free(&merge);
	front_free(&t.front);
	limits_free(&t.limits);
	if (t.output && t.out.file && fclose(t.out.file) != 0 && status == CLI_OK)
		status = cli_error(CLI_USAGE, t.output, "is the disk full?", "%s", strerror(errno));
	return status;
}

const struct cli_command cmd_trace = {
	"trace", "attach a probe to a process and print what it finds", trace_help, run_command_line};
