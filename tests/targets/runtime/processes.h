/* SPDX-License-Identifier: Apache-2.0 */
/* Children, and the programs that they execute. */
#ifndef WARD_TESTS_TARGETS_PROCESSES_H
#define WARD_TESTS_TARGETS_PROCESSES_H

#include "middle.h"
#include <dlfcn.h>
#include <spawn.h>

extern char **environ;

enum { CHILD_STATUS = 7 };

static void expect_status(pid_t pid, int wanted)
{
	int status = 0;
	pid_t got;

	while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (got != pid || !WIFEXITED(status) || WEXITSTATUS(status) != wanted)
		wrong("a child's status");
}

/* What it counts is its own. */
PLAIN void in_forks(u64 n, block_fn *block)
{
	for (u64 i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			T = &shared[1];
			block(i);
			_exit(CHILD_STATUS);
		}
		expect_status(pid, CHILD_STATUS);
	}
}

/* What it counts is its parent's, whose memory and thread it has. */
PLAIN void in_vforks(u64 n, block_fn *block)
{
	for (volatile u64 i = 0; i < n; i++) {
		volatile pid_t pid = vfork();

		if (pid == 0) {
			block(i);
			_exit(CHILD_STATUS);
		}
		expect_status(pid, CHILD_STATUS);
	}
}

/* Children that become this program again, which does nothing then. */
PLAIN void in_execs(u64 n, block_fn *block)
{
	char *const argv[] = {(char *)"prog", (char *)"child", NULL};

	for (volatile u64 i = 0; i < n; i++) {
		volatile pid_t pid;
		pid_t spawned;

		block(i);
		if (i % 3 == 2) {
			if (posix_spawn(&spawned, "/proc/self/exe", NULL, NULL, argv, environ))
				wrong("posix_spawn");
			expect_status(spawned, CHILD_STATUS);
			continue;
		}
		pid = i % 3 ? fork() : vfork();
		if (pid == 0) {
			execve("/proc/self/exe", argv, environ);
			_exit(98);
		}
		expect_status(pid, CHILD_STATUS);
	}
}

/* Libraries come and go meanwhile. */
PLAIN void in_loads(u64 n, block_fn *block)
{
	for (u64 i = 0; i < n; i++) {
		void *library = dlopen(i & 1 ? "libsqlite3.so.0" : "libm.so.6", RTLD_NOW | RTLD_LOCAL);

		block(i);
		if (library)
			dlclose(library);
	}
}

#endif
