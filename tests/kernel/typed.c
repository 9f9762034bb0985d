/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structures of the kernel whose members a probe reads, and the running task: they must equal what the system shows
 * by other means.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARK = 54321, TIMES = 100, NOWHERE = 10 };

/* A string that ends with the last byte of memory, or has no end there. */
static char *at_the_edge(const char *text, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && munmap(pages + page, page) == 0, "%s", strerror(errno));
	memcpy(pages + page - n, text, n);
	return pages + page - n;
}

/* Nothing of the buffer is asked for: only the probe looks at it. */
static void write_null(int fd, const char *buffer)
{
	for (int i = 0; i < TIMES; i++)
		CHECK(write(fd, buffer, MARK) == MARK, "%s", strerror(errno));
}

void test_typed(void)
{
	static char whole[MARK] = "ward, and more than there is room for";
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), status;
	ward_session *s = attached("typed", NULL);
	struct stat st;
	pid_t child;

	CHECK(null >= 0 && fstat(null, &st) == 0, "%s", strerror(errno));
	write_null(null, whole);
	write_null(null, at_the_edge("ward 7", 7));
	write_null(null, at_the_edge("ward9", 5));
	CHECK(prctl(PR_SET_NAME, "ward-typed") == 0, "named");
	child = fork();
	if (child == 0)
		_exit(0);
	CHECK(waitpid(child, &status, 0) == child, "a child");
	CHECK(ward_detach(s, NULL) == 0, "detached");
	CHECK(field_value(s, "typed", "calls") == 3 * TIMES, "%lu", field_value(s, "typed", "calls"));
	CHECK(map_value(s, "typed", "by_inode", st.st_ino) == 3 * TIMES, "the file's inode, %lu",
		(unsigned long)st.st_ino);
	CHECK(field_value(s, "typed", "good_name") == 3 * TIMES, "%lu: the file's name",
		field_value(s, "typed", "good_name"));
	CHECK(field_value(s, "typed", "good_text") == 3 * TIMES, "%lu: the buffer",
		field_value(s, "typed", "good_text"));
	CHECK(map_value(s, "typed", "by_length", 15) == TIMES, "a string that is cut off");
	CHECK(map_value(s, "typed", "by_length", 6) == TIMES, "one that ends where memory does");
	CHECK(map_value(s, "typed", "by_length", 5) == TIMES, "one that has no end");
	CHECK(field_value(s, "typed", "refused") == 3 * TIMES * 2 * NOWHERE, "%lu", field_value(s, "typed", "refused"));
	CHECK(map_value(s, "typed", "parents", (uint64_t)child) == (uint64_t)getpid(), "%lu",
		map_value(s, "typed", "parents", (uint64_t)child));
	CHECK(map_value(s, "typed", "good_comm", (uint64_t)child) == 1, "its name");
	ward_session_free(s);
}

/* ---- Whose task runs ---- */

enum { USER = 12345, GROUP = 54321, CALLS = 50 };

/* The last eight bytes of a name are these, zeros among them. */
static uint64_t end_of(const char *name)
{
	char whole[16] = "";
	uint64_t end;

	snprintf(whole, sizeof(whole), "%.15s", name);
	memcpy(&end, whole + 8, sizeof(end));
	return end;
}

static void call_by_name(const char *name)
{
	CHECK(prctl(PR_SET_NAME, name) == 0, "%s", strerror(errno));
	call_getppid(CALLS);
}

/*
 * Another thread, which is of another user than the rest of the process, and answers with its number. A name that was
 * longer leaves nothing behind.
 */
static void *call_as_other(void *tid)
{
	CHECK(syscall(SYS_setresgid, GROUP, -1, -1) == 0 && syscall(SYS_setresuid, USER, -1, -1) == 0, "%s",
		strerror(errno));
	call_by_name("ward-curious-one");
	call_by_name("ward-cur!");
	*(uint64_t *)tid = (uint64_t)syscall(SYS_gettid);
	return NULL;
}

void test_current(void)
{
	static const char *const good[] = {"calls", "good_task", "good_part", "good_long"};
	const struct {
		const char *map;
		uint64_t key, calls;
	} told[] = {
		{"by_user", 0, CALLS},
		{"by_user", USER, 2 * CALLS},
		{"by_group", 0, CALLS},
		{"by_group", GROUP, 2 * CALLS},
		{"by_process", (uint64_t)getpid(), 3 * CALLS},
		{"by_thread", (uint64_t)getpid(), CALLS},
		{"by_end", end_of("ward-current"), CALLS},
		{"by_end", end_of("ward-curious-one"), CALLS},
		{"by_end", end_of("ward-cur!"), CALLS},
	};
	ward_session *s = attached("current", NULL);
	pthread_t other;
	uint64_t tid;

	call_by_name("ward-current");
	CHECK(pthread_create(&other, NULL, call_as_other, &tid) == 0 && pthread_join(other, NULL) == 0,
		"another thread");
	call_by_name("another name");
	usleep(100000);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(field_value(s, "current", good[i]) == 3 * CALLS, "%s: %lu", good[i],
			field_value(s, "current", good[i]));
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		CHECK(map_value(s, "current", told[i].map, told[i].key) == told[i].calls, "%s %#lx: %lu", told[i].map,
			told[i].key, map_value(s, "current", told[i].map, told[i].key));
	CHECK(tid != (uint64_t)getpid() && map_value(s, "current", "by_thread", tid) == 2 * CALLS, "%lu",
		map_value(s, "current", "by_thread", tid));
	CHECK(map_value(s, "current", "idle", 0) > 0, "a processor had nothing to do meanwhile");
	ward_session_free(s);
}

static void open_until_killed(void)
{
	prctl(PR_SET_NAME, "ward-opener");
	for (;;)
		if (open("/no/such/file-of-ward", O_RDONLY) >= 0)
			_exit(1);
}

/* The examples, as their users run them. */
void test_examples(void)
{
	static char text[1 << 20];
	char module[256];
	char *trace[] = {(char *)ward, "trace", "--kernel", "-d", "1", module, NULL};
	pid_t opener = fork(), other;
	int status;

	if (opener == 0)
		open_until_killed();
	snprintf(module, sizeof(module), "%s/opens.ward", probes);
	status = run_ward(text, sizeof(text), &other, trace);
	CHECK(status == 0 && strstr(text, "/no/such/file-of-ward") && strstr(text, " -2 "), "%#x: %s", (unsigned)status,
		text);
	snprintf(module, sizeof(module), "%s/switches.ward", probes);
	status = run_ward(text, sizeof(text), &other, trace);
	CHECK(status == 0 && strstr(text, "  ward-opener ") && strstr(text, "  ward-kernel-sui "), "%#x: %s",
		(unsigned)status, text);
	fputs(text, stdout);
	kill(opener, SIGKILL);
	waitpid(opener, NULL, 0);
}
