/* SPDX-License-Identifier: Apache-2.0 */
/* The traced program: see target.h. */
#define _GNU_SOURCE
#include "target.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sqlite.h"

uint64_t plain_push(uint64_t), traced_push(uint64_t), plain_nop(uint64_t), traced_nop(uint64_t),
	plain_endbr64(uint64_t), traced_endbr64(uint64_t);
uint64_t plain_recursive(uint64_t), traced_recursive(uint64_t);

#ifdef WITH_LTTNG
#include "lttng.h"
#endif

typedef uint64_t function(uint64_t);

static function *const calls[ENTRIES][2] = {
	[PUSH] = {plain_push, traced_push},
	[NOP] = {plain_nop, traced_nop},
	[ENDBR64] = {plain_endbr64, traced_endbr64},
};

/* Two twins, and how they are called. */
struct work {
	struct run *run;
	function *twins[2];
	uint64_t depth;          /* of a recursion, 0 if it is none */
	struct queries *queries; /* SQLITE */
};

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "ward: bench: target: %s\n", what);
	exit(1);
}

/* ---- one repetition of one twin, ns a call ---- */

/* The address is not known to the compiler, so the machine code is the same for each function. */
static double call(function *volatile twin, uint64_t n)
{
	function *f = twin;
	uint64_t sum = 0, before = cpu_time();

	for (uint64_t i = 0; i < n; i++)
		sum += f(i);
	double ns = (double)(cpu_time() - before) / (double)n;
	if (sum != n * (n - 1) / 2 * 3 + n)
		fail("a traced function gives a wrong result");
	return ns;
}

static double recur(function *volatile twin, uint64_t depth, uint64_t n)
{
	function *f = twin;
	uint64_t rounds = n / (depth + 1), before = cpu_time();

	for (uint64_t i = 0; i < rounds; i++)
		if (f(depth) != depth)
			fail("a traced recursion gives a wrong result");
	return (double)(cpu_time() - before) / (double)(rounds * (depth + 1));
}

static double query(struct queries *queries, unsigned twin)
{
	uint64_t before = cpu_time();

	if (!queries_run(queries, twin))
		fail("sqlite gives a wrong result");
	return (double)(cpu_time() - before);
}

static double once(const struct work *w, unsigned twin)
{
	if (w->queries)
		return query(w->queries, twin);
	if (w->depth)
		return recur(w->twins[twin], w->depth, w->run->calls);
	return call(w->twins[twin], w->run->calls);
}

/* ---- all repetitions ---- */

static pthread_barrier_t barrier;

static void repeat(const struct work *w, double *plain, double *traced, bool together)
{
	for (unsigned i = 0; i < w->run->repetitions; i++) {
		for (unsigned k = 0; k < 2; k++) { /* each is the first in turn */
			unsigned twin = (i + k) % 2;
			if (together)
				pthread_barrier_wait(&barrier);
			*(twin ? &traced[i] : &plain[i]) = once(w, twin);
		}
	}
}

static void *second_thread(void *arg)
{
	const struct work *w = arg;
	static double times[2][MOST_REPETITIONS];

	repeat(w, times[0], times[1], true);
	return times;
}

static void repeat_in_two(struct work *w)
{
	struct run *r = w->run;
	pthread_t thread;
	double(*times)[MOST_REPETITIONS];
	void *result;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, second_thread, w))
		fail("no second thread");
	repeat(w, r->plain, r->traced, true);
	pthread_join(thread, &result);
	times = result;
	for (unsigned i = 0; i < r->repetitions; i++) {
		r->plain[i] = (r->plain[i] + times[0][i]) / 2;
		r->traced[i] = (r->traced[i] + times[1][i]) / 2;
	}
}

static void work(struct work *w)
{
	struct run *r = w->run;

	if (r->workload == TWO_THREADS)
		repeat_in_two(w);
	else
		repeat(w, r->plain, r->traced, false);
}

static void work_in_child(struct work *w)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		work(w);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("the forked child failed");
}

/* ---- loads of their own ---- */

static uint64_t wall_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* At an even pace, in batches of 50 µs; what comes late is made up for. */
static void stream(struct run *r)
{
	enum { BATCH = STREAM_RATE / 20000 };
	function *volatile twin = traced_push;
	function *f = twin;
	uint64_t start = wall_time();

	for (uint64_t made = 0; made < r->calls; made += BATCH) {
		while (wall_time() < start + made * 1000 / (STREAM_RATE / 1000000))
			;
		for (uint64_t i = made; i < made + BATCH; i++)
			if (f(i) != 3 * i + 1)
				fail("a traced function gives a wrong result");
	}
	r->took = wall_time() - start;
}

/* ---- what to do ---- */

static uint64_t calls_made(const struct work *w)
{
	const struct run *r = w->run;
	uint64_t n = r->calls;

	if (w->queries)
		return r->floor == L1 ? floor_counted() : 0;
	if (r->workload == STREAM)
		return n;
	if (w->depth)
		n = n / (w->depth + 1) * (w->depth + 1);
	return n * r->repetitions * (r->workload == TWO_THREADS ? 2 : 1);
}

static void prepare(struct work *w, const char *path)
{
	struct run *r = w->run;

	w->twins[0] = calls[r->entry][0];
	w->twins[1] = calls[r->entry][1];
#ifdef WITH_LTTNG
	w->twins[0] = without_tracepoint;
	w->twins[1] = with_tracepoint;
#endif
	if (r->workload == RECURSION_20 || r->workload == RECURSION_1000) {
		w->depth = r->workload == RECURSION_20 ? 20 : 1000;
		w->twins[0] = plain_recursive;
		w->twins[1] = traced_recursive;
	}
	if (r->more && !(dlopen("libstdc++.so.6", RTLD_NOW) && dlopen("libm.so.6", RTLD_NOW)))
		fail("libstdc++.so.6 can't be used");
	if (r->workload == SQLITE) {
		w->queries = queries_open(path, r->calls, r->library, sizeof(r->library), (void **)&w->twins[1]);
		if (!w->queries)
			fail("libsqlite3.so.0 can't be used");
		query(w->queries, 0); /* to warm up */
		query(w->queries, 1);
	}
	r->function = (uint64_t)w->twins[1];
	if (r->floor && !floor_install(r->floor, (void *)w->twins[1]))
		fail("the function can't be patched");
}

int main(int argc, char **argv)
{
	struct work w = {0};
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	w.run = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*w.run), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w.run == MAP_FAILED || w.run->repetitions > MOST_REPETITIONS) {
		fprintf(stderr, "usage: ward-bench-target RUN (by ward-bench-events)\n");
		return 2;
	}
	prepare(&w, argv[1]);
	atomic_store(&w.run->ready, 1);
	while (!atomic_load(&w.run->go))
		usleep(200);
	if (w.run->workload == STREAM)
		stream(w.run);
	else if (w.run->forked)
		work_in_child(&w);
	else
		work(&w);
	w.run->made = calls_made(&w);
	atomic_store(&w.run->done, 1);
	if (w.queries)
		queries_close(w.queries);
	return 0;
}
