/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are loaded after the attach are probed each time, from the moment that is reported, and nothing is
 * left of unloaded ones.
 */
#include "helper.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What was told of sites. */
struct told {
	unsigned attached, later, skipped;
	uint32_t number; /* the last one's */
	char reason[200];
};

static void tell(void *user, const struct ward_site_report *r)
{
	struct told *t = user;

	t->attached += r->method != NULL;
	t->skipped += !r->method;
	t->later += r->method && r->later;
	if (r->method)
		t->number = r->number;
	else
		snprintf(t->reason, sizeof(t->reason), "%s", r->reason);
}

static int try_later(pid_t pid, const char *site, struct told *told, ward_session **s, struct ward_error *err)
{
	struct ward_attach_options options = {
		.size = sizeof(options), .site = site, .on_site = tell, .user = told, .later = true};

	memset(told, 0, sizeof(*told));
	return try_exact(pid, &options, s, err);
}

static ward_session *later(pid_t pid, const char *site, struct told *told)
{
	ward_session *s = NULL;
	struct ward_error err;

	cr_assert(try_later(pid, site, told, &s, &err) == 0, "%s: %s", err.what, err.why);
	return s;
}

static void wait_until_told(ward_session *s, const struct told *told, unsigned attached)
{
	while (told->attached < attached)
		cr_assert_eq(ward_wait(s, 100), 0, "it has ended");
}

static void wait_until_ready(const struct target *t)
{
	char line[7] = "";

	for (size_t n = 0; n < 6;) {
		ssize_t got = read(t->out, line + n, 6 - n);

		cr_assert(got > 0);
		n += (size_t)got;
	}
	cr_expect_str_eq(line, "ready\n");
}

static void note_address(void *user, const struct ward_site_report *r)
{
	*(uint64_t *)user = r->address;
}

/* The library's function is patched now. Whoever writes the jump lets the program go on when all is done. */
static void wait_for_jump(const struct target *t, const char *site)
{
	char path[64];
	uint8_t first = 0;
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_geq(mem, 0);
	while (first != 0xe9) {
		uint64_t address = 0;

		if (ward_list(t->pid, site, note_address, &address, NULL) == 0 &&
			pread(mem, &first, 1, (off_t)address) != 1)
			first = 0;
		pause_ms(10);
	}
	close(mem);
}

static void finish(struct target *t, ward_session *s, uint64_t calls)
{
	struct ward_error err;
	char out[64];

	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	expect_clean_of_libraries(t->pid);
	target_go(t);
	cr_expect_eq(target_finish(t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	cr_expect_eq(exact_sum(s).calls, calls);
	cr_expect_eq(stats_of(s).events, calls);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/*
 * Nothing is there at first; then one library, and another one that stays beside it; and the same once more. All calls
 * count, and a site has one number.
 */
Test(later, waits_for_libraries)
{
	struct target t = target_start(LOADS, LIBRARY, "3", "1000", OTHER_LIBRARY, NULL);
	struct told told;
	ward_session *s = later(t.pid, "lib*-library.so!in_library", &told);

	cr_expect(told.attached == 0 && told.skipped == 1);
	cr_expect_str_eq(told.reason, "no function matches yet");
	cr_expect_eq(target_mappings(t.pid), 0);
	for (unsigned i = 0; i < 3; i++) {
		target_go(&t);
		wait_until_ready(&t);
		wait_for_jump(&t, "libtarget-library.so!in_library");
		wait_until_told(s, &told, 1);
		target_go(&t);
		wait_until_ready(&t);
		wait_for_jump(&t, "libother-library.so!in_library");
		wait_until_told(s, &told, 2);
		target_go(&t);
		wait_until_ready(&t);
		cr_expect_eq(exact_sum(s).calls, (i + 1) * 2000);
		cr_expect_eq(stats_of(s).sites, 2);
	}
	cr_expect(told.attached == 2 && told.later == 2 && told.skipped == 1 && told.number == 1,
		"%u attached, %u later, %u skipped: %s", told.attached, told.later, told.skipped, told.reason);
	finish(&t, s, 6000);
}

/* It is there at the attach, and comes again at the same place at once: no look sees it gone. */
Test(later, loaded_again_at_once)
{
	struct target t = target_start(LOADS, LIBRARY, "5", "1000", NULL);
	struct told told;
	ward_session *s = later(t.pid, "*!in_library", &told);
	int mappings = target_mappings(t.pid);

	cr_expect(told.attached == 1 && told.later == 0);
	for (uint64_t i = 0; i < 5; i++) {
		wait_for_jump(&t, "*!in_library");
		cr_expect_leq(target_mappings(t.pid), 2 * mappings,
			"one of those before may be kept as well (see above), not all");
		target_go(&t);
		wait_until_ready(&t);
		cr_expect_eq(exact_sum(s).calls, (i + 1) * 1000);
	}
	cr_expect(told.attached == 1 && told.later == 0 && stats_of(s).sites == 1);
	finish(&t, s, 5000);
}

/* A tracer tries later and later while the other one is at work, so only a call shows when both of them see it. */
static void wait_until_both_see(struct target *t, ward_session *first, ward_session *second)
{
	uint64_t a, b;

	do {
		pause_ms(10);
		a = exact_sum(first).calls;
		b = exact_sum(second).calls;
		cr_assert_eq(write(t->in, "try\n", 4), 4);
		wait_until_ready(t);
	} while (exact_sum(first).calls == a || exact_sum(second).calls == b);
}

/* The same with two tracers: neither's jump is there, and the second one knows the code below the first one's. */
Test(later, loaded_again_for_two)
{
	struct target t = target_start(LOADS, LIBRARY, "5", "1000", NULL);
	struct told told, other;
	ward_session *first = later(t.pid, "*!in_library", &other), *s = later(t.pid, "*!in_library", &told);

	for (uint64_t i = 0; i < 5; i++) {
		uint64_t a, b;

		wait_until_both_see(&t, first, s);
		a = exact_sum(first).calls;
		b = exact_sum(s).calls;
		target_go(&t);
		wait_until_ready(&t);
		cr_expect_eq(exact_sum(first).calls, a + 1000, "%lu, %lu", a, exact_sum(first).calls);
		cr_expect_eq(exact_sum(s).calls, b + 1000, "%lu, %lu", b, exact_sum(s).calls);
	}
	cr_expect_eq(ward_detach(first, NULL), 0);
	ward_session_free(first);
	finish(&t, s, exact_sum(s).calls);
}

/* What is taken off by somebody else's wish stays off. */
Test(later, taken_off_by_another)
{
	struct target t = target_start(LOADS, LIBRARY, "1", "1000", NULL);
	struct ward_cleanup_options live = {.size = sizeof(live), .live = true};
	struct told told;
	ward_session *s = later(t.pid, "*!in_library", &told);

	cr_expect_eq(ward_cleanup(t.pid, &live, NULL), 0);
	cr_expect_eq(ward_wait(s, 500), 0);
	target_go(&t);
	wait_until_ready(&t);
	finish(&t, s, 0);
}

static size_t open_files(void)
{
	struct dirent *e;
	size_t n = 0;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && (e = readdir(dir)))
		n++;
	closedir(dir);
	return n;
}

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/*
 * Several threads load and unload it all the while: they are right, the tracer hasn't much to do for that, and nothing
 * is left on either side.
 */
Test(later, loads_and_unloads_all_the_while)
{
	size_t files = open_files();
	struct target t = target_start(LOADS, LIBRARY, "threads", "10", NULL);
	struct told told;
	ward_session *s = later(t.pid, "*!in_library", &told);
	double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);

	target_go(&t);
	while (seconds(CLOCK_MONOTONIC) < start + 3)
		cr_expect_eq(ward_wait(s, 100), 0);
	used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
	cr_expect_lt(used, (seconds(CLOCK_MONOTONIC) - start) / 2, "%f seconds of a processor", used);
	cr_expect_leq(told.attached, 1);
	cr_expect_leq(open_files(), files + 40);
	target_go(&t);
	wait_until_ready(&t);
	finish(&t, s, exact_sum(s).calls);
	cr_expect_eq(open_files(), files);
}

static void kill_at(bool loaded)
{
	struct target t = target_start(LOADS, LIBRARY, "1", "1000", OTHER_LIBRARY, NULL);
	struct told told;
	ward_session *s = later(t.pid, "libtarget-library.so!in_library", &told);
	struct ward_error err;
	char out[64];

	if (loaded) {
		target_go(&t);
		wait_until_ready(&t);
		wait_until_told(s, &told, 1);
		target_go(&t);
		wait_until_ready(&t);
		target_go(&t);
		wait_until_ready(&t);
	}
	kill(t.pid, SIGKILL);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect_eq(exact_sum(s).calls, loaded ? 1000 : 0);
	cr_expect_eq(WTERMSIG(target_finish(&t, out, sizeof(out))), SIGKILL);
	ward_session_free(s);
}

Test(later, killed_while_it_waits)
{
	kill_at(false);
}

Test(later, killed_when_it_was_attached)
{
	kill_at(true);
}

/* The other program is what was loaded later then. It asks for a line, too. */
Test(later, becomes_another_program)
{
	struct target t =
		target_start("/bin/sh", "-c", "echo ready; read line; exec \"$0\" \"$1\" 1 1000", LOADS, LIBRARY, NULL);
	struct told told;
	ward_session *s = later(t.pid, "*!in_library", &told);

	cr_expect_eq(told.attached, 0);
	target_go(&t);
	wait_until_ready(&t);
	wait_until_told(s, &told, 1);
	cr_expect_eq(told.later, 1);
	target_go(&t);
	wait_until_ready(&t);
	finish(&t, s, 1000);
}

/* One that was probed before, and is over before anybody looks again, perhaps. */
Test(later, becomes_another_program_and_ends)
{
	struct target t = target_start(TREE, "execs", NULL);
	struct told told;
	ward_session *s = later(t.pid, "tree!work", &told);
	struct ward_error err;
	char out[64];

	cr_expect_eq(told.attached, 1);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect_leq(exact_sum(s).calls, 20);
	cr_expect_eq(told.attached, 1);
	ward_session_free(s);
}

Test(later, what_is_refused)
{
	struct target t = target_start(LOADS, LIBRARY, "1", "1", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "*!in_library", .later = true};
	struct module m = module_read("exact");
	struct ward_error err;
	struct told told;
	ward_session *s;
	char out[64];

	cr_expect_eq(ward_attach(getpid(), m.data, m.size, &options, &s, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "can't watch itself"), "%s", err.why);
	cr_expect_eq(ward_attach_kernel(m.data, m.size, &options, &s, &err), WARD_E_USAGE);
	cr_expect_eq(try_later(t.pid, "in_library", &told, &s, &err), WARD_E_USAGE, "no such pattern will ever match");
	cr_expect_eq(target_mappings(t.pid), 0);
	free(m.data);
	target_go(&t);
	wait_until_ready(&t);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}
