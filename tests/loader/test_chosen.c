/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What names stand for. For functions that are chosen at load time (IFUNC) it is the functions that are called, and
 * symbols may be in separate files.
 */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 1000 };

static char chosen[512];
static unsigned sites, skipped;

static void see(void *user, const struct ward_site_report *r)
{
	(void)user;
	sites++;
	skipped += r->reason != NULL;
	cr_expect(r->chosen || r->reason, "%s", r->site);
	snprintf(chosen, sizeof(chosen), "%s", r->chosen ? r->chosen : "");
}

static struct exact run(const char *program, const char *site)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .on_site = see};
	struct target t = target_start(program, "1000", NULL);
	struct module m = module_read("exact");
	ward_session *s = NULL;
	struct ward_error err;
	struct exact e = {0};
	char out[64];
	int rc;

	sites = skipped = 0;
	rc = ward_attach(t.pid, m.data, m.size, &options, &s, &err);
	free(m.data);
	cr_assert_eq(rc, 0, "%s %s: %s", program, site, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	if (s)
		e = exact_sum(s);
	ward_session_free(s);
	return e;
}

Test(chosen, the_function_that_is_called)
{
	static const char *const programs[] = {CHOSEN, CHOSEN_NOW, CHOSEN_STATIC, CHOSEN_STRIPPED};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const char *p = programs[i];
		bool stripped = i == 3;
		struct exact e = run(p, "chosen*!work");

		cr_expect_eq(sites, 1);
		cr_expect_eq(skipped, 0);
		cr_expect_eq(e.calls, CALLS + 1, "%s: the alias is the same function: %lu", p, e.calls);
		cr_expect_eq(e.sum0, (uint64_t)CALLS * (CALLS - 1) / 2 + 1, "%s", p);
		if (stripped)
			cr_expect(strncmp(chosen, "chosen-stripped+0x", 18) == 0, "%s", chosen);
		else
			cr_expect(strncmp(chosen, "other", 5) == 0, "%s: %s", p, chosen);
		cr_expect(strstr(chosen, ", as for alias"), "%s: %s", p, chosen);
		e = run(p, "chosen*!work:return");
		cr_expect_eq(e.calls, CALLS + 1, "%s: %lu", p, e.calls);
	}
}

Test(chosen, of_the_c_library)
{
	struct exact e = run(CHOSEN, "libc.so.6!strlen");

	cr_expect_geq(e.calls, CALLS);
	e = run(CHOSEN_NOW, "libc.so.6!strlen:return");
	cr_expect_geq(e.calls, CALLS);
}

/*
 * What others jump into behind its first instruction, as mempcpy does into memcpy, has two bytes for the patch, and the
 * padding before it.
 */
Test(chosen, what_is_jumped_into)
{
	static const char *const modules[] = {"exact", "clobber", "vectors"};

	for (size_t i = 0; i < 3; i++) {
		struct target t = target_start(POINTS, "1000", NULL);
		ward_session *s = attach(t.pid, modules[i], "points!shared");
		char out[256];

		target_go(&t);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
		cr_expect_eq(count_sum(s), 2000, "those who jump into it don't count: %lu", count_sum(s));
		ward_session_free(s);
		t = target_start(POINTS, "10", NULL);
		for (int k = 0; k < 10; k++)
			ward_session_free(attach(t.pid, modules[i], "points!shared"));
		target_go(&t);
		cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	}
}

static void count(void *user, const struct ward_site_report *r)
{
	unsigned *n = user;

	n[0]++;
	n[1] += r->chosen != NULL;
	n[2] += r->reason && strstr(r->reason, "(IFUNC)");
}

/* One that nobody calls: nothing says what it would be. */
Test(chosen, what_nobody_calls_is_refused)
{
	struct target t = target_start(CHOSEN, "1000", NULL);
	struct ward_error err;
	unsigned n[3] = {0};
	char out[64];

	cr_expect_eq(ward_list(t.pid, "chosen!unused", count, n, &err), 0, "%s", err.why);
	cr_expect(n[0] == 1 && n[1] + n[2] == 1, "%u sites, %u chosen, %u resolvers", n[0], n[1], n[2]);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

/* ---- symbols in files of their own ---- */

static void probe_separate(struct target *t, const char *site)
{
	ward_session *s = attach(t->pid, "exact", site);
	char out[64];

	target_go(t);
	cr_expect_eq(target_finish(t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, CALLS, "%s", site);
	ward_session_free(s);
}

Test(separate, symbols_beside_the_file)
{
	struct target t = target_start(SEPARATE "/separate", "calls", "1", "1000", NULL);

	probe_separate(&t, "separate!work");
	t = target_start(SEPARATE "/separate", "calls", "1", "1000", NULL);
	probe_separate(&t, "separate!work:return");
}

/* Another file's symbols are none. */
Test(separate, only_with_the_same_build_id)
{
	struct target t = target_start(SEPARATE "/mislead", "calls", "1", "1000", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "mislead!work"};
	struct module m = module_read("exact");
	ward_session *s = NULL;
	struct ward_error err;
	char out[64];

	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect(strstr(err.why, "no function matches `work`"), "%s", err.why);
	free(m.data);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

/* In /usr/lib/debug/.build-id of the target's own view: a static program with another root. */
Test(separate, symbols_by_build_id)
{
	static const char script[] =
		"set -e; d=$(mktemp -d); id=$(readelf -n " STATIC
		" | sed -n 's/.*Build ID: //p'); h=${id#??}; l=${id%$h}; "
		"mkdir -p $d/usr/lib/debug/.build-id/$l; objcopy --strip-all " STATIC " $d/static; "
		"objcopy --only-keep-debug " STATIC " $d/usr/lib/debug/.build-id/$l/$h.debug; echo $d";
	char dir[256] = "", command[300];
	struct target t;
	FILE *f;

	if (geteuid() != 0)
		cr_skip_test("only root may change the root");
	f = popen(script, "r");
	cr_assert(f && fgets(dir, sizeof(dir), f) && pclose(f) == 0);
	dir[strcspn(dir, "\n")] = 0;
	t = target_start("/usr/sbin/chroot", dir, "/static", "calls", "1", "1000", NULL);
	probe_separate(&t, "static!work");
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_expect_eq(system(command), 0);
}
