/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that load libraries, make others, and become other programs. Like target.c it says "ready" and waits for a
 * line. Before it calls a library's function it waits until that is probed: then its calls are known to count.
 *
 *   plugins LIBRARY OTHER leaf        loads one of them and calls it, says nothing and waits for nobody
 *   plugins LIBRARY OTHER tree A B    loads both, unloads one and loads it again, makes A children that do the same to
 *                                     a depth of B, of which the deepest become `leaf`s
 *   plugins LIBRARY OTHER ways        fork, vfork, posix_spawn and exec by a process that has loaded one
 *   plugins LIBRARY OTHER on          until its input ends: children that load, call and unload, and wait for nothing
 *   plugins LIBRARY OTHER stays       loads one, forks a child that loads the other; both say so, and wait for a line
 *   plugins LIBRARY OTHER many N      loads N copies of one that stay; one more, which nobody probes; and after a line
 *                                     one instead of the first copy, which is probed
 *   plugins LIBRARY OTHER gap N       N times: load it; how many microseconds after that is it probed?
 */
#include <dlfcn.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 10 };

typedef uint64_t function(uint64_t n);

static char *const *args;
static const char *self, *one, *other;

static void ready(void)
{
	printf("ready\n");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	_exit(1);
}

static void *load(const char *path, function **f)
{
	void *library = dlopen(path, RTLD_NOW);

	*f = NULL;
	if (library)
		*(void **)f = dlsym(library, "in_library");
	if (!*f)
		fail(dlerror());
	return library;
}

static bool is_probed(function *f)
{
	return **(const volatile uint8_t **)&f == 0xe9;
}

static void await(function *f)
{
	while (!is_probed(f))
		usleep(200);
}

static void call(function *f)
{
	for (uint64_t k = 0; k < CALLS; k++)
		if (f(k) != k * 5 + 1)
			fail("wrong");
}

static void load_and_call(const char *path)
{
	function *f;
	void *library = load(path, &f);

	await(f);
	call(f);
	dlclose(library);
}

static void become(const char *mode)
{
	execv(self, (char *const[]){args[0], args[1], args[2], (char *)(uintptr_t)mode, NULL});
	fail("exec");
}

/* What children return. */
static void await_child(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		fail("a child went wrong");
}

static void tree(long children, long depth)
{
	function *f;
	void *library = load(one, &f);

	await(f);
	call(f);
	load_and_call(other);
	for (long i = 0; i < children && depth; i++) {
		pid_t child = fork();

		if (child == 0) {
			call(f); /* as it is a copy, it counts at once */
			tree(children, depth - 1);
			if (depth == 1)
				become("leaf");
			_exit(0);
		}
		await_child(child);
	}
	load_and_call(other);
	dlclose(library);
}

extern char **environ;

static void ways(void)
{
	char *const leaf[] = {args[0], args[1], args[2], "leaf", NULL};
	function *f;
	void *library = load(one, &f);
	pid_t child;

	await(f);
	child = fork();
	if (child == 0) {
		call(f);
		dlclose(library);
		load_and_call(other);
		_exit(0);
	}
	await_child(child);
	child = vfork();
	if (child == 0) {
		f(1);
		execv(self, leaf);
		_exit(1);
	}
	await_child(child);
	if (posix_spawn(&child, self, NULL, NULL, leaf, environ) != 0)
		fail("spawn");
	await_child(child);
	call(f);
	become("leaf");
}

static void on(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};

	while (poll(&input, 1, 0) == 0) {
		pid_t child = fork();

		if (child == 0) {
			for (int i = 0; i < 3; i++) {
				function *f;
				void *library = load(i == 1 ? other : one, &f);

				call(f);
				usleep(5000);
				call(f);
				dlclose(library);
			}
			_exit(0);
		}
		await_child(child);
	}
	printf("right\n");
}

static void stays(void)
{
	function *f, *g;
	pid_t child;

	load(one, &f);
	await(f);
	call(f);
	child = fork();
	if (child == 0) {
		load(other, &g);
		await(g);
		call(g);
		call(f);
		printf("child %d\n", (int)getpid());
		ready();
		call(g);
		call(f);
		_exit(0);
	}
	await_child(child);
	call(f);
	printf("right\n");
}

/* A copy of `one` below `directory`, which the linker takes for another library. */
static const char *copy(const char *directory, long number)
{
	static char path[4096];
	char bytes[65536];
	FILE *from = fopen(one, "rb"), *to;
	size_t n;

	snprintf(path, sizeof(path), "%s/lib%ld-library.so", directory, number);
	to = fopen(path, "wb");
	if (!from || !to)
		fail("copy");
	while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0)
		if (fwrite(bytes, 1, n, to) != n)
			fail("copy");
	fclose(from);
	if (fclose(to) != 0)
		fail("copy");
	return path;
}

static void *load_copy(const char *directory, long number, function **f)
{
	const char *path = copy(directory, number);
	void *library = load(path, f);

	unlink(path);
	return library;
}

static void many(long n)
{
	char directory[] = "/tmp/ward-plugins-XXXXXX";
	void *first = NULL;
	function *f;

	if (!mkdtemp(directory))
		fail("mkdtemp");
	for (long i = 0; i < n; i++) {
		void *library = load_copy(directory, i, &f);

		first = i ? first : library;
		await(f);
		call(f);
	}
	load_copy(directory, n, &f);
	call(f);
	while (getchar() != '\n' && !feof(stdin))
		;
	call(f);
	dlclose(first);
	load_copy(directory, n + 1, &f);
	await(f);
	call(f);
	rmdir(directory);
	printf("right\n");
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void gap(long n)
{
	for (long i = 0; i < n; i++) {
		function *f;
		void *library = load(one, &f);
		uint64_t start = now_us();

		while (!is_probed(f))
			usleep(50);
		printf("%lu\n", (unsigned long)(now_us() - start));
		call(f);
		dlclose(library);
		usleep(200000); /* it is noticed that it is gone */
	}
}

int main(int argc, char **argv)
{
	long a = argc > 4 ? atol(argv[4]) : 0, b = argc > 5 ? atol(argv[5]) : 0;

	if (argc < 4)
		return 1;
	args = argv;
	self = realpath("/proc/self/exe", NULL);
	one = argv[1];
	other = argv[2];
	if (!strcmp(argv[3], "leaf")) {
		load_and_call(other);
		return 0;
	}
	ready();
	if (!strcmp(argv[3], "tree"))
		tree(a, b);
	else if (!strcmp(argv[3], "ways"))
		ways();
	else if (!strcmp(argv[3], "on"))
		on();
	else if (!strcmp(argv[3], "stays"))
		stays();
	else if (!strcmp(argv[3], "many"))
		many(a);
	else if (!strcmp(argv[3], "gap"))
		gap(a);
	else
		return 2;
	return 0;
}
