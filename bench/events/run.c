/* SPDX-License-Identifier: Apache-2.0 */
/* See run.h. */
#define _GNU_SOURCE
#include "run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 16 };

pid_t start(const char *const *argv, const char *output)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	int null = open("/dev/null", O_RDWR), out = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600) : null;
	dup2(null, 0);
	dup2(out, 1);
	if (output || null < 0)
		dup2(out, 2);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

bool ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static struct run *share(const char *path, const struct run *told)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct run *shared = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(*shared)) == 0)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (shared == MAP_FAILED)
		return NULL;
	*shared = *told;
	return shared;
}

/* Until the flag is set or the process has ended. */
static bool await(_Atomic int *flag, pid_t pid)
{
	siginfo_t info = {0};

	while (!atomic_load(flag)) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			return atomic_load(flag);
		usleep(500);
	}
	return true;
}

static bool follow(struct run *shared, pid_t pid, const struct tracer *t)
{
	bool ok = await(&shared->ready, pid);

	if (!ok)
		return false;
	if (t->attach && !t->attach(t->user, pid, shared))
		return false;
	atomic_store(&shared->go, 1);
	return await(&shared->done, pid);
}

bool run_target(const struct place *place, struct run *run, const struct tracer *t)
{
	char path[100], program[300];
	const char *argv[MOST_WORDS];
	unsigned n = 0;

	snprintf(path, sizeof(path), "%s/run", place->work);
	snprintf(program, sizeof(program), "%s/%s", place->programs, t->program ? t->program : "ward-bench-target");
	for (unsigned i = 0; t->prefix && t->prefix[i] && n < MOST_WORDS - 3; i++)
		argv[n++] = t->prefix[i];
	argv[n++] = program;
	argv[n++] = path;
	argv[n] = NULL;

	struct run *shared = share(path, run);
	if (!shared)
		return false;
	if (t->prefix)
		atomic_store(&shared->go, 1);
	pid_t pid = start(argv, NULL);
	bool ok = pid > 0 && follow(shared, pid, t);
	if (!ok && pid > 0)
		kill(pid, SIGKILL);
	if (pid > 0)
		ok = ended_well(pid) && ok;
	*run = *shared;
	if (t->detach)
		ok = t->detach(t->user, run) && ok;
	munmap(shared, sizeof(*shared));
	unlink(path);
	return ok;
}
