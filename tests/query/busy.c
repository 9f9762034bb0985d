/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of several threads whose calls are known: `busy THREADS SECONDS` calls step() all the time, and says at the
 * end how often, and what it gave it, as JSON. `busy THREADS SECONDS PAUSE`: each thread sleeps so many microseconds
 * after 64 calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 64, KEYS = 8 };

__attribute__((noinline, visibility("default"))) uint64_t step(uint64_t key, uint64_t value)
{
	static volatile uint64_t sum;

	sum += key ^ value;
	return sum;
}

struct worker {
	pthread_t thread;
	unsigned number;
	uint64_t count, sum, least, largest;
};
static struct worker workers[MOST];
static volatile int stop;
static unsigned pause_us;

static void *work(void *user)
{
	struct worker *w = user;
	uint64_t state = w->number + 1;

	w->least = UINT64_MAX;
	while (!stop) {
		uint64_t value;

		state = state * 6364136223846793005u + 1442695040888963407u;
		value = 1000 + (state >> 33) % 1000;
		step(w->count % KEYS, value);
		w->count++;
		w->sum += value;
		w->least = value < w->least ? value : w->least;
		w->largest = value > w->largest ? value : w->largest;
		if (pause_us && w->count % 64 == 0)
			usleep(pause_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	struct worker all = {.least = UINT64_MAX};

	pause_us = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	for (unsigned i = 0; i < n && i < MOST; i++) {
		workers[i].number = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	usleep((useconds_t)(seconds * 1e6));
	stop = 1;
	for (unsigned i = 0; i < n && i < MOST; i++) {
		struct worker *w = &workers[i];

		pthread_join(w->thread, NULL);
		all.count += w->count;
		all.sum += w->sum;
		all.least = w->least < all.least ? w->least : all.least;
		all.largest = w->largest > all.largest ? w->largest : all.largest;
	}
	fprintf(stderr, "{\"count\":%llu,\"sum\":%llu,\"min\":%llu,\"max\":%llu}\n", (unsigned long long)all.count,
		(unsigned long long)all.sum, (unsigned long long)all.least, (unsigned long long)all.largest);
	return 0;
}
