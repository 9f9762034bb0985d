/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait in the kernel, in each kind of wait that a tracer's stop could end too early: with EINTR, or
 * before the time is over. Some wait from the program's beginning to its end, others again and again for a moment.
 */
#ifndef WARD_TESTS_TARGETS_PARKED_H
#define WARD_TESTS_TARGETS_PARKED_H

#include "tally.h"
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

enum { MOMENT_MS = 15 };

static volatile int unparked;
static int park_pipe[2], park_pair[2], park_set;
static sem_t park_semaphore;
static const struct timespec moment = {0, MOMENT_MS * 1000000};

/* Each returns 0 if its wait has ended as it should. */
static int park_read(void)
{
	char c;

	return read(park_pipe[0], &c, 1) != 1;
}

static int park_poll(void)
{
	struct pollfd fd = {park_pipe[0], POLLIN, 0};

	return poll(&fd, 1, -1) != 1;
}

static int park_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(park_pipe[0], &set);
	return select(park_pipe[0] + 1, &set, NULL, NULL, NULL) != 1;
}

static int park_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd = epoll_create1(EPOLL_CLOEXEC), bad;

	bad = epoll_ctl(fd, EPOLL_CTL_ADD, park_pipe[0], &event) || epoll_wait(fd, &event, 1, -1) != 1;
	close(fd);
	return bad;
}

static int park_sem_wait(void)
{
	return sem_wait(&park_semaphore);
}

static int park_semop(void)
{
	struct sembuf down = {0, -1, 0};

	return semop(park_set, &down, 1) != 0;
}

static int park_sigwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	return sigwaitinfo(&set, NULL) != SIGRTMIN;
}

static int park_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	return sigtimedwait(&set, NULL, &moment) != -1 || errno != EAGAIN;
}

static int park_nanosleep(void)
{
	return nanosleep(&moment, NULL) != 0;
}

static int park_futex(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &moment, NULL, 0) != -1 ||
	       errno != ETIMEDOUT;
}

static int park_receive(void)
{
	char c;

	return recv(park_pair[0], &c, 1, 0) != -1 || errno != EAGAIN;
}

static int park_poll_moment(void)
{
	return poll(NULL, 0, MOMENT_MS) != 0;
}

static int park_epoll_moment(void)
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC), n = epoll_wait(fd, &event, 1, MOMENT_MS);

	close(fd);
	return n != 0;
}

static const struct parking {
	int (*wait)(void);
	const char *name;
	int often; /* again and again, for a moment each */
} parkings[] = {
	{park_read, "read", 0},
	{park_poll, "poll", 0},
	{park_select, "select", 0},
	{park_epoll, "epoll_wait", 0},
	{park_sem_wait, "sem_wait", 0},
	{park_semop, "semop", 0},
	{park_sigwait, "sigwaitinfo", 0},
	{park_sigtimedwait, "sigtimedwait", 1},
	{park_nanosleep, "nanosleep", 1},
	{park_futex, "futex", 1},
	{park_receive, "recv", 1},
	{park_poll_moment, "poll for a moment", 1},
	{park_epoll_moment, "epoll_wait for a moment", 1},
};

enum { PARKINGS = sizeof(parkings) / sizeof(parkings[0]), AT_A_TIME = 4 };

struct parked {
	pthread_t thread;
	const struct parking *how;
};

static struct parked parked[AT_A_TIME];

static u64 microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000 + (u64)t.tv_nsec / 1000;
}

static void *park_start(void *p)
{
	const struct parking *how = ((struct parked *)p)->how;

	do {
		u64 began = microseconds();

		errno = 0;
		if (how->wait()) {
			char what[96];

			snprintf(what, sizeof(what), "end of a wait: %s: %s", how->name, strerror(errno));
			wrong(what);
		} else if (how->often && how->wait != park_receive && microseconds() - began < (MOMENT_MS - 1) * 1000) {
			wrong(how->name); /* not so long; recv's time is rounded to the kernel's ticks */
		} else if (!how->often && !unparked) {
			wrong("a wait that has ended too early");
		}
	} while (how->often && !unparked);
	return NULL;
}

PLAIN void park(unsigned first)
{
	struct timeval limit = {0, MOMENT_MS * 1000};
	sigset_t all, before;

	park_set = semget(IPC_PRIVATE, 1, 0600);
	if (pipe(park_pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, park_pair) || sem_init(&park_semaphore, 0, 0) ||
		park_set < 0 || setsockopt(park_pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		wrong("nothing to wait for");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (unsigned i = 0; i < AT_A_TIME; i++) {
		parked[i].how = &parkings[(first + i * 3) % PARKINGS];
		if (pthread_create(&parked[i].thread, NULL, park_start, &parked[i]))
			wrong("no thread");
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

PLAIN void unpark(void)
{
	struct sembuf up = {0, AT_A_TIME, 0};

	unparked = 1;
	for (unsigned i = 0; i < AT_A_TIME; i++) {
		sem_post(&park_semaphore);
		if (parked[i].how->wait == park_sigwait)
			pthread_kill(parked[i].thread, SIGRTMIN);
	}
	if (write(park_pipe[1], "1234", AT_A_TIME) != AT_A_TIME || semop(park_set, &up, 1))
		wrong("nobody is woken");
	for (unsigned i = 0; i < AT_A_TIME; i++)
		pthread_join(parked[i].thread, NULL);
	semctl(park_set, 0, IPC_RMID);
}

#endif
