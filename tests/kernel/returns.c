/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Returns of the kernel's functions: of calls that sleep, of more calls than there is room for, and of calls that are
 * open while the probes come and go.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is(ward_session *s, const char *field, uint64_t key, uint64_t n)
{
	uint64_t value = map_value(s, "returns", field, key);

	if (value != n)
		printf("  %s[%#lx] is %lu\n", field, key, value);
	return value == n;
}

void test_returns(void)
{
	static char buffer[12345];
	int null = open("/dev/null", O_WRONLY), full = open("/dev/full", O_WRONLY);
	ward_session *s = attached("returns", NULL);
	struct ward_session_stats stats;

	for (int i = 0; i < 1000; i++)
		CHECK(write(null, buffer, sizeof(buffer)) == sizeof(buffer), "the traced function does what it did");
	for (int i = 0; i < 10; i++)
		CHECK(write(full, buffer, sizeof(buffer)) == -1 && errno == ENOSPC, "and fails where it did");
	ward_detach(s, NULL);
	for (int i = 0; i < 10; i++)
		CHECK(write(null, buffer, sizeof(buffer)) == sizeof(buffer), "and does so afterwards");
	close(null);
	close(full);
	CHECK(field_value(s, "returns", "entered") == 1010 && field_value(s, "returns", "calls") == 1010,
		"both ends of each");
	CHECK(field_value(s, "returns", "sp") == 0, "%#lx", field_value(s, "returns", "sp"));
	CHECK(field_value(s, "returns", "good_caller") == 1010, "%lu", field_value(s, "returns", "good_caller"));
	CHECK(field_value(s, "returns", "good_cpu") == 1010, "%lu", field_value(s, "returns", "good_cpu"));
	CHECK(field_value(s, "returns", "good_time") == 1010, "%lu", field_value(s, "returns", "good_time"));
	CHECK(is(s, "arg0", 0xff, 1010) && is(s, "arg1", (uintptr_t)buffer, 1010) && is(s, "arg2", 12345, 1010),
		"arguments");
	CHECK(is(s, "ret", 12345, 1000) && is(s, "ret", (uint64_t)-ENOSPC, 10), "results");
	CHECK(is(s, "by_site", 1, 1010), "the second site");
	ward_session_stats(s, &stats);
	CHECK(stats.sites == 2 && stats.dropped == 0, "%u sites, %lu dropped", stats.sites, stats.dropped);
	ward_session_free(s);
}

/* Children that wait in pause(2), which nobody else here calls, until a signal comes. */
enum { SLEEPERS = 300, ROOM = 256 };

static const char pause_site[] = "kernel!__x64_sys_pause";

static void wake(int signal)
{
	(void)signal;
}

static pid_t start_sleeper(void)
{
	pid_t child = fork();

	if (child == 0) {
		signal(SIGUSR1, wake);
		_exit(pause() == -1 && errno == EINTR ? 0 : 1);
	}
	CHECK(child > 0, "%s", strerror(errno));
	return child;
}

static void end_sleeper(pid_t child)
{
	int status;

	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a sleeper: %#x",
		(unsigned)status);
}

/*
 * More calls are open than the kernel's return probe has room for, as another session wraps the function's: those are
 * missed, and counted.
 */
void test_open_calls(void)
{
	ward_session *holder = attached("ends", pause_site), *s = attached("ends", pause_site);
	struct ward_session_stats stats;
	pid_t sleeper[SLEEPERS];

	for (int i = 0; i < SLEEPERS; i++) {
		sleeper[i] = start_sleeper();
		/* What the kernel misses it counts without a lock: one after the other. */
		while (i >= ROOM - 1 && field_value(s, "ends", "entered") <= (uint64_t)i)
			usleep(1000);
	}
	CHECK(field_value(s, "ends", "returned") == 0, "they wait");
	for (int i = 0; i < SLEEPERS; i++)
		kill(sleeper[i], SIGUSR1);
	for (int i = 0; i < SLEEPERS; i++)
		end_sleeper(sleeper[i]);
	ward_detach(s, NULL);
	ward_session_stats(s, &stats);
	CHECK(field_value(s, "ends", "entered") == SLEEPERS, "%lu", field_value(s, "ends", "entered"));
	CHECK(field_value(s, "ends", "returned") == ROOM, "%lu", field_value(s, "ends", "returned"));
	CHECK(stats.dropped == SLEEPERS - ROOM, "%lu dropped", stats.dropped);
	ward_detach(holder, NULL);
	CHECK(field_value(holder, "ends", "entered") == SLEEPERS && field_value(holder, "ends", "returned") == SLEEPERS,
		"%lu: all are wrapped", field_value(holder, "ends", "returned"));
	ward_session_free(s);
	ward_session_free(holder);
}

/* A call that is open when the probes go returns to where it was called from, when their memory is another's. */
void test_left_open(void)
{
	for (int i = 0; i < 8; i++) {
		/* by the kernel's probe, and wrapped */
		ward_session *holder = i < 4 ? attached("ends", pause_site) : NULL, *s = attached("ends", pause_site);
		pid_t sleeper = start_sleeper();

		while (field_value(s, "ends", "entered") == 0)
			usleep(1000);
		if (i % 2)
			ward_detach(s, NULL);
		ward_session_free(s);
		ward_session_free(holder);
		kill(sleeper, SIGUSR1);
		end_sleeper(sleeper);
	}
}

static char state_of(pid_t process)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	f = fopen(path, "r");
	CHECK(f && fscanf(f, "%*d %*s %c", &state) == 1, "%s", path);
	fclose(f);
	return state;
}

/* Empty while it still runs. */
static void read_stack(pid_t process, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stack", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	CHECK(n >= 0, "%s: %s", path, strerror(errno));
	close(fd);
	text[n] = 0;
}

/*
 * Past our frame are the function, where it has called us, and all who have called it. Before its call it has a mark of
 * four bytes where the kernel is built for processors that check indirect branches.
 */
void test_wrapped_trace(void)
{
	const char *frames[] = {"_sys_pause+", "[ward_arena]", "_sys_pause+0x5/", "do_syscall_64+", "entry_SYSCALL_64"};
	ward_session *s = attached("ends", pause_site);
	pid_t sleeper = start_sleeper();
	char text[4096], *at = text;

	while (state_of(sleeper) != 'S' || field_value(s, "ends", "entered") == 0)
		usleep(1000);
	do
		read_stack(sleeper, text, sizeof(text));
	while (!*text);
	kill(sleeper, SIGUSR1);
	end_sleeper(sleeper);
	ward_session_free(s);
	if (strstr(text, "_sys_pause+0x9/"))
		frames[2] = "_sys_pause+0x9/";
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		at = strstr(at, frames[i]);
		CHECK(at, "%s isn't there, or not in its place:\n%s", frames[i], text);
		at++;
	}
}

struct seen {
	const char *method;
	unsigned attached, skipped;
};

static void see(void *user, const struct ward_site_report *r)
{
	struct seen *seen = user;
	size_t n = strlen(r->site);

	CHECK(n > 7 && strcmp(r->site + n - 7, ":return") == 0, "%s", r->site);
	CHECK(r->reason || strcmp(r->method, seen->method) == 0, "%s", r->method);
	seen->attached += r->method != NULL;
	seen->skipped += r->reason != NULL;
}

/*
 * By a pattern, with a probe that was written for no site; and a function that has its entry hooked by another session,
 * before or afterwards.
 */
void test_many_returns(void)
{
	static const char pattern[] = "kernel!__x64_sys_getp*id:return";
	struct seen wrapped = {.method = "wrapped call"}, probed = {.method = "kretprobe"};
	ward_session *s = attached_with("count", pattern, see, &wrapped), *other, *later;

	CHECK(wrapped.attached >= 3, "%u", wrapped.attached);
	other = attached("count", getppid_site);
	call_getppid(1000);
	later = attached_with("count", pattern, see, &probed);
	CHECK(probed.attached == wrapped.attached, "%u", probed.attached);
	call_getppid(200);
	ward_detach(s, NULL);
	call_getppid(500);
	ward_detach(other, NULL);
	call_getppid(50);
	ward_detach(later, NULL);
	CHECK(map_value(s, "count", "by_thread", (uint64_t)syscall(SYS_gettid)) == 1200, "returns");
	CHECK(map_value(other, "count", "by_thread", (uint64_t)syscall(SYS_gettid)) == 1700, "entries");
	CHECK(map_value(later, "count", "by_thread", (uint64_t)syscall(SYS_gettid)) == 750,
		"returns, by the kernel's probe");
	ward_session_free(s);
	ward_session_free(other);
	ward_session_free(later);
}

void test_returns_refused(void)
{
	refused("result", "kernel!vfs_write:entry", WARD_E_USAGE, "only a return site has");
	refused("result", NULL, WARD_E_USAGE, "names no site");
	refused("count", "kernel!vfs_read:throw", WARD_E_USAGE, "only entries and returns");
	refused("count", "kernel!there_is_no_such_function:return", WARD_E_TARGET, "no such function");
	refused("count", "kernel!start_kernel:return", WARD_E_TARGET, "while the kernel started");
	refused("count", "kernel!asm_exc_page_fault:return", WARD_E_TARGET, "entry code");
	refused("count", "kernel!ward_ioctl:return", WARD_E_TARGET, "code that runs the probes");
}
