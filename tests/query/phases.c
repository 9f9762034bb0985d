/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of three phases: `phases ROUNDS MS` goes through them so often, each as long. What it calls depends on the
 * phase: in each there are all functions, and one of them is called most. It says when each phase began, in nanoseconds
 * since 1970.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLED __attribute__((noinline, visibility("default")))

static volatile uint64_t sum;

CALLED void parse(uint64_t x)
{
	sum += x;
}

CALLED void plan(uint64_t x)
{
	sum ^= x;
}

CALLED void run(uint64_t x)
{
	sum -= x;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void work(unsigned phase)
{
	static void (*const functions[])(uint64_t) = {parse, plan, run};

	for (uint64_t i = 0; i < 2000; i++)
		functions[i % 10 < 7 ? phase : i % 3](i);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1, ms = argc > 2 ? atol(argv[2]) : 1000;

	for (long i = 0; i < 3 * rounds; i++) {
		int64_t start = now_ns();

		printf("%lld\n", (long long)start);
		while (now_ns() < start + ms * 1000000)
			work((unsigned)i % 3);
	}
	printf("%lld\n", (long long)now_ns());
	return 0;
}
