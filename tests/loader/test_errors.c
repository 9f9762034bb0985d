/* SPDX-License-Identifier: Apache-2.0 */
/* Errors are reported exactly, and the target is unharmed. */
#include "helper.h"

#include "loader/base/error.h"
#include "loader/process/maps.h"
#include "loader/process/process.h"
#include "loader/process/remote.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int try_attach(pid_t pid, const char *module, const char *site, struct ward_error *err)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site};
	struct module m = module_read(module);
	ward_session *s;
	int rc = ward_attach(pid, m.data, m.size, &options, &s, err);

	free(m.data);
	if (rc == 0)
		ward_session_free(s);
	return rc;
}

static void expect_refused(
	const char *program, const char *module, const char *site, int status, const char *what, const char *why)
{
	struct target t = target_start(program, "calls", "2", "1000", NULL);
	struct ward_error err;
	char out[128];

	cr_expect_eq(try_attach(t.pid, module, site, &err), status);
	cr_expect_eq(err.status, status);
	cr_expect_str_eq(err.what, what);
	cr_expect_str_eq(err.why, why);
	cr_expect_neq(err.hint[0], 0);
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 2998000\n");
}

/* What is too long ends behind a word; a single word that is too long somewhere. */
Test(errors, cut_behind_a_word)
{
	struct ward_error err = {0};
	char words[1000], word[1000];

	for (size_t i = 0; i < sizeof(words) - 1; i++)
		words[i] = i % 8 == 7 ? ' ' : 'x';
	words[sizeof(words) - 1] = 0;
	memset(word, 'y', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	wl_fail(&err, WARD_E_USAGE, "it", "%s", words);
	wl_hint(&err, "%s", words);
	for (int i = 0; i < 2; i++) {
		const char *text = i ? err.hint : err.why;
		size_t n = strlen(text);

		cr_expect(n > 300 && n < sizeof(err.why) && (n - 3) % 8 == 7 && strcmp(text + n - 3, "...") == 0, "%s",
			text);
	}
	wl_hint(&err, "%s", word);
	cr_expect_eq(strlen(err.hint), sizeof(err.hint) - 1);
	cr_expect_str_eq(err.hint + sizeof(err.hint) - 4, "...");
	wl_hint(&err, "%.*s", (int)sizeof(err.hint) - 1, word);
	cr_expect_eq(err.hint[sizeof(err.hint) - 2], 'y', "it fits");
}

Test(errors, no_such_function)
{
	expect_refused(
		TARGET, "exact", "target!wurk", WARD_E_TARGET, "target!wurk", "no function matches `wurk` in `target`");
}

Test(errors, no_such_module)
{
	expect_refused(TARGET, "exact", "libnone.so!work", WARD_E_TARGET, "libnone.so!work",
		"there is no module `libnone.so`");
}

Test(errors, stripped)
{
	expect_refused(STRIPPED, "exact", "target-stripped!work", WARD_E_TARGET, "target-stripped!work",
		"no function matches `work` in `target-stripped` (it has no symbol table)");
}

Test(errors, site_too_short)
{
	expect_refused(TARGET, "exact", "target!r_short", WARD_E_TARGET, "target!r_short",
		"the function is shorter than the five bytes of a jump and has no padding behind it");
}

Test(errors, jump_into_the_patch)
{
	expect_refused(TARGET, "exact", "target!r_loop_inside", WARD_E_TARGET, "target!r_loop_inside",
		"a jump inside the function lands in the bytes to be patched");
}

/* A program that has mapped code itself so that what is written there is written to the file. */
Test(errors, code_that_is_mapped_shared)
{
	struct ward_error err;
	int said[2], fd = open(LIBRARY, O_RDONLY | O_CLOEXEC);
	pid_t pid;
	char c;

	cr_assert(fd >= 0 && pipe(said) == 0);
	pid = fork();
	if (pid == 0) {
		const void *code = mmap(NULL, (size_t)lseek(fd, 0, SEEK_END), PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);

		if (write(said[1], code == MAP_FAILED ? "n" : "y", 1) == 1)
			pause();
		_exit(1);
	}
	cr_assert(read(said[0], &c, 1) == 1 && c == 'y');
	cr_expect_eq(try_attach(pid, "exact", "libtarget-library.so!in_library", &err), WARD_E_TARGET);
	cr_expect_str_eq(
		err.why, "its code is mapped shared (MAP_SHARED): a patch would be in the file, or in other processes");
	cr_expect_eq(target_mappings(pid), 0);
	close(fd);
	kill(pid, SIGKILL);
	cr_expect_eq(waitpid(pid, NULL, 0), pid);
}

Test(errors, fields_that_a_site_does_not_have)
{
	expect_refused(TARGET, "returns", NULL, WARD_E_USAGE, "on_return",
		"the probe reads ev->ret, which only a return site has");
}

Test(errors, a_function_whose_exits_are_not_known)
{
	expect_refused(TARGET, "clobber", "target!ret_cold:return", WARD_E_TARGET, "target!ret_cold",
		"a part of it is elsewhere (the compiler split it off)");
	/* What a return probe wants of the entry needs that patched as well. */
	expect_refused(TARGET, "exact", "target!r_loop_inside:return", WARD_E_TARGET, "target!r_loop_inside",
		"a jump inside the function lands in the bytes to be patched");
}

Test(errors, no_site_at_all)
{
	expect_refused(TARGET, "clobber", NULL, WARD_E_USAGE, "site", "the probe names no site");
	expect_refused(TARGET, "exact", "work", WARD_E_USAGE, "work", "this isn't a site");
}

static void unseen(void *user, const struct ward_site_report *report)
{
	(void)user;
	cr_assert_fail("a site of no process: %s", report->site);
}

Test(errors, no_such_process)
{
	pid_t pid = fork();
	struct ward_error err;
	char what[64];

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	cr_expect_eq(try_attach(pid, "exact", NULL, &err), WARD_E_TARGET);
	snprintf(what, sizeof(what), "process %d", (int)pid);
	cr_expect_str_eq(err.what, what);
	cr_expect_str_eq(err.why, "no such process");
	cr_expect_eq(try_attach(-1, "exact", NULL, &err), WARD_E_TARGET);
	cr_expect_eq(try_attach(0, "exact", NULL, &err), WARD_E_TARGET);
	cr_expect_eq(ward_list(pid, NULL, unseen, NULL, &err), WARD_E_TARGET);
}

static void count_reasons(void *user, const struct ward_site_report *report)
{
	unsigned *n = user;

	n[report->reason != NULL]++;
}

/* It becomes the same program again and again: what is listed is of one of them, or nothing. */
Test(errors, a_process_that_becomes_another_program)
{
	unsigned listed = 0, refused = 0;
	pid_t pid = fork();

	if (pid == 0) {
		static const char again[] =
			"i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exec /bin/sh -c \"$0\" \"$0\"";

		prctl(PR_SET_PDEATHSIG, SIGKILL); /* it never ends by itself */
		execl("/bin/sh", "sh", "-c", again, again, NULL);
		_exit(1);
	}
	cr_assert(pid > 0);
	for (int i = 0; i < 60 || (listed == 0 && i < 6000); i++) {
		struct ward_error err;
		unsigned n[2] = {0};
		int rc = ward_list(pid, "libc.so.6!str*", count_reasons, n, &err);

		cr_expect(rc == 0 || rc == WARD_E_TARGET, "%d: %s: %s", rc, err.what, err.why);
		cr_expect(rc == 0 ? n[0] > n[1] : n[0] + n[1] == 0, "%d: %u can be probed, %u can't", rc, n[0], n[1]);
		listed += rc == 0;
		refused += rc == WARD_E_TARGET && strstr(err.why, "exec");
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_expect(listed > 0);
	cr_log_info("%u listed, %u became another program meanwhile", listed, refused);
}

Test(errors, a_process_that_has_ended_but_was_not_waited_for)
{
	pid_t pid = fork();
	struct ward_error err;
	siginfo_t info;

	if (pid == 0)
		_exit(0);
	cr_assert(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	cr_expect_eq(try_attach(pid, "exact", NULL, &err), WARD_E_TARGET);
	waitpid(pid, NULL, 0);
}

Test(errors, a_handler_that_would_return_into_the_patch)
{
	struct target t = target_start(TARGET, "suspended", NULL);
	struct ward_error err;
	char out[64];

	cr_expect_eq(try_attach(t.pid, "clobber", "target!s_nops", &err), WARD_E_TARGET);
	cr_expect_str_eq(err.what, "target!s_nops");
	cr_expect_str_eq(err.why, "a signal handler would return into the bytes to be patched");
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

Test(errors, rejected_before_anything_is_touched)
{
	struct ward_attach_options options = {.size = sizeof(options)};
	struct target t = target_start(TARGET, "calls", "1", "1", NULL);
	struct module m = module_read("exact");
	struct ward_verdict *verdict = NULL;
	struct ward_error err;
	ward_session *s;
	char out[64];

	/* No entry of the text may be changed in any byte without the seal noticing. */
	((uint8_t *)m.data)[4096] ^= 1;
	options.verdict = &verdict;
	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_REJECTED);
	cr_expect_eq(strncmp(err.why, "V-", 2), 0, "%s", err.why);
	cr_assert(verdict);
	cr_expect_not(verdict->accepted);
	cr_expect_gt(verdict->n_violations, 0);
	ward_verdict_free(verdict);
	/* A process that doesn't exist isn't even looked for. */
	cr_expect_eq(ward_attach(-1, m.data, m.size, NULL, &s, &err), WARD_E_REJECTED);
	cr_expect_eq(ward_attach(t.pid, m.data, 0, NULL, &s, &err), WARD_E_REJECTED);
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	free(m.data);
}

Test(errors, commands_that_can_not_be_run)
{
	char *missing[] = {"no-such-command-at-all", NULL}, *directory[] = {"/", NULL}, *nothing[] = {NULL};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;
	pid_t pid;

	cr_expect_eq(ward_spawn(missing, m.data, m.size, NULL, &s, &pid, &err), WARD_E_USAGE);
	cr_expect_str_eq(err.what, "no-such-command-at-all");
	cr_expect_str_eq(err.why, "command not found");
	cr_expect_eq(ward_spawn(directory, m.data, m.size, NULL, &s, &pid, &err), WARD_E_USAGE);
	cr_expect_eq(ward_spawn(nothing, m.data, m.size, NULL, &s, &pid, &err), WARD_E_USAGE);
	cr_expect_eq(waitpid(-1, NULL, 0), -1, "no child is left");
	free(m.data);
}

Test(errors, a_command_without_the_site_does_not_run)
{
	char *argv[] = {TARGET, "calls", "1", "1", NULL};
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!wurk"};
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;
	pid_t pid;

	cr_expect_eq(ward_spawn(argv, m.data, m.size, &options, &s, &pid, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "no function matches `wurk` in `target`");
	cr_expect_eq(waitpid(-1, NULL, 0), -1, "no child is left");
	free(m.data);
}

/*
 * The instruction by which we make system calls in the target may be gone, as where another thread of it has unmapped
 * it: the call fails, and the thread goes on as if there had been none.
 */
Test(errors, system_calls_without_an_instruction)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	struct wl_process p;
	struct wl_remote r;
	struct wl_maps maps;
	int64_t result = 0;
	uint64_t page;
	char out[128];

	cr_assert_eq(wl_process_open(&p, t.pid, NULL), 0);
	cr_assert_eq(wl_maps_read(t.pid, &maps), 0);
	cr_assert_eq(wl_remote_begin(&r, &p, &maps, NULL, NULL), 0);
	cr_assert(wl_remote_call(
			  &r, &result, SYS_mmap, 0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0) &&
		  result > 0);
	page = (uint64_t)result;
	r.gadget = page;
	cr_expect_not(wl_remote_call(&r, &result, SYS_munmap, page, 4096, 0, 0, 0, 0));
	cr_expect_not(wl_remote_call(&r, &result, SYS_munmap, page, 4096, 0, 0, 0, 0), "nor a second time");
	wl_remote_end(&r);
	wl_maps_free(&maps);
	wl_process_close(&p);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

/* Whatever a reason was made from, and whoever forgot to set one: an error has one. */
Test(errors, none_is_empty)
{
	struct ward_error err = {0};

	cr_expect_eq(wl_fail(&err, WARD_E_TARGET, "process 1", "%s", ""), WARD_E_TARGET);
	cr_expect(*err.what && *err.why);
	wl_clear(&err);
	cr_expect_eq(wl_said(WARD_E_SYSTEM, &err), WARD_E_SYSTEM);
	cr_expect_eq(err.status, WARD_E_SYSTEM);
	cr_expect(*err.what && *err.why);
	wl_fail(&err, WARD_E_TARGET, "process 1", "%s", "it has ended");
	cr_expect_eq(wl_said(WARD_E_TARGET, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "it has ended");
	wl_clear(&err);
	cr_expect_eq(wl_said(0, &err), 0);
	cr_expect_eq(err.status, 0);
}
