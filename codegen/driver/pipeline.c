/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_OUTPUT = 64 << 20, MAX_MESSAGES = 1 << 20 };

/*
 * Where the last program finds its inputs after the first, and above which all of ours are kept: moving one there must
 * not overwrite another.
 */
enum { FIRST_INPUT = 3, LOWEST = FIRST_INPUT + CG_MAX_FEEDERS };

/* A pipe whose ends are above all descriptors that children are given, and closed in them. */
static int make_pipe(int fd[2])
{
	int low[2], i;

	fd[0] = fd[1] = -1;
	if (pipe2(low, O_CLOEXEC))
		return errno;
	for (i = 0; i < 2; i++) {
		fd[i] = fcntl(low[i], F_DUPFD_CLOEXEC, LOWEST);
		close(low[i]);
	}
	return fd[0] < 0 || fd[1] < 0 ? EMFILE : 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* in[0] < 0: /dev/null */
static int set_files(posix_spawn_file_actions_t *actions, const int *in, size_t n_in, int out, int err)
{
	int e = in[0] >= 0 ? posix_spawn_file_actions_adddup2(actions, in[0], 0)
			   : posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);

	for (size_t i = 1; !e && i < n_in; i++)
		e = posix_spawn_file_actions_adddup2(actions, in[i], FIRST_INPUT + (int)i - 1);
	if (!e)
		e = posix_spawn_file_actions_adddup2(actions, out, 1);
	return e ? e : posix_spawn_file_actions_adddup2(actions, err, 2);
}

static int process_start(const char *const *argv, const int *in, size_t n_in, int out, int err, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, pipe;
	int e;

	if (posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	e = set_files(&actions, in, n_in, out, err);
	if (!e)
		e = posix_spawnattr_setsigmask(&attr, &none);
	if (!e)
		e = posix_spawnattr_setsigdefault(&attr, &pipe);
	if (!e)
		e = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!e)
		e = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return e;
}

/* Read what is there. Past the limit bytes are dropped, so that the writer never blocks. Returns false at the end. */
static bool pipe_drain(int fd, struct cg_buf *to, size_t limit)
{
	uint8_t chunk[65536];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	if (to->n + (size_t)n <= limit)
		cg_buf_put(to, chunk, (size_t)n);
	else
		to->failed = true;
	return true;
}

/* What is read of the programs while they run: the last one's output, its messages, and each feeder's. */
enum { MAX_SOURCES = 2 + CG_MAX_FEEDERS };
struct collected {
	int fd[MAX_SOURCES];
	struct cg_buf *to[MAX_SOURCES];
	size_t n;
};

static void pipes_collect(struct collected *c)
{
	for (;;) {
		struct pollfd p[MAX_SOURCES];
		int open = 0;

		for (size_t i = 0; i < c->n; i++) {
			p[i] = (struct pollfd){.fd = c->fd[i], .events = POLLIN};
			open += c->fd[i] >= 0;
		}
		if (!open)
			return;
		if (poll(p, c->n, -1) < 0)
			continue; /* interrupted */
		for (size_t i = 0; i < c->n; i++)
			if (c->fd[i] >= 0 && p[i].revents &&
				!pipe_drain(c->fd[i], c->to[i], i ? MAX_MESSAGES : MAX_OUTPUT))
				close_fd(&c->fd[i]);
	}
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Start a program whose messages go to `err`; output goes to `out`, which is closed here. */
static int start_heard(struct collected *c, struct cg_buf *err, const char *const *argv, const int *in, size_t n_in,
	int *out, pid_t *pid)
{
	int pair[2] = {-1, -1}, e = make_pipe(pair);

	if (!e)
		e = process_start(argv, in, n_in, *out, pair[1], pid);
	close_fd(&pair[1]);
	close_fd(out);
	c->to[c->n] = err;
	c->fd[c->n++] = pair[0];
	return e;
}

static int start_all(struct cg_pipeline *p, struct collected *c, pid_t *feeders, pid_t *last)
{
	const int nothing = -1;
	int inputs[CG_MAX_FEEDERS], pair[2], out[2] = {-1, -1},
					     e = p->n_feeders > CG_MAX_FEEDERS ? E2BIG : make_pipe(out);
	size_t n = 0;

	c->to[c->n] = &p->out;
	c->fd[c->n++] = out[0];
	for (; !e && n < p->n_feeders; n++) {
		p->failed = p->feeders[n].argv[0];
		e = make_pipe(pair);
		inputs[n] = pair[0];
		if (!e)
			e = start_heard(c, &p->feeders[n].err, p->feeders[n].argv, &nothing, 1, &pair[1], &feeders[n]);
		close_fd(&pair[1]);
	}
	if (!e) {
		p->failed = p->last[0];
		e = start_heard(c, &p->err, p->last, inputs, n, &out[1], last);
	}
	close_fd(&out[1]);
	while (n-- > 0)
		close_fd(&inputs[n]);
	return e;
}

int cg_pipeline_run(struct cg_pipeline *p)
{
	struct collected c = {.n = 0};
	pid_t feeders[CG_MAX_FEEDERS] = {0}, last = 0;
	int e = start_all(p, &c, feeders, &last);

	pipes_collect(&c); /* closes all of them */
	for (size_t i = 0; i < p->n_feeders && i < CG_MAX_FEEDERS; i++) {
		p->feeders[i].status = feeders[i] > 0 ? wait_for(feeders[i]) : 0;
		cg_buf_put(&p->feeders[i].err, "", 1);
	}
	p->status = last > 0 ? wait_for(last) : 0;
	cg_buf_put(&p->err, "", 1);
	p->spawn_error = e;
	return e ? -1 : 0;
}
