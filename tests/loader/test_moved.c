/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a program has moved to other memory, as programs do to have it on large pages. */
#include "helper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 1000 };

static void expect_right(struct target *t)
{
	char output[64];
	int status = target_finish(t, output, sizeof(output));

	cr_expect(status == 0, "status %x", status);
	cr_expect_str_eq(output, "sum 1504500, as it was\n");
}

static void await_calls(ward_session *s, uint64_t n)
{
	while (exact_sum(s).calls < n)
		pause_ms(1);
	cr_expect_eq(exact_sum(s).calls, n);
}

/* All three functions count, those that were moved and those beside them. */
static void count_all(const char *how)
{
	struct target t = target_start(MOVED, how, NULL);
	ward_session *s = attach(t.pid, "exact", "moved!page_*");
	struct ward_error err;

	target_go(&t);
	await_calls(s, 3 * CALLS);
	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	ward_session_free(s);
	cr_expect_eq(target_mappings(t.pid), 0);
	expect_right(&t);
}

Test(moved, a_page_of_the_code)
{
	count_all("some");
}

Test(moved, all_of_the_code)
{
	count_all("all");
}

Test(moved, to_a_file_of_its_own)
{
	count_all("file");
}

struct listed {
	const char *want;
	size_t n;
	char reason[256];
};

static void look(void *user, const struct ward_site_report *r)
{
	struct listed *l = user;

	if (strcmp(r->site, l->want) != 0)
		return;
	l->n++;
	snprintf(l->reason, sizeof(l->reason), "%s", r->reason ? r->reason : "");
}

/* What can't be attached to is listed, and refused, for what is true. */
static void refuse(const char *how, const char *why)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = "moved!page_work"};
	struct target t = target_start(MOVED, how, NULL);
	struct listed l = {.want = "moved!page_work"};
	ward_session *s = NULL;
	struct ward_error err;

	cr_expect(ward_list(t.pid, "moved!*", look, &l, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect_eq(l.n, 1);
	cr_expect(strstr(l.reason, why), "%s", l.reason);
	cr_expect(try_exact(t.pid, &options, &s, &err) == WARD_E_TARGET);
	cr_expect_str_eq(err.what, "moved!page_work");
	cr_expect(strstr(err.why, why), "%s", err.why);
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	expect_right(&t);
}

Test(moved, to_memory_that_is_shared)
{
	refuse("shared", "mapped shared");
}

Test(moved, something_else_is_there)
{
	refuse("broken", "other contents than the file");
}

Test(moved, nothing_is_there)
{
	refuse("gone", "no longer mapped");
}

/* What a killed tracer left there is taken off. */
Test(moved, leftovers_are_taken_off)
{
	struct target t = target_start(MOVED, "some", NULL);
	pid_t tracer = fork();
	struct ward_error err;
	int status;

	if (tracer == 0) {
		attach(t.pid, "exact", "moved!page_work");
		raise(SIGKILL);
		_exit(1);
	}
	cr_assert(waitpid(tracer, &status, 0) == tracer && WIFSIGNALED(status));
	cr_expect_gt(target_mappings(t.pid), 0);
	cr_expect(ward_cleanup(t.pid, NULL, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	expect_right(&t);
}
