/* SPDX-License-Identifier: Apache-2.0 */
/* Counts are exact, and the target's results are the same as without probes. */
#include "helper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 1000000 };

static void expect_exact(ward_session *s, uint64_t threads, uint64_t calls)
{
	struct exact e = exact_sum(s);
	struct ward_session_stats stats = stats_of(s);

	cr_expect_eq(e.calls, threads * calls);
	cr_expect_eq(e.sum0, threads * (calls * (calls - 1) / 2));
	cr_expect_eq(e.sum1, calls * (threads * (threads - 1) / 2));
	for (unsigned b = 0; b < 64; b++) {
		uint64_t lo = b ? 1ull << b : 0, hi = (2ull << b) - 1, want = 0;

		if (lo < calls)
			want = threads * ((hi < calls - 1 ? hi : calls - 1) - lo + 1);
		cr_expect_eq(e.buckets[b], want, "bucket %u: %lu, not %lu", b, e.buckets[b], want);
	}
	cr_expect_eq(stats.events, threads * calls);
	cr_expect_eq(stats.dropped, 0);
	cr_expect_eq(stats.sites, 1);
}

Test(count, attached_before_the_threads_start)
{
	struct target t = target_start(TARGET, "calls", "4", "1000000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 6000000000000\n");
	cr_expect(ward_wait(s, -1) == 1);
	cr_expect(ward_detach(s, NULL) == 0);
	expect_exact(s, THREADS, CALLS);
	cr_expect_eq(stats_of(s).threads, THREADS);
	ward_session_free(s);
}

Test(count, started_under_the_probe)
{
	char *argv[] = {TARGET, "calls", "4", "1000000", NULL};
	struct ward_attach_options options = {.size = sizeof(options)};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;
	int null[2];
	pid_t pid;

	/* The child reads a line before it begins. */
	cr_assert(pipe(null) == 0 && dup2(null[0], 0) == 0 && write(null[1], "\n", 1) == 1);
	cr_assert(ward_spawn(argv, m.data, m.size, &options, &s, &pid, &err) == 0, "%s: %s", err.what, err.why);
	while (ward_wait(s, -1) == 0)
		;
	cr_expect_eq(ward_exit_status(s), 0);
	cr_expect(ward_detach(s, &err) == 0);
	expect_exact(s, THREADS, CALLS);
	ward_session_free(s);
	free(m.data);
}

Test(count, a_static_program_started_under_the_probe)
{
	char *argv[] = {STATIC, "calls", "2", "1000", NULL};
	struct ward_attach_options options = {.size = sizeof(options), .site = "target-static!work"};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;
	int null[2];
	pid_t pid;

	cr_assert(pipe(null) == 0 && dup2(null[0], 0) == 0 && write(null[1], "\n", 1) == 1);
	cr_assert(ward_spawn(argv, m.data, m.size, &options, &s, &pid, &err) == 0, "%s: %s", err.what, err.why);
	while (ward_wait(s, -1) == 0)
		;
	cr_expect_eq(ward_exit_status(s), 0);
	expect_exact(s, 2, 1000);
	ward_session_free(s);
	free(m.data);
}

Test(count, attached_midway_leaves_the_results_alone)
{
	struct target t = target_start(TARGET, "busy", "4", NULL);
	ward_session *s;
	struct exact e;
	char out[128];

	/* It goes on until its input ends, however long an attach may take. */
	s = attach(t.pid, "exact", NULL);
	while (exact_sum(s).calls == 0)
		pause_ms(5);
	cr_expect(ward_detach(s, NULL) == 0);
	e = exact_sum(s);
	cr_expect_eq(e.calls, stats_of(s).events);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n", "%s", out);
	/* Nothing more was counted after the detach. */
	cr_expect_eq(exact_sum(s).calls, e.calls);
	ward_session_free(s);
}

Test(count, threads_that_come_and_go)
{
	struct target t = target_start(TARGET, "churn", "500", "100", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 500 * 4 * 100);
	cr_expect_eq(stats_of(s).events, 500 * 4 * 100);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

Test(count, many_threads_at_once)
{
	struct target t = target_start(TARGET, "many", "200", "1000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 200 * 1000);
	cr_expect_eq(stats_of(s).threads, 200);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

Test(count, more_threads_than_slots_are_dropped_and_counted)
{
	struct ward_attach_options options = {.size = sizeof(options), .max_threads = 4};
	struct target t = target_start(TARGET, "many", "12", "1000", NULL);
	struct module m = module_read("exact");
	struct ward_session_stats stats;
	struct ward_error err;
	ward_session *s;
	char out[128];

	cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	stats = stats_of(s);
	cr_expect_eq(stats.threads, 4);
	cr_expect_eq(stats.events, 4 * 1000);
	cr_expect_eq(exact_sum(s).calls, 4 * 1000);
	cr_expect_eq(stats.dropped, 8 * 1000);
	ward_session_free(s);
	free(m.data);
}

Test(count, events_in_a_signal_handler_are_counted_or_dropped)
{
	struct target t = target_start(TARGET, "signals", "5000000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	unsigned long handled = 0;
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_assert(sscanf(out, "handled %lu", &handled) == 1 && handled > 0);
	cr_expect_eq(stats_of(s).events + stats_of(s).dropped, 5000000 + handled);
	cr_expect_eq(exact_sum(s).calls, stats_of(s).events);
	ward_session_free(s);
}

Test(count, forked_children_are_not_counted)
{
	struct target t = target_start(TARGET, "forks", "50", "2000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 50 * 2000);
	cr_expect_eq(stats_of(s).events, 50 * 2000);
	ward_session_free(s);
}

struct fields {
	uint64_t calls, arg[6], caller, tid, cpu, time, backwards, site, sp;
};

Test(count, every_field_of_the_event)
{
	struct target t = target_start(TARGET, "many", "4", "100000", NULL);
	ward_session *s = attach(t.pid, "fields", NULL);
	const void *const *states;
	size_t size, n;
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	n = ward_session_states(s, &states, &size);
	cr_assert_eq(n, 4);
	for (size_t i = 0; i < n; i++) {
		const struct fields *f = states[i];

		cr_expect_eq(f->calls, 100000);
		cr_expect_eq(f->arg[0], 99999);
		cr_expect_lt(f->arg[1], 4);
		/* the kernel's limit; numbers begin again from below at a lower one */
		cr_expect(f->tid > 0 && f->tid != (uint64_t)t.pid && f->tid < 1 << 22);
		cr_expect_lt(f->cpu, (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
		cr_expect_eq(f->backwards, 0);
		cr_expect_gt(f->time, 0);
		cr_expect_eq(f->site, 0);
		cr_expect_gt(f->caller, 0);
		cr_expect_eq(f->sp % 16, 8);
		for (size_t k = 0; k < i; k++) {
			const struct fields *g = states[k];

			cr_expect_neq(f->tid, g->tid);
			cr_expect_neq(f->arg[1], g->arg[1]);
			cr_expect_eq(f->caller, g->caller);
			cr_expect_neq(f->sp, g->sp);
		}
	}
	ward_session_free(s);
}

struct seen {
	int attached, skipped;
	char reason[128];
};

static void see(void *user, const struct ward_site_report *r)
{
	struct seen *seen = user;

	if (r->method)
		seen->attached++;
	else
		seen->skipped++,
			snprintf(seen->reason, sizeof(seen->reason), "%s %s: %s", r->site, r->probe, r->reason);
}

Test(count, two_probes_on_one_site)
{
	struct seen seen = {0};
	struct ward_attach_options options = {.size = sizeof(options), .on_site = see, .user = &seen};
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	struct module m = module_read("two");
	const void *const *states;
	uint64_t first = 0, second = 0;
	struct ward_error err;
	size_t size, n;
	ward_session *s;
	char out[128];

	cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect_eq(seen.attached, 2);
	cr_expect_eq(seen.skipped, 1);
	cr_expect_str_eq(seen.reason, "target!no_such_function three: no function matches");
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	n = ward_session_states(s, &states, &size);
	for (size_t i = 0; i < n; i++) {
		first += ((const uint64_t *)states[i])[1];
		second += ((const uint64_t *)states[i])[2];
	}
	cr_expect_eq(count_sum(s), 2000);
	cr_expect_eq(first, 2 * (1000 * 999 / 2));
	cr_expect_eq(second, 1000);
	cr_expect_eq(stats_of(s).events, 4000);
	ward_session_free(s);
	free(m.data);
}

struct global {
	uint64_t calls, seen, constants;
};

Test(count, data_is_shared_by_all_sites)
{
	struct target t = target_start(TARGET, "calls", "1", "8000", NULL);
	ward_session *s = attach(t.pid, "global", NULL);
	const void *const *states;
	struct global sum = {0};
	size_t size, n;
	char out[64];

	/* The program and libc are too far apart for one area. */
	cr_expect_eq(stats_of(s).sites, 2);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	n = ward_session_states(s, &states, &size);
	cr_assert_eq(n, 2, "the thread that calls, and the one that writes the result");
	for (size_t i = 0; i < n; i++) {
		const struct global *g = states[i];

		sum.calls += g->calls;
		sum.constants += g->constants;
		sum.seen = g->seen > sum.seen ? g->seen : sum.seen;
	}
	cr_expect_eq(sum.calls, 8000);
	cr_expect_eq(sum.constants, 1000 * (3 + 1 + 4 + 1 + 5 + 9 + 2 + 6));
	cr_expect_eq(sum.seen, 1000 + 8000 + 1000000);
	ward_session_free(s);
}

static char state_of(pid_t pid)
{
	char path[64], line[256] = "", *after;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	cr_assert(f && fgets(line, sizeof(line), f));
	fclose(f);
	after = strrchr(line, ')');
	return after ? after[2] : 0;
}

Test(count, a_stopped_target_stays_stopped)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	ward_session *s;
	int status;
	char out[64];

	kill(t.pid, SIGSTOP);
	cr_assert(waitpid(t.pid, &status, WUNTRACED) == t.pid && WIFSTOPPED(status));
	s = attach(t.pid, "exact", NULL);
	pause_ms(20);
	cr_expect_eq(state_of(t.pid), 'T');
	target_go(&t);
	kill(t.pid, SIGCONT);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 2000);
	ward_session_free(s);
}

Test(count, a_seccomp_filter_does_not_see_our_system_calls)
{
	struct target t = target_start(TARGET, "sandboxed", "5000", NULL);
	ward_session *s = attach(t.pid, "fields", NULL);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(count_sum(s), 5000);
	ward_session_free(s);
}

/* A probe that calls no import makes no system call in a program of one thread, which may forbid any later. */
Test(count, nor_does_one_that_is_put_on_later)
{
	struct target t = target_start(TARGET, "sandboxes-itself", "5000", NULL);
	ward_session *s = attach(t.pid, "fields", NULL);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(count_sum(s), 5000);
	ward_session_free(s);
}

/* The pauses add up. */
static struct ward_pauses pauses_of(ward_session *s)
{
	struct ward_pauses p;
	uint64_t n = 0, least = 0;

	ward_session_pauses(s, &p);
	for (unsigned i = 0; i < 64; i++) {
		n += p.by_power[i];
		least += i ? p.by_power[i] << i : 0;
		cr_expect(!p.by_power[i] || p.most >> i, "none is longer than the longest");
	}
	cr_expect_eq(n, p.count);
	cr_expect_leq(least, p.total);
	cr_expect_leq(p.most, p.total);
	return p;
}

/* Each thread stands still for the patching, and one for the mapping. */
Test(count, pauses)
{
	struct target t = target_start(TARGET, "calls", "4", "1000000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	struct ward_pauses attached = pauses_of(s), detached;
	char out[128];

	cr_expect_geq(attached.count, 2, "one thread, in two stops: %lu", attached.count);
	cr_expect_gt(attached.total, 0);
	cr_expect_eq(ward_detach(s, NULL), 0);
	detached = pauses_of(s);
	cr_expect_gt(detached.count, attached.count);
	cr_expect_gt(detached.total, attached.total);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	ward_session_free(s);
}

/* Does what Ward has mapped to be executed read the counter so that it waits for earlier loads? */
static bool waits_for_loads(pid_t pid)
{
	static const uint8_t ordered[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31}; /* lfence; rdtsc */
	unsigned long start, end;
	char line[512];
	bool found = false;
	int mem;
	FILE *f = target_maps(pid, &mem);

	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, " r-xp ") || !strstr(line, "/memfd:ward-code") ||
			sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		uint8_t *code = malloc(end - start);

		cr_assert(code && pread(mem, code, end - start, (off_t)start) == (ssize_t)(end - start));
		found |= memmem(code, end - start, ordered, sizeof(ordered)) != NULL;
		free(code);
	}
	fclose(f);
	close(mem);
	return found;
}

/* Where threads share variables, or the caller wants it; it isn't for nothing. */
Test(count, times_of_different_threads_are_ordered)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	struct module m = module_read("fields");
	ward_session *s = NULL, *shares;
	struct ward_error err;
	char out[64];

	for (int i = 0; i < 2; i++) {
		options.ordered_times = i;
		cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
		cr_expect_eq(waits_for_loads(t.pid), options.ordered_times);
		cr_expect_eq(ward_detach(s, &err), 0, "%s: %s", err.what, err.why);
		ward_session_free(s);
	}
	shares = attach(t.pid, "ordered", NULL);
	cr_expect(waits_for_loads(t.pid));
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(count_sum(shares), 2000);
	ward_session_free(shares);
	free(m.data);
}
