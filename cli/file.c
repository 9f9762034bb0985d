/* SPDX-License-Identifier: Apache-2.0 */
/* Read and write whole files. */
#define _GNU_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { MAX_FILE = 256 << 20 };

bool cli_has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n > m && strcmp(s + n - m, suffix) == 0;
}

static int report_unreadable(const char *path, const char *why)
{
	return cli_error(CLI_USAGE, path, "give the path of a file that you may read", "%s", why);
}

static int read_open_file(const char *path, int fd, struct cli_bytes *out)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return report_unreadable(path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return report_unreadable(path, strerror(EISDIR));
	size_t room = S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < MAX_FILE ? (size_t)st.st_size + 1 : 1 << 16;
	for (;;) { /* pipes are welcome, so the size is only a guess */
		if (!out->data || out->size == room) {
			room = out->data ? 2 * room : room;
			uint8_t *data = room <= 2u * MAX_FILE ? realloc(out->data, room) : NULL;
			if (!data)
				return report_unreadable(path, "too large");
			out->data = data;
		}
		ssize_t n = read(fd, out->data + out->size, room - out->size);
		if (n == 0)
			return CLI_OK;
		if (n < 0 && errno != EINTR)
			return report_unreadable(path, strerror(errno));
		out->size += n > 0 ? (size_t)n : 0;
	}
}

int cli_read_file(const char *path, struct cli_bytes *out)
{
	*out = (struct cli_bytes){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return report_unreadable(path, strerror(errno));
	int status = read_open_file(path, fd, out);
	close(fd);
	if (status != CLI_OK) {
		free(out->data);
		*out = (struct cli_bytes){0};
	}
	return status;
}

static bool write_all(int fd, const struct cli_bytes *bytes)
{
	size_t done = 0;
	while (done < bytes->size) {
		ssize_t n = write(fd, bytes->data + done, bytes->size - done);
		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static int report_unwritable(const char *path, int error)
{
	return cli_error(CLI_USAGE, path, "choose a place that you may write to with -o FILE", "%s", strerror(error));
}

/* Devices and pipes: nothing to rename. */
static int write_special(const char *path, const struct cli_bytes *bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return report_unwritable(path, errno);
	bool ok = write_all(fd, bytes);
	int error = errno;
	close(fd);
	return ok ? CLI_OK : report_unwritable(path, error);
}

int cli_write_file(const char *path, const struct cli_bytes *bytes)
{
	struct stat st;
	char *temporary;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_special(path, bytes);
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return report_unwritable(path, ENOMEM);
	int fd = mkostemp(temporary, O_CLOEXEC), error = errno;
	if (fd < 0) {
		free(temporary);
		return report_unwritable(path, error);
	}
	mode_t mask = umask(0);
	umask(mask);
	bool ok = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, bytes);
	error = errno;
	if (close(fd) != 0 && ok)
		ok = false, error = errno;
	if (ok && rename(temporary, path) != 0)
		ok = false, error = errno;
	if (!ok)
		unlink(temporary);
	free(temporary);
	return ok ? CLI_OK : report_unwritable(path, error);
}

void cli_remove_stale(const char *path)
{
	struct stat st;
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}
