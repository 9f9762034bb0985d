/* Threads that use several stacks, share one, or leave it by jumps: what is told of a call is that call's, or it is counted as dropped. */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of probes/stacks.c. */
struct checks {
	uint64_t calls, wrong;
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
	}
	return sum;
}

/*
 * A handler that has interrupted a probe and leaves by siglongjmp ends the probe, and the thread's next ones run. What is lost is at most the call that was left, and those of the handler.
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
	cr_assert_eq(sscanf(line, "calls %lu in handlers %lu jumps %lu outside %lu", &calls, &in_handlers, &jumps, &outside), 4, "%s", line);
	cr_assert_geq(outside, 60, "%s", line);
	seen = checks_of(s);
	all = calls + in_handlers;
	most = 6 * outside + 2 * jumps;
	cr_expect_eq(seen.wrong, 0);
	cr_expect_geq(seen.calls, all - most, "%s: %lu events of %lu calls, %lu dropped", where, seen.calls, all, stats_of(s).dropped);
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
