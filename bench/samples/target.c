/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A busy process: THREADS threads read the time stamp counter again and again, 24 calls deep, and so see when they are
 * interrupted, and how long.
 *
 *	ward-bench-samples-target FILE THREADS
 *
 * FILE has a line of 64 bytes for each thread: counts of the time stamp counter that it has run, those that it was
 * interrupted, and how often. Where the counter goes on by more than LONGEST, others had the processor, and where it
 * goes on by less than SHORTEST, nobody had; both are left out.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum { DEPTH = 24, MOST = 1024, SHORTEST = 1000, LONGEST = 200000 };

struct line {
	uint64_t ran, interrupted, times, pad[5];
};

static struct line *lines;
static unsigned n_lines;
static volatile int over; /* it never is */

static void line_add(uint64_t *to, uint64_t n)
{
	__atomic_store_n(to, *to + n, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void watch(struct line *line)
{
	uint64_t last = __rdtsc(), ran = 0;

	while (!over) {
		uint64_t now = __rdtsc(), gap = now - last;

		last = now;
		if (gap > LONGEST)
			continue;
		ran += gap;
		if (gap < SHORTEST)
			continue;
		line_add(&line->ran, ran);
		line_add(&line->interrupted, gap);
		line_add(&line->times, 1);
		ran = 0;
	}
}

__attribute__((noinline)) static uint64_t deep(struct line *line, unsigned depth)
{
	volatile uint64_t kept[8] = {depth};

	if (depth)
		kept[1] = deep(line, depth - 1);
	else
		watch(line);
	return kept[0] + kept[1];
}

static void *thread_main(void *arg)
{
	(void)arg;
	deep(&lines[__atomic_fetch_add(&n_lines, 1, __ATOMIC_RELAXED)], DEPTH);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1, n = fd < 0 ? 0 : atoi(argv[2]);
	pthread_t thread;

	if (n < 1 || n > MOST || ftruncate(fd, (off_t)((size_t)n * sizeof(*lines))))
		return 2;
	lines = mmap(NULL, (size_t)n * sizeof(*lines), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (lines == MAP_FAILED)
		return 2;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, thread_main, NULL))
			return 2;
	pthread_join(thread, NULL);
	return 0;
}
