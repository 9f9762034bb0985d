/* SPDX-License-Identifier: Apache-2.0 */
/* What was sent before a worker, or all of the agent, was killed stays; a new epoch goes on. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent_test.h"

static bool has_two_epochs(void)
{
	return said.n == 2 && said.state == WARD__CLUSTER__NOTE__STATE__REPORTING && said.processes == 1;
}

/* The worker of the query: a child of the agent. */
static pid_t worker_find(void)
{
	char path[64], text[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)agent, (int)agent);
	int fd = open(path, O_RDONLY);
	cr_assert(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return atoi(text);
}

/* A worker, or all of the agent, is killed: what it had sent stays, and a new epoch goes on. */
static void epochs_expect(bool kill_all)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 1000);
	expect_calls();
	pid_t worker = worker_find();
	if (kill_all) {
		kill(agent, SIGSTOP); /* so that it can't react to the worker's end */
		kill(worker, SIGKILL);
		agent_kill(SIGKILL);
		channel_close(&link_channel);
		agent_start();
		link_connect();
	} else
		kill(worker, SIGKILL);
	wait_until(has_two_epochs, "a second epoch");
	cr_expect_eq(said.values[1].notes.epoch, said.values[0].notes.epoch + 1);
	counter_call(&counters[0], 234);
	expect_calls();
	cancel_send();
	wait_until(is_ended, "its end");
	wait_until(has_last, "the last value");
	expect_calls();
	expect_clean(&counters[0]);
}

Test(agent, worker_killed, .init = begin, .fini = end)
{
	epochs_expect(false);
}

Test(agent, agent_killed, .init = begin, .fini = end)
{
	epochs_expect(true);
}

/* Stopped for an update, and started again: the query goes on, and both epochs have all that was counted. */
Test(agent, started_again, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 17);
	agent_kill(SIGTERM);
	expect_clean(&counters[0]);
	channel_close(&link_channel);
	agent_start();
	link_connect();
	wait_until(has_two_epochs, "a second epoch");
	counter_call(&counters[0], 4);
	expect_calls();
}
