/* SPDX-License-Identifier: Apache-2.0 */
/* An agent in a directory of its own: its configuration, its beginning and its end. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_test.h"
#include "cluster/agent/audit.h"

char folder[] = "/tmp/ward-agent-XXXXXX", run[64], program[64], means[80];
struct cluster_secret alice, bob, carol, mallory;
struct ward_error err;
pid_t agent;
bool on_small_disk;
const char usual[] = MAY "sites = cluster-counter!* libc.so.6!*\n";

void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", folder, name);
}

void config_write(const char *of_alice, const char *more)
{
	char path[64], key[CLUSTER_KEY_TEXT];
	FILE *f;

	cluster_key_print(&alice.key, key);
	path_of(path, sizeof(path), "agent.conf");
	f = fopen(path, "w");
	fprintf(f,
		"[bus]\nurl = tls://127.0.0.1:1\ncluster = test\n[machine]\nname = web1.example\nlabels = role=web\n"
		"[coordinator alice]\nkey = %s\n%s\n[limits]\npause = 10s\noverhead = 100%%\n%s\n",
		key, of_alice, more);
	fclose(f);
}

void agent_start(void)
{
	char config[64], state[64], log[64];

	path_of(config, sizeof(config), "agent.conf");
	path_of(state, sizeof(state), "state");
	path_of(log, sizeof(log), on_small_disk ? "small" : "log");
	fflush(NULL);
	agent = fork();
	if (agent == 0) {
		if (on_small_disk &&
			(unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
				mount("none", log, "tmpfs", 0, "size=16k") != 0))
			_exit(77);
		child_prepare();
		execl(AGENT, AGENT, "--config", config, "--state", state, "--log", log, "--run", run, NULL);
		_exit(127);
	}
}

static void copy_file(const char *from, const char *to)
{
	ProtobufCBinaryData bytes = made_file(from);
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	cr_assert(fd >= 0 && write(fd, bytes.data, bytes.len) == (ssize_t)bytes.len && close(fd) == 0);
}

void begin(void)
{
	char path[64];

	cr_assert(cluster_secret_make(&alice, &err) && cluster_secret_make(&bob, &err) &&
		  cluster_secret_make(&carol, &err) && cluster_secret_make(&mallory, &err));
	cr_assert(mkdtemp(folder));
	/* a program of its own, so that no other test's processes are meant */
	path_of(program, sizeof(program), "cluster-counter");
	snprintf(means, sizeof(means), "exe=%s", program);
	copy_file(COUNTER, program);
	path_of(run, sizeof(run), "run");
	mkdir(run, 0700);
	path_of(path, sizeof(path), "small");
	mkdir(path, 0700);
	config_write(usual, "");
}

void agent_kill(int signal)
{
	int status = 0;

	kill(agent, signal);
	cr_expect_eq(waitpid(agent, &status, 0), agent);
	if (signal == SIGTERM)
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the agent ended with 0x%x", status);
	agent = 0;
}

void end(void)
{
	char command[128];

	for (int i = 0; i < COUNTERS; i++)
		if (counters[i].pid)
			counter_end(&counters[i]);
	if (agent)
		agent_kill(SIGTERM);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_expect_eq(system(command), 0);
}

/* How many lines of the audit have all of these texts; the chain must be whole. */
size_t audit_count(const char *one, const char *other)
{
	static char line[300 << 10];
	char path[64];
	uint64_t lines;
	size_t n = 0;

	path_of(path, sizeof(path), "log/audit.jsonl");
	cr_expect(agent_audit_check(path, &lines, &err), "%s", err.why);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, one) && strstr(line, other);
	if (f)
		fclose(f);
	return n;
}
