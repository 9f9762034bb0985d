/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static tracepoints: each event is seen once with its arguments, only the nop's bytes are changed, and a site that
 * can't be patched is refused with the reason.
 */
#include "helper.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 128, SITES = 64 };

/* The state of probes/points.c. */
struct seen {
	uint64_t n, arg[6], caller, sp, sum, tid;
};

struct points {
	uint64_t calls;
	struct seen site[SITES];
};

#define R 0xfedcba9887e5c3f1ul
#define NO_ROOM "there is no room for a jump: code that is jumped to, or a call, is too near"

static struct expected {
	const char *name, *reason;
	uint64_t each; /* events a round */
	unsigned args; /* bit i: arg[i] is known */
	uint64_t arg[6];
	const char *method;
	int times;
	uint32_t number;
	uint64_t address;
} expected[] = {
	{"point_registers:tests:registers", NULL, 1, 63,
		{R, 0x87e5c3f1, 0xffffffff87e5c3f1, 0xc3f1, 0xffffffffffffc3f1, 0xf1}, "jump", 0, 0, 0},
	{"point_registers:tests:bytes", NULL, 1, 63, {-15ul, 0xc3, 0xffffffffffffffc3, -8ul, R + 8, 0xffffffff87e5c3f8},
		"jump", 0, 0, 0},
	{"point_registers:tests:others", NULL, 1, 63, {R + 1, 0xffffffffffffc3f3, 0x87e5c3f4, -11ul, R + 5, 0x87e5c3f7},
		"jump", 0, 0, 0},
	{"point_constants:tests:constants", NULL, 1, 63, {-5ul, 0xfffffffb, -5ul, 44, -32768ul, INT64_MAX}, "jump", 0,
		0, 0},
	{"point_memory:tests:stack", NULL, 1, 23, {0x1234567, -2ul, 0x4567, 0, -2ul, 0}, "jump", 0, 0, 0},
	{"point_memory:tests:table", NULL, 1, 63,
		{0xf0e0d0c0b0a09080, 0xf0e0d0c0, 0xffffffffb0a09080, 0xffffffffffffa090, 7, 0x0807060504030201}, "jump",
		0, 0, 0},
	{"point_memory:tests:nowhere", NULL, 1, 63, {0, 0x11111111, 0, 0, 0, 0x0807060504030201}, "jump", 0, 0, 0},
	{"point_variables:tests:variables", NULL, 1, 63,
		{0x0807060504030201, 0x08070605, 0xffffffffb0a09080, 0xffffffffffffb0a0, 0x88, 3}, "jump", 0, 0, 0},
	{"point_unknown:tests:unknown",
		"an argument that the probe reads is in a place that can't be read (`ward list` shows where)", 0, 0,
		{0}, NULL, 0, 0, 0},
	{"point_none:tests:none", NULL, 1, 63, {0}, "jump", 0, 0, 0},
	{"point_many:tests:many", NULL, 1, 63, {1, 2, 3, 4, 5, 6}, "jump", 0, 0, 0},
	{"point_flags:tests:flags", NULL, 1, 62, {0}, "jump", 0, 0, 0},
	{"point_before_call:tests:before_call", NULL, 1, 3, {77, ROUNDS - 1}, "call", 0, 0, 0},
	{"point_behind:tests:behind", NULL, 1, 63, {2}, "jump", 0, 0, 0},
	{"point_target:tests:target", NULL, 3, 63, {2}, "jump", 0, 0, 0},
	{"point_cave:tests:cave", NULL, 3, 63, {2}, "jump", 0, 0, 0},
	{"point_room:tests:room", NO_ROOM, 0, 0, {0}, NULL, 0, 0, 0},
	{"point_switch:tests:switch", NO_ROOM, 0, 0, {0}, NULL, 0, 0, 0},
	{":tests:split", NO_ROOM, 0, 0, {0}, NULL, 0, 0, 0},
	{"point_long:tests:long", NULL, 1, 63, {2}, "jump", 0, 0, 0},
	{"point_nop10:tests:nop10", NULL, 1, 62, {0, 0x1111, 0x11110}, "jump", 0, 0, 0},
	{"point_nop5:tests:nop5", NULL, 1, 62, {0, 0x1111, 0x11110}, "jump", 0, 0, 0},
	{"point_nop_apart:tests:nop_apart", NO_ROOM, 0, 0, {0}, NULL, 0, 0, 0},
	{"point_no_nop:tests:no_nop", "there is no nop there", 0, 0, {0}, NULL, 0, 0, 0},
	{"point_midst:tests:midst", "no instruction begins there", 0, 0, {0}, NULL, 0, 0, 0},
	{"point_semaphore:tests:semaphore", NULL, 1, 63, {1}, "jump", 0, 0, 0},
	{"point_twins:tests:twin_one", NULL, 1, 63, {1}, "jump", 0, 0, 0},
	{"point_twins:tests:twin_two", "the bytes to be patched belong to another site as well", 0, 0, {0}, NULL, 0, 0,
		0},
};
enum { N_EXPECTED = sizeof(expected) / sizeof(expected[0]) };

static void see(void *user, const struct ward_site_report *r)
{
	unsigned *others = user;

	cr_expect(r->arguments);
	for (size_t i = 0; i < N_EXPECTED; i++) {
		struct expected *e = &expected[i];

		if (strncmp(r->site, "points!", 7) != 0 || strcmp(r->site + 7, e->name) != 0)
			continue;
		e->times++;
		cr_expect_eq(!r->reason, !e->reason, "%s: %s", r->site, r->reason ? r->reason : r->method);
		if (r->reason && e->reason)
			cr_expect_str_eq(r->reason, e->reason, "%s", r->site);
		if (r->method && e->method)
			cr_expect_str_eq(r->method, e->method, "%s", r->site);
		e->number = r->number;
		e->address = r->address;
		return;
	}
	++*others;
}

static ward_session *attach_to(pid_t pid, const char *module, const char *site, unsigned *others)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .on_site = see, .user = others};
	struct module m = module_read(module);
	ward_session *s = NULL;
	struct ward_error err;
	int rc;

	*others = 0;
	for (size_t i = 0; i < N_EXPECTED; i++)
		expected[i].times = 0;
	rc = ward_attach(pid, m.data, m.size, &options, &s, &err);
	free(m.data);
	cr_assert(rc == 0, "%s: %s (%s)", err.what, err.why, err.hint);
	return s;
}

static void read_line(const struct target *t, char *line, size_t size)
{
	size_t n = 0;

	while (n < size - 1 && read(t->out, line + n, 1) == 1 && line[n] != '\n')
		n++;
	line[n] = 0;
}

static const void *state_of(ward_session *s, size_t least)
{
	const void *const *states;
	size_t size;

	cr_assert_eq(ward_session_states(s, &states, &size), 1);
	cr_assert_geq(size, least);
	return states[0];
}

static const struct points *only_state(ward_session *s)
{
	return state_of(s, sizeof(struct points));
}

static struct target start(void)
{
	char rounds[16];

	snprintf(rounds, sizeof(rounds), "%d", ROUNDS);
	return target_start(POINTS, rounds, NULL);
}

Test(points, arguments_of_every_form)
{
	struct target t = start();
	unsigned others;
	ward_session *s = attach_to(t.pid, "points", NULL, &others);
	const struct points *p;
	uint64_t all = 0;
	char line[256], out[256];

	cr_expect_eq(others, 0);
	target_go(&t);
	read_line(&t, line, sizeof(line));
	cr_expect_str_eq(line, "semaphore 1");
	cr_expect_eq(ward_detach(s, NULL), 0);
	cr_expect_eq(target_mappings(t.pid), 0);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_str_eq(out, "semaphore 0\n", "it is counted down again: %s", out);
	p = only_state(s);
	for (size_t i = 0; i < N_EXPECTED; i++) {
		const struct expected *e = &expected[i];
		const struct seen *seen = &p->site[e->number & (SITES - 1)];
		uint64_t n = e->each * ROUNDS + !strcmp(e->name, "point_semaphore:tests:semaphore");

		cr_expect_eq(e->times, 1, "%s", e->name);
		if (e->reason)
			continue;
		all += n;
		cr_expect_eq(seen->n, n, "%s: %lu events", e->name, seen->n);
		cr_expect_eq(seen->caller, e->address, "%s", e->name);
		cr_expect_eq(seen->tid, (uint64_t)t.pid, "%s", e->name);
		cr_expect_neq(seen->sp, 0);
		for (unsigned k = 0; k < 6; k++)
			if (e->args >> k & 1)
				cr_expect_eq(seen->arg[k], e->arg[k], "%s: arg[%u] is %#lx", e->name, k, seen->arg[k]);
	}
	cr_expect_eq(p->calls, all);
	cr_expect_eq(stats_of(s).events, all);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/* Registers, flags, the red zone. */
Test(points, nothing_else_is_changed)
{
	static const char *const modules[] = {"clobber", "vectors"};

	for (size_t i = 0; i < 2; i++) {
		struct target t = start();
		ward_session *s = attach(t.pid, modules[i], "points!:tests:*");
		char out[512];

		target_go(&t);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
		cr_expect_str_eq(out, "semaphore 1\nsemaphore 1\n", "%s", out);
		cr_expect_gt(count_sum(s), 0);
		cr_expect_eq(count_sum(s), stats_of(s).events);
		ward_session_free(s);
	}
}

static size_t read_code(pid_t pid, uint64_t address, uint8_t *code, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY);
	n = pread(fd, code, size, (off_t)address);
	close(fd);
	return n < 0 ? 0 : (size_t)n;
}

/* Of two nops the long one becomes the jump; the short one stays for whoever puts breakpoints there. */
Test(points, the_short_nop_of_two_is_left_alone)
{
	static const char *const names[] = {"point_nop10:tests:nop10", "point_nop5:tests:nop5"};
	struct target t = start();
	unsigned others;
	ward_session *s = attach_to(t.pid, "points", NULL, &others);
	char out[256];

	for (size_t i = 0; i < N_EXPECTED; i++)
		for (size_t k = 0; k < 2; k++) {
			uint8_t code[2];

			if (strcmp(expected[i].name, names[k]) != 0)
				continue;
			cr_expect_eq(read_code(t.pid, expected[i].address, code, sizeof(code)), sizeof(code));
			cr_expect(code[0] == 0x90 && code[1] == 0xe9, "%s: %02x %02x", names[k], code[0], code[1]);
		}
	ward_session_free(s);
	cr_expect_eq(target_changes(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

static void write_code(pid_t pid, uint64_t address, const uint8_t *code, size_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_WRONLY);
	cr_assert_eq(pwrite(fd, code, size, (off_t)address), (ssize_t)size);
	close(fd);
}

static void take_reason(void *user, const struct ward_site_report *r)
{
	snprintf(user, 200, "%s", r->reason ? r->reason : "");
}

static const char *reason_of(pid_t pid, const char *site, char reason[200])
{
	struct ward_error err;

	cr_assert(ward_list(pid, site, take_reason, reason, &err) == 0, "%s: %s", err.what, err.why);
	return reason;
}

/* What the kernel writes where a uprobe is in: the tracepoint is taken, but the code about it can be looked at. */
Test(points, a_uprobe_is_there_already)
{
	static const uint8_t long_nop[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8, 1, 2, 3, 4}, nop[] = {0xe8, 1, 2, 3, 4};
	static const uint8_t other[] = {0xe9, 1, 2, 3, 4}, trap[] = {0xcc};
	static const struct {
		const char *name;
		const uint8_t *code;
		size_t size, at;
		bool taken, unknown; /* the tracepoint; and the function */
	} cases[] = {
		{"nop10", long_nop, sizeof(long_nop), 1, true, false},
		{"nop10", trap, 1, 1, true, false},
		{"nop10", trap, 1, 0, false, false}, /* the short nop is the breakpoint's, the long one ours */
		{"nop10", other, sizeof(other), 1, true, true},
		{"nop5", nop, sizeof(nop), 1, true, false},
		{"nop5", other, sizeof(other), 1, true, true},
		{"flags", trap, 1, 0, true, false},
	};
	struct target t = start();
	unsigned others;
	char reason[200], out[256];

	ward_session_free(attach_to(t.pid, "points", NULL, &others)); /* tells the addresses */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char point[64], function[64], returns[64];
		uint64_t address = 0;
		uint8_t was[16];

		snprintf(point, sizeof(point), "points!point_%s:tests:%s", cases[i].name, cases[i].name);
		snprintf(function, sizeof(function), "points!point_%s", cases[i].name);
		snprintf(returns, sizeof(returns), "points!point_%s:return", cases[i].name);
		for (size_t k = 0; k < N_EXPECTED; k++)
			if (strcmp(expected[k].name, point + 7) == 0)
				address = expected[k].address + cases[i].at;
		cr_expect_str_eq(reason_of(t.pid, point, reason), "");
		cr_assert_eq(read_code(t.pid, address, was, cases[i].size), cases[i].size);
		write_code(t.pid, address, cases[i].code, cases[i].size);
		cr_expect_eq(*reason_of(t.pid, point, reason) != 0, cases[i].taken, "%zu: %s", i, reason);
		if (cases[i].taken && !cases[i].unknown)
			cr_expect(strstr(reason, "a uprobe is in"), "%zu: %s", i, reason);
		cr_expect_eq(*reason_of(t.pid, function, reason) != 0, cases[i].unknown, "%zu: %s", i, reason);
		cr_expect_eq(*reason_of(t.pid, returns, reason) != 0, cases[i].unknown, "%zu: %s", i, reason);
		write_code(t.pid, address, was, cases[i].size);
	}
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

/* Two tracers at the same tracepoints, also where there is room for a short jump only: both see each event once. */
Test(points, two_tracers_at_one)
{
	for (int first = 0; first < 3; first++) {
		struct target t = start();
		unsigned others;
		ward_session *a = attach_to(t.pid, "points", NULL, &others),
			     *b = attach_to(t.pid, "points", NULL, &others);
		char out[256], line[256];

		for (size_t k = 0; k < N_EXPECTED; k++)
			cr_expect_eq(expected[k].times, 1, "%s", expected[k].name);
		if (first)
			cr_expect_eq(ward_detach(first == 1 ? a : b, NULL), 0);
		target_go(&t);
		read_line(&t, line, sizeof(line));
		cr_expect_eq(ward_detach(a, NULL), 0);
		cr_expect_eq(ward_detach(b, NULL), 0);
		cr_expect_eq(target_mappings(t.pid), 0);
		cr_expect_eq(target_changes(t.pid), 0);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
		cr_expect_str_eq(out, "semaphore 0\n");
		cr_expect(first == 1 || stats_of(a).events > 20 * ROUNDS);
		cr_expect(first == 2 || stats_of(b).events > 20 * ROUNDS);
		cr_expect(first || stats_of(a).events == stats_of(b).events);
		ward_session_free(a);
		ward_session_free(b);
	}
}

/* With every function of the program, at both ends. */
Test(points, beside_probes_of_functions)
{
	static const char *const sites[] = {"points!point_*", "points!point_*:return"};

	for (size_t i = 0; i < 2; i++) {
		struct target t = start();
		unsigned others;
		ward_session *s = attach_to(t.pid, "points", NULL, &others),
			     *functions = attach(t.pid, "clobber", sites[i]);
		char out[512];

		target_go(&t);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
		cr_expect_gt(count_sum(s), 0);
		cr_expect_gt(count_sum(functions), 0);
		ward_session_free(s);
		ward_session_free(functions);
	}
}

/* The bytes are as before behind it, and so is the semaphore. */
Test(points, attached_again_and_again)
{
	struct target t = start();
	char line[256], out[256];

	for (int i = 0; i < 20; i++) {
		unsigned others;

		ward_session_free(attach_to(t.pid, "points", NULL, &others));
		for (size_t k = 0; k < N_EXPECTED; k++)
			cr_expect_eq(expected[k].times, 1);
	}
	target_go(&t);
	read_line(&t, line, sizeof(line));
	cr_expect_str_eq(line, "semaphore 0");
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

/* What a tracer that was killed has counted up is counted down by who cleans up. */
Test(points, the_semaphore_of_a_killed_tracer)
{
	struct target t = start();
	char line[256], out[256];

	for (int i = 0; i < 3; i++) {
		pid_t tracer = fork();
		int status;

		if (tracer == 0) {
			unsigned others;

			attach_to(t.pid, "points", NULL, &others);
			raise(SIGKILL);
		}
		cr_assert(waitpid(tracer, &status, 0) == tracer && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		cr_expect_eq(ward_cleanup(t.pid, NULL, NULL), 0);
		cr_expect_eq(target_mappings(t.pid), 0);
		cr_expect_eq(target_changes(t.pid), 0);
	}
	target_go(&t);
	read_line(&t, line, sizeof(line));
	cr_expect_str_eq(line, "semaphore 0");
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

Test(points, chosen_by_function_provider_and_name)
{
	static const struct {
		const char *site;
		int status;
		unsigned sites;
		const char *why;
	} cases[] = {
		{"points!:tests:registers", 0, 1, NULL},
		{"points!point_registers:tests:*", 0, 3, NULL},
		{"points!point_m*:t*:?able", 0, 1, NULL},
		{"points!:[[:alpha:]]*:none", 0, 1, NULL},
		{"*!:tests:none", 0, 1, NULL},
		{"points!:other:*", WARD_E_TARGET, 0, "no tracepoint matches `other:*` in `points`"},
		{"libc.so.6!:tests:*", WARD_E_TARGET, 0,
			"no tracepoint matches `tests:*` in `libc.so.6` (it has none)"},
		{"points!:tests:room", WARD_E_TARGET, 1, NO_ROOM},
		{"points!:tests:", WARD_E_USAGE, 0, "a tracepoint has a provider and a name"},
		{"points!::none", WARD_E_TARGET, 0, "no function matches `::none` in `points`"},
		{"points!a:b:c:d", WARD_E_USAGE, 0, "this isn't a site: it has too many colons"},
		{"points!main:later", WARD_E_USAGE, 0, "the text behind its colon isn't known"},
	};
	struct target t = start();
	char out[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ward_attach_options options = {.size = sizeof(options), .site = cases[i].site};
		struct module m = module_read("points");
		ward_session *s = NULL;
		struct ward_error err;
		int rc = ward_attach(t.pid, m.data, m.size, &options, &s, &err);

		free(m.data);
		cr_expect_eq(rc, cases[i].status, "%s: %d, %s", cases[i].site, rc, err.why);
		if (rc == 0)
			cr_expect_eq(stats_of(s).sites, cases[i].sites, "%s", cases[i].site);
		else
			cr_expect_str_eq(err.why, cases[i].why, "%s: %s", cases[i].site, err.why);
		ward_session_free(s);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

static void count(void *user, const struct ward_site_report *r)
{
	unsigned *n = user;

	n[0] += r->arguments != NULL;
	n[1] += r->arguments == NULL;
	if (r->arguments && strstr(r->site, ":constants"))
		n[2] += !strcmp(r->arguments, "8@$-5 4@$-5 -4@$-5 1@$300 -2@$0x8000 8@$0x7fffffffffffffff");
}

Test(points, are_listed_with_their_arguments)
{
	struct target t = start();
	unsigned all[3] = {0}, points[3] = {0}, functions[3] = {0};
	struct ward_error err;
	char out[256];

	cr_expect_eq(ward_list(t.pid, NULL, count, all, &err), 0);
	cr_expect_eq(ward_list(t.pid, "*!:*:*", count, points, &err), 0);
	cr_expect_eq(ward_list(t.pid, "*!*", count, functions, &err), 0);
	cr_expect_eq(points[0], N_EXPECTED);
	cr_expect_eq(points[1], 0);
	cr_expect_eq(points[2], 1);
	cr_expect_eq(functions[0], 0);
	cr_expect_eq(all[0], N_EXPECTED);
	cr_expect_eq(all[1], functions[1]);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

/* What is told of the three probes of probes/some.c, and how often. */
static struct told {
	const char *probe, *reason;
	int times;
} told[3];

static void see_probe(void *user, const struct ward_site_report *r)
{
	(void)user;
	for (size_t i = 0; i < 3; i++)
		if (strcmp(r->probe, told[i].probe) == 0) {
			told[i].times++;
			cr_expect(
				r->reason ? told[i].reason && strcmp(r->reason, told[i].reason) == 0 : !told[i].reason,
				"%s: %s", r->probe, r->reason ? r->reason : "can run");
		}
}

/* Probes of one tracepoint: what is refused for the sake of what one reads, it alone is. */
static void run_some(const char *site, const char *first, const char *second, uint64_t firsts)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .on_site = see_probe};
	struct module m = module_read("some");
	struct target t = start();
	struct ward_error err;
	ward_session *s = NULL;
	const uint64_t *state;
	char out[256];

	memcpy(told, (struct told[3]){{"on_first", first, 0}, {"on_second", second, 0}, {"on_any", NULL, 0}},
		sizeof(told));
	cr_assert_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), 0, "%s: %s", site, err.why);
	free(m.data);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(told[i].times, 1, "%s: %d times", told[i].probe, told[i].times);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	state = state_of(s, 3 * sizeof(*state));
	cr_expect_eq(state[0], ROUNDS);
	cr_expect_eq(state[1], firsts);
	cr_expect_eq(state[2], 0);
	ward_session_free(s);
}

Test(points, only_the_probe_that_reads_what_is_not_known_is_refused)
{
	run_some(NULL, NULL,
		"an argument that the probe reads is in a place that can't be read (`ward list` shows where)",
		8 * ROUNDS);
}

Test(points, only_the_probes_that_read_memory_are_refused_in_a_filtered_target)
{
	static const char why[] =
		"reading an argument from memory takes a system call, which the process's seccomp filter may forbid";
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &all};

	/* inherited by the target */
	cr_assert(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	run_some("points!:tests:stack", why, why, 0);
}

/* ---- ward/tracepoint.h ---- */

static struct {
	const char *name;
	unsigned args;
	uint64_t arg[6]; /* of the last round */
	int places;
	uint32_t number;
} header[] = {
	{"none", 0, {0}, 0, 0},
	{"order", 59, {-(ROUNDS - 1ul), 4000000000u + ROUNDS - 1, 0, 65000, -7ul, 1}, 0, 0},
	{"constant", 63, {1, -2ul, 3, 4, 0, -3ul}, 0, 0},
	{"one", 0, {0}, 0, 0},
	{"two", 63, {-(ROUNDS - 1ul), (uint8_t)(4000000000u + ROUNDS - 1)}, 0, 0},
	{"three", 57, {-(ROUNDS - 2ul)}, 0, 0},
	{"four", 63, {-(ROUNDS - 1ul), -(ROUNDS - 1ul), -(ROUNDS - 1ul), -(ROUNDS - 1ul)}, 0, 0},
	{"five", 55, {4000000000u + ROUNDS - 1, 0x123456789abcdef, -3 * (ROUNDS - 1ul), 0, -(ROUNDS - 1ul)}, 0, 0},
	{"costly", 63, {2 * ROUNDS, -(ROUNDS - 1ul)}, 0, 0},
	{"inlined", 0, {0}, 0, 0},
};
enum { N_HEADER = sizeof(header) / sizeof(header[0]) };

static void see_header(void *user, const struct ward_site_report *r)
{
	const char *name = strrchr(r->site, ':');

	(void)user;
	cr_assert(name && r->arguments);
	cr_expect(r->method, "%s: %s", r->site, r->reason);
	for (size_t i = 0; i < N_HEADER; i++)
		if (strcmp(name + 1, header[i].name) == 0) {
			header[i].places++;
			header[i].number = r->number;
		}
}

static void run_header(const char *program)
{
	struct ward_attach_options options = {
		.size = sizeof(options), .site = "tracepoint*!:shop:*", .on_site = see_header};
	struct module m = module_read("points");
	struct target t;
	struct ward_error err;
	ward_session *s = NULL;
	const struct points *p;
	char rounds[16], out[256];
	unsigned long sum;
	unsigned computed = 0;

	snprintf(rounds, sizeof(rounds), "%d", ROUNDS);
	for (size_t i = 0; i < N_HEADER; i++)
		header[i].places = 0;
	t = target_start(program, rounds, NULL);
	cr_assert_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), 0, "%s: %s", program, err.why);
	free(m.data);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_eq(sscanf(out, "%lu %u", &sum, &computed), 2);
	cr_expect_eq(computed, 2 * ROUNDS, "%s: what is costly is computed while somebody looks", program);
	p = only_state(s);
	for (size_t i = 0; i < N_HEADER; i++) {
		const struct seen *seen = &p->site[header[i].number & (SITES - 1)];
		bool inlined = !strcmp(header[i].name, "inlined");

		cr_expect_eq(header[i].places, inlined ? 2 : 1, "%s: %s in %d places", program, header[i].name,
			header[i].places);
		cr_expect_eq(seen->n, ROUNDS, "%s: %s: %lu", program, header[i].name, seen->n);
		for (unsigned k = 0; k < 6; k++)
			if (header[i].args >> k & 1)
				cr_expect_eq(seen->arg[k], header[i].arg[k], "%s: %s: arg[%u] is %#lx", program,
					header[i].name, k, seen->arg[k]);
	}
	cr_expect_eq(p->calls, (N_HEADER + 1) * ROUNDS);
	ward_session_free(s);
}

Test(points, of_our_header_in_c_and_cpp)
{
	run_header(TRACEPOINTS "/tracepoint-gcc");
	run_header(TRACEPOINTS "/tracepoint-gxx");
	run_header(TRACEPOINTS "/tracepoint-clang");
	run_header(TRACEPOINTS "/tracepoint-clangxx");
}

/* Without a probe it isn't. */
Test(points, what_is_costly_is_not_computed_unseen)
{
	struct target t = target_start(TRACEPOINTS "/tracepoint-gcc", "5", NULL);
	char out[256];
	unsigned long sum;
	unsigned computed = 1;

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_eq(sscanf(out, "%lu %u", &sum, &computed), 2);
	cr_expect_eq(computed, 0);
}
