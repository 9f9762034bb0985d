/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that use so much processor time each, and say how much it was: "thread TID NANOSECONDS" for each, and "all
 * NANOSECONDS" at the end.
 *
 *	program threads N MS     N threads at once
 *	program turns N MS       one after the other
 *	program short N MS       as turns, but of more threads, and each says nothing
 *	program forks N MS       processes, one after the other; what is printed is each one's
 *	program replaced N MS    as forks; each child executes another program at its end
 *	program faults N         so many pages are touched for the first time
 *	program waits N MS      so many waits of that length
 *	program exec N MS        threads, and then this program once more, as `threads`
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t limit;
static volatile unsigned long sum;

static uint64_t used(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static void spin(void)
{
	for (unsigned long i = 0; i < 10000; i++)
		sum += i;
}

__attribute__((noinline)) static void work(void)
{
	do {
		spin();
		sum++;
	} while (used(CLOCK_THREAD_CPUTIME_ID) < limit);
	sum++;
}

static void *thread_main(void *arg)
{
	work();
	printf("thread %d %" PRIu64 "\n", gettid(), used(CLOCK_THREAD_CPUTIME_ID));
	return arg;
}

static void threads(unsigned n, int at_once)
{
	static pthread_t thread[10000];

	for (unsigned i = 0; i < n; i++) {
		if (pthread_create(&thread[i], NULL, thread_main, NULL))
			exit(2);
		if (!at_once)
			pthread_join(thread[i], NULL);
	}
	for (unsigned i = 0; at_once && i < n; i++)
		pthread_join(thread[i], NULL);
	printf("all %" PRIu64 "\n", used(CLOCK_PROCESS_CPUTIME_ID));
	fflush(stdout);
}

static void *silent_main(void *arg)
{
	work();
	return arg;
}

static void short_threads(unsigned n)
{
	pthread_t thread;

	while (n--)
		if (pthread_create(&thread, NULL, silent_main, NULL) || pthread_join(thread, NULL))
			exit(2);
	printf("all %" PRIu64 "\n", used(CLOCK_PROCESS_CPUTIME_ID));
}

__attribute__((noinline)) static void forks(unsigned n, int replaced)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			thread_main(NULL);
			fflush(stdout);
			if (replaced)
				execlp("sleep", "sleep", "0.3", (char *)NULL);
			_exit(replaced);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			exit(2);
	}
}

static void faults(unsigned n)
{
	volatile char *p = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise((void *)(uintptr_t)p, (size_t)n * 4096, MADV_NOHUGEPAGE))
		exit(2);
	for (unsigned i = 0; i < n; i++)
		p[(size_t)i * 4096] = 1;
}

__attribute__((noinline)) static void rest(void)
{
	struct timespec ts = {.tv_sec = (time_t)(limit / 1000000000), .tv_nsec = (long)(limit % 1000000000)};

	while (nanosleep(&ts, &ts))
		;
	sum++;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	limit = argc > 3 ? (uint64_t)atoi(argv[3]) * 1000000 : 0;
	if (!n || n > 10000)
		return 2;
	if (strcmp(argv[1], "threads") == 0)
		threads(n, 1);
	else if (strcmp(argv[1], "turns") == 0)
		threads(n, 0);
	else if (strcmp(argv[1], "short") == 0)
		short_threads(n);
	else if (strcmp(argv[1], "forks") == 0)
		forks(n, 0);
	else if (strcmp(argv[1], "replaced") == 0)
		forks(n, 1);
	else if (strcmp(argv[1], "faults") == 0)
		faults(n);
	else if (strcmp(argv[1], "waits") == 0)
		while (n--)
			rest();
	else if (strcmp(argv[1], "exec") == 0) {
		threads(n, 1);
		execl(argv[0], argv[0], "threads", argv[2], argv[3], (char *)NULL);
		return 2;
	} else
		return 2;
	return 0;
}
