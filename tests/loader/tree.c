/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes processes in every possible manner. Like target.c it prints "ready", waits for a line, and
 * exits with 0 if all went right. All of its processes call work(), a number of times that the test knows; `tree
 * calls N` is the program that it executes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sites.h"

static const char *self;
static char *calls_argv[] = {"tree", "calls", "10", NULL};

KEPT uint64_t work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

static int call(long n)
{
	int bad = 0;

	for (long i = 0; i < n; i++)
		bad |= work((uint64_t)i, 7) != (uint64_t)i * 3 + 7;
	return bad;
}

static void ready(void)
{
	char c;

	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) < 0 && errno == EINTR)
		;
}

/* Its status, 0 if it was right. */
static int ended(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return status;
}

static int forked(long n)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(call(n));
	return pid < 0 ? 1 : ended(pid);
}

static int vforked(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		work(1, 1);
		execv(self, calls_argv);
		_exit(127);
	}
	return pid < 0 ? 1 : ended(pid);
}

static int spawned(void)
{
	pid_t pid;

	return posix_spawn(&pid, self, NULL, NULL, calls_argv, environ) ? 1 : ended(pid);
}

static int cloned_child(void *n)
{
	return call((long)(intptr_t)n);
}

/* A process without a signal at its end, with memory of its own. */
static int cloned(long n)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	pid_t pid = clone(cloned_child, stack + sizeof(stack), 0, (void *)(intptr_t)n);
	int status;

	while (pid > 0 && waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return 1;
	return pid < 0 ? 1 : status;
}

/*
 * tree DEPTH WIDTH: each process calls ten times, and has WIDTH children, up to that depth. All of a level are there at
 * once.
 */
static int tree(long depth, long width)
{
	pid_t child[64];
	int bad = call(10);

	for (long i = 0; depth > 0 && i < width; i++) {
		child[i] = fork();
		if (child[i] == 0)
			_exit(tree(depth - 1, width));
	}
	for (long i = 0; depth > 0 && i < width; i++)
		bad |= child[i] < 0 || ended(child[i]) != 0;
	return bad;
}

/* ways N: all ways, N times: the process itself calls 2 + 1 times, its children 10 each. */
static int ways(long n)
{
	int bad = 0;

	for (long i = 0; i < n; i++)
		bad |= call(2) | forked(10) | vforked() << 1 | spawned() << 2 | cloned(10) << 3;
	return bad;
}

static long n_each;

static void *forking(void *unused)
{
	intptr_t bad = 0;

	(void)unused;
	for (long i = 0; i < n_each; i++)
		bad |= call(10) | forked(10) | spawned();
	return (void *)bad;
}

static void *calling(void *unused)
{
	return (void *)(intptr_t)(call(10) | (unused != NULL));
}

/*
 * threads T N: T threads that each, N times, call ten times, fork a child that does, and start a program that does; and
 * short threads beside them, that call ten times.
 */
static int threads(long t, long n)
{
	pthread_t id[64], brief;
	void *result;
	int bad = 0;

	n_each = n;
	for (long i = 0; i < t; i++)
		bad |= pthread_create(&id[i], NULL, forking, NULL) != 0;
	for (long i = 0; i < t * n; i++) {
		bad |= pthread_create(&brief, NULL, calling, NULL) != 0 || pthread_join(brief, &result) != 0;
		bad |= result != NULL;
	}
	for (long i = 0; i < t; i++) {
		bad |= pthread_join(id[i], &result) != 0;
		bad |= result != NULL;
	}
	return bad;
}

static void *executing(void *unused)
{
	call(10);
	execv(self, calls_argv);
	return unused;
}

static void *waiting(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* execs: a thread that isn't the first becomes the program, others are there. */
static int execs(void)
{
	pthread_t id;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&id, NULL, waiting, NULL))
			return 1;
	if (pthread_create(&id, NULL, executing, NULL))
		return 1;
	pthread_join(id, NULL);
	return 1;
}

/* killed N: children that call without end, and are killed at any moment, some of them at once. */
static int killed(long n)
{
	int bad = 0;

	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			for (;;) {
				call(100);
				if (i % 4 == 1)
					forked(1);
			}
		if (i % 3)
			usleep((useconds_t)(i * 3371 % 30000));
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		bad |= !WIFSIGNALED(status);
	}
	return bad;
}

static volatile sig_atomic_t caught;

static void count_signal(int sig)
{
	(void)sig;
	caught++;
}

/* signals N: a parent and its child send each other N signals, and miss none; and children's ends are seen. */
static int signals(long n)
{
	struct sigaction action = {.sa_handler = count_signal};
	sigset_t block, before;
	int bad = 0;
	pid_t pid, parent = getpid();

	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, &before);
	sigaction(SIGUSR1, &action, NULL);
	pid = fork();
	for (long i = 0; i < n; i++) {
		if (pid)
			kill(pid, SIGUSR1);
		while (caught <= i)
			sigsuspend(&before);
		if (!pid)
			kill(parent, SIGUSR1);
		work(1, 1);
	}
	if (pid == 0)
		_exit(0);
	bad = ended(pid);
	/* A stopped child stays stopped until it is told to go on, and its parent is told of both. */
	pid = fork();
	if (pid == 0) {
		sig_atomic_t were = caught;

		raise(SIGSTOP);
		while (caught == were) /* it has been seen to go on */
			sigsuspend(&before);
		_exit(call(10));
	}
	int status;
	bad |= waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status);
	kill(pid, SIGCONT);
	bad |= waitpid(pid, &status, WCONTINUED) != pid || !WIFCONTINUED(status);
	kill(pid, SIGUSR1);
	return bad | ended(pid);
}

/* Threads that fork children, which end at once, until there is something to be read. */
static void *fork_on(void *bad)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int status;

	while (poll(&in, 1, 0) == 0) {
		pid_t child = fork();

		if (child == 0)
			_exit(7);
		if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
			*(int *)bad = 1;
	}
	return NULL;
}

static int forks(void)
{
	pthread_t thread[3];
	int bad = 0;

	for (int i = 0; i < 3; i++)
		bad |= pthread_create(&thread[i], NULL, fork_on, &bad) != 0;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	printf("%s\n", bad ? "wrong" : "right");
	return bad;
}

/* on: all ways, until the input ends. */
static int on(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int bad = 0;

	do
		bad |= ways(1);
	while (poll(&in, 1, 0) == 0);
	printf("%s\n", bad ? "wrong" : "right");
	return bad;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 0, b = argc > 3 ? atol(argv[3]) : 0;

	self = realpath("/proc/self/exe", NULL);
	if (!strcmp(mode, "calls"))
		return call(a);
	ready();
	if (!strcmp(mode, "tree"))
		return tree(a, b);
	if (!strcmp(mode, "ways"))
		return ways(a);
	if (!strcmp(mode, "threads"))
		return threads(a, b);
	if (!strcmp(mode, "execs"))
		return execs();
	if (!strcmp(mode, "killed"))
		return killed(a);
	if (!strcmp(mode, "signals"))
		return signals(a);
	if (!strcmp(mode, "on"))
		return on();
	if (!strcmp(mode, "forks"))
		return forks();
	return 2;
}
