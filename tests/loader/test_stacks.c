/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that use several stacks, share one, or leave it by jumps: what is reported of a call belongs to that call,
 * or the call is counted as dropped.
 */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of probes/stacks.c. */
struct checks {
	uint64_t calls, wrong, entries, returns, mixed, too_short;
};

static struct checks checks_of(ward_session *s)
{
	const void *const *states;
	struct checks sum = {0};
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t i = 0; i < n; i++) {
		const struct checks *c = states[i];

		sum.calls += c->calls;
		sum.wrong += c->wrong;
		sum.entries += c->entries;
		sum.returns += c->returns;
		sum.mixed += c->mixed;
		sum.too_short += c->too_short;
	}
	return sum;
}

/*
 * A handler that has interrupted a probe and leaves by siglongjmp ends the probe, and the thread's next ones run.
 * What is lost is at most the call that was left, and those of the handler.
 */
static void leave_handlers(const char *where)
{
	struct target t = target_start(STACKS, "signals", where, "60", NULL);
	ward_session *s = attach(t.pid, "stacks", NULL);
	unsigned long calls, in_handlers, jumps, outside, all, most;
	struct checks seen;
	char line[256];

	target_go(&t);
	cr_expect_eq(target_finish(&t, line, sizeof(line)), 0, "%s", line);
	all = (unsigned)sscanf(
		line, "calls %lu in handlers %lu jumps %lu outside %lu", &calls, &in_handlers, &jumps, &outside);
	cr_assert_eq(all, 4, "%s", line);
	cr_assert_geq(outside, 60, "%s", line);
	seen = checks_of(s);
	all = calls + in_handlers;
	most = 6 * outside + 2 * jumps;
	cr_expect_eq(seen.wrong, 0);
	cr_expect_geq(seen.calls, all - most, "%s: %lu of %lu, %s", where, seen.calls, all, line);
	cr_expect_leq(seen.calls, all + jumps, "%s: %lu events of %lu calls", where, seen.calls, all);
	cr_expect_leq(stats_of(s).dropped, most, "%s: %lu dropped, %s", where, stats_of(s).dropped, line);
	cr_log_info("%s: %lu events, %lu dropped, %s", where, seen.calls, stats_of(s).dropped, line);
	ward_session_free(s);
}

Test(stacks, handlers_leave_probes_on_the_same_stack)
{
	leave_handlers("same");
}

Test(stacks, handlers_leave_probes_from_a_stack_below)
{
	leave_handlers("below");
}

Test(stacks, handlers_leave_probes_from_a_stack_above)
{
	leave_handlers("above");
}

/*
 * What is told of a call is that call's, and each is told or counted. `most`: how many of a hundred returns may be
 * counted only.
 */
static void expect_of(struct target t, const char *site, const char *mode, const char *how, unsigned long most)
{
	ward_session *s = attach(t.pid, "stacks", site);
	unsigned long begun, returned, dropped;
	struct checks seen;
	char line[256];

	target_go(&t);
	cr_expect_eq(target_finish(&t, line, sizeof(line)), 0, "%s", line);
	cr_assert_eq(sscanf(line, "begun %lu returned %lu", &begun, &returned), 2, "%s", line);
	seen = checks_of(s);
	dropped = stats_of(s).dropped;
	cr_expect_eq(seen.entries, begun, "%s %s: %lu of %lu", mode, how, seen.entries, begun);
	cr_expect_eq(seen.mixed, 0, "%s %s: %lu of %lu with another's argument", mode, how, seen.mixed, seen.returns);
	cr_expect_eq(seen.too_short, 0, "%s %s: %lu with another's time", mode, how, seen.too_short);
	cr_expect_eq(seen.returns + dropped, returned, "%s %s: %s, %lu dropped", mode, how, line, dropped);
	cr_expect_leq(dropped * 100, most * returned, "%s %s: %lu of %lu dropped", mode, how, dropped, returned);
	cr_log_info("%s %s: %lu of %lu, %lu returned, %lu dropped", mode, how, seen.returns, begun, returned, dropped);
	ward_session_free(s);
}

static void expect_calls(const char *mode, const char *how, const char *rounds, unsigned long most)
{
	expect_of(target_start(STACKS, mode, how, rounds, NULL), "stacks!kept", mode, how, most);
}

Test(stacks, fibers_on_stacks_of_their_own)
{
	expect_calls("fibers", "swapcontext", "3000", 0);
	expect_calls("fibers", "switch", "3000", 0);
	expect_calls("fibers", "jumps", "3000", 0);
}

Test(stacks, fibers_that_go_from_thread_to_thread)
{
	expect_calls("fibers", "threads", "3000", 0);
}

/* They yield to other threads, call, jump out of calls that began on any of them, and return, in any order. */
Test(stacks, fibers_that_do_anything)
{
	expect_calls("fibers", "anything", "10000", 0);
}

Test(stacks, fibers_of_boost)
{
	expect_of(target_start(SEPARATE "/boost", "2000", NULL), "boost!kept", "boost", "", 0);
}

/* The registers tell which of them returns; if they are the same it isn't known. */
Test(stacks, a_stack_that_is_copied_away)
{
	expect_calls("shared", "own registers", "3000", 0);
	expect_calls("shared", "the same", "3000", 100);
	/* Dropped are those of the coroutine that was taken to be left, before a jump led back. */
	expect_calls("shared", "by jumps, own registers", "3000", 30);
	expect_calls("shared", "by jumps", "3000", 100);
}

/* longjmp is seen. A jump that isn't leaves calls open, which those that come after it might be. */
Test(stacks, calls_that_are_left_by_jumps)
{
	expect_calls("leaving", "c", "100000", 0);
	expect_calls("leaving", "builtin", "100000", 100);
}

/* The same of a function that is patched where it has changed a register that it preserves. */
Test(stacks, calls_that_are_patched_behind_what_they_save)
{
	expect_of(
		target_start(STACKS, "leaving", "c, saves", "100000", NULL), "stacks!saves", "leaving", "c, saves", 0);
}

Test(stacks, threads_that_end_in_a_call)
{
	expect_calls("ending", "", "1000", 0);
}

/* At attaching the stack pointer is at the end of the stack's memory: there is room below. */
Test(stacks, a_stack_with_nothing_on_it)
{
	expect_calls("empty", "", "100", 0);
}
