/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for the tools that look at both ends of calls: what it does is known, and its output must not change.
 *
 *   ends            107 calls of wait_for (7 of them wait), 400 of fail_some, memory from three places, 20 requests
 *                   in three threads
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

/* Calls itself, so that its calls lie in one another; only the innermost of those with `ms` waits. */
KEPT long wait_for(long number, long ms, long depth)
{
	struct timespec t = {.tv_nsec = ms * 1000000};

	if (depth)
		return wait_for(number, ms, depth - 1) + 1;
	if (ms)
		nanosleep(&t, NULL);
	return number * 2;
}

KEPT int fail_some(int i)
{
	__asm__ volatile("");
	switch (i % 4) {
	case 0: return -1;
	case 1: return -2 - i;
	case 2: return 0;
	default: return i;
	}
}

/* 50 blocks of 64 bytes, of which 20 are given back. */
KEPT uintptr_t keep_some(void **kept)
{
	uintptr_t sum = 0;

	for (int i = 0; i < 50; i++) {
		char *p = malloc(64);

		memset(p, i, 64);
		sum += (uintptr_t)p[i];
		if (i < 20)
			free(p);
		else
			kept[i - 20] = p;
	}
	return sum;
}

/* As many, all of which are, some after they have got larger. */
KEPT uintptr_t keep_none(void)
{
	uintptr_t sum = 0;

	for (int i = 0; i < 100; i++) {
		char *p = malloc(99);

		if (i % 2)
			p = realloc(p, 5000);
		p[0] = p[98] = (char)i;
		sum += (uintptr_t)p[0] + (uintptr_t)p[98];
		free(p);
	}
	return sum;
}

KEPT long step_begin(long key)
{
	__asm__ volatile("");
	return key + 1;
}

KEPT long step_work(long key)
{
	__asm__ volatile("");
	return key + 2;
}

KEPT long step_end(long key)
{
	__asm__ volatile("");
	return key + 3;
}

/* Thread t does step t of every request; the second step once more for each in the key's remainder. */
static void *steps(void *arg)
{
	uintptr_t t = (uintptr_t)arg;
	long sum = 0;

	for (long key = 1001; key <= 1020; key++) {
		if (t == 0)
			sum += step_begin(key);
		for (long i = 0; t == 1 && i <= key % 4; i++)
			sum += step_work(key);
		if (t == 2)
			sum += step_end(key);
	}
	return (void *)sum;
}

int main(void)
{
	static void *kept[30];
	long sum = 0, fails = 0, requests = 0;

	for (long i = 0; i < 107; i++)
		sum += wait_for(i, i % 16 == 5 ? 20 : 0, i % 3);
	for (int i = 0; i < 400; i++)
		fails += fail_some(i);
	sum += (long)(keep_some(kept) + keep_none());
	for (uintptr_t t = 0; t < 3; t++) {
		pthread_t id;
		void *got;

		if (pthread_create(&id, NULL, steps, (void *)t) || pthread_join(id, &got))
			return 1;
		requests += (long)got;
	}
	printf("%ld %ld %ld %d\n", sum, fails, requests, kept[29] != NULL);
	return 0;
}
