/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-sleepers RUN: a program with many threads (pause.h). RUN is as for the target (target.h). Its threads have
 * the stacks and thread-local variables that those of most programs have; the target's have large ones for the floors.
 */
#include "target.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The function that is traced, if not those of a library are; so that it can be, nobody calls it. */
__attribute__((noinline, used)) uint64_t sleepers_work(uint64_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

static uint64_t wall_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *sleep_always(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void watch_clock(struct run *r)
{
	uint64_t before = wall_time();

	while (!atomic_load(&r->go)) {
		uint64_t now = wall_time();
		if (now - before > atomic_load_explicit(&r->gap, memory_order_relaxed))
			atomic_store(&r->gap, now - before);
		before = now;
	}
}

static struct run *share(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct run *r = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return r == MAP_FAILED ? NULL : r;
}

int main(int argc, char **argv)
{
	struct run *r = argc == 2 ? share(argv[1]) : NULL;
	pthread_t thread;

	if (!r || !dlopen("libsqlite3.so.0", RTLD_NOW)) {
		fprintf(stderr, "usage: ward-bench-sleepers RUN (by ward-bench-events; with libsqlite3.so.0)\n");
		return 2;
	}
	for (unsigned i = 1; i < r->threads; i++)
		if (pthread_create(&thread, NULL, sleep_always, NULL)) {
			fprintf(stderr, "ward: bench: sleepers: too few threads\n");
			return 1;
		}
	atomic_store(&r->ready, 1);
	watch_clock(r);
	atomic_store(&r->done, 1);
	return 0;
}
