/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process is known by its number and by when it began. A new one is looked at several times in its first seconds, as
 * it may execute a program or load libraries; later ones, of which none has matched, in turn, a few each time.
 */
#define _GNU_SOURCE
#include "watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MODULES = 16, PATH_ROOM = 4096, FIRST_LOOKS = 16, TURNS = 16, ANCESTORS = 64 };

struct process {
	pid_t pid;
	uint64_t began; /* 0: not known */
	unsigned looks; /* that have found nothing */
	bool matches, seen;
};

struct watch {
	const char *modules[MOST_MODULES];
	size_t n_modules;
	const char *program;
	struct process *process; /* in the order of their numbers */
	size_t n, room;
	pid_t ancestors[ANCESTORS];
	size_t n_ancestors, n_left_out;
	struct stat own; /* this program's file */
	unsigned turn;
};

/* ---- what /proc says ---- */

static bool read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Its parent, and when it began. The name before these may hold anything, even brackets. */
static bool read_stat(pid_t pid, pid_t *parent, uint64_t *began)
{
	char path[40], text[1024], state;
	unsigned long long start;
	const char *end;
	int ppid;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_file(path, text, sizeof(text)) || !(end = strrchr(text, ')')))
		return false;
	if (sscanf(end + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &state,
		    &ppid, &start) != 3)
		return false;
	*parent = ppid;
	*began = start + 1;
	return state != 'Z' && state != 'X';
}

/* The last part of a path, cut to fit. */
static void copy_name(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	size_t n = strnlen(last, size - 1);

	memcpy(name, last, n);
	name[n] = 0;
}

static void read_comm(pid_t pid, char *name, size_t size)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (!read_file(path, name, size))
		*name = 0;
	name[strcspn(name, "\n")] = 0;
}

/* What the program's file is called. */
static bool read_file_name(pid_t pid, char *name, size_t size)
{
	char path[40], exe[PATH_ROOM];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = 0;
	copy_name(exe, name, size);
	name[strcspn(name, " ")] = 0; /* what is deleted says so */
	return *name != 0;
}

/* As ps shows it, but whole: the kernel keeps 15 characters. */
static bool read_name(pid_t pid, char *name, size_t size)
{
	char comm[64];

	if (!read_file_name(pid, name, size))
		return false;
	read_comm(pid, comm, sizeof(comm));
	if (*comm && strncmp(comm, name, strlen(comm)) != 0)
		snprintf(name, size, "%s", comm);
	return true;
}

/* What it was called as: a program may have several names. */
static void read_called(pid_t pid, char *name, size_t size)
{
	char path[40], text[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	if (!read_file(path, text, sizeof(text)))
		*text = 0;
	copy_name(text, name, size);
}

/* ---- modules ---- */

static bool is_short_form(const char *name, const char *glob)
{
	size_t n = strlen(glob);

	return strncmp(name, glob, n) == 0 &&
	       (strncmp(name + n, ".so", 3) == 0 || fnmatch("-[0-9]*", name + n, 0) == 0);
}

/* The loader decides; what it could accept isn't to be missed. Its name may be a link's, with more numbers behind. */
static bool is_module(const char *path, const char *glob)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char longer[300];

	if (*glob == '/')
		return fnmatch(glob, path, 0) == 0;
	snprintf(longer, sizeof(longer), "%s.*", glob);
	return fnmatch(glob, name, 0) == 0 || fnmatch(longer, name, 0) == 0 || is_short_form(name, glob);
}

static bool is_wanted(const struct watch *w, const char *path)
{
	for (size_t i = 0; i < w->n_modules; i++)
		if (is_module(path, w->modules[i]))
			return true;
	return false;
}

static bool has_module(const struct watch *w, pid_t pid)
{
	char path[40], *line = NULL, called[256];
	size_t size = 0;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0) {
		char *at = strchr(line, '/'), *end;

		if (!at)
			continue;
		at[strcspn(at, "\n")] = 0;
		end = strstr(at, " (deleted)");
		if (end)
			*end = 0;
		found = is_wanted(w, at);
	}
	free(line);
	if (maps)
		fclose(maps);
	if (found)
		return true;
	read_called(pid, called, sizeof(called));
	return is_wanted(w, called);
}

static bool is_program(const struct watch *w, pid_t pid)
{
	char name[256];

	if (!w->program)
		return true;
	if (read_name(pid, name, sizeof(name)) && strcmp(name, w->program) == 0)
		return true;
	if (read_file_name(pid, name, sizeof(name)) && strcmp(name, w->program) == 0)
		return true;
	read_called(pid, name, sizeof(name));
	return strcmp(name, w->program) == 0;
}

/* ---- whom to leave alone ---- */

static bool is_ancestor(const struct watch *w, pid_t pid)
{
	for (size_t i = 0; i < w->n_ancestors; i++)
		if (w->ancestors[i] == pid)
			return true;
	return false;
}

/* Two Wards that stop each other would wait for each other. */
static bool is_ward(const struct watch *w, pid_t pid)
{
	char path[40], name[256];
	struct stat s;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &s) == 0 && s.st_dev == w->own.st_dev && s.st_ino == w->own.st_ino)
		return true;
	return read_file_name(pid, name, sizeof(name)) &&
	       (strcmp(name, "ward") == 0 || strcmp(name, "ward-helper") == 0);
}

static bool is_ours(pid_t pid)
{
	char path[40];
	struct stat s;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return geteuid() == 0 || (stat(path, &s) == 0 && s.st_uid == geteuid());
}

/* ---- looking ---- */

static bool look_at(struct watch *w, struct process *p, watch_fn *fn, void *user)
{
	char name[256];

	if (!is_program(w, p->pid) || !has_module(w, p->pid) || is_ward(w, p->pid))
		return false;
	p->matches = true;
	if (is_ancestor(w, p->pid) && !w->program) {
		w->n_left_out++;
		return true;
	}
	if (!read_name(p->pid, name, sizeof(name)))
		return false;
	fn(user, p->pid, name);
	return true;
}

static int by_pid(const void *x, const void *y)
{
	const struct process *a = x, *b = y;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static struct process *find_process(const struct watch *w, pid_t pid)
{
	const struct process key = {.pid = pid};

	return w->n ? bsearch(&key, w->process, w->n, sizeof(*w->process), by_pid) : NULL;
}

static void add_process(struct watch *w, pid_t pid)
{
	if (w->n == w->room) {
		size_t room = 2 * w->room + 256;
		struct process *grown = realloc(w->process, room * sizeof(*grown));

		if (!grown)
			return; /* the next time */
		w->process = grown;
		w->room = room;
	}
	w->process[w->n++] = (struct process){.pid = pid, .seen = true};
}

/* Which processes there are: those that are gone are forgotten. */
static void list_processes(struct watch *w)
{
	DIR *proc = opendir("/proc");
	size_t known = w->n, kept = 0;
	struct dirent *d;

	for (size_t i = 0; i < known; i++)
		w->process[i].seen = false;
	while (proc && (d = readdir(proc))) {
		char *end;
		long pid = strtol(d->d_name, &end, 10);
		struct watch old = {.process = w->process, .n = known};
		struct process *p;

		if (pid <= 0 || *end || pid == getpid())
			continue;
		p = find_process(&old, (pid_t)pid);
		if (p)
			p->seen = true;
		else if (is_ours((pid_t)pid))
			add_process(w, (pid_t)pid);
	}
	if (proc)
		closedir(proc);
	for (size_t i = 0; i < w->n; i++)
		if (w->process[i].seen)
			w->process[kept++] = w->process[i];
	w->n = kept;
	if (w->n)
		qsort(w->process, w->n, sizeof(*w->process), by_pid);
}

void watch_look(struct watch *w, watch_fn *fn, void *user)
{
	list_processes(w);
	w->turn++;
	for (size_t i = 0; i < w->n; i++) {
		struct process *p = &w->process[i];
		uint64_t began = 0;
		pid_t parent;

		if (p->looks >= FIRST_LOOKS && ((unsigned)p->pid + w->turn) % TURNS)
			continue;
		if (!read_stat(p->pid, &parent, &began))
			continue;
		if (began != p->began) /* its number was another one's */
			*p = (struct process){.pid = p->pid, .began = began};
		if (!p->matches && !look_at(w, p, fn, user))
			p->looks++;
		else
			p->looks = FIRST_LOOKS;
	}
}

void watch_again(struct watch *w, pid_t pid)
{
	struct process *p = find_process(w, pid);

	if (p)
		*p = (struct process){.pid = pid};
}

size_t watch_ancestors(const struct watch *w)
{
	return w->n_left_out;
}

struct watch *watch_open(const char *const *modules, size_t n, const char *program)
{
	struct watch *w = calloc(1, sizeof(*w));
	uint64_t began;
	pid_t pid = getpid();

	if (!w)
		return NULL;
	for (size_t i = 0; i < n && i < MOST_MODULES; i++)
		w->modules[w->n_modules++] = modules[i];
	w->program = program;
	if (stat("/proc/self/exe", &w->own) != 0)
		w->own = (struct stat){0};
	while (w->n_ancestors < ANCESTORS && read_stat(pid, &pid, &began) && pid > 0)
		w->ancestors[w->n_ancestors++] = pid;
	return w;
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	free(w->process);
	free(w);
}
