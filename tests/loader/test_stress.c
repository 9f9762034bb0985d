/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching and detaching under load, while targets and tracers die at any moment. */
#include "helper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CYCLES = 200, KILLS = 150 };

/* A number below n, from a generator that is seeded with the test's own constant. */
static unsigned below(unsigned *seed, unsigned n)
{
	return (unsigned)rand_r(seed) % n;
}

/*
 * With WARD_STRESS_SEED in the environment how many threads there are, and how long one waits, are drawn; else they are
 * the usual ones.
 */
static bool varies(void)
{
	return getenv("WARD_STRESS_SEED") != NULL;
}

static unsigned seed_of(unsigned own)
{
	const char *more = getenv("WARD_STRESS_SEED");

	return own + (more ? (unsigned)strtoul(more, NULL, 0) : 0);
}

static struct target busy_target(unsigned *seed, unsigned usual)
{
	char threads[16];

	snprintf(threads, sizeof(threads), "%u", varies() ? 1 + below(seed, 12) : usual);
	return target_start(TARGET, "busy", threads, NULL);
}

/* The usual time, or any up to three times as long, and sometimes none. */
static void linger(unsigned *seed, unsigned ms)
{
	unsigned us = varies() ? below(seed, 4) == 0 ? 0 : below(seed, 3000 * ms) : 1000 * ms;

	nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
}

Test(stress, attach_and_detach_under_busy_threads)
{
	unsigned seed = seed_of(3);
	struct target t = busy_target(&seed, 4);
	int left = 0;
	char out[64];

	for (int i = 0; i < CYCLES; i++) {
		ward_session *s = attach(
			t.pid, (varies() ? below(&seed, 2) : (unsigned)i % 2) ? "exact" : "clobber", "target!work");
		struct ward_error err;

		linger(&seed, 1);
		cr_assert(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
		cr_expect_eq(count_sum(s), stats_of(s).events);
		ward_session_free(s);
	}
	left = target_mappings(t.pid);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	cr_expect_eq(left, 0);
}

/* The function's exits, alone or with every function's of the program, those that threads wait in among them. */
Test(stress, attach_and_detach_at_exits_under_busy_threads)
{
	unsigned seed = seed_of(6);
	struct target t = busy_target(&seed, 4);
	int left = 0;
	char out[64];

	for (int i = 0; i < CYCLES; i++) {
		bool all = varies() ? below(&seed, 2) : (unsigned)i % 2;
		ward_session *s =
			attach(t.pid, i % 3 ? "clobber" : "exact", all ? "target!*:return" : "target!work:return");
		struct ward_error err;

		linger(&seed, 1);
		cr_assert(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
		cr_expect_eq(count_sum(s), stats_of(s).events);
		ward_session_free(s);
	}
	left = target_mappings(t.pid);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	cr_expect_eq(left, 0);
}

Test(stress, two_sessions_on_one_function_end_in_either_order)
{
	unsigned seed = seed_of(4);
	struct target t = busy_target(&seed, 2);
	char out[64];

	for (int i = 0; i < 20; i++) {
		ward_session *a = attach(t.pid, "exact", NULL), *b = attach(t.pid, "clobber", "target!work");
		bool swap = varies() ? below(&seed, 2) : (unsigned)i % 2;
		ward_session *first = swap ? a : b, *second = swap ? b : a;
		uint64_t before;

		pause_ms(2);
		cr_expect(ward_detach(first, NULL) == 0);
		before = count_sum(first);
		pause_ms(2);
		cr_expect_eq(count_sum(first), before);
		while (count_sum(second) == 0)
			pause_ms(1);
		cr_expect(ward_detach(second, NULL) == 0);
		ward_session_free(a);
		ward_session_free(b);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

Test(stress, interrupted_system_calls_go_on)
{
	struct target t = target_start(TARGET, "waits", NULL);
	unsigned seed = seed_of(5);
	char out[64];

	pause_ms(50);
	for (int i = 0; i < 50; i++) {
		ward_session *s = attach(t.pid, "exact", NULL);

		if (varies())
			linger(&seed, 2);
		cr_expect(ward_detach(s, NULL) == 0);
		ward_session_free(s);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "failures 0\n");
}

Test(stress, no_signal_is_lost)
{
	struct target t = target_start(TARGET, "queued", NULL);
	pid_t sender = fork();
	unsigned long seen = 0;
	char out[64];
	int status;

	if (sender == 0) {
		for (int i = 0; i < 20000; i++)
			while (sigqueue(t.pid, SIGRTMIN, (union sigval){.sival_int = i}) != 0)
				pause_ms(1);
		_exit(0);
	}
	for (int i = 0; i < 100; i++)
		ward_session_free(attach(t.pid, "exact", NULL));
	cr_expect(waitpid(sender, &status, 0) == sender && status == 0);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_assert(sscanf(out, "seen %lu", &seen) == 1);
	cr_expect_eq(seen, 20000);
}

Test(stress, targets_killed_at_any_moment)
{
	struct module m = module_read("exact");
	unsigned seed = seed_of(1), attached = 0, gone = 0, most = 12000;

	for (int i = 0; i < KILLS; i++) {
		/*
		 * How long attaching takes depends on the machine: the time within which the kill comes follows it, so
		 * that about half of the kills come too late.
		 */
		struct target t = busy_target(&seed, 3);
		pid_t killer = fork();
		struct ward_error err;
		ward_session *s;
		char out[64];
		int rc, status;

		if (killer == 0) {
			nanosleep(&(struct timespec){.tv_nsec = below(&seed, most) * 1000}, NULL);
			kill(t.pid, SIGKILL);
			_exit(0);
		}
		below(&seed, most);
		rc = ward_attach(t.pid, m.data, m.size, NULL, &s, &err);
		if (rc == 0) {
			attached++;
			most = most > 1200 ? most - most / 6 : most;
			pause_ms(below(&seed, 3));
			cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
			cr_expect_eq(count_sum(s), exact_sum(s).calls);
			ward_session_free(s);
		} else {
			gone++;
			most = most < 900000 ? most + most / 6 : most;
			cr_expect_eq(rc, WARD_E_TARGET, "%s: %s", err.what, err.why);
			cr_expect(strstr(err.why, "it has ended") == err.why || !strcmp(err.why, "no such process"),
				"%s: %s", err.what, err.why);
		}
		waitpid(killer, NULL, 0);
		status = target_finish(&t, out, sizeof(out));
		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", status);
	}
	free(m.data);
	cr_expect(attached && gone, "%u attached, %u gone", attached, gone);
}

static bool is_clean(pid_t pid)
{
	return target_mappings(pid) == 0 && target_files(pid) == 0 && target_changes(pid) == 0;
}

/*
 * However many have died there and wherever: all of it can be taken off. Not at once, as a thread may be in a stub just
 * now.
 */
static void clean_up(pid_t pid)
{
	struct ward_error err;
	int rc;

	for (int i = 0; i < 5000; i++) {
		while ((rc = ward_cleanup(pid, NULL, &err)) != 0)
			cr_assert(rc == WARD_E_TARGET && strcmp(err.why, "a thread may be in its code still") == 0,
				"%s: %s", err.what, err.why);
		if (is_clean(pid))
			return;
		pause_ms(1);
	}
	cr_expect_eq(target_mappings(pid), 0);
	cr_expect_eq(target_files(pid), 0);
	cr_expect_eq(target_changes(pid), 0);
}

static void kill_injectors(const char *module, const char *site, unsigned own)
{
	unsigned seed = seed_of(own);
	struct target t = busy_target(&seed, 3);
	struct module m = module_read(module);
	char out[64];

	for (int i = 0; i < KILLS; i++) {
		unsigned us = below(&seed, 20000);
		pid_t tracer = fork();

		if (tracer == 0) {
			struct ward_attach_options options = {.size = sizeof(options), .site = site};
			ward_session *s;

			for (;;)
				if (ward_attach(t.pid, m.data, m.size, &options, &s, NULL) == 0)
					ward_session_free(s);
		}
		nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
		cr_assert(kill(t.pid, 0) == 0);
		if (below(&seed, 4) == 0)
			clean_up(t.pid);
	}
	clean_up(t.pid);
	free(m.data);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

Test(stress, tracers_killed_at_any_moment)
{
	kill_injectors("clobber", "target!work", 2);
}

Test(stress, tracers_of_exits_killed_at_any_moment)
{
	kill_injectors("exact", "target!*:return", 7);
}

Test(stress, a_target_that_becomes_another_program)
{
	struct target t = target_start(TARGET, "execs", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char line[7] = "", out[64];
	size_t n = 0;

	target_go(&t);
	while (n < 6) {
		ssize_t got = read(t.out, line + n, 6 - n);

		cr_assert(got > 0);
		n += (size_t)got;
	}
	cr_expect_str_eq(line, "ready\n");
	cr_expect(ward_detach(s, NULL) == 0);
	cr_expect_eq(exact_sum(s).calls, 1);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 2998000\n");
	ward_session_free(s);
}
