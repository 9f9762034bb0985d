/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-95. The file is eight bytes that say what it is, and entries: a head of fixed size, the name, the bytes. A head
 * has a sum over the whole entry. The first entry whose sum is wrong, and all behind it, were being written when the
 * machine stopped: nobody was told that they are there, so they are cut off. How much that was is reported, as a
 * damaged disk looks the same.
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/base/error.h"

static const char MAGIC[8] = "WARDJ\0\0\1";

struct head {
	uint32_t kind, name_size;
	uint64_t number, size;
	uint64_t sum; /* of all before, the name and the bytes */
};

struct cluster_journal {
	int fd;
	off_t end, synced;
	uint64_t count, count_synced;
	uint64_t dropped;
};

/* ---- bytes ---- */

static uint64_t sum_add(uint64_t sum, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ at[i]) * 0x100000001b3;
	return sum;
}

static uint64_t sum_of(const struct head *head, const void *name, const void *bytes)
{
	uint64_t sum = sum_add(0xcbf29ce484222325, head, offsetof(struct head, sum));
	return sum_add(sum_add(sum, name, head->name_size), bytes, head->size);
}

static bool write_all(int fd, const void *bytes, size_t n, off_t at)
{
	const char *from = bytes;
	while (n) {
		ssize_t written = pwrite(fd, from, n, at);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			errno = written ? errno : ENOSPC;
			return false;
		}
		from += written;
		at += written;
		n -= (size_t)written;
	}
	return true;
}

/* Read so many bytes; fewer are at the end of the file. */
static bool read_all(int fd, void *bytes, size_t n, off_t at)
{
	char *to = bytes;
	while (n) {
		ssize_t got = pread(fd, to, n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static int report_error(const char *what, struct ward_error *err)
{
	int status = cluster_fail(err, WARD_E_SYSTEM, "journal", "%s: %s", what, strerror(errno));
	cluster_hint(err, "%s", "until it can be written, last values aren't acknowledged, and machines keep theirs");
	return status;
}

/* ---- opening ---- */

/* Read the entry at the end of what is good. *size: of all of it; 0: there is none, or it isn't whole. */
static int entry_read(
	cluster_journal *j, off_t length, cluster_entry_fn *fn, void *user, uint64_t *size, struct ward_error *err)
{
	struct head head;
	*size = 0;
	if (length - j->end < (off_t)sizeof(head) || !read_all(j->fd, &head, sizeof(head), j->end))
		return WARD_OK;
	if (head.name_size > CLUSTER_ENTRY_NAME || head.size > CLUSTER_ENTRY_BYTES ||
		(uint64_t)(length - j->end) - sizeof(head) < head.name_size + head.size)
		return WARD_OK;
	char *rest = malloc(head.name_size + head.size + 1);
	if (!rest)
		return cluster_no_memory(err);
	char name[CLUSTER_ENTRY_NAME + 1] = "";
	int status = WARD_OK;
	if (read_all(j->fd, rest, head.name_size + head.size, j->end + (off_t)sizeof(head)) &&
		sum_of(&head, rest, rest + head.name_size) == head.sum) {
		memcpy(name, rest, head.name_size);
		struct cluster_entry entry = {.kind = head.kind,
			.number = head.number,
			.name = name,
			.bytes = rest + head.name_size,
			.size = head.size};
		*size = sizeof(head) + head.name_size + head.size;
		status = fn ? fn(user, &entry, err) : WARD_OK;
	}
	free(rest);
	return status;
}

static int entries_read(cluster_journal *j, off_t length, cluster_entry_fn *fn, void *user, struct ward_error *err)
{
	uint64_t size = 1;
	while (size) {
		int status = entry_read(j, length, fn, user, &size, err);
		if (status)
			return status;
		j->end += (off_t)size;
		j->count += size != 0;
	}
	j->dropped = (uint64_t)(length - j->end);
	if (j->dropped && (ftruncate(j->fd, j->end) || fsync(j->fd)))
		return report_error("what isn't whole can't be cut off", err);
	return WARD_OK;
}

/* A file that is new, or that was being made. */
static int file_begin(cluster_journal *j, int directory, struct ward_error *err)
{
	if (ftruncate(j->fd, 0) || !write_all(j->fd, MAGIC, sizeof(MAGIC), 0) || fsync(j->fd) || fsync(directory))
		return report_error("it can't be made", err);
	return WARD_OK;
}

static int file_open(
	cluster_journal *j, int directory, const char *file, cluster_entry_fn *fn, void *user, struct ward_error *err)
{
	char magic[sizeof(MAGIC)];
	struct stat st;
	int status = WARD_OK;
	j->fd = openat(directory, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (j->fd < 0 || fstat(j->fd, &st))
		return report_error("it can't be opened", err);
	if (!S_ISREG(st.st_mode))
		return cluster_fail(err, WARD_E_USAGE, "journal", "%s is no plain file", file);
	if (flock(j->fd, LOCK_EX | LOCK_NB))
		return cluster_fail(err, WARD_E_USAGE, "journal", "another coordinator has %s open", file);
	if (st.st_size < (off_t)sizeof(MAGIC))
		status = file_begin(j, directory, err);
	else if (!read_all(j->fd, magic, sizeof(magic), 0) || memcmp(magic, MAGIC, sizeof(MAGIC)) != 0)
		status = cluster_fail(err, WARD_E_USAGE, "journal", "%s is no journal of this version", file);
	j->end = sizeof(MAGIC);
	if (status == WARD_OK && st.st_size > (off_t)sizeof(MAGIC))
		status = entries_read(j, st.st_size, fn, user, err);
	j->synced = j->end;
	j->count_synced = j->count;
	return status;
}

int cluster_journal_open(int directory, const char *file, cluster_entry_fn *fn, void *user, cluster_journal **out,
	struct ward_error *err)
{
	cluster_journal *j = calloc(1, sizeof(*j));
	*out = NULL;
	if (!j)
		return cluster_no_memory(err);
	j->fd = -1;
	int status = file_open(j, directory, file, fn, user, err);
	if (status)
		cluster_journal_close(j);
	else
		*out = j;
	return status;
}

void cluster_journal_close(cluster_journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

/* ---- writing ---- */

/* What isn't synced is not there. */
static int drop_unsynced(cluster_journal *j, const char *what, struct ward_error *err)
{
	int status = report_error(what, err);
	j->end = j->synced;
	j->count = j->count_synced;
	if (ftruncate(j->fd, j->synced)) /* it is written over, and its sum is wrong until then */
		return status;
	return status;
}

int cluster_journal_put(cluster_journal *j, const struct cluster_entry *entry, struct ward_error *err)
{
	const char *name = entry->name ? entry->name : "";
	struct head head = {.kind = entry->kind, .number = entry->number, .size = entry->size};
	size_t name_size = strnlen(name, CLUSTER_ENTRY_NAME + 1);
	if (name_size > CLUSTER_ENTRY_NAME || entry->size > CLUSTER_ENTRY_BYTES)
		return cluster_fail(err, WARD_E_USAGE, "journal", "an entry is too large");
	head.name_size = (uint32_t)name_size;
	head.sum = sum_of(&head, name, entry->bytes);
	off_t at = j->end;
	if (!write_all(j->fd, &head, sizeof(head), at) ||
		!write_all(j->fd, name, name_size, at + (off_t)sizeof(head)) ||
		!write_all(j->fd, entry->bytes, entry->size, at + (off_t)(sizeof(head) + name_size)))
		return drop_unsynced(j, "an entry can't be written", err);
	j->end += (off_t)(sizeof(head) + name_size + entry->size);
	j->count++;
	return WARD_OK;
}

int cluster_journal_sync(cluster_journal *j, struct ward_error *err)
{
	if (j->end != j->synced && fdatasync(j->fd))
		return drop_unsynced(j, "it can't be synced", err);
	j->synced = j->end;
	j->count_synced = j->count;
	return WARD_OK;
}

uint64_t cluster_journal_count(const cluster_journal *j)
{
	return j->count_synced;
}

uint64_t cluster_journal_dropped(const cluster_journal *j)
{
	return j->dropped;
}
