/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what a process has mapped: files that come and go don't add up. */
#include "helper.h"

#include "loader/process/maps.h"
#include "loader/sample/code_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 300, FILES_MOST = 120 };

static struct wl_process self;

/* The rule of a function of ours, once what is mapped now has been taken. */
static uint32_t rule_now(struct wl_code_map *map, struct wl_code_files *files)
{
	struct wl_maps maps;

	cr_assert(wl_maps_read(self.pid, &maps) == 0);
	wl_code_map_take(map, files, &self, &maps);
	wl_maps_free(&maps);
	return wl_code_rule(map, (uintptr_t)&rule_now + 1);
}

/* A copy of this program, written anew, and mapped to be executed. */
static void *map_copy(const char *path, size_t *size)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	struct stat st;
	void *p;

	unlink(path);
	to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	cr_assert(from >= 0 && to >= 0 && fstat(from, &st) == 0);
	for (off_t at = 0; at < st.st_size;)
		cr_assert(copy_file_range(from, &at, to, NULL, (size_t)(st.st_size - at), 0) > 0);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, to, 0);
	cr_assert(p != MAP_FAILED);
	close(from);
	close(to);
	*size = (size_t)st.st_size;
	return p;
}

Test(code_map, files_come_and_go)
{
	struct wl_code_files files = {0};
	struct wl_code_map map = {0}, kept = {0};
	struct ward_error err;
	char path[] = "/tmp/ward-code-map-XXXXXX";
	int fd = mkstemp(path);
	uint32_t rule;

	cr_assert(fd >= 0 && wl_process_open(&self, getpid(), &err) == 0);
	close(fd);
	rule = rule_now(&map, &files);
	cr_assert(rule != WL_UNWIND_NONE);
	wl_code_map_copy(&kept, &map);
	for (int i = 0; i < FILES; i++) {
		size_t size;
		void *p = map_copy(path, &size);

		cr_assert(rule_now(&map, &files) == rule);
		cr_assert(wl_code_rule(&kept, (uintptr_t)&rule_now + 1) == rule);
		munmap(p, size);
	}
	unlink(path);
	cr_assert(files.n < FILES_MOST, "%zu files", files.n);
	for (size_t i = 1; i < files.n; i++)
		cr_assert(wl_file_key_compare(&files.v[i - 1]->mapped.of, &files.v[i]->mapped.of) < 0);
	wl_code_map_free(&map);
	cr_assert(wl_code_rule(&kept, (uintptr_t)&rule_now + 1) == rule);
	wl_code_map_free(&kept);
	wl_code_files_free(&files);
	wl_process_close(&self);
}
