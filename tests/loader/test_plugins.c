/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children are followed, and what they load later is probed: in each process and in each program, before and after it
 * has become another one. Nothing is lost, nothing counted twice, and nobody harmed.
 */
#include "helper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 10 };

struct told {
	unsigned programs, without; /* probes */
	uint64_t events, dropped;
	unsigned attached, later; /* sites */
	char reason[200];
};

static void tell_program(void *user, const struct ward_process_report *r)
{
	struct told *t = user;

	t->programs++;
	t->without += r->reason != NULL;
	t->events += r->events;
	t->dropped += r->dropped;
	if (r->reason)
		snprintf(t->reason, sizeof(t->reason), "%s", r->reason);
}

static void tell_site(void *user, const struct ward_site_report *r)
{
	struct told *t = user;

	t->attached += r->method != NULL;
	t->later += r->method && r->later;
	if (r->reason)
		snprintf(t->reason, sizeof(t->reason), "%s", r->reason);
}

static ward_session *follow(pid_t pid, const char *site, struct told *told)
{
	struct ward_attach_options options = {.size = sizeof(options),
		.site = site,
		.on_site = tell_site,
		.on_process = tell_program,
		.user = told,
		.follow = true,
		.later = true};
	ward_session *s = NULL;
	struct ward_error err;

	memset(told, 0, sizeof(*told));
	cr_assert(try_exact(pid, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	return s;
}

#define SITES "lib*-library.so!in_library"

static struct told follow_all(const char *mode, const char *a, const char *b, uint64_t calls)
{
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, mode, a, b, NULL);
	struct told told;
	ward_session *s = follow(t.pid, SITES, &told);
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
	cr_expect_eq(stats_of(s).sites, 2);
	cr_expect(told.events == calls && told.dropped == 0);
	cr_expect(told.attached == 2 && told.later == 2, "%u sites, %u later", told.attached, told.later);
	cr_expect_eq(told.without, 0, "%s", told.reason);
	ward_session_free(s);
	return told;
}

/* 1 + 2 + 4 processes with 3 × 10 calls each, 10 more in each child at once, and in each of the 4 new programs. */
Test(plugins, libraries_of_children_of_children)
{
	cr_expect_eq(follow_all("tree", "2", "2", (7 * 3 + 6 + 4) * CALLS).programs, 7 + 4);
}

/* The child 2 × 10, the vfork child once in its parent's place, three new programs 10 each, the parent itself 10. */
Test(plugins, fork_vfork_spawn_and_exec)
{
	cr_expect_eq(follow_all("ways", NULL, NULL, (2 + 3 + 1) * CALLS + 1).programs, 5);
}

/* Nobody waits for probes: what is told of all is what was counted. */
Test(plugins, children_that_end_at_any_moment)
{
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, "on", NULL);
	struct told told;
	ward_session *s = follow(t.pid, SITES, &told);
	char out[64];

	target_go(&t);
	while (told.programs < 40)
		cr_assert_eq(ward_wait(s, 100), 0, "it has ended");
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	while (ward_wait(s, -1) != 1)
		;
	cr_expect_gt(told.events, 0);
	cr_expect_eq(told.events, stats_of(s).events);
	cr_expect_eq(told.events, exact_sum(s).calls);
	cr_expect_eq(told.dropped, 0);
	cr_expect_leq(stats_of(s).threads, 16, "those that come after one another use the same states");
	ward_session_free(s);
}

static void detach(ward_session *s)
{
	struct ward_error err;

	while (ward_detach(s, &err) != 0)
		cr_assert(strstr(err.why, "can't be stopped") != NULL, "%s: %s", err.what, err.why);
}

/* Begin and end in the midst of it, again and again. */
Test(plugins, attach_and_detach_while_libraries_come_and_go)
{
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, "on", NULL);
	char out[64];

	target_go(&t);
	for (int i = 0; i < 10; i++) {
		struct told told;
		ward_session *s = follow(t.pid, SITES, &told);

		for (int k = 0; k < i; k++)
			ward_wait(s, 7);
		detach(s);
		cr_expect_eq(told.events, stats_of(s).events);
		cr_expect_eq(exact_sum(s).calls, stats_of(s).events);
		ward_session_free(s);
		expect_clean_of_libraries(t.pid);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* A line of a target's. */
static void read_line(const struct target *t, char *line, size_t size)
{
	size_t n = 0;
	char c;

	while (n < size - 1 && read(t->out, &c, 1) == 1 && c != '\n')
		line[n++] = c;
	line[n] = 0;
}

/* The end comes while a parent and its child have libraries, which go on without probes. */
Test(plugins, libraries_that_stay)
{
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, "stays", NULL);
	struct told told;
	ward_session *s = follow(t.pid, SITES, &told);
	char line[32], out[64];
	int child;

	target_go(&t);
	read_line(&t, line, sizeof(line));
	cr_assert(sscanf(line, "child %d", &child) == 1, "%s", line);
	read_line(&t, line, sizeof(line));
	cr_expect_str_eq(line, "ready");
	cr_expect_gt(target_mappings(child), 0);
	detach(s);
	cr_expect(told.programs == 2 && told.without == 0);
	cr_expect_eq(exact_sum(s).calls, 3 * CALLS);
	expect_clean_of_libraries(child);
	expect_clean_of_libraries(t.pid);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	cr_expect_eq(exact_sum(s).calls, 3 * CALLS);
	ward_session_free(s);
}

static double processor_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/*
 * Threads that load and unload it all the while, and are stopped in the midst of that: they are right, and the tracer
 * hasn't much to do for it.
 */
Test(plugins, threads_that_load_and_unload)
{
	struct target t = target_start(LOADS, LIBRARY, "threads", "10", NULL);
	struct told told;
	ward_session *s = follow(t.pid, "*!in_library", &told);
	double used = processor_seconds();
	char line[32], out[64];

	target_go(&t);
	for (int i = 0; i < 30; i++) {
		cr_expect_eq(ward_wait(s, 0), 0);
		pause_ms(100);
	}
	cr_expect_lt(processor_seconds() - used, 1.5);
	target_go(&t);
	read_line(&t, line, sizeof(line));
	cr_expect_str_eq(line, "ready");
	detach(s);
	cr_expect_eq(told.events, stats_of(s).events);
	cr_expect_eq(told.events, exact_sum(s).calls);
	expect_clean_of_libraries(t.pid);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	ward_session_free(s);
}

static int by_value(const void *a, const void *b)
{
	const long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each time that it is loaded it is probed; how soon is told, and may be anything. */
static void measure_gap(bool followed)
{
	enum { TIMES = 9 };
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, "gap", "9", NULL);
	struct ward_attach_options options = {
		.size = sizeof(options), .site = SITES, .follow = followed, .later = true};
	long us[TIMES] = {0};
	ward_session *s = NULL;
	struct ward_error err;
	char out[TIMES * 24], *at = out;

	cr_assert(try_exact(t.pid, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	for (int i = 0; i < TIMES; i++)
		us[i] = strtol(at, &at, 10);
	qsort(us, TIMES, sizeof(us[0]), by_value);
	fprintf(stderr, "a library%s is probed %ld us after it was loaded (median of %d; %ld to %ld)\n",
		followed ? " of a followed process" : "", us[TIMES / 2], (int)TIMES, us[0], us[TIMES - 1]);
	detach(s);
	cr_expect_eq(exact_sum(s).calls, TIMES * CALLS);
	ward_session_free(s);
}

Test(plugins, each_time_that_it_is_loaded)
{
	measure_gap(false);
	measure_gap(true);
}

static ward_session *follow_sites(pid_t pid)
{
	static struct told told;

	return follow(pid, SITES, &told);
}

/* All processes go on right. */
Test(plugins, a_tracer_that_is_killed)
{
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, "on", NULL);
	char out[64];

	target_go(&t);
	kill_tracers(t.pid, 7, follow_sites);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/*
 * Ward attaches to 64 libraries of one process that it loaded later. The next one runs without probes, and a report
 * says why; the one after it has them again, as one of the 64 was unloaded.
 */
Test(plugins, more_libraries_than_there_is_room_for)
{
	struct target t = target_start(PLUGINS, LIBRARY, OTHER_LIBRARY, "many", "64", NULL);
	struct told told;
	ward_session *s = follow(t.pid, SITES, &told);
	char out[64];

	target_go(&t);
	while (!strstr(told.reason, "more than 64 of them"))
		cr_assert_eq(ward_wait(s, 100), 0, "it has ended");
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	while (ward_wait(s, -1) != 1)
		;
	cr_expect_eq(ward_detach(s, NULL), 0);
	cr_expect_eq(exact_sum(s).calls, (64 + 1) * CALLS);
	cr_expect_eq(stats_of(s).events, (64 + 1) * CALLS);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}
