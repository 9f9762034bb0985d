/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads in states that affect stubs and probes: what would kill the target isn't done, and the event is counted as
 * dropped.
 */
#include "helper.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { CALLS = 1000 };

/* The target's answer, which is the same without probes. */
static void expect_right(struct target *t)
{
	char out[64];
	int status;

	target_go(t);
	status = target_finish(t, out, sizeof(out));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
	cr_expect_str_eq(out, "right\n");
}

static void expect_dropped(ward_session *s)
{
	struct ward_session_stats stats = stats_of(s);

	cr_expect_eq(stats.events, 0, "%lu events", (unsigned long)stats.events);
	cr_expect_eq(stats.dropped, CALLS, "%lu dropped", (unsigned long)stats.dropped);
}

/* Attached first; then what the module does is forbidden. */
static void forbidden_later(
	const char *program, const char *mode, const char *way, const char *module, const char *site)
{
	struct target t = target_start(program, mode, way, NULL);
	ward_session *s = attach(t.pid, module, site);

	expect_right(&t);
	expect_dropped(s);
	ward_session_free(s);
}

Test(states, time_that_is_turned_off_later)
{
	static const char *const way[] = {"function", "syscall"};

	for (size_t i = 0; i < 2; i++) {
		forbidden_later(STATES, "tsc", way[i], "elapsed", "states!work:return");
		forbidden_later(STATES, "tsc", way[i], "fields", "states!work");
		forbidden_later(STATES_STATIC, "tsc", way[i], "elapsed", "states-static!work:return");
	}
}

/* Strict seccomp takes the time, too. */
Test(states, time_under_strict_seccomp)
{
	forbidden_later(STATES, "strict", "function", "elapsed", "states!work:return");
	forbidden_later(STATES, "strict", "syscall", "elapsed", "states!work:return");
	forbidden_later(STATES, "strict", "seccomp", "elapsed", "states!work:return");
}

/* Time is no system call. */
Test(states, time_under_a_filter)
{
	struct target t = target_start(STATES, "filter", "function", NULL);
	ward_session *s = attach(t.pid, "elapsed", "states!work:return");

	expect_right(&t);
	cr_expect_eq(stats_of(s).events, CALLS);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/* A probe that reads no time goes on in any of them. */
Test(states, counting_goes_on)
{
	static const char *const mode[][2] = {{"tsc", "function"}, {"tsc", "before"}, {"strict", "function"},
		{"filter", "function"}, {"dispatch", "function"}, {"no-new-code", "before"}, {"locked", "before"},
		{"hidden", "before"}};

	for (size_t i = 0; i < sizeof(mode) / sizeof(mode[0]); i++) {
		struct target t = target_start(STATES, mode[i][0], mode[i][1], NULL);
		ward_session *s = attach(t.pid, "exact", "states!work");

		expect_right(&t);
		cr_expect_eq(exact_sum(s).calls, CALLS, "%s", mode[i][0]);
		ward_session_free(s);
	}
}

/* A thread that may make no system call is seen the first time by a probe, which makes none either. */
Test(states, a_thread_that_comes_when_it_is_strict)
{
	struct target t = target_start(STATES, "strict-thread", NULL);
	ward_session *s = attach(t.pid, "exact", "states!work");

	expect_right(&t);
	cr_expect_eq(exact_sum(s).calls, 2 * CALLS);
	ward_session_free(s);
}

/* The same started by us. */
Test(states, time_that_a_started_program_turns_off)
{
	struct module m = module_read("elapsed");
	struct ward_attach_options options = {.size = sizeof(options), .site = "states!work:return"};
	char *argv[] = {(char *)STATES, (char *)"tsc", (char *)"function", NULL};
	struct ward_error err;
	ward_session *s;
	int status, null[2];
	pid_t pid;

	cr_assert(pipe(null) == 0 && dup2(null[0], 0) == 0 && write(null[1], "\n", 1) == 1);
	cr_assert_eq(ward_spawn(argv, m.data, m.size, &options, &s, &pid, &err), 0, "%s: %s", err.what, err.why);
	cr_assert(waitpid(pid, &status, 0) == pid);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
	expect_dropped(s);
	ward_session_free(s);
	free(m.data);
}

/* A thread for which it is off when the probe comes. */
static void refused(const char *mode, const char *way, const char *module, const char *site)
{
	struct target t = target_start(STATES, mode, way, NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = site};
	struct module m = module_read(module);
	struct ward_error err;
	ward_session *s;

	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect(strstr(err.why, "PR_SET_TSC"), "%s", err.why);
	cr_expect_eq(target_mappings(t.pid), 0);
	cr_expect_eq(target_files(t.pid), 0);
	cr_expect_eq(target_changes(t.pid), 0);
	expect_right(&t);
	free(m.data);
}

Test(states, time_that_is_off_is_refused)
{
	refused("tsc", "before", "elapsed", "states!work:return");
	refused("tsc", "before", "fields", "states!work");
	refused("tsc-thread", "function", "elapsed", "states!work:return");
}

/* Whose system calls go to a handler can't make any for us. */
Test(states, a_process_that_has_its_system_calls_sent_to_a_handler)
{
	struct target t = target_start(STATES, "dispatch", "before", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "states!work"};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;

	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect(strstr(err.why, "SYSCALL_USER_DISPATCH"), "%s", err.why);
	cr_expect_eq(target_mappings(t.pid), 0);
	expect_right(&t);
	free(m.data);
}

/* The tracer's own limit, which would end it in the midst of its work. */
Test(states, a_limit_on_the_size_of_files)
{
	struct target t = target_start(STATES, "none", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "states!work"};
	const struct rlimit low = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;

	cr_assert(setrlimit(RLIMIT_FSIZE, &low) == 0);
	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_SYSTEM);
	cr_expect(strstr(err.why, "limit on the size of files"), "%s", err.why);
	cr_expect_eq(target_mappings(t.pid), 0);
	cr_expect_eq(target_files(t.pid), 0);
	expect_right(&t);
	free(m.data);
}

/* Instructions that the kernel knows by their addresses stay where they are. */
Test(states, restartable_sequences)
{
	struct target t = target_start(STATES, "none", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "states!early"};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;

	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect(strstr(err.why, "rseq"), "%s", err.why);
	s = attach(t.pid, "exact", "states!late");
	expect_right(&t);
	cr_expect_eq(exact_sum(s).calls, CALLS);
	ward_session_free(s);
	free(m.data);
}

/* A thread in 32-bit code is left alone; another one makes the calls. */
Test(states, a_thread_in_32_bit_code)
{
	struct target t = target_start(STATES, "32-bit", NULL);
	ward_session *s = attach(t.pid, "fields", "states!work");

	expect_right(&t);
	cr_expect_eq(count_sum(s), CALLS);
	ward_session_free(s);
}

/* System calls that a filter would kill for, or that somebody else is told of. */
static void calls_forbidden_later(const char *mode, const char *way)
{
	static const char *const allow[] = {"ward_read", "ward_read_str", "ward_match", "ward_clock"};
	struct target t = target_start(STATES, mode, way, NULL);
	struct ward_attach_options options = {
		.size = sizeof(options), .site = "states!use_string", .allow = allow, .n_allow = 4};
	struct module m = module_read("strings");
	struct ward_error err;
	ward_session *s;

	cr_assert_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), 0, "%s: %s", err.what, err.why);
	expect_right(&t);
	expect_dropped(s);
	ward_session_free(s);
	free(m.data);
}

Test(states, calls_that_are_forbidden_later)
{
	calls_forbidden_later("filter", "function");
	calls_forbidden_later("filter", "syscall");
	calls_forbidden_later("filter", "seccomp");
	calls_forbidden_later("strict", "function");
	calls_forbidden_later("dispatch", "function");
}

/* ---- Bases of fs that aren't the C library's ---- */

enum { BASE_CALLS = 10000 };

static struct target bases_start(const char *how, const char *where)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s", BASES, how);
	return target_start(path, where, NULL);
}

static void foreign(const char *how, const char *where, const char *module, uint64_t least)
{
	struct target t = bases_start(how, where);
	char site[64];
	ward_session *s;
	uint64_t events;

	snprintf(site, sizeof(site), "bases-%s!work", how);
	s = attach(t.pid, module, site);
	expect_right(&t);
	events = stats_of(s).events;
	cr_expect_eq(events + stats_of(s).dropped, BASE_CALLS, "%s %s: %lu and %lu", how, where, (unsigned long)events,
		(unsigned long)stats_of(s).dropped);
	cr_expect_geq(events, least, "%s %s: %lu", how, where, (unsigned long)events);
	cr_expect_eq(count_sum(s), events);
	ward_session_free(s);
}

/*
 * Whatever is there, or nothing: no fault, nothing of the program's is written, and every call is counted, as an event
 * or as dropped.
 */
Test(states, foreign_bases)
{
	static const char *const how[] = {"raw", "wrfsbase", "function", "syscall"}, *const where[] = {"zero", "buffer",
											     "nowhere", "one", "two"};

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 5; k++)
			foreign(how[i], where[k], "exact", k == 1 || k == 2 ? BASE_CALLS : BASE_CALLS / 10);
}

/* The thread's id isn't read from what isn't a control block. */
Test(states, ids_of_threads_with_foreign_bases)
{
	foreign("raw", "buffer", "fields", BASE_CALLS);
	foreign("wrfsbase", "nowhere", "fields", BASE_CALLS);
	foreign("function", "zero", "fields", BASE_CALLS / 10);
}

/* Two threads that run at once with one base never run in one slot. */
Test(states, threads_that_share_a_base)
{
	struct target t = bases_start("raw", "threads");
	ward_session *s = attach(t.pid, "exact", "bases-raw!work");
	struct exact sum;

	expect_right(&t);
	sum = exact_sum(s);
	cr_expect_eq(stats_of(s).events + stats_of(s).dropped, 2 * BASE_CALLS);
	cr_expect_eq(sum.calls, stats_of(s).events);
	cr_expect_eq(sum.sum0, sum.calls);
	ward_session_free(s);
}

/*
 * What a static program calls before its C library has made a control block is counted as dropped; what it calls later
 * are events.
 */
Test(states, a_static_program_from_its_first_function_on)
{
	struct module m = module_read("exact");
	struct ward_attach_options options = {.size = sizeof(options), .site = "states-static!*"};
	char *argv[] = {(char *)STATES_STATIC, (char *)"none", NULL};
	int status, null[2];
	struct ward_error err;
	ward_session *s;
	pid_t pid;

	cr_assert(pipe(null) == 0 && dup2(null[0], 0) == 0 && write(null[1], "\n", 1) == 1);
	cr_assert_eq(ward_spawn(argv, m.data, m.size, &options, &s, &pid, &err), 0, "%s: %s", err.what, err.why);
	cr_assert(waitpid(pid, &status, 0) == pid);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
	cr_expect_gt(stats_of(s).dropped, 5, "%lu dropped", (unsigned long)stats_of(s).dropped);
	cr_expect_gt(stats_of(s).events, 2 * CALLS);
	ward_session_free(s);
	free(m.data);
}
