/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that a module is found by: its file's name, its soname, its path, and
 *
 *   a short form   libc of libc.so.6
 *   another name   of the same file in its directory, as symbolic links and programs of many names have
 *   argv[0]        of a program: what it was called by
 *
 * The process says what it was called by, and may lie: that only finds it by another name.
 */
#include "symbols.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* "libc" of "libc.so.6" and of "libc-2.31.so". */
static bool is_short_form(const char *name, const char *glob)
{
	size_t n = strlen(glob);

	if (strncmp(name, glob, n) != 0)
		return false;
	return strncmp(name + n, ".so", 3) == 0 || (fnmatch("-[0-9]*.so*", name + n, 0) == 0);
}

/* Are these one file, as the process sees them? */
static bool is_same_file(pid_t pid, const char *a, const char *b)
{
	char path[PATH_ROOM];
	struct stat x, y;

	if (snprintf(path, sizeof(path), "/proc/%d/root%s", (int)wl_shown_at(pid), a) >= PATH_ROOM ||
		stat(path, &x) != 0)
		return false;
	if (snprintf(path, sizeof(path), "/proc/%d/root%s", (int)wl_shown_at(pid), b) >= PATH_ROOM ||
		stat(path, &y) != 0)
		return false;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_name_beside(const struct wl_module *m, const char *name)
{
	const char *own = m->first->path, *slash = strrchr(own, '/');
	char path[PATH_ROOM];

	if (!slash || snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - own), own, name) >= PATH_ROOM)
		return false;
	return is_same_file(m->pid, path, own);
}

/* Is it the process's program, and was that called by this name? */
static bool is_called(const struct wl_module *m, const char *name)
{
	char path[64], exe[PATH_ROOM], *command;
	const char *slash;
	ssize_t n;
	bool is;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)wl_shown_at(m->pid));
	n = readlink(path, exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = 0;
	if (strcmp(exe, m->first->path) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)wl_shown_at(m->pid));
	command = wl_read_proc(path, NULL);
	slash = command ? strrchr(command, '/') : NULL;
	is = command && strcmp(slash ? slash + 1 : command, name) == 0;
	free(command);
	return is;
}

const char *wl_module_matches(const struct wl_module *m, const char *glob)
{
	if (fnmatch(glob, m->name, 0) == 0)
		return m->name;
	if (*m->soname && fnmatch(glob, m->soname, 0) == 0)
		return m->soname;
	if (*glob == '/')
		return fnmatch(glob, m->first->path, 0) == 0 || is_same_file(m->pid, glob, m->first->path) ? m->name
													   : NULL;
	if (!*glob || strpbrk(glob, "*?[\\/"))
		return NULL;
	if (is_short_form(m->name, glob) || is_short_form(m->soname, glob))
		return m->name;
	return is_name_beside(m, glob) || is_called(m, glob) ? glob : NULL;
}
