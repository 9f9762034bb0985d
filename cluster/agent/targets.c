/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc is listed at each look, which is cheap. What a process is, is read when its number is new, a few times in its
 * first looks (it may execute a program yet), and of all in turn now and then: a number may have become another
 * process's, and a process another program.
 */
#include "targets.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_LOOKS = 8, TURNS = 16 };

struct known {
	pid_t pid;
	unsigned looks;
	bool is_seen, is_asked;
	uint64_t began, program; /* as of agent_process */
};

struct agent_targets {
	struct known *at; /* by number */
	size_t n, room;
	unsigned turn;
};

struct agent_targets *agent_targets_open(void)
{
	return calloc(1, sizeof(struct agent_targets));
}

void agent_targets_close(struct agent_targets *t)
{
	if (t)
		free(t->at);
	free(t);
}

static int by_pid(const void *x, const void *y)
{
	const struct known *a = x, *b = y;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static struct known *known_find(const struct agent_targets *t, size_t n, pid_t pid)
{
	const struct known key = {.pid = pid};
	return n ? bsearch(&key, t->at, n, sizeof(*t->at), by_pid) : NULL;
}

static void known_add(struct agent_targets *t, pid_t pid)
{
	if (t->n == t->room) {
		size_t room = 2 * t->room + 256;
		struct known *grown = realloc(t->at, room * sizeof(*grown));
		if (!grown)
			return; /* the next time */
		t->at = grown;
		t->room = room;
	}
	t->at[t->n++] = (struct known){.pid = pid, .is_seen = true};
}

static void processes_list(struct agent_targets *t)
{
	DIR *proc = opendir("/proc");
	size_t known = t->n, kept = 0;
	struct dirent *d;

	for (size_t i = 0; i < known; i++)
		t->at[i].is_seen = false;
	while (proc && (d = readdir(proc))) {
		char *end;
		long pid = strtol(d->d_name, &end, 10);
		struct known *k;
		if (pid <= 0 || *end || pid == getpid())
			continue;
		if ((k = known_find(t, known, (pid_t)pid)))
			k->is_seen = true;
		else
			known_add(t, (pid_t)pid);
	}
	if (proc)
		closedir(proc);
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].is_seen)
			t->at[kept++] = t->at[i];
	t->n = kept;
	if (t->n)
		qsort(t->at, t->n, sizeof(*t->at), by_pid);
}

/* Two tracers that stop each other would wait for each other. */
static bool is_ward(const struct agent_process *p)
{
	static const char *const names[] = {"ward", "ward-helper", "ward-agent", "ward-agent-link"};
	const char *slash = strrchr(p->exe, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (slash && strcmp(slash + 1, names[i]) == 0)
			return true;
	return false;
}

void agent_targets_look(struct agent_targets *t, agent_target_fn *fn, void *user)
{
	struct agent_process p;

	processes_list(t);
	t->turn++;
	for (size_t i = 0; i < t->n; i++) {
		struct known *k = &t->at[i];
		if (k->looks >= FIRST_LOOKS && k->is_asked && ((unsigned)k->pid + t->turn) % TURNS)
			continue;
		if (k->looks < FIRST_LOOKS)
			k->looks++;
		if (!agent_process_read(k->pid, &p))
			continue;
		if (k->is_asked && k->began == p.began && k->program == p.program)
			continue;
		k->began = p.began;
		k->program = p.program;
		k->is_asked = is_ward(&p) || !fn(user, &p);
	}
}

void agent_targets_forget(struct agent_targets *t, pid_t pid)
{
	struct known *k = known_find(t, t->n, pid);

	if (k)
		*k = (struct known){.pid = pid, .is_seen = true};
}
