/* SPDX-License-Identifier: Apache-2.0 */
#include "leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/wire/refuse.h"
#include "store.h"

enum { MOST_FILE = 4 << 20, TRIES = 20, PATH = 4096 };

bool agent_leftovers_add(
	const char *directory, const char *name, const struct agent_process *process, struct ward_error *err)
{
	char path[PATH], line[64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(line, sizeof(line), "%d %" PRIu64 "\n", (int)process->pid, process->began);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool ok = fd >= 0 && agent_store_put(fd, line, strlen(line));
	if (fd >= 0)
		ok &= close(fd) == 0; /* if the machine goes down, its processes do, too: it needn't be synced */
	return ok || cluster_refuse(err, path, "C-65", "it can't be written");
}

/* A thread may yet have a system call to make that a killed tracer has prepared: a moment later that is gone, too. */
static bool process_clean(pid_t pid, uint64_t began)
{
	const struct agent_process p = {.pid = pid, .began = began};
	const struct timespec moment = {.tv_nsec = 50000000};

	for (int i = 0; i < TRIES && agent_process_lives(&p); i++) {
		if (ward_cleanup(pid, NULL, NULL) == 0)
			return true;
		nanosleep(&moment, NULL);
	}
	return !agent_process_lives(&p);
}

static size_t file_clean(const char *directory, const char *name)
{
	void *bytes;
	size_t n, left = 0;

	if (!agent_store_read(directory, name, MOST_FILE, &bytes, &n, NULL))
		return 1;
	for (char *line = bytes, *end; line && *line; line = end) {
		int pid;
		uint64_t began;
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (sscanf(line, "%d %" SCNu64, &pid, &began) == 2 && pid > 0)
			left += !process_clean(pid, began);
	}
	free(bytes);
	if (!left)
		agent_store_remove(directory, name);
	return left;
}

size_t agent_leftovers_clean(const char *directory, const char *name)
{
	DIR *d = name ? NULL : opendir(directory);
	struct dirent *e;
	size_t left = 0;

	if (name)
		return file_clean(directory, name);
	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			left += file_clean(directory, e->d_name);
	if (d)
		closedir(d);
	return left;
}
