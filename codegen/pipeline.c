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

/* A pipe whose ends are above the standard descriptors, which may be closed here, and closed in children. */
static int make_pipe(int fd[2])
{
	int low[2], i;

	fd[0] = fd[1] = -1;
	if (pipe2(low, O_CLOEXEC))
		return errno;
	for (i = 0; i < 2; i++) {
		fd[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
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

/* in < 0: /dev/null */
static int start(const char *const *argv, int in, int out, int err, pid_t *pid)
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
	e = in >= 0 ? posix_spawn_file_actions_adddup2(&actions, in, 0)
		    : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!e)
		e = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!e)
		e = posix_spawn_file_actions_adddup2(&actions, err, 2);
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
static bool drain(int fd, struct cg_buf *to, size_t limit)
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

static void collect(int fd[3], struct cg_buf *to[3])
{
	const size_t limit[3] = {MAX_OUTPUT, MAX_MESSAGES, MAX_MESSAGES};

	for (;;) {
		struct pollfd p[3];
		int i, open = 0;

		for (i = 0; i < 3; i++) {
			p[i] = (struct pollfd){.fd = fd[i], .events = POLLIN};
			open += fd[i] >= 0;
		}
		if (!open)
			return;
		if (poll(p, 3, -1) < 0)
			continue; /* interrupted */
		for (i = 0; i < 3; i++)
			if (fd[i] >= 0 && p[i].revents && !drain(fd[i], to[i], limit[i]))
				close_fd(&fd[i]);
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

int cg_pipeline_run(struct cg_pipeline *p)
{
	int between[2] = {-1, -1}, out[2] = {-1, -1}, err1[2] = {-1, -1}, err2[2] = {-1, -1}, from[3];
	struct cg_buf *to[3] = {&p->out, &p->first_err, &p->second_err};
	pid_t first = -1, second = -1;
	int e = make_pipe(between);

	p->failed = p->first[0];
	if (!e)
		e = make_pipe(out);
	if (!e)
		e = make_pipe(err1);
	if (!e)
		e = make_pipe(err2);
	if (!e)
		e = start(p->first, -1, between[1], err1[1], &first);
	if (!e) {
		p->failed = p->second[0];
		e = start(p->second, between[0], out[1], err2[1], &second);
	}
	close_fd(&between[0]);
	close_fd(&between[1]);
	close_fd(&out[1]);
	close_fd(&err1[1]);
	close_fd(&err2[1]);
	from[0] = out[0];
	from[1] = err1[0];
	from[2] = err2[0];
	collect(from, to); /* closes all three */
	p->first_status = first > 0 ? wait_for(first) : 0;
	p->second_status = second > 0 ? wait_for(second) : 0;
	cg_buf_put(&p->first_err, "", 1);
	cg_buf_put(&p->second_err, "", 1);
	p->spawn_error = e;
	return e ? -1 : 0;
}
