/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/wire/refuse.h"

enum { MOST_PATH = 4096 };

bool agent_store_put(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t n = write(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool directory_sync(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* It is written beside its place, and takes it at once. */
bool agent_store_write(
	const char *directory, const char *name, const void *bytes, size_t size, bool sync, struct ward_error *err)
{
	char path[MOST_PATH], fresh[MOST_PATH];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(fresh, sizeof(fresh), "%s/%s.new", directory, name);
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool ok = fd >= 0 && agent_store_put(fd, bytes, size) && (!sync || fsync(fd) == 0);
	if (fd >= 0)
		ok &= close(fd) == 0;
	ok = ok && rename(fresh, path) == 0 && (!sync || directory_sync(directory));
	if (ok)
		return true;
	cluster_refuse(err, path, NULL, "it can't be written: %s", strerror(errno));
	if (fd >= 0)
		unlink(fresh);
	return false;
}

bool agent_store_read(
	const char *directory, const char *name, size_t most, void **bytes, size_t *size, struct ward_error *err)
{
	char path[MOST_PATH], *text = NULL;
	struct stat s;
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	*bytes = NULL;
	*size = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return true;
	bool ok = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (uint64_t)s.st_size <= most &&
		  (text = malloc((size_t)s.st_size + 1));
	while (ok && n < (size_t)s.st_size) {
		ssize_t got = read(fd, text + n, (size_t)s.st_size - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	if (!ok) {
		free(text);
		return cluster_refuse(
			err, path, NULL, "it can't be read: %s", fd < 0 ? strerror(errno) : "it is too large");
	}
	text[n] = 0;
	*bytes = text;
	*size = n;
	return true;
}

bool agent_store_remove(const char *directory, const char *name)
{
	char path[MOST_PATH];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return unlink(path) == 0 || errno == ENOENT;
}

bool agent_store_directory(const char *path, struct ward_error *err)
{
	struct stat s;

	if (mkdir(path, 0700) == 0)
		return true;
	if (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
		return true;
	return cluster_refuse(err, path, NULL, "it can't be made: %s", strerror(errno));
}
