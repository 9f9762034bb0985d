/* SPDX-License-Identifier: Apache-2.0 */
/* Sites of every kind: patched functions compute the same, and the others are refused with the right reason. */
#include "helper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run_sites(const char *module, const char *site)
{
	struct target t = target_start(TARGET, "sites", "200", NULL);
	ward_session *s = attach(t.pid, module, site);
	char out[4096];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_str_eq(out, "");
	cr_expect_gt(count_sum(s), 0);
	cr_expect_eq(count_sum(s), stats_of(s).events);
	ward_session_free(s);
}

Test(sites, moved_instructions_compute_the_same)
{
	run_sites("clobber", "target!s_*");
}

Test(sites, registers_survive_a_probe_that_destroys_all)
{
	run_sites("clobber", "target!leaf");
	run_sites("clobber", "target!local_leaf*");
}

Test(sites, vector_registers_survive_a_probe_that_destroys_all)
{
	run_sites("vectors", "target!leaf");
	run_sites("vectors", "target!floats");
	run_sites("vectors", "target!s_*");
	run_sites("copy", "target!leaf");
	run_sites("copy", "target!floats");
}

Test(sites, every_function_of_the_program_at_once)
{
	run_sites("vectors", "target!*");
	run_sites("clobber", "target!*");
	run_sites("fields", "target!*");
	run_sites("exact", "target!*");
}

Test(sites, the_whole_c_library)
{
	struct target t = target_start(TARGET, "calls", "4", "100000", NULL);
	ward_session *s = attach(t.pid, "clobber", "libc.so.6!*");
	char out[128];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 60000000000\n", "%s", out);
	cr_expect_gt(stats_of(s).sites, 1000);
	cr_expect_eq(count_sum(s), stats_of(s).events);
	ward_session_free(s);
}

struct expected {
	const char *site, *method, *reason;
	int seen;
};

static struct expected expected[] = {
	{"target!s_rip_load", "jump", NULL, 0},
	{"target!s_call", "call", NULL, 0},
	{"target!s_call_first", "call", NULL, 0},
	{"target!s_call_sub", "call", NULL, 0},
	{"target!s_short", "jump", NULL, 0},
	{"target!s_endbr", "jump", NULL, 0},
	{"target!r_loop_inside", NULL, "a jump inside the function lands in the bytes to be patched", 0},
	{"target!r_loop_entry", NULL,
		"a jump inside the function goes back to its first instruction, and would count as a call each time",
		0},
	{"target!r_short", NULL, "the function is shorter than the five bytes of a jump and has no padding behind it",
		0},
	{"target!r_behind", "jump", NULL, 0},
	{"target!r_indirect_call", NULL, "there is an indirect call in its first five bytes", 0},
	{"target!r_table", NULL, "a jump table of the function leads into the bytes to be patched", 0},
	{"target!r_far", NULL, "a jump from elsewhere in the module lands in the bytes to be patched", 0},
	{"target!r_shared", NULL, "a short jump from another function lands in the bytes to be patched", 0},
	{"target!r_before", "jump", NULL, 0},
	{"target!r_page", NULL, "the bytes to be patched cross a page, and can't be written at once", 0},
};
enum { N_EXPECTED = sizeof(expected) / sizeof(expected[0]) };

static void compare(void *user, const struct ward_site_report *r)
{
	(void)user;
	for (size_t i = 0; i < N_EXPECTED; i++) {
		struct expected *e = &expected[i];

		if (strcmp(e->site, r->site) != 0)
			continue;
		e->seen++;
		cr_expect_eq(!r->method, !e->method, "%s: %s", r->site, r->reason ? r->reason : r->method);
		if (r->method && e->method)
			cr_expect_str_eq(r->method, e->method, "%s", r->site);
		if (r->reason && e->reason)
			cr_expect_str_eq(r->reason, e->reason, "%s", r->site);
	}
}

Test(sites, refused_with_the_reason)
{
	struct target t = target_start(TARGET, "calls", "1", "1", NULL);
	struct ward_error err;
	char out[64];

	cr_assert(ward_list(t.pid, "target!*", compare, NULL, &err) == 0, "%s: %s", err.what, err.why);
	for (size_t i = 0; i < N_EXPECTED; i++)
		cr_expect_eq(expected[i].seen, 1, "%s", expected[i].site);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

/* ---- what others have done to the code ---- */

#define BREAKPOINT "a breakpoint or a uprobe is in the bytes to be patched (a debugger's, or another tracer's)"
#define CHANGED "its code differs from its file: another tool has changed it, or the program has"

static struct looked {
	const char *site;
	uint64_t address;
	char reason[200]; /* "": it can be probed */
} looked;

static void look_at_one(void *user, const struct ward_site_report *r)
{
	(void)user;
	if (strcmp(r->site, looked.site) != 0)
		return;
	looked.address = r->address;
	snprintf(looked.reason, sizeof(looked.reason), "%s", r->reason ? r->reason : "");
}

static const char *reason_of(pid_t pid, const char *site)
{
	struct ward_error err;

	looked = (struct looked){.site = site, .reason = "not listed"};
	cr_assert(ward_list(pid, site, look_at_one, NULL, &err) == 0, "%s: %s", err.what, err.why);
	return looked.reason;
}

/* As a debugger does it, or whoever writes a jump of his own. `was`, unless NULL, is what was there. */
static void poke(pid_t pid, uint64_t address, const void *bytes, size_t n, void *was)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert(fd >= 0 && (!was || pread(fd, was, n, (off_t)address) == (ssize_t)n));
	cr_assert(pwrite(fd, bytes, n, (off_t)address) == (ssize_t)n);
	close(fd);
}

/* Code is looked at as its file has it: a breakpoint is in the way only of a patch of the same bytes. */
Test(sites, a_debuggers_breakpoint)
{
	struct target t = target_start(TARGET, "calls", "1", "100", NULL);
	uint8_t was;
	ward_session *s;
	char out[64];

	cr_assert_str_eq(reason_of(t.pid, "target!call_work"), "");
	poke(t.pid, looked.address, "\xcc", 1, &was);
	cr_expect_str_eq(reason_of(t.pid, "target!call_work"), BREAKPOINT);
	cr_expect_str_eq(reason_of(t.pid, "target!call_work:return"), "", "%s", looked.reason);
	s = attach(t.pid, "exact", "target!*"); /* all others */
	poke(t.pid, looked.address, &was, 1, NULL);
	cr_expect_str_eq(reason_of(t.pid, "target!call_work"), "");
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 14850\n", "%s", out);
	cr_expect_eq(count_sum(s), stats_of(s).events);
	ward_session_free(s);
}

/* In the midst of an exit's bytes, or of an entry's. work() is lea, add, ret. */
Test(sites, breakpoints_further_on)
{
	struct target t = target_start(TARGET, "calls", "1", "100", NULL);
	uint8_t was;
	uint64_t at;

	cr_assert_str_eq(reason_of(t.pid, "target!work"), "");
	at = looked.address;
	poke(t.pid, at + 4, "\xcc", 1, &was); /* add */
	cr_expect_str_eq(reason_of(t.pid, "target!work"), BREAKPOINT);
	cr_expect_str_eq(reason_of(t.pid, "target!work:return"), BREAKPOINT);
	poke(t.pid, at + 4, &was, 1, NULL);
	poke(t.pid, at + 7, "\xcc", 1, &was); /* ret */
	cr_expect_str_eq(reason_of(t.pid, "target!work"), "");
	cr_expect_str_eq(reason_of(t.pid, "target!work:return"), BREAKPOINT);
	poke(t.pid, at + 7, &was, 1, NULL);
	cr_expect_str_eq(reason_of(t.pid, "target!work:return"), "");
	target_finish(&t, (char[64]){0}, 64);
}

/* Another tool's jump leads to code that nobody knows, and may be taken off any time. */
Test(sites, another_tools_jump)
{
	static const uint8_t jump[] = {0xe9, 0, 0, 0, 0};
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	struct target t = target_start(TARGET, "calls", "1", "100", NULL);
	uint8_t was[sizeof(jump)];
	struct ward_error err;
	ward_session *s;
	char out[64];

	cr_assert_str_eq(reason_of(t.pid, "target!work"), "");
	poke(t.pid, looked.address, jump, sizeof(jump), was);
	cr_expect_str_eq(reason_of(t.pid, "target!work"), CHANGED);
	cr_expect_str_eq(reason_of(t.pid, "target!work:return"), CHANGED);
	cr_expect_eq(try_exact(t.pid, &options, &s, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, CHANGED);
	poke(t.pid, looked.address, was, sizeof(was), NULL);
	s = attach(t.pid, "exact", NULL);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(count_sum(s), 100);
	ward_session_free(s);
}

/* The reasons of all sites, one a line. */
static void collect(void *user, const struct ward_site_report *r)
{
	fprintf(user, "%s %s\n", r->site, r->reason ? r->reason : r->method);
}

static char *list_all(pid_t pid, const char *glob)
{
	struct ward_error err;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	cr_assert(ward_list(pid, glob, collect, f, &err) == 0, "%s: %s", err.what, err.why);
	fclose(f);
	return text;
}

/*
 * What another tracer has patched is listed as if it weren't; but for functions of a few bytes, displaced as a whole.
 */
Test(sites, listed_below_another_tracers_probes)
{
	static const char *const sites[] = {"target!*", "libc.so.6!*"};
	struct target t = target_start(TARGET, "calls", "1", "100", NULL);

	for (size_t i = 0; i < 2; i++) {
		char returns[64], *entries, *exits, *rest, *line;
		ward_session *s;

		snprintf(returns, sizeof(returns), "%s:return", sites[i]);
		entries = list_all(t.pid, sites[i]);
		exits = list_all(t.pid, returns);
		s = attach(t.pid, "clobber", sites[i]);
		cr_expect_str_eq(list_all(t.pid, sites[i]), entries);
		for (rest = list_all(t.pid, returns); (line = strsep(&rest, "\n"));)
			cr_expect(strstr(exits, line) || strstr(line, "another tracer's probe"), "%s", line);
		ward_session_free(s);
		s = attach(t.pid, "clobber", returns);
		cr_expect_str_eq(list_all(t.pid, sites[i]), entries);
		ward_session_free(s);
	}
	target_finish(&t, (char[64]){0}, 64);
}
