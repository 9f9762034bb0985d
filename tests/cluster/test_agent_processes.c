/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes an agent probes, how often it stops one, and when it takes probes off. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent_test.h"

static bool is_guarded(void)
{
	return said.state == WARD__CLUSTER__NOTE__STATE__GUARDED || strstr(said.reason, "can't be measured");
}

static bool is_second(void)
{
	return said.processes == 1 && said.ended == 1;
}

static bool is_stopped_enough(void)
{
	return strstr(said.reason, "more often than 2 times a minute (C-57)") != NULL;
}

/* A process that the policy doesn't name isn't probed; nor is a second query where one is allowed. */
Test(agent, limits, .init = begin, .fini = end)
{
	config_write("may = user\nsites = *\nprocesses = exe=/usr/bin/none\nresults = keys\nmodules = any\n",
		"queries = 1\n");
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	wait_until(is_waiting, "no target");
	cr_expect_geq(said.left_out, 1);
	expect_clean(&counters[0]);
	order_make();
	order_send(&alice);
	wait_until(is_refused, "a second query");
	cr_expect(strstr(said.reason, "C-57"), "%s", said.reason);
}

/* Processes that begin while it runs are probed in a library that they map only after their start, each of them. */
Test(agent, beginners, .init = begin, .fini = end)
{
	up();
	order_make();
	order.units[0].sites[0] = made_text("libc.so.6!puts");
	order_send(&alice);
	wait_until(is_waiting, "no target");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNTERS; i++)
			counter_start(&counters[i]);
		expect_processes(COUNTERS);
		uint64_t before = calls_now(); /* perhaps with their first words */
		for (int i = 0; i < COUNTERS; i++) {
			dprintf(counters[i].in, "1\n"); /* it says "done" by puts */
			line_expect(&counters[i], "done");
		}
		wanted_calls = before + COUNTERS;
		wait_until(has_calls, "calls");
		for (int i = 0; i < COUNTERS; i++)
			counter_end(&counters[i]);
		wait_until(is_waiting, "no target any more");
	}
}

/* A process that executes program after program isn't stopped more often than is allowed. */
Test(agent, stops, .init = begin, .fini = end)
{
	config_write(usual, "stops = 2/min\n");
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	dprintf(counters[0].in, "x\n");
	line_expect(&counters[0], "ready");
	wait_until(is_second, "the second program is probed");
	dprintf(counters[0].in, "x\n");
	line_expect(&counters[0], "ready");
	wait_until(is_stopped_enough, "it is left alone");
	expect_clean(&counters[0]);
}

/* Probes that take too much of a process's time come off, and what they have counted stays. */
Test(agent, guard, .init = begin, .fini = end)
{
	config_write(usual, "");
	counter_start(&counters[0]);
	up();
	order_make();
	order.limits.has_overhead_ppm = true;
	order.limits.overhead_ppm = 20000;
	order_send(&alice);
	expect_processes(1);
	uint64_t started = clock_at(CLOCK_MONOTONIC);
	dprintf(counters[0].in, "6000000000\n"); /* each takes about as long as its probe */
	wait_until(is_guarded, "the guard");
	if (strstr(said.reason, "can't be measured"))
		cr_skip("there are no performance events here");
	fprintf(stderr, "guarded after %.1f s: %s\n", (double)(clock_at(CLOCK_MONOTONIC) - started) / 1e9, said.reason);
	wait_until(has_last, "the last value");
	cr_expect(said.values[0].calls > 0 && said.values[0].calls < 6000000000, "%llu calls",
		(unsigned long long)said.values[0].calls);
	expect_clean(&counters[0]);
	line_expect(&counters[0], "done");
}

/* not-sites, by a name that only the process knows: fopen64 is fopen. */
Test(agent, other_names, .init = begin, .fini = end)
{
	config_write(MAY "sites = libc.so.6!*\nnot-sites = libc.so.6!fopen64\n", "");
	counter_start(&counters[0]);
	up();
	order_make();
	order.units[0].sites[0] = made_text("libc.so.6!fopen");
	order_send(&alice);
	wait_until(is_waiting, "no target");
	cr_expect(strstr(said.reason, "C-52") || strstr(said.reason, "fopen64"), "%s", said.reason);
	expect_clean(&counters[0]);
}
