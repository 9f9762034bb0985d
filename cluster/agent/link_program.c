/* SPDX-License-Identifier: Apache-2.0 */
#include "link_program.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store.h"

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"

enum { MOST_CREDS = 256 << 10 };
#define AGAIN_NS AGENT_SECOND
#define CREDS "bus.creds" /* in the agent's directory, for a link that runs as another user */

/* Beside this program in a build's directory, or where it is installed. */
static bool program_find(char *path, struct ward_error *err)
{
	static const char *const places[] = {"%.*s/ward-agent-link", "%.*s/../libexec/ward/ward-agent-link"};
	char self[AGENT_PATH];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	char *slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, AGENT_PATH, i ? places[1] : places[0], (int)(slash - self), self);
		if (access(path, X_OK) == 0)
			return true;
	}
	cluster_refuse(err, "ward-agent-link", NULL, "it isn't where ward-agent is, nor in libexec/ward beside it");
	cluster_hint(err, "the package ward-agent has both");
	return false;
}

/* Run it; its standard input is `in`. It ends with the agent. -1: it can't be run. */
static pid_t program_run(const char *path, char *const *argv, int in)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t none;

	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || dup2(in, 0) != 0)
		_exit(3);
	execv(path, argv);
	fprintf(stderr, "ward: %s: %s\n", path, strerror(errno));
	_exit(3);
}

int agent_link_check(struct agent *a, const char *creds, struct ward_error *err)
{
	char path[AGENT_PATH], *settings = NULL;
	size_t size = 0;
	int fds[2], status = 0;

	if (!program_find(path, err))
		return -1;
	if (!agent_settings_text(a, &settings, &size) || pipe2(fds, O_CLOEXEC) != 0) {
		free(settings);
		cluster_refuse(err, path, NULL, "%s", strerror(errno));
		return -1;
	}
	char *argv[] = {"ward-agent-link", "--check", "--creds", (char *)(creds ? creds : AGENT_CREDS), NULL};
	pid_t pid = program_run(path, argv, fds[0]);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	bool ok = pid > 0 && agent_store_put(fds[1], settings, size);
	close(fds[1]);
	free(settings);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ok && WIFEXITED(status))
		return WEXITSTATUS(status);
	cluster_refuse(err, path, NULL, "it can't be run");
	return -1;
}

/* ---- a link of the agent's own ---- */

/* A copy of the credentials that is the link's user's own, as a service manager would give it. */
static bool creds_give(struct agent *a, const struct passwd *user, char *copy, struct ward_error *err)
{
	const char *slash = strrchr(a->creds, '/');
	char folder[AGENT_PATH];
	void *bytes;
	size_t n;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - a->creds) : 1, slash ? a->creds : ".");
	if (!agent_store_read(folder, slash ? slash + 1 : a->creds, MOST_CREDS, &bytes, &n, err))
		return false;
	if (!bytes)
		return cluster_refuse(err, a->creds, NULL, "there is no such file");
	bool ok = agent_store_write(a->run, CREDS, bytes, n, false, err);
	explicit_bzero(bytes, n);
	free(bytes);
	snprintf(copy, AGENT_PATH, "%s/" CREDS, a->run);
	if (ok && chown(copy, user->pw_uid, user->pw_gid) != 0)
		ok = cluster_refuse(err, copy, NULL, "%s", strerror(errno));
	return ok;
}

bool agent_link_start(struct agent *a, struct ward_error *err)
{
	const struct passwd *user = geteuid() == 0 ? getpwuid(a->link_user) : NULL;
	char path[AGENT_PATH], socket[AGENT_PATH], copy[AGENT_PATH];
	char *argv[8] = {"ward-agent-link", "--socket", socket, "--creds", (char *)a->creds};
	bool is_other = user && user->pw_uid != 0;

	a->link_next_ns = agent_now() + AGAIN_NS;
	if (!program_find(path, err) || (is_other && !creds_give(a, user, copy, err)))
		return false;
	if (is_other) {
		argv[4] = copy;
		argv[5] = "--user";
		argv[6] = user->pw_name;
	}
	snprintf(socket, sizeof(socket), "%s/link", a->run);
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	a->link_pid = in >= 0 ? program_run(path, argv, in) : -1;
	if (in >= 0)
		close(in);
	return a->link_pid > 0 || cluster_refuse(err, path, NULL, "%s", strerror(errno));
}

void agent_link_tick(struct agent *a)
{
	struct ward_error err;

	if (a->creds && a->link_pid <= 0 && !a->is_stopping && agent_now() >= a->link_next_ns &&
		!agent_link_start(a, &err))
		agent_log(3, "%s: %s", err.what, err.why);
}

bool agent_link_died(struct agent *a, pid_t pid, int status)
{
	if (pid != a->link_pid)
		return false;
	a->link_pid = 0;
	if (!a->is_stopping)
		agent_log(4, "ward-agent-link has ended (%s %d) and is started again",
			WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return true;
}

void agent_link_stop(struct agent *a)
{
	char copy[AGENT_PATH];

	if (a->link_pid > 0) {
		kill(a->link_pid, SIGTERM);
		waitpid(a->link_pid, NULL, 0);
		a->link_pid = 0;
	}
	if (!a->creds)
		return;
	snprintf(copy, sizeof(copy), "%s/" CREDS, a->run);
	unlink(copy);
}
