/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: what was synced is there after a crash, whatever was being written; a full disk loses nothing. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/coordinator/journal.h"

static char folder[64];
static int directory = -1;

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/ward-journal-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(directory >= 0);
}

static void remove_folder(void)
{
	unlinkat(directory, "journal", 0);
	unlinkat(directory, "link", 0);
	close(directory);
	rmdir(folder);
}

TestSuite(journal, .init = make_folder, .fini = remove_folder);

/* Entry i says i, and has i % 7 * 100 bytes. */
static struct cluster_entry entry_of(uint64_t i)
{
	static char name[16], bytes[700];
	snprintf(name, sizeof(name), "m%llu", (unsigned long long)i);
	memset(bytes, (int)i, sizeof(bytes));
	return (struct cluster_entry){
		.kind = CLUSTER_ENTRY_LAST, .number = i, .name = name, .bytes = bytes, .size = i % 7 * 100};
}

static int check_entry(void *user, const struct cluster_entry *entry, struct ward_error *err)
{
	uint64_t *n = user;
	struct cluster_entry expected = entry_of(*n);
	(void)err;
	cr_assert(entry->kind == expected.kind && entry->number == *n && entry->size == expected.size);
	cr_assert_str_eq(entry->name, expected.name);
	cr_assert_eq(memcmp(entry->bytes, expected.bytes, entry->size), 0);
	++*n;
	return 0;
}

static cluster_journal *open_journal(uint64_t *n)
{
	cluster_journal *j = NULL;
	struct ward_error err = {0};
	*n = 0;
	cr_assert_eq(cluster_journal_open(directory, "journal", check_entry, n, &j, &err), 0, "%s", err.why);
	return j;
}

static void put(cluster_journal *j, uint64_t from, uint64_t to)
{
	struct ward_error err;
	for (uint64_t i = from; i < to; i++) {
		struct cluster_entry entry = entry_of(i);
		cr_assert_eq(cluster_journal_put(j, &entry, &err), 0, "%s", err.why);
	}
}

static off_t length(void)
{
	struct stat st;
	cr_assert_eq(fstatat(directory, "journal", &st, 0), 0);
	return st.st_size;
}

Test(journal, what_was_synced_is_there)
{
	uint64_t n;
	cluster_journal *j = open_journal(&n);
	cr_expect_eq(n, 0);
	put(j, 0, 20);
	cr_expect_eq(cluster_journal_count(j), 0);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	cr_expect_eq(cluster_journal_count(j), 20);
	cluster_journal_close(j);
	j = open_journal(&n);
	cr_expect(n == 20 && cluster_journal_count(j) == 20 && cluster_journal_dropped(j) == 0);
	put(j, 20, 25);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	cluster_journal_close(j);
	j = open_journal(&n);
	cr_expect_eq(n, 25);
	cluster_journal_close(j);
}

/* Cut behind what was synced, or with a byte of that changed: what is before is read, and can go on. */
Test(journal, what_was_being_written_is_dropped)
{
	uint64_t n;
	cluster_journal *j = open_journal(&n);
	put(j, 0, 3);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	off_t synced = length();
	put(j, 3, 6);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	off_t all = length();
	cluster_journal_close(j);
	char bytes[4096], broken[4096];
	int fd = openat(directory, "journal", O_RDWR | O_CLOEXEC);
	cr_assert(all < (off_t)sizeof(bytes) && pread(fd, bytes, sizeof(bytes), 0) == all);
	for (off_t i = 0; i < 2 * (all - synced); i += 23) {
		bool is_cut = i >= all - synced;
		off_t at = synced + i % (all - synced);
		memcpy(broken, bytes, (size_t)all);
		broken[at] ^= 0x10;
		cr_assert_eq(ftruncate(fd, 0), 0);
		cr_assert(pwrite(fd, is_cut ? bytes : broken, (size_t)(is_cut ? at : all), 0) > 0);
		j = open_journal(&n);
		cr_assert(n >= 3 && n < 6, "%d %d: %d", (int)i, is_cut, (int)n);
		cr_assert(cluster_journal_dropped(j) > 0 || is_cut);
		put(j, n, 6);
		cr_assert_eq(cluster_journal_sync(j, NULL), 0);
		cr_assert_eq(length(), all);
		cluster_journal_close(j);
	}
	close(fd);
}

/* Nothing that failed is acknowledged later, and what was there stays. */
Test(journal, a_full_disk_loses_nothing)
{
	uint64_t n;
	struct ward_error err;
	cluster_journal *j = open_journal(&n);
	put(j, 0, 10);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	struct rlimit was, few;
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
	few = was;
	few.rlim_cur = (rlim_t)length() + 300;
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &few), 0);
	int status = 0;
	uint64_t i = 10;
	for (; !status; i++) {
		struct cluster_entry entry = entry_of(i);
		status = cluster_journal_put(j, &entry, &err);
	}
	cr_expect_eq(status, WARD_E_SYSTEM);
	cr_expect(strstr(err.why, "can't be written") && strstr(err.hint, "aren't acknowledged"), "%s", err.why);
	cr_expect_eq(cluster_journal_count(j), 10);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
	put(j, 10, 20);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	cluster_journal_close(j);
	j = open_journal(&n);
	cr_expect_eq(n, 20);
	cr_expect_eq(cluster_journal_dropped(j), 0);
	cluster_journal_close(j);
}

static int refuse_third(void *user, const struct cluster_entry *entry, struct ward_error *err)
{
	(void)user;
	(void)err;
	return entry->number == 2 ? WARD_E_USAGE : 0;
}

Test(journal, what_is_none_is_refused)
{
	uint64_t n;
	struct ward_error err;
	cluster_journal *j = open_journal(&n), *other = j;
	cr_expect_eq(cluster_journal_open(directory, "journal", NULL, NULL, &other, &err), WARD_E_USAGE);
	cr_expect(other == NULL && strstr(err.why, "another coordinator"), "%s", err.why);
	put(j, 0, 5);
	struct cluster_entry large = {.kind = 1, .bytes = folder, .size = CLUSTER_ENTRY_BYTES + 1};
	cr_expect_eq(cluster_journal_put(j, &large, &err), WARD_E_USAGE);
	cr_assert_eq(cluster_journal_sync(j, NULL), 0);
	cluster_journal_close(j);
	cr_expect_eq(cluster_journal_open(directory, "journal", refuse_third, NULL, &j, &err), WARD_E_USAGE);
	cr_expect_null(j);
	cr_assert_eq(symlinkat("journal", directory, "link"), 0);
	cr_expect_eq(cluster_journal_open(directory, "link", NULL, NULL, &j, &err), WARD_E_SYSTEM);
	int fd = openat(directory, "journal", O_WRONLY | O_CLOEXEC);
	cr_assert_eq(pwrite(fd, "x", 1, 2), 1);
	close(fd);
	cr_expect_eq(cluster_journal_open(directory, "journal", NULL, NULL, &j, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "no journal"), "%s", err.why);
}
