/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose callers of malloc have names: main's own function, and those of libraries that it loads.
 *	callers N                        calls malloc N times
 *	callers N fork PROGRAM ARG...    the same, then executes the program in a child, and waits for that
 *	callers N exec PROGRAM ARG...    the same, then becomes the program
 *	callers N load FILE N ...        loads the file, waits for a line of input, has the library call malloc N times,
 *	                                 and unloads it if another one follows; at the end it waits for one more line
 * It says "ready" each time before it waits.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef OWN
#define OWN own_calls
#endif

__attribute__((noinline)) void *OWN(long n)
{
	void *p = NULL;

	for (long i = 0; i < n; i++) {
		p = malloc((size_t)i + 16);
		__asm__ volatile("" : : "r"(p) : "memory");
	}
	return p;
}

static void await_line(void)
{
	char c;

	if (write(1, "ready\n", 6) != 6)
		_exit(1);
	while (read(0, &c, 1) == 1 && c != '\n')
		;
}

static int load(int argc, char **argv)
{
	for (int i = 0; i + 1 < argc; i += 2) {
		void *lib = dlopen(argv[i], RTLD_NOW);
		void (*call)(long) = lib ? (void (*)(long))dlsym(lib, "call_malloc") : NULL;

		if (!call)
			return 1;
		await_line();
		call(atol(argv[i + 1]));
		if (i + 3 < argc)
			dlclose(lib);
	}
	await_line();
	return 0;
}

int main(int argc, char **argv)
{
	void *p = OWN(argc > 1 ? atol(argv[1]) : 0);
	int status = 0;
	pid_t child;

	if (argc > 2 && strcmp(argv[2], "load") == 0)
		return load(argc - 3, argv + 3);
	if (argc > 3 && strcmp(argv[2], "exec") == 0)
		execv(argv[3], argv + 3);
	if (argc > 3 && strcmp(argv[2], "fork") == 0) {
		child = fork();
		if (child == 0) {
			execv(argv[3], argv + 3);
			_exit(1);
		}
		waitpid(child, &status, 0);
	}
	return p == (void *)1 || status;
}
