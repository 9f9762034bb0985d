/* SPDX-License-Identifier: Apache-2.0 */
/* Run openssl(1). No shell is between: arguments are a list. */
#include "openssl.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"

/* Read all, and keep what fits. */
static void output_read(int fd, char *output, size_t size)
{
	char rest[512];
	size_t n = 0;
	ssize_t got = 1;

	while (got) {
		bool room = n < size - 1;
		got = room ? read(fd, output + n, size - 1 - n) : read(fd, rest, sizeof(rest));
		if (got < 0 && errno != EINTR)
			break;
		if (room && got > 0)
			n += (size_t)got;
	}
	output[n] = 0;
}

static int openssl_start(const char *const *arguments, int to, pid_t *pid)
{
	char *argv[40] = {"openssl"};
	posix_spawn_file_actions_t actions;
	size_t n = 1;

	for (; arguments[n - 1] && n < sizeof(argv) / sizeof(*argv) - 1; n++)
		argv[n] = (char *)arguments[n - 1];
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, to, 1);
	posix_spawn_file_actions_adddup2(&actions, to, 2);
	int rc = posix_spawnp(pid, "openssl", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

int cluster_openssl(const char *const *arguments, char *output, size_t size, struct ward_error *err)
{
	int fds[2], status = 0, rc;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return cluster_fail(err, WARD_E_SYSTEM, "openssl", "%s", strerror(errno));
	rc = openssl_start(arguments, fds[1], &pid);
	close(fds[1]);
	if (rc) {
		close(fds[0]);
		cluster_fail(err, WARD_E_SYSTEM, "openssl", "%s", strerror(rc));
		cluster_hint(err, "certificates are made by the program openssl; install it");
		return WARD_E_SYSTEM;
	}
	output_read(fds[0], output, size);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status))
		return cluster_fail(err, WARD_E_SYSTEM, "openssl", "it was killed by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}
