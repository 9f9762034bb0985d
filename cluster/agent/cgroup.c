/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cluster/wire/refuse.h"

enum { PERIOD_US = 100000, TEXT = 4096, END_TRIES = 100 };

static bool file_read(const char *dir, const char *name, char *text, size_t size)
{
	char path[AGENT_PATH + 128];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n >= 0;
}

static bool file_write(const char *dir, const char *name, const char *text)
{
	char path[AGENT_PATH + 128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	int why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	return ok;
}

/* Where version 2 is mounted, and the agent's place there: "0::/system.slice/ward-agent.service". */
static bool place_find(char dir[AGENT_PATH])
{
	char own[TEXT];
	struct mntent entry, *m;
	char room[TEXT];
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	bool ok = false;

	if (!file_read("/proc/self", "cgroup", own, sizeof(own)))
		*own = 0;
	char *line = strncmp(own, "0::/", 4) == 0 ? own : strstr(own, "\n0::/");
	char *path = line ? strchr(line, '/') : NULL;
	while (mounts && path && !ok && (m = getmntent_r(mounts, &entry, room, sizeof(room))))
		if (strcmp(m->mnt_type, "cgroup2") == 0) {
			path[strcspn(path, "\n")] = 0;
			ok = snprintf(dir, AGENT_PATH, "%s%s", m->mnt_dir, strcmp(path, "/") == 0 ? "" : path) <
			     AGENT_PATH - 64;
		}
	if (mounts)
		endmntent(mounts);
	return ok;
}

/* A line for each process: is there none but this one? */
static bool is_alone(const char *dir)
{
	char text[TEXT], self[32];

	snprintf(self, sizeof(self), "%d\n", (int)getpid());
	return file_read(dir, "cgroup.procs", text, sizeof(text)) && strcmp(text, self) == 0;
}

static bool controllers_are_there(const char *dir)
{
	char text[TEXT], words[TEXT + 2];

	if (!file_read(dir, "cgroup.controllers", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = 0;
	snprintf(words, sizeof(words), " %s ", text);
	return strstr(words, " cpu ") && strstr(words, " memory ");
}

/* A cgroup whose controllers are handed on has no processes of its own: the agent goes one down. */
static bool place_take(const char *dir)
{
	char agent[AGENT_PATH + 16];

	snprintf(agent, sizeof(agent), "%s/agent", dir);
	if (mkdir(agent, 0755) != 0 && errno != EEXIST)
		return false;
	if (file_write(agent, "cgroup.procs", "0") && file_write(dir, "cgroup.subtree_control", "+cpu +memory"))
		return true;
	int why = errno;
	file_write(dir, "cgroup.procs", "0");
	rmdir(agent);
	errno = why;
	return false;
}

void agent_cgroup_open(struct agent *a)
{
	char dir[AGENT_PATH];

	if (!place_find(dir))
		snprintf(a->no_cgroup, sizeof(a->no_cgroup), "cgroups of version 2 aren't mounted here");
	else if (!is_alone(dir))
		snprintf(a->no_cgroup, sizeof(a->no_cgroup), "the agent's cgroup is also other processes'");
	else if (!controllers_are_there(dir))
		snprintf(a->no_cgroup, sizeof(a->no_cgroup), "the agent's cgroup has no say over cpu and memory");
	else if (!place_take(dir))
		snprintf(a->no_cgroup, sizeof(a->no_cgroup), "the agent's cgroup can't be parted: %s", strerror(errno));
	else {
		strcpy(a->cgroup, dir);
		return;
	}
	agent_log(5, "workers have no cgroup of their own: %s", a->no_cgroup);
}

static void worker_place(const struct agent *a, const char *id, char *path, size_t size)
{
	snprintf(path, size, "%s/query-%s", a->cgroup, id);
}

bool agent_cgroup_make(struct agent *a, const char *id, struct ward_error *err)
{
	const struct agent_limits *l = &a->config->limits;
	char dir[AGENT_PATH + 64], text[64];

	if (!*a->cgroup)
		return cluster_refuse(err, "cgroup", NULL, "%s", a->no_cgroup);
	worker_place(a, id, dir, sizeof(dir));
	bool ok = mkdir(dir, 0755) == 0 || errno == EEXIST;
	snprintf(text, sizeof(text), "%llu %d", (unsigned long long)l->cpu_ppm * PERIOD_US / 1000000, PERIOD_US);
	ok = ok && file_write(dir, "cpu.max", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)l->memory);
	ok = ok && file_write(dir, "memory.max", text);
	if (ok)
		return true;
	cluster_refuse(err, dir, NULL, "%s", strerror(errno));
	rmdir(dir);
	return false;
}

void agent_cgroup_enter(const struct agent *a, const char *id)
{
	char dir[AGENT_PATH + 64];

	worker_place(a, id, dir, sizeof(dir));
	if (*a->cgroup)
		file_write(dir, "cgroup.procs", "0");
}

bool agent_cgroup_end(const struct agent *a, const char *id)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	char dir[AGENT_PATH + 64], text[TEXT], *kills;

	if (!*a->cgroup)
		return false;
	worker_place(a, id, dir, sizeof(dir));
	bool too_much = file_read(dir, "memory.events", text, sizeof(text)) && (kills = strstr(text, "oom_kill ")) &&
			strtoul(kills + sizeof("oom_kill ") - 1, NULL, 10) > 0;
	file_write(dir, "cgroup.kill", "1"); /* processes that the worker has begun */
	for (int i = 0; i < END_TRIES && rmdir(dir) != 0 && errno == EBUSY; i++)
		nanosleep(&moment, NULL);
	return too_much;
}

void agent_cgroup_close(const struct agent *a)
{
	char agent[AGENT_PATH + 16];

	if (!*a->cgroup)
		return;
	snprintf(agent, sizeof(agent), "%s/agent", a->cgroup);
	file_write(a->cgroup, "cgroup.subtree_control", "-cpu -memory");
	file_write(a->cgroup, "cgroup.procs", "0");
	rmdir(agent);
}
