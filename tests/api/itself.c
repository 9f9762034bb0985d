/* SPDX-License-Identifier: Apache-2.0 */
/* A process that attaches to itself, like a runtime that contains libward. */
#include "helper.h"
#include "kept.h"
#include "own.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN "test-api-itself!own_work"

OWN_FUNCTION uint64_t own_work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

OWN_FUNCTION uint64_t own_other(uint64_t a)
{
	__asm__ volatile("");
	return a + 7;
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	cr_assert(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

enum { THREADS = 3, CALLS = 1000 };

static void *call(void *arg)
{
	uintptr_t t = (uintptr_t)arg;

	for (uint64_t i = 0; i < CALLS; i++)
		if (own_work(i, t) != i * 3 + t)
			abort();
	return NULL;
}

static void call_in_threads(void)
{
	pthread_t id[THREADS];

	for (uintptr_t t = 0; t < THREADS; t++)
		cr_assert_eq(pthread_create(&id[t], NULL, call, (void *)t), 0);
	for (uintptr_t t = 0; t < THREADS; t++)
		pthread_join(id[t], NULL);
}

static void nothing_is_left(int files)
{
	int freed = free_what_waits();

	cr_expect_neq(freed, NOT_FREED);
	cr_expect_eq(waitpid(-1, NULL, 0), -1, "no child");
	cr_expect_eq(open_files(), files);
	cr_expect_eq(target_mappings(getpid()) != 0, freed == KEPT);
}

struct seen {
	int n;
	char site[128], probe[32], method[16];
	uint64_t address;
};

static void see(void *user, const struct ward_site_report *report)
{
	struct seen *seen = user;

	seen->n++;
	snprintf(seen->site, sizeof(seen->site), "%s", report->site);
	snprintf(seen->probe, sizeof(seen->probe), "%s", report->probe);
	snprintf(seen->method, sizeof(seen->method), "%s", report->method ? report->method : report->reason);
	seen->address = report->address;
}

Test(itself, counts_exactly)
{
	struct seen seen = {0};
	ward_names *names = NULL;
	struct ward_attach_options options = {
		.size = sizeof(options), .site = OWN, .on_site = see, .user = &seen, .names = &names};
	struct module m = module_read("exact");
	int files = open_files();
	struct ward_error err;
	char name[64];

	call_in_threads();
	for (int i = 0; i < 3; i++) {
		struct ward_session_stats stats;
		struct ward_pauses pauses;
		ward_session *s;

		seen.n = 0;
		cr_assert_eq(ward_attach(getpid(), m.data, m.size, &options, &s, &err), 0, "%s: %s", err.what, err.why);
		cr_expect_eq(seen.n, 1);
		cr_expect_str_eq(seen.site, OWN);
		cr_expect_str_eq(seen.probe, "on_work");
		cr_expect_str_eq(seen.method, "jump");
		cr_expect_eq(seen.address, (uintptr_t)own_work);
		cr_assert(names && ward_names_find(names, (uintptr_t)own_work, name, sizeof(name)));
		cr_expect_str_eq(name, OWN);
		ward_names_close(names);
		call_in_threads();
		cr_expect_eq(exact_sum(s).calls, THREADS * CALLS);
		cr_expect_eq(exact_sum(s).sum0, THREADS * (uint64_t)CALLS * (CALLS - 1) / 2);
		ward_session_stats(s, &stats);
		cr_expect_eq(stats.sites, 1);
		cr_expect_eq(stats.events, THREADS * CALLS);
		ward_session_pauses(s, &pauses);
		cr_expect_geq(pauses.count, 2);
		cr_expect_eq(ward_wait(s, 0), 0);
		cr_expect_eq(ward_exit_status(s), -1);
		if (i)
			cr_expect_eq(ward_detach(s, &err), 0, "%s: %s", err.what, err.why);
		if (i)
			call_in_threads();
		cr_expect_eq(exact_sum(s).calls, THREADS * CALLS);
		ward_session_free(s);
	}
	call_in_threads();
	nothing_is_left(files);
	free(m.data);
}

/* What an attach to others may have, one to oneself has, too. */
Test(itself, more_sites_than_one)
{
	static const char *const more[] = {"test-api-itself!own_other"};
	struct ward_attach_options options = {
		.size = sizeof(options), .site = OWN, .more_sites = more, .n_more_sites = 1, .ordered_times = true};
	struct module m = module_read("exact");
	int files = open_files();
	ward_session *s = NULL;
	struct ward_error err;

	cr_assert_eq(ward_attach(getpid(), m.data, m.size, &options, &s, &err), 0, "%s: %s", err.what, err.why);
	call_in_threads();
	for (uint64_t i = 0; i < CALLS; i++)
		cr_assert_eq(own_other(i), i + 7);
	cr_expect_eq(exact_sum(s).calls, (THREADS + 1) * CALLS);
	cr_expect_eq(ward_detach(s, &err), 0, "%s: %s", err.what, err.why);
	ward_session_free(s);
	nothing_is_left(files);
	free(m.data);
}

/* Does the innermost of the stacks that were counted, `least` times at least, have this in it? */
static bool has_stack(ward_session *s, const ward_schema *schema, ward_names *names, const char *part, uint64_t least)
{
	ward_snapshot *snapshot;
	struct ward_error err;
	bool found = false;
	char name[8192];

	cr_assert_eq(ward_snapshot_take(s, schema, &snapshot, &err), 0, "%s: %s", err.what, err.why);
	const struct ward_field *f = ward_snapshot_field(snapshot, 0);
	for (size_t i = 0; i < f->n; i++)
		found |= ward_names_find_at(names, f->entries[i].key, f->entries[i].thread, 0, name, sizeof(name)) &&
			 strstr(name, part) && f->entries[i].value >= least;
	ward_snapshot_free(snapshot);
	return found;
}

APART static void call_own_work(long n)
{
	own_work((uint64_t)n, 1);
	__asm__ volatile("");
}

/* Stacks have names, also through a library that is loaded afterwards. */
Test(itself, reads_its_own_stacks)
{
	static const char *const allowed[] = {"ward_stack_take"};
	ward_names *names = NULL;
	struct ward_attach_options options = {.size = sizeof(options),
		.site = OWN,
		.names = &names,
		.allow = allowed,
		.n_allow = 1,
		.max_insns = 200000};
	struct module m = module_read("by_stack");
	int files = open_files();
	struct ward_error err;
	ward_schema *schema;
	ward_session *s;

	cr_assert_eq(ward_schema_read(m.data, m.size, &schema, &err), 0, "%s", err.why);
	cr_assert_eq(ward_attach(getpid(), m.data, m.size, &options, &s, &err), 0, "%s: %s", err.what, err.why);
	cr_assert(names);
	for (volatile long i = 0; i < CALLS; i++)
		call_own_work(i);
	cr_expect(has_stack(s, schema, names, ";" OWN, CALLS));
	cr_expect(has_stack(s, schema, names, "test-api-itself!call_own_work+0x", CALLS));

	void *library = dlopen(LATER, RTLD_NOW);
	void (*later_call)(void (*)(long), long) = NULL;
	bool seen = false;
	cr_assert(library);
	later_call = (void (*)(void (*)(long), long))(uintptr_t)dlsym(library, "later_call");
	cr_assert(later_call);
	for (int i = 0; i < 1000 && !seen; i++) { /* it is seen soon */
		later_call(call_own_work, i);
		seen = has_stack(s, schema, names, "reads_its_own_stacks", 1) &&
		       has_stack(s, schema, names, "api-later.so!later_call+0x", 1);
		usleep(10000);
	}
	cr_expect(seen);
	cr_expect_eq(ward_names_lost_stacks(names), 0);
	cr_expect_eq(ward_detach(s, &err), 0, "%s: %s", err.what, err.why);
	cr_expect(has_stack(s, schema, names, ";" OWN, CALLS), "afterwards, too");
	ward_session_free(s);
	ward_names_close(names);
	ward_schema_free(schema);
	dlclose(library);
	nothing_is_left(files);
	free(m.data);
}

/*
 * Where code is that was put into this process. Its caller doesn't look at the word: it would have it in a register for
 * long.
 */
APART static void find_code(volatile uint64_t *word)
{
	char line[512];
	unsigned long long start;
	FILE *f = fopen("/proc/self/maps", "r");

	cr_assert(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "r-xp") && strstr(line, "memfd:ward-code") && sscanf(line, "%llx", &start) == 1)
			*word = start + 16;
	fclose(f);
	cr_assert_neq(*word, 0);
}

/* Nothing is left below us of what was there. */
APART static void wipe_stack(void)
{
	volatile char room[1 << 16];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0;
}

/* It might be a return address. */
Test(itself, memory_stays_while_a_word_leads_there)
{
	int files = open_files();
	ward_session *s = attach(getpid(), "exact", OWN);
	volatile uint64_t word = 0;

	find_code(&word);
	wipe_stack();
	cr_expect_eq(ward_detach(s, NULL), 0);
	ward_session_free(s);
	cr_expect_neq(target_mappings(getpid()), 0);
	cr_expect_eq(free_what_waits(), KEPT);
	word = 0;
	nothing_is_left(files); /* unless there is another such word: that is looked for, too */
}

/* The locks of the C library are in use all the while: whoever stops the threads must not need them. */
static bool enough;

static void *allocate(void *arg)
{
	uint64_t n = 0;

	(void)arg;
	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		void *volatile p = malloc(10 + n % 5000);

		own_work(n++, (uint64_t)rand());
		free(p);
	}
	return NULL;
}

Test(itself, while_its_threads_hold_locks)
{
	pthread_t id[THREADS];
	int files = open_files();

	for (int t = 0; t < THREADS; t++)
		cr_assert_eq(pthread_create(&id[t], NULL, allocate, NULL), 0);
	for (int i = 0; i < 10; i++) {
		ward_session *s = attach(getpid(), "exact", i % 2 ? OWN : "libc.so.6!rand");

		while (stats_of(s).events == 0)
			pause_ms(1);
		cr_expect_eq(ward_detach(s, NULL), 0);
		cr_expect_eq(exact_sum(s).calls, stats_of(s).events);
		ward_session_free(s);
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	for (int t = 0; t < THREADS; t++)
		pthread_join(id[t], NULL);
	nothing_is_left(files);
}

/* Two sessions at once, the second helper made while the first one stands by. */
Test(itself, twice)
{
	int files = open_files();
	ward_session *a = attach(getpid(), "exact", OWN), *b = attach(getpid(), "exact", "test-api-itself!own_other");

	call_in_threads();
	cr_expect_eq(own_other(5), 12);
	cr_expect_eq(exact_sum(a).calls, THREADS * CALLS);
	cr_expect_eq(exact_sum(b).calls, 1);
	ward_session_free(a);
	cr_expect_eq(own_other(6), 13);
	cr_expect_eq(exact_sum(b).calls, 2);
	ward_session_free(b);
	nothing_is_left(files);
}

Test(itself, refused)
{
	struct seen seen = {0};
	struct ward_attach_options options = {
		.size = sizeof(options), .site = "test-api-itself!none", .on_site = see, .user = &seen};
	struct module m = module_read("exact");
	int files = open_files();
	struct ward_error err;
	ward_session *s;

	cr_expect_eq(ward_attach(getpid(), m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect_null(s);
	cr_expect_str_eq(err.what, "test-api-itself!none");
	cr_expect_str_eq(err.why, "no function matches `none` in `test-api-itself`");
	cr_expect_eq(seen.n, 1);
	cr_expect_str_eq(seen.probe, "on_work");
	cr_expect_eq(ward_attach(getpid(), m.data, 100, &options, &s, &err), WARD_E_REJECTED);
	seen.n = 0;
	cr_expect_eq(ward_list(getpid(), OWN, see, &seen, &err), 0, "%s", err.why);
	cr_expect_eq(seen.n, 1);
	nothing_is_left(files);
	free(m.data);
}

/* The helper, which is in our session of processes. */
static pid_t find_helper(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;

	cr_assert(d);
	while ((e = readdir(d))) {
		char path[300], comm[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f) && strcmp(comm, "ward-helper\n") == 0 &&
			getsid(atoi(e->d_name)) == getpid())
			found = atoi(e->d_name);
		if (f)
			fclose(f);
	}
	closedir(d);
	return found;
}

Test(itself, helper_is_killed)
{
	struct ward_error err;
	ward_session *s;
	pid_t helper, self = fork();
	int status;

	if (self) { /* a process that leads a session */
		cr_assert_eq(waitpid(self, &status, 0), self);
		cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%x", status);
		return;
	}
	setsid();
	s = attach(getpid(), "exact", OWN);
	helper = find_helper();
	cr_assert_gt(helper, 0);
	kill(helper, SIGKILL);
	while (find_helper() == helper)
		pause_ms(1);
	call_in_threads(); /* as with any tracer that is killed, the probes stay */
	cr_assert_eq(exact_sum(s).calls, THREADS * CALLS);
	cr_assert_eq(ward_detach(s, &err), 0, "another helper takes them off: %s", err.why);
	cr_assert_eq(exact_sum(s).calls, THREADS * CALLS, "who cleans up leaves what we look at");
	call_in_threads();
	cr_assert_eq(exact_sum(s).calls, THREADS * CALLS, "it has taken the probes off");
	ward_session_free(s);
	call_in_threads();
	_exit(7);
}

/* It goes when its process goes, however that ends. */
Test(itself, process_is_killed)
{
	int ends[2];
	char c;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		attach(getpid(), "exact", OWN);
		cr_assert_eq(write(ends[1], "a", 1), 1);
		for (;;)
			pause();
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &c, 1), 1);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_expect_eq(read(ends[0], &c, 1), 0, "the helper keeps no file of the process open");
	close(ends[0]);
}
