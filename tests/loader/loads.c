/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is traced while it loads and unloads a library.
 *
 *   loads LIBRARY TIMES N           TIMES times: load the library, print "ready" and wait for a line, call its
 *                                   function N times, unload it. Then print "ready" and wait once more.
 *   loads LIBRARY TIMES N OTHER     the same, but also print "ready" and wait before each load, and load and call the
 *                                   other library as well, after another "ready".
 *   loads LIBRARY threads N         print "ready" and wait for a line, then load, call and unload the library in
 *                                   several threads, without a pause, until the input has another line. Then print
 *                                   "ready" and wait again.
 *
 * While the library is loaded and the line that comes is "try", its function is called once, and "ready" printed anew.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };

typedef uint64_t function(uint64_t n);

static const char *path;
static long n;
static bool enough;

static uint64_t call(function *f, long calls)
{
	uint64_t bad = 0;

	for (long k = 0; k < calls; k++)
		bad += f((uint64_t)k) != (uint64_t)k * 5 + 1;
	return bad;
}

/* Returns whether the function is to be tried. */
static bool ready(void)
{
	char line[8];

	printf("ready\n");
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) && strcmp(line, "try\n") == 0;
}

static uint64_t ready_with(function *f)
{
	uint64_t bad = 0;

	while (ready())
		bad += call(f, 1);
	return bad;
}

static void *load(const char *path, function **f)
{
	void *library = dlopen(path, RTLD_NOW);

	*f = NULL;
	if (library)
		*(void **)f = dlsym(library, "in_library");
	if (!*f) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return library;
}

static void *load_and_unload(void *arg)
{
	uint64_t *bad = arg;
	function *f;

	while (!__atomic_load_n(&enough, __ATOMIC_SEQ_CST)) {
		void *library = load(path, &f);

		*bad += call(f, n);
		dlclose(library);
	}
	return NULL;
}

static uint64_t in_threads(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	uint64_t bad[THREADS] = {0};
	pthread_t id[THREADS];

	ready();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&id[i], NULL, load_and_unload, &bad[i]) != 0)
			exit(1);
	poll(&input, 1, -1);
	getchar();
	__atomic_store_n(&enough, true, __ATOMIC_SEQ_CST);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	return bad[0] + bad[1] + bad[2];
}

int main(int argc, char **argv)
{
	const char *other_path = argc > 4 ? argv[4] : NULL;
	uint64_t bad = 0;
	long times;

	if (argc < 4)
		return 1;
	path = argv[1];
	times = atol(argv[2]);
	n = atol(argv[3]);
	if (strcmp(argv[2], "threads") == 0)
		bad = in_threads();
	for (long i = 0; i < times; i++) {
		void *library, *other = NULL;
		function *f, *g;

		if (other_path)
			ready();
		library = load(path, &f);
		bad += ready_with(f);
		if (other_path) {
			other = load(other_path, &g);
			ready();
			bad += call(g, n);
		}
		bad += call(f, n);
		dlclose(library);
		if (other)
			dlclose(other);
	}
	ready();
	printf("%s\n", bad ? "wrong" : "right");
	return bad != 0;
}
