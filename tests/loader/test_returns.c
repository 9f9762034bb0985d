/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Return sites: every return is seen once, with its value; a function whose returns can't all be seen is refused with
 * the reason; the target behaves the same.
 */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 20000, N_SITES = 64 };

struct site_sums {
	uint64_t n, sum, caller, sp, time, tid, backwards;
};

struct values {
	uint64_t calls;
	struct site_sums site[N_SITES];
};

static struct {
	char name[64];
	uint32_t number, exits;
} attached[N_SITES];
static size_t n_attached;

static void see(void *user, const struct ward_site_report *r)
{
	(void)user;
	const char *name = strchr(r->site, '!');

	cr_expect(!r->method || !strcmp(r->method, "exits") || !strcmp(r->method, "catch") ||
		  !strcmp(r->method, "jump") || !strcmp(r->method, "call"));
	if (!r->method || (strcmp(r->method, "exits") != 0 && strcmp(r->method, "catch") != 0) || n_attached == N_SITES)
		return;
	cr_expect_eq(r->exits > 0, strcmp(r->method, "exits") == 0);
	snprintf(attached[n_attached].name, sizeof(attached[0].name), "%s", name ? name + 1 : "");
	attached[n_attached].name[strcspn(attached[n_attached].name, ":")] = 0;
	attached[n_attached].number = r->number;
	attached[n_attached++].exits = r->exits;
}

static ward_session *attach_seen(pid_t pid, const char *module, const char *site)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .on_site = see};
	struct module m = module_read(module);
	ward_session *s = NULL;
	struct ward_error err;
	int rc;

	n_attached = 0;
	rc = ward_attach(pid, m.data, m.size, &options, &s, &err);
	free(m.data);
	cr_assert(rc == 0, "%s: %s (%s)", err.what, err.why, err.hint);
	return s;
}

static int number_of(const char *name)
{
	for (size_t i = 0; i < n_attached; i++)
		if (!strcmp(attached[i].name, name))
			return (int)attached[i].number;
	return -1;
}

static struct site_sums sum_of(ward_session *s, int number, bool tail)
{
	const void *const *states;
	struct site_sums sum = {0};
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t i = 0; i < n; i++) {
		const struct site_sums *one = &((const struct values *)states[i])->site[number & (N_SITES - 1)];

		sum.n += one->n;
		sum.sum += one->sum;
		sum.backwards += one->backwards;
		cr_expect(one->n == 0 || ((one->caller || tail) && one->sp % 16 == 8 && one->time && one->tid));
	}
	return sum;
}

/*
 * The lines "NAME COUNT SUM" that the target has printed are what was seen of it. Returns how many there are, and the
 * sum of the counts in *all.
 */
static unsigned expect_lines_of(ward_session *s, const char *line, unsigned long *all, bool every)
{
	unsigned long n, sum;
	unsigned functions = 0;
	char name[64];
	int used;

	*all = 0;
	for (; sscanf(line, "%63s %lu %lu\n%n", name, &n, &sum, &used) == 3; line += used) {
		int number = number_of(name);
		struct site_sums seen;

		cr_assert(number >= 0 || !every, "%s isn't probed", name);
		if (number < 0)
			continue;
		seen = sum_of(s, number, strstr(name, "tail"));
		cr_expect_eq(seen.n, n, "%s: %lu, not %lu", name, seen.n, n);
		cr_expect_eq(seen.backwards, 0);
		/* What is in rax besides a struct or a number elsewhere isn't said. */
		if (!strstr(name, "double") && !strstr(name, "extended") && !strstr(name, "complex") &&
			!strstr(name, "struct"))
			cr_expect_eq(seen.sum, sum, "%s: the sum is %lu, not %lu", name, seen.sum, sum);
		functions++;
		*all += n;
	}
	cr_expect_eq(stats_of(s).dropped, 0);
	cr_expect_geq(stats_of(s).events, *all);
	cr_expect_eq(count_sum(s), stats_of(s).events);
	return functions;
}

static unsigned expect_lines(ward_session *s, const char *line, unsigned long *all)
{
	return expect_lines_of(s, line, all, true);
}

Test(returns, every_return_is_seen_with_its_value)
{
	struct target t = target_start(TARGET, "returns", "4", "20000", NULL);
	ward_session *s = attach_seen(t.pid, "return_values", NULL);
	unsigned long all;
	char out[4096];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_eq(expect_lines(s, out, &all), 20);
	ward_session_free(s);
}

/*
 * Another tracer's probes are there first, at entries, at exits, or at both: each return is seen with its value all the
 * same, and the other one sees as much as it would alone.
 */
Test(returns, over_another_tracers_probes)
{
	static const struct {
		const char *module, *site;
		unsigned functions; /* functions; those of a few bytes are one patch, with what was there first in it */
	} below[] = {{"clobber", "target!ret_*", 17}, {"clobber", "target!ret_*:return", 19}, {"both", NULL, 17},
		{"clobber", "target!*", 17}, {"exact", "target!*:return", 17}};

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		uint64_t alone = 0;

		for (int two = 0; two < 2; two++) {
			struct target t = target_start(TARGET, "returns", "1", "2000", NULL);
			ward_session *first = attach(t.pid, below[i].module, below[i].site);
			ward_session *s = two ? attach_seen(t.pid, "return_values", NULL) : NULL;
			unsigned long all;
			char out[4096];

			target_go(&t);
			cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
			if (two) {
				unsigned functions = expect_lines_of(s, out, &all, false);

				cr_expect_eq(functions, below[i].functions, "%u over %s %s", functions, below[i].module,
					below[i].site);
			} else {
				alone = count_sum(first);
			}
			cr_expect_eq(count_sum(first), alone);
			ward_session_free(first);
			ward_session_free(s);
		}
	}
}

/* Handlers that return, parts that were split off, and frames that exceptions leave. */
Test(returns, exceptions_are_no_returns)
{
	struct target t = target_start(THROWS, "3000", NULL);
	ward_session *s = attach_seen(t.pid, "return_values", "throws!t_*:return");
	unsigned long all;
	char out[4096];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_eq(expect_lines(s, out, &all), 7);
	cr_expect_eq(n_attached, 7, "parts that were split off have symbols, and are no functions");
	cr_expect_eq(stats_of(s).events, all);
	ward_session_free(s);
}

static const char *const leaving[] = {"leaves", "leaves-clang", "leaves-static"};

static struct target start_leaving(size_t i, const char *more)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", SEPARATE, leaving[i]);
	return target_start(path, "3000", more, NULL);
}

/* Every exception that leaves a function is seen once, with what the call began with; none that is caught in it. */
static void expect_leaving(const char *more)
{
	for (size_t i = 0; i < sizeof(leaving) / sizeof(leaving[0]); i++) {
		struct target t = start_leaving(i, more);
		ward_session *s = attach_seen(t.pid, "thrown", "leaves*!l_*:throw");
		unsigned long all;
		char out[4096];

		target_go(&t);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
		cr_expect_eq(expect_lines(s, out, &all), 9);
		cr_expect_gt(all, 3000);
		cr_expect_eq(stats_of(s).events, all, "%lu events, %lu exceptions", stats_of(s).events, all);
		ward_session_free(s);
	}
}

Test(returns, exceptions_that_leave)
{
	expect_leaving(NULL);
}

/* They leave nothing of another stack. */
Test(returns, exceptions_beside_a_fiber)
{
	expect_leaving("fiber");
	expect_leaving("moving");
}

/*
 * What destructors call while an exception is on its way may hide that it left the functions below: then that is
 * counted.
 */
Test(returns, exceptions_and_destructors)
{
	struct target t = start_leaving(0, "destructors");
	ward_session *s = attach_seen(t.pid, "thrown", "leaves!l_*:throw");
	unsigned long left = 0, n, sum;
	char out[4096], name[64], *line = out;
	int used;

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	for (; sscanf(line, "%63s %lu %lu\n%n", name, &n, &sum, &used) == 3; line += used) {
		cr_expect_leq(sum_of(s, number_of(name), false).n, n, "%s", name);
		left += n;
	}
	cr_expect_eq(stats_of(s).events + stats_of(s).dropped, left, "%lu and %lu, not %lu", stats_of(s).events,
		stats_of(s).dropped, left);
	cr_expect_gt(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/* Where there is no C++ there are no exceptions; a return has no value if there is none. */
Test(returns, no_exceptions)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work:throw"};
	struct target t = target_start(TARGET, "returns", "1", "10", NULL);
	struct module m = module_read("thrown"), values = module_read("return_values");
	struct ward_error err;
	ward_session *s;
	char out[4096];

	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "no C++ runtime was found that says when an exception is caught");
	cr_expect_eq(ward_attach(t.pid, values.data, values.size, &options, &s, &err), WARD_E_USAGE);
	cr_expect_str_eq(err.why, "the probe reads ev->ret, which only a return site has");
	free(m.data);
	free(values.data);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

/* Nothing that it does is changed by probes of all of its functions, those of the language's runtime among them. */
Test(returns, exceptions_go_through_probed_frames)
{
	static const char *const sites[] = {"throws!*:return", "libstdc++*!*:return", "libgcc_s*!*:return"};
	char plain[4096], out[4096];
	struct target t = target_start(THROWS, "300", NULL);

	target_go(&t);
	cr_expect_eq(target_finish(&t, plain, sizeof(plain)), 0);
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		ward_session *s;

		t = target_start(THROWS, "300", NULL);
		s = attach_seen(t.pid, i % 2 ? "clobber" : "exact", sites[i]);
		target_go(&t);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", sites[i]);
		cr_expect_str_eq(out, plain, "%s", sites[i]);
		cr_expect_gt(stats_of(s).events, 0, "%s", sites[i]);
		ward_session_free(s);
	}
}

Test(returns, both_ends_of_a_call_have_one_stack_pointer)
{
	struct target t = target_start(TARGET, "returns", "2", "2000", NULL);
	ward_session *s = attach_seen(t.pid, "both", NULL);
	const void *const *states;
	size_t size, n;
	char out[4096];
	int tiny = number_of("ret_tiny");

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_geq(tiny, 0, "entry and exit of ret_tiny are one patch");
	n = ward_session_states(s, &states, &size);
	cr_expect_eq(n, 2);
	for (size_t i = 0; i < n; i++) {
		const uint64_t *v = states[i];

		cr_expect_gt(v[1], 100000);
		cr_expect_gt(v[0], v[1], "longjmp leaves some calls open");
		cr_expect_eq(v[2], v[3] + v[4], "the caller is the same at both ends");
		cr_expect_gt(v[4], 1000);
		cr_expect_gt(v[2], 100000);
	}
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/* work(i, t) as its probe at the entry would see it, and the time between. */
Test(returns, arguments_are_those_at_the_entry)
{
	struct target t = target_start(TARGET, "calls", "4", "200000", NULL);
	ward_session *s = attach(t.pid, "exact", "target!work:return");
	struct exact e;
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	e = exact_sum(s);
	cr_expect_eq(e.calls, 4 * 200000);
	cr_expect_eq(e.sum0, 4ul * (200000ul * 199999 / 2));
	cr_expect_eq(e.sum1, 200000 * 6);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/* The state of probes/pairs.c. */
struct pairs {
	uint64_t returns, wrong, elapsed, longest, plain, entries, backwards;
};

static struct pairs pairs_of(ward_session *s)
{
	const void *const *states;
	struct pairs sum = {0};
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t i = 0; i < n; i++) {
		const struct pairs *p = states[i];

		sum.returns += p->returns, sum.wrong += p->wrong, sum.elapsed += p->elapsed, sum.plain += p->plain;
		sum.entries += p->entries, sum.backwards += p->backwards;
		sum.longest = p->longest > sum.longest ? p->longest : sum.longest;
	}
	return sum;
}

Test(returns, deep_calls_that_end_in_every_way)
{
	/* ret_down(n) returns n, through n calls of itself, of which every 7th is left by longjmp. */
	struct target t = target_start(TARGET, "deep", "2000", "100", NULL);
	ward_session *s = attach(t.pid, "pairs", NULL);
	unsigned long calls = 0, returned = 0;
	struct pairs p;
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_assert(sscanf(out, "calls %lu returned %lu", &calls, &returned) == 2 && returned < calls);
	p = pairs_of(s);
	cr_expect_eq(p.entries, calls);
	cr_expect_eq(p.plain, returned, "a probe that wants nothing of the entry sees every return: %lu, not %lu",
		p.plain, returned);
	cr_expect_eq(p.returns, returned);
	cr_expect_eq(p.wrong, 0);
	cr_expect_eq(p.backwards, 0, "a call takes longer than those in it");
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

Test(returns, calls_deeper_than_are_kept_are_dropped_and_counted)
{
	struct target t = target_start(TARGET, "deep", "50", "1000", NULL);
	ward_session *s = attach(t.pid, "pairs", NULL);
	unsigned long calls = 0, returned = 0;
	struct pairs p;
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_assert(sscanf(out, "calls %lu returned %lu", &calls, &returned) == 2);
	p = pairs_of(s);
	cr_expect_eq(p.entries, calls);
	cr_expect_eq(p.plain, returned);
	cr_expect_lt(p.returns, returned);
	cr_expect_eq(p.returns + stats_of(s).dropped, returned);
	cr_expect_eq(p.wrong, 0);
	ward_session_free(s);
}

static void run(const char *module, const char *site, const char *mode, const char *a, const char *b)
{
	struct target t = target_start(TARGET, mode, a, b, NULL);
	ward_session *s = attach(t.pid, module, site);
	char out[4096];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s %s: %s", module, site, out);
	cr_expect_gt(count_sum(s), 0);
	/* A copy that is made in the midst of a probe counts in the state that it shares, too. */
	cr_expect(count_sum(s) == stats_of(s).events || (!strcmp(mode, "copies") && count_sum(s) > stats_of(s).events));
	ward_session_free(s);
}

Test(returns, what_is_returned_survives_a_probe_that_destroys_all)
{
	static const char *const modules[] = {"clobber", "vectors"};

	for (size_t i = 0; i < 2; i++) {
		run(modules[i], "target!ret_*:return", "returns", "3", "2000");
		run(modules[i], "target!leaf:return", "sites", "100", NULL);
		run(modules[i], "target!local_leaf*:return", "sites", "100", NULL);
		run(modules[i], "target!floats:return", "sites", "100", NULL);
		run(modules[i], "target!s_*:return", "sites", "100", NULL);
		run(modules[i], "target!*:return", "sites", "100", NULL);
		run("exact", "target!*:return", "sites", "100", NULL);
		run(modules[i], "target!*:return", "returns", "3", "2000");
	}
}

Test(returns, the_whole_c_library)
{
	struct target t = target_start(TARGET, "returns", "4", "2000", NULL);
	ward_session *s = attach(t.pid, "clobber", "libc.so.6!*:return");
	char out[4096];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_gt(stats_of(s).sites, 1000);
	cr_expect_gt(count_sum(s), 0);
	cr_expect_eq(count_sum(s), stats_of(s).events);
	ward_session_free(s);
}

Test(returns, in_copies_and_signal_handlers)
{
	run("clobber", "target!*:return", "signals", "500000", NULL);
	run("clobber", "target!*:return", "forks", "20", "1000");
	run("clobber", "target!*:return", "copies", "200", NULL);
	run("clobber", "target!*:return", "churn", "100", "100");
	run("exact", "target!*:return", "signals", "500000", NULL);
	run("exact", "target!*:return", "forks", "20", "1000");
	run("exact", "target!*:return", "returns", "3", "2000");
}

struct expected {
	const char *site, *reason;
	int seen;
};

static struct expected expected[] = {
	{"ret_plain", NULL, 0},
	{"ret_tiny", NULL, 0},
	{"ret_never", "it has no exit: it never returns", 0},
	{"ret_cold", "a part of it is elsewhere (the compiler split it off)", 0},
	{"ret_detour", NULL, 0},
	{"ret_handler_unknown", "its exception handlers may be elsewhere", 0},
	{"ret_part_returns", "a part of it that the compiler split off returns", 0},
	{"ret_part_flows", "a part of it that the compiler split off runs on past its end", 0},
	{"ret_part_midst", "a jump leads into the middle of an instruction of a part that the compiler split off", 0},
	{"ret_part_elsewhere", "a part of it that the compiler split off jumps elsewhere", 0},
	{"ret_part_pointer", "a part of it that the compiler split off has an indirect jump", 0},
	{"ret_part_address", "a part of it that the compiler split off takes the address of a place within it", 0},
	{"ret_part_calls", "it calls a place within itself", 0},
	{"ret_split", "code that it jumps to, or other code outside of it, jumps back into it", 0},
	{"ret_room", "an exit has no room for a jump", 0},
	{"ret_behind", NULL, 0},
	{"ret_inside", "it takes the address of a place within itself, so what jumps there can't be known", 0},
	{"ret_odd", "a ret doesn't return to the caller", 0},
	{"ret_flows", "it runs on past its end", 0},
	{"ret_handler", "an exit can be reached by an exception only, or not at all", 0},
	{"ret_short_table", "one of its jump tables leads out of the function", 0},
	{"ret_shared", "a short jump from another function lands in the bytes to be patched", 0},
	{"ret_borrows", NULL, 0},
	{"r_shared", "a short jump from another function leads into it: its exit would run without a call", 0},
	{"ret_into", "an exit has no room for a jump", 0},
};
enum { N_EXPECTED = sizeof(expected) / sizeof(expected[0]) };

static void compare(void *user, const struct ward_site_report *r)
{
	char site[64];

	(void)user;
	cr_expect(r->method || (r->reason && *r->reason), "%s has neither method nor reason", r->site);
	for (size_t i = 0; i < N_EXPECTED; i++) {
		struct expected *e = &expected[i];

		snprintf(site, sizeof(site), "target!%s:return", e->site);
		if (strcmp(site, r->site) != 0)
			continue;
		e->seen++;
		cr_expect_eq(!r->method, e->reason != NULL, "%s: %s", r->site, r->reason ? r->reason : r->method);
		if (r->reason && e->reason)
			cr_expect_str_eq(r->reason, e->reason, "%s", r->site);
	}
}

Test(returns, refused_with_the_reason)
{
	struct target t = target_start(TARGET, "calls", "1", "1", NULL);
	struct ward_error err;
	char out[64];

	cr_assert(ward_list(t.pid, "target!*:return", compare, NULL, &err) == 0, "%s: %s", err.what, err.why);
	for (size_t i = 0; i < N_EXPECTED; i++)
		cr_expect_eq(expected[i].seen, 1, "%s", expected[i].site);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}
