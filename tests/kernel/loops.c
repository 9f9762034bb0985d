/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module of the kernel: probes that were compiled elsewhere read members of its structures, which must equal what
 * the system shows by other means. The running kernel has these types while the module is loaded.
 */
#include "disk.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 100 };

void test_looped(void)
{
	static const char *const good[] = {"requests", "good_name", "good_queue"};
	struct loop_info64 told;
	ward_session *s;
	struct stat file;
	int disk;

	load_loop();
	disk = make_disk(&file);
	CHECK(ioctl(disk, LOOP_GET_STATUS64, &told) == 0 && told.lo_inode == file.st_ino &&
			told.lo_offset == DISK_OFFSET && told.lo_sizelimit == DISK_SIZE,
		"%s", strerror(errno));
	s = attached("looped", NULL);
	read_blocks(disk, TIMES);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(field_value(s, "looped", good[i]) == TIMES, "%s: %lu", good[i],
			field_value(s, "looped", good[i]));
	CHECK(map_value(s, "looped", "by_number", DISK_NUMBER) == TIMES, "%lu",
		map_value(s, "looped", "by_number", DISK_NUMBER));
	CHECK(map_value(s, "looped", "by_offset", DISK_OFFSET) == TIMES, "%lu",
		map_value(s, "looped", "by_offset", DISK_OFFSET));
	CHECK(map_value(s, "looped", "by_limit", DISK_SIZE) == TIMES, "%lu",
		map_value(s, "looped", "by_limit", DISK_SIZE));
	CHECK(map_value(s, "looped", "by_flags", told.lo_flags) == TIMES, "%lu of %#x",
		map_value(s, "looped", "by_flags", told.lo_flags), told.lo_flags);
	CHECK(map_value(s, "looped", "by_inode", file.st_ino) == TIMES, "%lu",
		map_value(s, "looped", "by_inode", file.st_ino));
	ward_session_free(s);
	unmake_disk(disk);
}

/* Each request that is done was given, on whichever processor. */
void test_crossed_disk(void)
{
	ward_session *s;
	struct stat file;
	int disk;

	load_loop();
	disk = make_disk(&file);
	s = attached("biolatency", NULL);
	read_blocks(disk, TIMES);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	CHECK(field_count(s, "biolatency", "took") >= TIMES, "%lu", field_count(s, "biolatency", "took"));
	CHECK(field_value(s, "biolatency", "missed") == 0, "%lu", field_value(s, "biolatency", "missed"));
	ward_session_free(s);
	unmake_disk(disk);
}

/* What the running kernel tells of it. */
static int loop_header(char **text, struct ward_error *e)
{
	static const char *const loop[] = {"loop"};
	size_t size;
	FILE *out = open_memstream(text, &size);
	int status;

	CHECK(out, "%s", strerror(errno));
	status = ward_kernel_header(NULL, loop, 1, out, e);
	fclose(out);
	return status;
}

void test_loop_types(void)
{
	struct ward_error e;
	char *text;

	CHECK(loop_header(&text, &e) == WARD_E_TARGET && strcmp(e.what, "/sys/kernel/btf/loop") == 0 &&
			strstr(e.hint, "modprobe loop"),
		"%s: %s (%s)", e.what, e.why, e.hint);
	free(text);
	load_loop();
	CHECK(loop_header(&text, &e) == 0, "%s: %s (%s)", e.what, e.why, e.hint);
	CHECK(strstr(text, "#define WARD_KERNEL_TYPES_loop 1\n") && strstr(text, "struct task_struct {\n") &&
			strstr(text, "struct loop_device {\nint lo_number;\n"),
		"%s", text);
	free(text);
	CHECK(syscall(SYS_delete_module, "loop", O_NONBLOCK) == 0, "%s", strerror(errno));
}

/* The example, as its users run it. */
void test_loop_example(void)
{
	static char text[1 << 16];
	char path[256];
	char *trace[] = {(char *)ward, "trace", "--kernel", "-d", "2", path, NULL};
	struct stat file;
	pid_t reader, other;
	int status, disk;

	load_loop();
	disk = make_disk(&file);
	reader = fork();
	if (reader == 0)
		for (;;)
			read_blocks(disk, 100);
	snprintf(path, sizeof(path), "%s/loops.ward", probes);
	status = run_ward(text, sizeof(text), &other, trace);
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	fputs(text, stdout);
	CHECK(status == 0 && strstr(text, " 11  disk.img "), "%#x: %s", (unsigned)status, text);
	unmake_disk(disk);
}
