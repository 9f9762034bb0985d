/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace: probes on a live process, or on a command that it starts.
 *
 * The signals that end a trace (Ctrl-C, SIGTERM, SIGHUP) only set a flag, from before the first stop of the target
 * until the results are out. So they never leave the target half patched. A reader of the results that goes away ends
 * the trace as SIGPIPE would.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cluster_command.h"
#include "trace.h"

enum { DEFAULT_THREADS = 1024 };

static volatile sig_atomic_t signals, last_signal, others_have_it;

/* A signal that the terminal sends goes to the command as well. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	last_signal = sig;
	others_have_it = info->si_code == SI_KERNEL;
	signals = signals + 1;
}

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { CAUGHT = sizeof(caught) / sizeof(caught[0]) };
static struct sigaction before[CAUGHT];

/* A command has the signals as we had them. */
static void restore_signals(void)
{
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &before[i], NULL);
}

/*
 * SIGHUP stays ignored: nohup means that. SIGINT doesn't: shells without job control start what runs in the background
 * so. A reader that goes away must not keep us from detaching.
 */
static void catch_signals(void)
{
	struct sigaction end = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}; /* no SA_RESTART: waiting ends */
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i], NULL, &before[i]);
	pthread_atfork(NULL, NULL, restore_signals);
	for (size_t i = 0; i < CAUGHT; i++)
		if (caught[i] == SIGPIPE)
			sigaction(SIGPIPE, &ignore, NULL);
		else if (caught[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
			sigaction(caught[i], &end, NULL);
}

static const struct sigaction *before_pipe(void)
{
	return &before[CAUGHT - 1];
}

/* Nobody reads the results any more. */
static bool reader_gone(const struct trace *t)
{
	struct pollfd out = {.fd = fileno(t->out.file)};
	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
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

/* A target that is there already is left alone until then. */
static void wait_for_begin(const struct trace *t)
{
	struct timespec at = {.tv_sec = (time_t)t->begin};
	at.tv_nsec = (long)((t->begin - (double)at.tv_sec) * 1e9);
	while (!signals && t->begin > seconds_now() && !t->command)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* How long it takes: until an end that is known is one, too. */
static double find_duration(const struct trace *t, double start)
{
	double left = t->end - start;
	if (t->end <= 0 || (t->duration > 0 && t->duration < left))
		return t->duration;
	return left > 0.001 ? left : 0.001;
}

/* Returns whether it has ended. Of many there may always be another one. */
static bool wait_for_target(struct trace *t, int ms)
{
	if (!t->many)
		return ward_wait(t->session, ms) != 0;
	int next = t->many->look(t);
	ms = next < ms ? next : ms;
	if (!signals && !t->enough)
		poll(NULL, 0, ms);
	return false;
}

/* What has a state of its own. */
static const char *has_states(const struct trace *t)
{
	return t->kernel ? "processor" : t->follow || t->sampled ? "program" : "thread";
}

static void wait_for_end(struct trace *t)
{
	double start = seconds_now(), shown = 0;
	t->duration = find_duration(t, start);
	int slice = t->ctf ? 1 : t->record || trace_exports_events(t) ? TRACE_RECORDS_MS : TRACE_SLICE_MS;
	char process[32];
	snprintf(process, sizeof(process), "process %d", (int)t->pid);
	struct cli_live live = {0};
	struct cli_view view = {t->session, t->schema, &t->names, t->drain, &t->start,
		t->command ? t->command[0] : process, t->duration, has_states(t)};
	bool progress = !t->quiet && !t->live && !t->merge && !t->round && !t->many && isatty(STDERR_FILENO) &&
			(t->duration == 0 || t->duration > 2) && !t->command;
	while (!signals && !t->enough && t->ctf_status == CLI_OK) {
		if (t->live && !t->round)
			trace_set_clock(t);
		if (t->live && !t->round)
			cli_live_draw(&live, &view, seconds_now() - start);
		double elapsed = seconds_now() - start, left = t->duration - elapsed;
		if (t->duration > 0 && left <= 0)
			break;
		int ms = t->duration > 0 && left * 1000 < slice ? (int)(left * 1000) + 1 : slice,
		    drain = trace_drain(t);
		ms = drain < ms ? drain : ms;
		if (t->round) {
			int next = t->round(t, elapsed);
			ms = next < ms ? next : ms;
		}
		t->ended = wait_for_target(t, ms);
		trace_print_sites(t);
		if (t->ended)
			break;
		if (t->ctf)
			slice = trace_write_records(t, slice);
		trace_stream_records(t, false);
		if (reader_gone(t)) {
			last_signal = SIGPIPE;
			others_have_it = false;
			signals = signals + 1;
		}
		if (progress)
			show_progress(t, seconds_now() - start, &shown);
	}
	cli_live_end(&live);
	if (t->round)
		t->round(t, -1);
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

/* Were there more stacks than can be kept? */
static void print_stack_shortage(const struct trace *t)
{
	uint64_t lost = t->out.names ? ward_names_lost_stacks(t->out.names->names) : 0;
	if (lost)
		fprintf(t->out.file,
			"too many different stacks: %" PRIu64 " could not be kept, and are 0; fewer frames "
			"(ward_stack_take(8)) make fewer stacks\n",
			lost);
}

/* Of processes that were followed it is their number that tells something. */
static void print_end(struct trace *t, struct ward_session_stats *stats)
{
	bool tells_rate = t->reads_time && !t->with; /* of two targets the last does */
	if (t->follow && !t->sampled)
		stats->threads = (uint32_t)t->processes.total;
	cli_print_end(&t->out, stats, has_states(t), tells_rate ? cli_clock_rate(&t->start) : 0);
	if (ward_session_shut(t->session))
		fputs("a thread denied itself Ward's memory (pkey_set): what that process did afterwards was not "
		      "seen\n",
			t->out.file);
	uint64_t held_back = ward_session_held_back(t->session);
	if (held_back)
		fprintf(t->out.file,
			"the kernel held samples back %" PRIu64
			" times, because they came too often (kernel.perf_event_max_sample_rate)\n",
			held_back);
	print_thread_shortage(t, stats);
	print_stack_shortage(t);
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

/* What the results lack. */
static void print_rest(struct trace *t, const ward_snapshot *snapshot)
{
	cli_print_unshown(&t->out, t->schema);
	if (!snapshot || ward_snapshot_fields(snapshot) || ward_schema_unshown(t->schema))
		return;
	fputs(ward_schema_is_described(t->schema)
			? "the probe's state has no members to show\n"
			: "the probe has no debug information, so there are no fields to show\n",
		stderr);
}

/* The state's members, and what belongs below them. */
static void print_state(struct trace *t, const ward_snapshot *snapshot, struct ward_session_stats *stats)
{
	if (t->json) {
		if (snapshot && t->print_snapshot)
			t->print_snapshot(t, snapshot);
		else if (snapshot)
			cli_json_snapshot(&t->out, snapshot, t->stream);
		cli_json_unshown(&t->out, t->schema);
		cli_json_end(&t->out, t->session, stats, snapshot, cli_clock_rate(&t->start));
		return;
	}
	print_target(t);
	if (snapshot && t->print_snapshot)
		t->print_snapshot(t, snapshot);
	else if (snapshot)
		cli_print_snapshot(&t->out, snapshot);
	print_rest(t, snapshot);
	print_end(t, stats);
}

/* Did all of it get where it was to go? */
static int check_output(struct trace *t)
{
	if (fflush(t->out.file) == 0 && !ferror(t->out.file))
		return CLI_OK;
	t->reader_gone = reader_gone(t);
	if (t->reader_gone && before_pipe()->sa_handler != SIG_IGN)
		return CLI_OK; /* it wants no more: no error to be told */
	return cli_error(CLI_USAGE, t->output ? t->output : "standard output",
		t->reader_gone ? "nobody reads the pipe any more" : "is the disk full?",
		"the results can't be written");
}

/* What isn't the state's members. */
static int print_own(struct trace *t)
{
	trace_stream_records(t, true);
	int status = t->print(t);
	return status == CLI_OK ? check_output(t) : status;
}

static int print_results(struct trace *t)
{
	struct ward_error err = {0};
	struct ward_session_stats stats;
	ward_snapshot *snapshot = NULL;
	if (t->print)
		return print_own(t);
	ward_session_stats(t->session, &stats);
	trace_set_clock(t);
	if (t->schema && cli_take_snapshot(t->session, t->schema, t->drain, &snapshot, &err) != WARD_OK)
		return cli_library_error(&err);
	trace_write_records(t, 0);
	trace_stream_records(t, true);
	if (t->with && t->merge)
		cli_merge_end(t->merge, &t->out);
	if (t->exports && snapshot && !t->print_snapshot)
		export_files_snapshot(t->exports, &t->out, snapshot);
	print_state(t, snapshot, &stats);
	ward_snapshot_free(snapshot);
	return check_output(t);
}

/*
 * The command was started for the trace: it isn't left behind. A signal that asked us to end is passed on; a second one
 * ends the wait.
 */
static void wait_for_command(struct trace *t)
{
	int before_wait = signals;
	if (!t->ended && before_wait && !others_have_it)
		kill(t->pid, last_signal);
	while (!t->ended && signals == before_wait)
		t->ended = ward_wait(t->session, TRACE_SLICE_MS);
}

/* How the target has ended: said, unless it is well; and kept for the exit status. */
static void print_target_end(struct trace *t)
{
	int status = t->ended && !t->kernel && !t->many ? ward_exit_status(t->session) : -1;
	t->target_status = status == -1 ? 0 : status;
	if (t->target_status == 0)
		return;
	if (t->command)
		cli_print_clean(stderr, t->command[0]);
	else
		fprintf(stderr, "process %d", (int)t->pid);
	if (WIFSIGNALED(status))
		fprintf(stderr, " was ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, " exited with status %d\n", WEXITSTATUS(status));
}

int trace_load_module(struct trace *t)
{
	if (t->module.data)
		return CLI_OK;
	struct cli_make make = {.include_dirs = t->front.dirs.at,
		.n_include_dirs = t->front.dirs.n,
		.flags = t->front.flags.at,
		.n_flags = t->front.flags.n,
		.kernel = t->kernel,
		.rounds = t->front.rounds,
		.limits = &t->limits.options};
	limits_for(&t->limits, t->kernel);
	cli_clock_start(&t->start);
	return cli_load_module(t->probe, &make, &t->module);
}

static int detach_target(struct trace *t)
{
	struct ward_error err = {0};
	if (t->many) {
		t->many->detach(t);
		return CLI_OK;
	}
	int result = ward_detach(t->session, &err);
	trace_print_sites(t);
	return result == WARD_OK ? CLI_OK : cli_library_error(&err);
}

/* The kernel's probe is there before the process's, and after it: what a thread asks for is seen on both sides. */
static int attach_kernel(struct trace *t)
{
	struct trace *k = t->with;
	int status = k ? cli_merge_check(t->pid) : CLI_OK;
	if (status == CLI_OK && k && (status = trace_attach(k)) == CLI_OK && (status = trace_open_stream(k)) == CLI_OK)
		status = trace_open_drain(k);
	return status;
}

static int print_all(struct trace *t)
{
	int status = print_results(t);
	return status == CLI_OK && t->with ? print_results(t->with) : status;
}

static void __attribute__((noreturn)) die_by(int sig)
{
	struct rlimit none = {0};
	sigset_t only;
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &none); /* the target has had its own */
	signal(sig, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, sig);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(sig);
	_exit(128 + sig);
}

/* What is read while it runs. Many processes have readers of their own. */
static int open_readers(struct trace *t)
{
	int status = t->many ? CLI_OK : trace_open_stream(t);
	if (status == CLI_OK && !t->many)
		status = trace_open_drain(t);
	return status == CLI_OK && t->merge ? trace_open_merge(t) : status;
}

static int run_trace(struct trace *t)
{
	int status = trace_load_module(t);
	if (status == CLI_OK && t->with)
		status = trace_load_module(t->with);
	if (status != CLI_OK)
		return status;
	catch_signals();
	wait_for_begin(t);
	if (t->begin > 0 && signals) /* before anything was done */
		die_by(last_signal);
	if ((status = trace_open_ctfs(t)) != CLI_OK || (status = trace_open_exports(t)) != CLI_OK ||
		(status = attach_kernel(t)) != CLI_OK ||
		(status = t->many ? t->many->attach(t) : trace_attach(t)) != CLI_OK ||
		(status = trace_begin_exports(t)) != CLI_OK)
		return status;
	t->attached = seconds_now();
	if ((status = open_readers(t)) == CLI_OK)
		wait_for_end(t);
	int detached[] = {detach_target(t), t->with ? detach_target(t->with) : CLI_OK};
	for (int i = 0; i < 2; i++)
		status = detached[i] != CLI_OK ? detached[i] : status;
	int printed = print_all(t);
	if (t->command)
		wait_for_command(t);
	print_target_end(t);
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
	t->out.clock = &t->start;
	t->names.several = t->follow;
	return CLI_OK;
}

/* The kernel's trace beside a process's: by the same options, as far as these aren't the process's. */
static void add_kernel(struct trace *t, struct trace *kernel, struct cli_merge *merge)
{
	*kernel = (struct trace){.probe = t->with_probe,
		.json = t->json,
		.cycles = t->cycles,
		.kernel = true,
		.quiet = t->quiet,
		.verbose = t->verbose,
		.front = t->front,
		.limits = t->limits,
		.exports = t->exports,
		.ctf_version = t->ctf_version,
		.out = t->out,
		.merge = merge};
	kernel->out.names = &kernel->names;
	kernel->out.clock = &kernel->start;
	kernel->out.from = "kernel";
	t->out.from = "process";
	t->with = kernel;
	t->merge = merge;
}

static void free_target(struct trace *t)
{
	ward_session_free(t->session);
	ward_stream_close(t->stream);
	ward_drain_close(t->drain);
	ward_schema_free(t->schema);
	cli_names_close(&t->names);
	cli_processes_free(&t->processes);
	trace_free_sites(t);
	free(t->module.data);
	t->module = (struct cli_bytes){0};
}

/*
 * The exit status is the command's, if the trace itself went well. A signal that ended the command ends us, too. A
 * process that was there before isn't ours: the status says only that a signal has ended it.
 */
static int end_as_target(const struct trace *t, int status)
{
	if (status != CLI_OK)
		return status;
	if (WIFSIGNALED(t->target_status) && !t->command)
		return 128 + WTERMSIG(t->target_status);
	if (WIFSIGNALED(t->target_status))
		die_by(WTERMSIG(t->target_status));
	if (t->reader_gone && !t->target_status)
		die_by(SIGPIPE);
	return t->command ? WEXITSTATUS(t->target_status) : CLI_OK;
}

int trace_run(struct trace *t)
{
	struct trace kernel = {0};
	struct cli_merge merge = {0};
	int status = open_output(t);
	if (status == CLI_OK && t->cluster) {
		status = trace_cluster_run(t);
	} else if (status == CLI_OK) {
		if (t->with_probe)
			add_kernel(t, &kernel, t->ctf_path ? NULL : &merge);
		status = trace_close_ctfs(t, run_trace(t));
		if (t->exports)
			status = export_files_close(t->exports, t->quiet, status);
	}
	free_target(t);
	free_target(&kernel);
	cli_merge_free(&merge);
	if (t->output && t->out.file && fclose(t->out.file) != 0 && status == CLI_OK)
		status = cli_error(CLI_USAGE, t->output, "is the disk full?", "%s", strerror(errno));
	return end_as_target(t, status);
}

static int run_command_line(int argc, char **argv)
{
	struct trace t = {0};
	struct cluster_use use;
	struct export_files exports = {0};
	cluster_use_init(&use);
	t.cluster = &use;
	t.exports = &exports;
	int status = limits_init(&t.limits, false) ? trace_parse(&t, argc, argv) : CLI_USAGE;
	if (status < 0)
		status = trace_run(&t);
	front_free(&t.front);
	free(t.settings.at);
	cluster_use_free(&use);
	limits_free(&t.limits);
	return status;
}

const struct cli_command cmd_trace = {
	"trace", "attach a probe to a process and print what it finds", trace_help, run_command_line};
