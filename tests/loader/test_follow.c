/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked processes, and programs that they execute, are probed as well: no event is lost or counted twice, and no
 * process is harmed.
 */
#include "helper.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What was told of programs. */
struct told {
	unsigned programs, without; /* probes */
	uint64_t events, dropped;
	char reason[200];
};

static void tell(void *user, const struct ward_process_report *r)
{
	struct told *t = user;

	t->programs++;
	t->without += r->reason != NULL;
	t->events += r->events;
	t->dropped += r->dropped;
	if (r->reason)
		snprintf(t->reason, sizeof(t->reason), "%s", r->reason);
}

/* Also libraries that are loaded later: that makes no difference to what is there. */
static bool later_too;

static int try_follow(pid_t pid, const char *site, struct told *told, ward_session **s, struct ward_error *err)
{
	struct ward_attach_options options = {.size = sizeof(options),
		.site = site,
		.user = told,
		.on_process = tell,
		.follow = true,
		.later = later_too};

	memset(told, 0, sizeof(*told));
	return try_exact(pid, &options, s, err);
}

static ward_session *follow(pid_t pid, const char *site, struct told *told)
{
	ward_session *s = NULL;
	struct ward_error err;

	cr_assert(try_follow(pid, site, told, &s, &err) == 0, "%s: %s", err.what, err.why);
	return s;
}

/* Follow a program that makes processes to the end of all of them. */
static struct told follow_once(const char *mode, const char *a, const char *b, uint64_t calls)
{
	struct target t = target_start(TREE, mode, a, b, NULL);
	struct told told;
	ward_session *s = follow(t.pid, "tree!work", &told);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s went wrong", mode);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect_eq(ward_detach(s, NULL), 0);
	cr_expect_eq(exact_sum(s).calls, calls, "%s: %lu calls, not %lu", mode, (unsigned long)exact_sum(s).calls,
		(unsigned long)calls);
	cr_expect_eq(stats_of(s).events, calls);
	cr_expect_eq(stats_of(s).dropped, 0);
	cr_expect(told.events == calls && told.dropped == 0);
	ward_session_free(s);
	return told;
}

static struct told follow_all(const char *mode, const char *a, const char *b, uint64_t calls)
{
	struct told told = follow_once(mode, a, b, calls), also;

	later_too = true;
	also = follow_once(mode, a, b, calls);
	later_too = false;
	cr_expect_eq(told.programs, also.programs);
	cr_expect_eq(told.without, also.without);
	return told;
}

Test(follow, children_of_children)
{
	struct told told = follow_all("tree", "3", "3", (1 + 3 + 9 + 27) * 10);

	cr_expect_eq(told.programs, 40);
	cr_expect_eq(told.without, 0, "%s", told.reason);
}

/* The program itself calls 2 + 1 times, the child by vfork in its place, and the programs and children 10 each. */
Test(follow, fork_vfork_spawn_and_clone)
{
	struct told told = follow_all("ways", "5", NULL, 5 * (2 + 1 + 4 * 10));

	cr_expect_eq(told.programs, 1 + 5 * 4);
	cr_expect_eq(told.without, 0, "%s", told.reason);
}

Test(follow, threads_that_fork)
{
	struct told told = follow_all("threads", "4", "3", 4 * 3 * (10 + 10 + 10 + 10));

	cr_expect_eq(told.programs, 1 + 4 * 3 * 2);
}

Test(follow, a_thread_that_becomes_another_program)
{
	cr_expect_eq(follow_all("execs", NULL, NULL, 20).programs, 2);
}

Test(follow, signals_and_job_control)
{
	follow_all("signals", "50", NULL, 2 * 50 + 10);
}

/*
 * Who waits is woken by the end itself, also if he heard of the last program just before, and hadn't slept until then.
 */
Test(follow, an_end_is_told)
{
	for (int i = 0; i < 200; i++) {
		struct target t = target_start(TREE, "tree", "0", "0", NULL);
		struct told told;
		ward_session *s = follow(t.pid, "tree!work", &told);
		char out[64];

		target_go(&t);
		while (told.programs == 0)
			ward_wait(s, 0);
		while (ward_wait(s, -1) != 1)
			;
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
		cr_expect_eq(told.events, 10);
		ward_session_free(s);
	}
}

/* Whatever they were at: what is told of all is what was counted. */
Test(follow, children_that_are_killed)
{
	struct target t = target_start(TREE, "killed", "20", NULL);
	struct told told;
	ward_session *s = follow(t.pid, "tree!work", &told);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect(told.programs > 1);
	cr_expect_eq(told.events, stats_of(s).events);
	cr_expect_eq(told.dropped, stats_of(s).dropped);
	ward_session_free(s);
}

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Those that come after one another use the same states, and nothing of ours grows. */
Test(follow, a_hundred_children)
{
	struct target t = target_start(TARGET, "forks", "100", "100", NULL);
	struct told told;
	unsigned before = open_files(), most = 0;
	ward_session *s = follow(t.pid, "target!work", &told);
	char out[64];

	target_go(&t);
	while (!ward_wait(s, 1))
		most = open_files() > most ? open_files() : most;
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(told.programs, 101);
	cr_expect_eq(told.without, 0, "%s", told.reason);
	cr_expect_eq(exact_sum(s).calls, 100 * 2 * 100);
	cr_expect_leq(stats_of(s).threads, 4);
	cr_expect_leq(most, before + 40);
	ward_session_free(s);
	cr_expect_eq(open_files(), before - 2); /* the target's input and output are closed */
}

/* Begin and end in the midst of it, again and again. */
Test(follow, attach_and_detach_while_processes_come_and_go)
{
	struct target t = target_start(TREE, "on", NULL);
	char out[64];

	target_go(&t);
	for (int i = 0; i < 5; i++) {
		struct told told;
		struct ward_error err = {0};
		ward_session *s = follow(t.pid, "tree!work", &told);

		for (int k = 0; k < i; k++)
			ward_wait(s, 7);
		while (ward_detach(s, &err) != 0)
			cr_assert(strstr(err.why, "can't be stopped") != NULL, "%s: %s", err.what, err.why);
		cr_expect_eq(told.events, stats_of(s).events);
		cr_expect_eq(exact_sum(s).calls, stats_of(s).events);
		ward_session_free(s);
		expect_clean(t.pid);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

static ward_session *follow_work(pid_t pid)
{
	static struct told told;

	return follow(pid, "tree!work", &told);
}

/* All processes go on right. */
Test(follow, a_tracer_that_is_killed)
{
	struct target t = target_start(TREE, "on", NULL);
	char out[64];

	target_go(&t);
	kill_tracers(t.pid, 4, follow_work);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* The end comes while children are there, which go on without probes. */
Test(follow, a_child_that_lives_on)
{
	struct target t = target_start(TARGET, "parent", "1000", NULL);
	struct told told;
	ward_session *s = follow(t.pid, "target!work", &told);
	char line[32] = "", c, out[64];
	int child;

	target_go(&t);
	for (size_t n = 0; n < sizeof(line) - 1 && read(t.out, &c, 1) == 1 && c != '\n'; n++)
		line[n] = c;
	cr_assert(sscanf(line, "child %d", &child) == 1);
	cr_expect_gt(target_mappings(child), 0);
	cr_expect_eq(ward_detach(s, NULL), 0);
	cr_expect_eq(told.programs, 2);
	cr_expect_eq(told.without, 0, "%s", told.reason);
	expect_clean(child);
	expect_clean(t.pid);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 0);
	ward_session_free(s);
}

/* Of a site where nothing is attached in the end. */
static void never(void *user, const struct ward_site_report *r)
{
	(void)user;
	cr_expect(r->reason, "%s isn't attached", r->site);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* No debugger and no other tracer can be there beside it, and who tries is told. */
Test(follow, another_tracer_is_refused)
{
	struct target t = target_start(TREE, "ways", "1", NULL);
	struct told told, others;
	ward_session *s = follow(t.pid, "tree!work", &told), *other = NULL;
	struct ward_error err;
	struct ward_attach_options later = {.size = sizeof(later), .site = "tree!work", .later = true},
				   plain = {
					   .size = sizeof(plain), .site = "tree!work", .on_site = never, .user = &told};
	char why[100], out[64];

	snprintf(why, sizeof(why), "process %d traces it already, and follows it to its children", (int)getpid());
	for (int i = 0; i < 3; i++) {
		int64_t start = now_ms();

		cr_expect_eq(i == 0 ? try_follow(t.pid, "tree!work", &others, &other, &err)
				    : try_exact(t.pid, i == 1 ? &later : &plain, &other, &err),
			WARD_E_TARGET);
		cr_expect_str_eq(err.why, why, "%d: %s", i, err.why);
		cr_expect_str_eq(err.hint, "wait until that has ended: a followed process can have no other tracer");
		cr_expect_null(other);
		cr_expect_lt(now_ms() - start, 1500, "%d: it isn't waited for", i);
	}
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect_eq(exact_sum(s).calls, 43);
	ward_session_free(s);
}

/*
 * Who was there before the process was followed ends with what it has counted by then, and the follower takes its
 * probes off with its own, whether it has some in that program or not; the same if it was killed. It may also outlive
 * the follower, which may be killed.
 */
static void beside_follower(const char *site, bool outlives, bool dies)
{
	struct target t = target_start(TREE, "on", NULL);
	struct told told;
	struct ward_error err = {0};
	ward_session *plain = NULL, *s = NULL;
	uint64_t calls;
	char out[64];
	int said[2];
	pid_t other = 0;

	cr_assert(pipe(said) == 0);
	if (dies && (other = fork()) == 0) {
		int rc = outlives ? try_follow(t.pid, site, &told, &s, &err)
				  : (plain = attach(t.pid, "exact", "tree!work")) == NULL;

		if (rc || write(said[1], "y", 1) != 1)
			_exit(1);
		for (;;)
			pause_ms(1000);
	}
	if (!other || outlives)
		plain = attach(t.pid, "exact", "tree!work");
	cr_assert(!other || read(said[0], out, 1) == 1);
	if (!other || !outlives)
		s = follow(t.pid, site, &told);
	target_go(&t);
	do
		pause_ms(50);
	while (plain && exact_sum(plain).calls == 0);
	if (other) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	} else if (outlives) {
		while (ward_detach(s, &err) != 0)
			cr_assert(strstr(err.why, "can't be stopped") != NULL, "%s: %s", err.what, err.why);
	}
	if (plain) {
		cr_expect_eq(ward_detach(plain, &err), 0, "%s: %s", err.what, err.why);
		calls = exact_sum(plain).calls;
		cr_expect_gt(calls, 0);
		pause_ms(50);
		cr_expect_eq(exact_sum(plain).calls, calls);
	}
	while (s && ward_detach(s, &err) != 0)
		cr_assert(strstr(err.why, "can't be stopped") != NULL, "%s: %s", err.what, err.why);
	while (other && ward_cleanup(t.pid, NULL, &err) != 0)
		;
	expect_clean(t.pid);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	ward_session_free(plain);
	ward_session_free(s);
}

Test(follow, a_tracer_that_was_there_before_ends_first)
{
	beside_follower("tree!work", false, false);
	beside_follower("nosuch.so!function", false, false);
}

Test(follow, a_tracer_that_was_there_before_ends_last)
{
	beside_follower("tree!work", true, false);
}

Test(follow, a_tracer_that_was_there_before_is_killed)
{
	beside_follower("tree!work", false, true);
}

/* As often as it takes: a thread may wait for a vfork. */
static void end_following(ward_session *s)
{
	struct ward_error err;

	while (ward_detach(s, &err) != 0)
		cr_assert(strstr(err.why, "can't be stopped") != NULL, "%s: %s", err.what, err.why);
	ward_session_free(s);
}

/*
 * One that comes and goes, in the midst of it when a follower comes or goes: it is refused, or does all that it should.
 */
Test(follow, a_tracer_that_comes_and_goes)
{
	struct target t = target_start(TREE, "on", NULL);
	struct told told;
	struct ward_error err = {0};
	pid_t other = fork();
	char out[64];
	int status;

	if (other == 0) {
		int attached = 0;

		for (int i = 0; i < 60; i++) {
			ward_session *plain = NULL;
			struct ward_attach_options options = {.size = sizeof(options), .site = "tree!work"};
			int rc = try_exact(t.pid, &options, &plain, &err);

			attached += rc == 0;
			if (rc == 0)
				rc = ward_detach(plain, &err);
			else if (strstr(err.why, "follows it to its children") || strstr(err.why, "be stopped"))
				rc = 0; /* "thread N can't be stopped", "none of its threads can be stopped" */
			if (rc)
				fprintf(stderr, "%s: %s\n", err.what, err.why);
			if (rc && !strstr(err.why, "can't be stopped"))
				_exit(1);
			ward_session_free(plain);
		}
		_exit(attached == 0);
	}
	target_go(&t);
	do {
		ward_session *s = follow(t.pid, "tree!work", &told);

		pause_ms(20);
		end_following(s);
		pause_ms(20);
	} while (waitpid(other, &status, WNOHANG) == 0);
	cr_expect_eq(status, 0);
	while (ward_cleanup(t.pid, NULL, &err) != 0)
		;
	expect_clean(t.pid);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/*
 * Children that are forked while their parent is being seized, and have ended before it has the probes: it isn't they
 * who are waited for.
 */
Test(follow, children_that_end_at_the_beginning)
{
	struct target t = target_start(TREE, "forks", NULL);
	char out[64];

	target_go(&t);
	for (int i = 0; i < 100; i++) {
		struct told told;
		ward_session *s = follow(t.pid, "tree!work", &told);

		end_following(s);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* A program without any of the sites is no error; it says so. */
Test(follow, programs_without_sites)
{
	struct target t = target_start(TREE, "ways", "1", NULL);
	struct told told;
	ward_session *s = follow(t.pid, "nosuch.so!function", &told);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect_eq(told.programs, 5);
	cr_expect_eq(told.without, 5);
	cr_expect(strstr(told.reason, "nosuch.so!function") != NULL, "%s", told.reason);
	cr_expect_eq(stats_of(s).events, 0);
	ward_session_free(s);
}

Test(follow, what_cannot_be)
{
	struct told told;
	struct ward_error err;
	ward_session *s;

	cr_expect_eq(try_follow(getpid(), "libc.so.6!read", &told, &s, &err), WARD_E_USAGE);
	cr_expect_str_eq(err.why, "a process can't follow its own children");
	cr_expect_eq(try_follow(0x7fffffff, "libc.so.6!read", &told, &s, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "no such process");
	cr_expect_null(s);
}
