/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting ward-helper from a program that may have any number of threads, handlers and children.
 *
 * The helper executes a program of its own, so it inherits neither locks nor memory. It inherits no file but its end
 * of a pair of sockets, no variable of the environment (LD_PRELOAD might attach again), and all signals blocked.
 *
 * It is no child of this process, whose wait() or SIGCHLD handler would meet it. A child in between, the middle, makes
 * it and ends; so the helper becomes a child of the system's first process. The middle has no exit signal, so that
 * this process gets no SIGCHLD, and only a wait for such children finds it. An exec would give the exit signal back,
 * so the middle executes nothing.
 *
 * Both share this process's memory until the helper's exec (vfork), whatever size that memory has. Each has a stack of
 * its own, as the thread that waits for it needs its own. The middle shares also the table of files. So the kernel
 * puts the helper's pidfd there at the moment when it makes the helper, and no other process can be meant.
 */
#include "start.h"

#include "loader/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 64 << 10, NOT_RUN = 127, ORPHAN_MS = 1000 };

struct launch {
	const char *path;
	char *stacks; /* two */
	int connection;
	int error; /* why there is no helper; 0: there is one */
	pid_t pid;
	int pidfd;
};

/* Keep no file that the program may want to be rid of. */
static bool keep_only(int connection)
{
	if (connection == WL_HELPER_FD ? fcntl(connection, F_SETFD, 0) < 0 : dup2(connection, WL_HELPER_FD) < 0)
		return false;
	for (int i = 0; i < WL_HELPER_FD; i++)
		close(i);
	return open("/dev/null", O_RDWR) == 0 && dup2(0, 1) == 1 && dup2(0, 2) == 2 &&
	       close_range(WL_HELPER_FD + 1, ~0u, 0) == 0;
}

static int run_helper(void *arg)
{
	struct launch *l = arg;
	char *argv[] = {(char *)(uintptr_t)l->path, NULL}, *environment[] = {NULL};

	if (keep_only(l->connection))
		execve(l->path, argv, environment);
	l->error = errno;
	return NOT_RUN;
}

static int be_middle(void *arg)
{
	struct launch *l = arg;

	l->pid = clone(run_helper, l->stacks + 2 * STACK, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, l, &l->pidfd);
	if (l->pid < 0)
		l->error = errno;
	else if (l->error)
		waitpid(l->pid, NULL, 0);
	return 0;
}

static int launch_helper(struct launch *l)
{
	enum { AS_VFORK = CLONE_VM | CLONE_VFORK };
	sigset_t all, old;
	pid_t middle;
	int error;

	l->stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (l->stacks == MAP_FAILED)
		return errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	middle = clone(be_middle, l->stacks + STACK, AS_VFORK | CLONE_FILES, l);
	error = middle < 0 ? errno : l->error;
	while (middle > 0 && waitpid(middle, NULL, __WALL) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	munmap(l->stacks, 2 * STACK);
	return error;
}

static int not_started(const char *path, int error, struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "ward-helper", "the program %s can't be started: %s", path, strerror(error));
	wl_hint(err, "is there a limit on processes or memory, or on the programs that this one may execute?");
	return WARD_E_SYSTEM;
}

int wl_helper_start(struct wl_helper *h, struct ward_error *err)
{
	struct launch l = {.pidfd = -1};
	char path[PATH_MAX];
	int pair[2], error;

	*h = (struct wl_helper){.pidfd = -1, .connection = -1};
	if (!wl_helper_find(path, err))
		return WARD_E_SYSTEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return wl_fail(err, WARD_E_SYSTEM, "socketpair", "%s", strerror(errno));
	l.path = path;
	l.connection = pair[1];
	error = launch_helper(&l);
	close(pair[1]);
	*h = (struct wl_helper){.pid = l.pid, .pidfd = l.pidfd, .connection = pair[0]};
	if (!error)
		return 0;
	wl_helper_leave(h);
	return not_started(path, error, err);
}

void wl_helper_kill(struct wl_helper *h)
{
	struct pollfd end = {.fd = h->pidfd, .events = POLLIN};

	if (h->pidfd >= 0) {
		syscall(SYS_pidfd_send_signal, h->pidfd, SIGKILL, NULL, 0);
		while (poll(&end, 1, -1) < 0 && errno == EINTR)
			;
	}
	wl_helper_leave(h);
}

/*
 * A process that takes the orphans of others (PR_SET_CHILD_SUBREAPER, or the first one of a namespace) got the helper
 * as a child. It ends soon, and then nobody else would wait for it.
 */
static void reap_orphan(const struct wl_helper *h)
{
	struct pollfd end = {.fd = h->pidfd, .events = POLLIN};
	siginfo_t info;

	if (waitid(P_PIDFD, (id_t)h->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) < 0) /* it is no child */
		return;
	while (poll(&end, 1, ORPHAN_MS) < 0 && errno == EINTR)
		;
	waitid(P_PIDFD, (id_t)h->pidfd, &info, WEXITED | WNOHANG);
}

void wl_helper_leave(struct wl_helper *h)
{
	if (h->connection >= 0)
		close(h->connection);
	if (h->pidfd >= 0) {
		reap_orphan(h);
		close(h->pidfd);
	}
	h->pidfd = h->connection = -1;
}
