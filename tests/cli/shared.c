/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared THREADS PAIRS: each thread begins pairs, and ends those that the next thread has begun. Its last pair is left
 * open.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = 64, WINDOW = 16 };

static _Atomic uint64_t begun[MOST], ended[MOST];
static uint64_t threads, pairs;

#ifdef __clang__
#define OWN __attribute__((noinline))
#else
#define OWN __attribute__((noinline, noclone))
#endif

OWN void begin_pair(uint64_t key, uint64_t value)
{
	__asm__ volatile("" : : "r"(key), "r"(value) : "memory"); /* is called each time */
}

OWN void end_pair(uint64_t key, uint64_t value)
{
	__asm__ volatile("" : : "r"(key), "r"(value) : "memory");
}

static void *work(void *arg)
{
	uint64_t me = (uintptr_t)arg, next = (me + 1) % threads, b = 0, e = 0;

	while (b < pairs || e + 1 < pairs) {
		if (b < pairs && b - ended[me] < WINDOW) {
			begin_pair(b * threads + me, (b * threads + me) * 3);
			begun[me] = ++b;
		} else if (e < begun[next] && e + 1 < pairs) {
			end_pair(e * threads + next, (e * threads + next) * 3);
			ended[next] = ++e;
		} else {
			sched_yield();
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[MOST];

	threads = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
	pairs = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	if (threads == 0 || threads > MOST)
		return 2;
	for (uintptr_t i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, work, (void *)i) != 0)
			return 1;
	for (uint64_t i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
