/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 4096, WORD = 1024 };

static bool file_read(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/*
 * The name before these may hold anything, even brackets. The places of the code and of the stack say which program
 * it is now: the kernel draws them anew when one is executed.
 */
static bool stat_read(pid_t pid, uint64_t *began, uint64_t *program)
{
	char text[TEXT], state;
	unsigned long long start, code, stack;
	const char *end;

	if (!file_read(pid, "stat", text, sizeof(text)) || !(end = strrchr(text, ')')))
		return false;
	if (sscanf(end + 1,
		    " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu %*u %*d %*u %llu "
		    "%*u "
		    "%llu",
		    &state, &start, &code, &stack) != 4)
		return false;
	*began = start;
	*program = code * 31 + stack;
	return state != 'Z' && state != 'X';
}

/* The line "0::/PATH" of cgroup v2, or the one of v1 that systemd keeps. */
static void cgroup_read(pid_t pid, char *cgroup, size_t size)
{
	char text[TEXT];

	*cgroup = 0;
	if (!file_read(pid, "cgroup", text, sizeof(text)))
		return;
	char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (!line)
		line = strstr(text, ":name=systemd:");
	char *path = line ? strchr(line, '/') : NULL;
	if (path)
		snprintf(cgroup, size, "%.*s", (int)strcspn(path, "\n"), path);
}

/* The last part of the path that ends as a unit does. */
static void unit_find(const char *cgroup, char *unit, size_t size)
{
	static const char *const ends[] = {".service", ".scope", ".socket", ".mount"};
	char part[256];

	*unit = 0;
	for (const char *at = cgroup; *at; at += strcspn(at, "/")) {
		at += strspn(at, "/");
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(at, "/"), at);
		for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
			size_t n = strlen(part), n_end = strlen(ends[i]);
			if (n > n_end && strcmp(part + n - n_end, ends[i]) == 0)
				snprintf(unit, size, "%s", part);
		}
	}
}

bool agent_process_read(pid_t pid, struct agent_process *p)
{
	char path[64], *deleted;
	struct stat s;

	*p = (struct agent_process){.pid = pid};
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (pid <= 0 || !stat_read(pid, &p->began, &p->program) || stat(path, &s) != 0)
		return false;
	p->user = s.st_uid;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(path, p->exe, sizeof(p->exe) - 1);
	if (n <= 0) /* a thread of the kernel has none */
		return false;
	p->exe[n] = 0;
	deleted = strstr(p->exe, " (deleted)");
	if (deleted && !deleted[10])
		*deleted = 0;
	cgroup_read(pid, p->cgroup, sizeof(p->cgroup));
	unit_find(p->cgroup, p->unit, sizeof(p->unit));
	return true;
}

bool agent_process_lives(const struct agent_process *p)
{
	uint64_t began, program;
	return stat_read(p->pid, &began, &program) && began == p->began;
}

bool agent_process_is_same(const struct agent_process *p)
{
	uint64_t began, program;
	return stat_read(p->pid, &began, &program) && began == p->began && program == p->program;
}

/* ---- conditions ---- */

static bool glob_fits(const char *value, const char *text)
{
	return fnmatch(value, text, 0) == 0;
}

static bool exe_fits(const char *value, const struct agent_process *p)
{
	return glob_fits(value, p->exe);
}

static bool unit_fits(const char *value, const struct agent_process *p)
{
	return *p->unit && glob_fits(value, p->unit);
}

static bool cgroup_fits(const char *value, const struct agent_process *p)
{
	return *p->cgroup && glob_fits(value, p->cgroup);
}

/* A part of the path, or what is between "docker-" and ".scope" of one. */
static bool container_fits(const char *value, const struct agent_process *p)
{
	char part[256];

	for (const char *at = p->cgroup; *at; at += strcspn(at, "/")) {
		at += strspn(at, "/");
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(at, "/"), at);
		char *dash = strchr(part, '-'), *dot = strrchr(part, '.');
		if (*part && glob_fits(value, part))
			return true;
		if (dot && dash && dot > dash) {
			*dot = 0;
			if (glob_fits(value, dash + 1))
				return true;
		}
	}
	return false;
}

static bool number_read(const char *text, unsigned long *number)
{
	char *end;

	if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 10)
		return false;
	*number = strtoul(text, &end, 10);
	return *number <= UINT32_MAX;
}

static bool user_fits(const char *value, const struct agent_process *p)
{
	unsigned long number;
	struct passwd entry, *found = NULL;
	char room[TEXT];

	if (number_read(value, &number))
		return number == p->user;
	return getpwnam_r(value, &entry, room, sizeof(room), &found) == 0 && found && found->pw_uid == p->user;
}

static bool pid_fits(const char *value, const struct agent_process *p)
{
	unsigned long number;
	return number_read(value, &number) && number == (unsigned long)p->pid;
}

static const struct condition {
	const char *key;
	bool (*fits)(const char *value, const struct agent_process *p);
	bool is_number;
} table[] = {
	{"exe", exe_fits, false},
	{"unit", unit_fits, false},
	{"cgroup", cgroup_fits, false},
	{"container", container_fits, false},
	{"user", user_fits, false},
	{"pid", pid_fits, true},
};

static const struct condition *condition_find(const char *text, const char **value)
{
	size_t n = strcspn(text, "=");

	if (!text[n] || !text[n + 1])
		return NULL;
	*value = text + n + 1;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strlen(table[i].key) == n && memcmp(table[i].key, text, n) == 0)
			return &table[i];
	return NULL;
}

bool agent_condition_is_valid(const char *condition)
{
	const char *value;
	unsigned long number;
	const struct condition *c = condition_find(condition, &value);

	return c && (!c->is_number || number_read(value, &number));
}

bool agent_condition_fits(const char *condition, const struct agent_process *process)
{
	const char *value;
	const struct condition *c = condition_find(condition, &value);

	return c && c->fits(value, process);
}

typedef bool condition_fn(const char *condition, const struct agent_process *process);

static bool condition_valid(const char *condition, const struct agent_process *process)
{
	(void)process;
	return agent_condition_is_valid(condition);
}

/* Is it so of each? Of none it isn't. */
static bool each_word(const char *text, condition_fn *fn, const struct agent_process *process)
{
	char word[WORD + 1];
	bool any = false;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t n = strcspn(text, " ");
		if (n > WORD)
			return false;
		memcpy(word, text, n);
		word[n] = 0;
		if (!fn(word, process))
			return false;
		any = true;
		text += n;
	}
	return any;
}

bool agent_conditions_are_valid(const char *conditions)
{
	return each_word(conditions, condition_valid, NULL);
}

bool agent_conditions_fit(const char *conditions, const struct agent_process *process)
{
	return each_word(conditions, agent_condition_fits, process);
}
