/* SPDX-License-Identifier: Apache-2.0 */
/* Sites of every kind: those that are patched compute the same, those that can't be are refused with the right reason. */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	{"target!r_loop_entry", NULL, "a jump inside the function goes back to its first instruction, and would count as a call each time",
		0},
	{"target!r_short", NULL, "the function is shorter than the five bytes of a jump and has no padding behind it", 0},
	{"target!r_behind", "jump", NULL, 0},
	{"target!r_indirect_call", NULL, "an indirect call stands in its first five bytes", 0},
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
