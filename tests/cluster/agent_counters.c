/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that count for themselves, and have nothing of Ward's in the end. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_test.h"

struct counted counters[COUNTERS];

void line_expect(struct counted *c, const char *text)
{
	char line[16] = "";
	size_t n = 0;

	while (n < sizeof(line) - 1 && !strchr(line, '\n') && read(c->out, line + n, 1) == 1)
		n++;
	line[strcspn(line, "\n")] = 0;
	cr_assert_str_eq(line, text);
}

/* It ends with the test, however that ends, and holds no file of it open. */
void child_prepare(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

void counter_start(struct counted *c)
{
	int in[2], out[2];

	cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	c->pid = fork();
	if (c->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		child_prepare();
		execl(program, program, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	*c = (struct counted){c->pid, in[1], out[0], 0};
	line_expect(c, "ready");
}

void counter_call(struct counted *c, unsigned calls)
{
	dprintf(c->in, "%u\n", calls);
	line_expect(c, "done");
	c->calls += calls;
}

void counter_end(struct counted *c)
{
	int status;

	close(c->in);
	cr_expect(waitpid(c->pid, &status, 0) == c->pid && status == 0, "the process ended with 0x%x", status);
	close(c->out);
	c->pid = 0;
}

static void leftover_count(void *user, const struct ward_leftover *l)
{
	*(int *)user += !l->freed;
}

/* Nothing of Ward's is in it. */
void expect_clean(const struct counted *c)
{
	int n = 0;
	struct ward_cleanup_options o = {.size = sizeof(o), .on_leftover = leftover_count, .user = &n};

	cr_expect(ward_cleanup(c->pid, &o, &err) == 0 && n == 0, "%d attachments are left: %s", n, err.why);
}
