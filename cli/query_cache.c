/* SPDX-License-Identifier: Apache-2.0 */
/*
 * $XDG_CACHE_HOME/ward has a file for each module: a head, the whole key, the module. The file's name is a hash of the
 * key; as the key itself is compared, two keys of one hash are no danger. A file is written under another name, and
 * then gets its own. The directory and the files are the user's alone, or they aren't used. What is in them is verified
 * each time, and the loader verifies it once more.
 */
#define _GNU_SOURCE
#include "query_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "codegen/driver/paths.h"

enum { MOST_BYTES = 16 << 20, MOST_FILES = 256 };

static const char MAGIC[8] = "WARDQ 1\n";

/* ---- the key ---- */

/* What it is: the same file has the same line. */
static void add_file(FILE *key, const char *path)
{
	struct stat s;

	if (stat(path, &s) == 0)
		fprintf(key, "%s %ju %ju %jd %jd.%09ld\n", path, (uintmax_t)s.st_dev, (uintmax_t)s.st_ino,
			(intmax_t)s.st_size, (intmax_t)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_headers(FILE *key)
{
	char directory[PATH_MAX], path[2 * PATH_MAX];
	struct dirent **names = NULL;
	int n;

	if (!cg_include_dir(directory))
		return false;
	strncat(directory, "/ward", sizeof(directory) - strlen(directory) - 1);
	n = scandir(directory, &names, NULL, by_name);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add_file(key, path);
		free(names[i]);
	}
	free(names);
	return n > 0;
}

static void add_front_end(FILE *key)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX + 20];

	for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		snprintf(path, sizeof(path), "%.*s/clang-19", (int)strcspn(at, ":"), at);
		if (access(path, X_OK) == 0) {
			add_file(key, path);
			return;
		}
	}
}

char *query_cache_key(
	const struct query_same *probe, bool kernel, const struct ward_verify_options *limits, size_t *size)
{
	char backend[PATH_MAX], *text = NULL;
	FILE *key = open_memstream(&text, size);
	bool known;

	if (!key)
		return NULL;
	fprintf(key, "%s %d %" PRIu64 " %u\n", ward_version(), kernel, (uint64_t)limits->max_insns,
		(unsigned)limits->max_stack);
	for (size_t i = 0; i < limits->n_allow; i++)
		fprintf(key, "%s\n", limits->allow[i]);
	known = cg_backend(backend) && add_headers(key) && !getenv("CPATH") && !getenv("C_INCLUDE_PATH");
	add_file(key, "/proc/self/exe");
	if (known)
		add_file(key, backend);
	add_front_end(key);
	for (size_t i = 0; i < 2; i++)
		fwrite(probe->part[i], 1, probe->size[i], key);
	if (fclose(key) == 0 && known)
		return text;
	free(text);
	return NULL;
}

/* ---- the directory ---- */

/* Only the user can have written there. */
static bool is_own(int fd, mode_t type, mode_t forbidden)
{
	struct stat s;

	return fstat(fd, &s) == 0 && (s.st_mode & S_IFMT) == type && s.st_uid == geteuid() && !(s.st_mode & forbidden);
}

/* Its directory, open; -1: there is none that can be used. */
static int open_cache(void)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	char path[PATH_MAX];
	int fd, n;

	if (cache && *cache == '/')
		n = snprintf(path, sizeof(path), "%s", cache);
	else if (home && *home == '/')
		n = snprintf(path, sizeof(path), "%s/.cache", home);
	else
		return -1;
	if (n < 0 || (size_t)n + sizeof("/ward") > sizeof(path))
		return -1;
	mkdir(path, 0700);
	strcat(path, "/ward");
	mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && is_own(fd, S_IFDIR, 022))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* FNV-1a: it finds what a disk has damaged, and nothing more. */
static uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}

/* Which name a key has. */
static void name_key(const char *key, size_t size, char name[32])
{
	snprintf(name, 32, "%016" PRIx64 ".query", hash_bytes(key, size));
}

static bool read_own(int directory, const char *name, struct cli_bytes *out)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat s;
	bool done = false;

	if (fd < 0)
		return false;
	if (is_own(fd, S_IFREG, 077) && fstat(fd, &s) == 0 && s.st_size <= MOST_BYTES) {
		*out = (struct cli_bytes){.data = malloc((size_t)s.st_size + 1), .size = (size_t)s.st_size};
		done = out->data && read(fd, out->data, out->size) == (ssize_t)out->size;
		if (done)
			out->data[out->size] = 0;
		else
			free(out->data);
	}
	close(fd);
	return done;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

struct piece {
	const void *bytes;
	size_t size;
};

/* Its name never stands for half of it. */
static void write_own(int directory, const char *name, const struct piece *pieces, size_t n)
{
	char temporary[64];
	bool done = true;
	int fd;

	snprintf(temporary, sizeof(temporary), ".%d-%016llx", (int)getpid(), (unsigned long long)__rdtsc());
	fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	for (size_t i = 0; i < n; i++)
		done = done && write_all(fd, pieces[i].bytes, pieces[i].size);
	done = close(fd) == 0 && done;
	if (!done || renameat(directory, temporary, directory, name) != 0)
		unlinkat(directory, temporary, 0);
}

/* The one that wasn't used for longest makes room. */
static void remove_oldest(int directory)
{
	int copy = dup(directory), n = 0;
	DIR *files = copy >= 0 ? fdopendir(copy) : NULL;
	char oldest[NAME_MAX + 1] = "";
	struct timespec least = {0};
	struct dirent *d;
	struct stat s;

	if (!files)
		return;
	rewinddir(files);
	while ((d = readdir(files))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 || strcmp(d->d_name, "clock") == 0 ||
			fstatat(directory, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (n++ == 0 || s.st_mtim.tv_sec < least.tv_sec ||
			(s.st_mtim.tv_sec == least.tv_sec && s.st_mtim.tv_nsec < least.tv_nsec)) {
			least = s.st_mtim;
			snprintf(oldest, sizeof(oldest), "%s", d->d_name);
		}
	}
	closedir(files);
	if (n > MOST_FILES)
		unlinkat(directory, oldest, 0);
}

/* ---- modules ---- */

/* What a file begins with; behind it are the key and the module. */
struct head {
	char magic[8];
	uint64_t key_size, module_hash;
};

/* Is it that of the key, and whole? Then the module is moved to the front. */
static bool take_module(struct cli_bytes *file, const char *key, size_t size)
{
	size_t before = sizeof(struct head) + size;
	struct head head;

	if (file->size <= before)
		return false;
	memcpy(&head, file->data, sizeof(head));
	if (memcmp(head.magic, MAGIC, sizeof(MAGIC)) != 0 || head.key_size != size ||
		memcmp(file->data + sizeof(head), key, size) != 0)
		return false;
	file->size -= before;
	memmove(file->data, file->data + before, file->size);
	return hash_bytes(file->data, file->size) == head.module_hash;
}

bool query_cache_find(const char *key, size_t size, const struct ward_verify_options *limits, struct cli_bytes *module)
{
	int directory = open_cache();
	struct ward_verdict *verdict = NULL;
	bool found = false;
	char name[32];

	if (directory < 0)
		return false;
	name_key(key, size, name);
	if (read_own(directory, name, module)) {
		found = take_module(module, key, size);
		verdict = found ? ward_verify(module->data, module->size, limits) : NULL;
		found = verdict && verdict->accepted;
		ward_verdict_free(verdict);
		if (found)
			utimensat(directory, name, NULL, 0); /* it was used */
		else
			free(module->data);
	}
	if (!found)
		*module = (struct cli_bytes){0};
	close(directory);
	return found;
}

void query_cache_keep(const char *key, size_t size, const struct cli_bytes *module)
{
	struct head head = {.key_size = size, .module_hash = hash_bytes(module->data, module->size)};
	const struct piece pieces[] = {{&head, sizeof(head)}, {key, size}, {module->data, module->size}};
	int directory = open_cache();
	char name[32];

	if (directory < 0)
		return;
	name_key(key, size, name);
	memcpy(head.magic, MAGIC, sizeof(MAGIC));
	if (sizeof(head) + size + module->size <= MOST_BYTES)
		write_own(directory, name, pieces, 3);
	remove_oldest(directory);
	close(directory);
}

/* ---- the clock ---- */

/* The machine has started with this name. */
static bool read_boot(char boot[40])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool done = file && fscanf(file, "%39s", boot) == 1;

	if (file)
		fclose(file);
	return done;
}

static uint64_t raw_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Both clocks since it was measured say whether it still holds: a virtual machine may have moved. */
double query_cache_rate(void)
{
	int directory = open_cache();
	char boot[40], own[40];
	struct cli_bytes file;
	uint64_t counts, ns, now = raw_now(), now_counts = __rdtsc();
	double rate = 0, since;

	if (directory < 0)
		return 0;
	if (read_own(directory, "clock", &file)) {
		if (sscanf((const char *)file.data, "%39s %lf %" SCNu64 " %" SCNu64, boot, &rate, &counts, &ns) != 4 ||
			!read_boot(own) || strcmp(boot, own) != 0 || now <= ns || now_counts <= counts || !(rate > 1) ||
			!(rate < 1e5))
			rate = 0;
		since = rate > 0 ? (double)(now_counts - counts) * 1000 / (double)(now - ns) : 0;
		if (rate > 0 && now - ns > 1000000000 && (since < rate * 0.9999 || since > rate * 1.0001))
			rate = 0;
		free(file.data);
	}
	close(directory);
	return rate;
}

void query_cache_keep_rate(double rate)
{
	int directory = open_cache();
	char boot[40], text[160];
	struct piece piece = {text, 0};

	if (directory < 0)
		return;
	if (read_boot(boot)) {
		snprintf(text, sizeof(text), "%s %.17g %" PRIu64 " %" PRIu64 "\n", boot, rate, (uint64_t)__rdtsc(),
			raw_now());
		piece.size = strlen(text);
		write_own(directory, "clock", &piece, 1);
	}
	close(directory);
}
