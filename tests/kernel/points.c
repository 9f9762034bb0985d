/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracepoints of the kernel and of a module: their arguments, that no event is missed, and that probes come and go
 * while they fire.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char enter_site[] = "kernel:raw_syscalls:sys_enter";

static uint64_t me(void)
{
	return (uint64_t)syscall(SYS_gettid);
}

static void check_enters(ward_session *s, uint64_t mine)
{
	uint64_t n = field_value(s, "enters", "calls");

	CHECK(map_value(s, "enters", "by_thread", me()) == mine, "%lu", map_value(s, "enters", "by_thread", me()));
	CHECK(field_value(s, "enters", "good_registers") == n, "%lu of %lu", field_value(s, "enters", "good_registers"),
		n);
	CHECK(field_value(s, "enters", "good_caller") == n, "%lu of %lu", field_value(s, "enters", "good_caller"), n);
	CHECK(field_value(s, "enters", "good_sp") == n, "%lu of %lu", field_value(s, "enters", "good_sp"), n);
	CHECK(field_value(s, "enters", "good_cpu") == n, "%lu of %lu", field_value(s, "enters", "good_cpu"), n);
	CHECK(field_value(s, "enters", "later") == n, "%lu of %lu", field_value(s, "enters", "later"), n);
	CHECK(field_value(s, "enters", "no_more") == n, "%lu of %lu", field_value(s, "enters", "no_more"), n);
	CHECK(map_value(s, "enters", "by_site", 0) == n, "site 0");
}

static void remember_method(void *user, const struct ward_site_report *r)
{
	CHECK(r->method && strcmp(r->method, "tracepoint") == 0, "%s: %s", r->site, r->method ? r->method : r->reason);
	CHECK(strcmp(r->site, enter_site) == 0 && r->address == 0 && r->number == 0, "%s", r->site);
	CHECK(r->arguments && strcmp(r->arguments, "struct pt_regs *regs, long int id") == 0, "%s",
		r->arguments ? r->arguments : "no arguments");
	*(bool *)user = true;
}

/* One session calls the hook directly, two through the kernel's own dispatcher. */
void test_points(void)
{
	bool told = false;
	ward_session *first = attached_with("enters", NULL, remember_method, &told), *second;

	CHECK(told, "the site was told of");
	call_getppid(1000);
	second = attached("enters", NULL);
	call_getppid(500);
	CHECK(ward_detach(first, NULL) == 0, "detached");
	call_getppid(250);
	CHECK(ward_detach(second, NULL) == 0, "detached");
	call_getppid(10);
	check_enters(first, 1500);
	check_enters(second, 750);
	ward_session_free(first);
	ward_session_free(second);
}

/* ---- Of a module ---- */

static const char module_path[] = "/modules/ward_points.ko";

void load_points(void)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && syscall(SYS_finit_module, fd, "", 0) == 0, "%s: %s", module_path, strerror(errno));
	close(fd);
}

int unload_points(void)
{
	return syscall(SYS_delete_module, "ward_points", O_NONBLOCK) == 0 ? 0 : errno;
}

void do_points(const char *what, const char *times)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/module/ward_points/parameters/%s", what);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0 && write(fd, times, strlen(times)) == (ssize_t)strlen(times), "%s: %s", path, strerror(errno));
	close(fd);
}

static void check_seven(ward_session *s, uint64_t n)
{
	CHECK(field_value(s, "seven", "calls") == n && field_value(s, "seven", "good_name") == n, "%lu",
		field_value(s, "seven", "calls"));
	CHECK(map_value(s, "seven", "arg0", 1) == n && map_value(s, "seven", "arg1", 22) == n, "numbers");
	CHECK(map_value(s, "seven", "arg3", (uint64_t)-4) == n, "a negative long");
	CHECK(map_value(s, "seven", "arg4", (uint64_t)-5) == n || map_value(s, "seven", "arg4", (uint32_t)-5) == n,
		"a negative int");
	CHECK(field_value(s, "seven", "arg5") == n * (n - 1) / 2, "%lu: the one on the stack",
		field_value(s, "seven", "arg5"));
}

static const char same_name[] = "kernel:*:initcall_level";

static void all_several(void *user, const struct ward_site_report *r)
{
	CHECK(r->reason && strstr(r->reason, "several tracepoints"), "%s: %s", r->site,
		r->reason ? r->reason : r->method);
	++*(int *)user;
}

static void one_method(void *user, const struct ward_site_report *r)
{
	CHECK(r->method && strcmp(r->site, "kernel:initcall:initcall_level") == 0, "%s", r->site);
	++*(int *)user;
}

/* The module stays while it is probed, and no longer. */
void test_module_points(void)
{
	ward_session *s;
	int n = 0;

	refused("seven", NULL, WARD_E_TARGET, "no such tracepoint");
	load_points();
	s = attached("seven", NULL);
	do_points("pass", "100");
	CHECK(unload_points() == EWOULDBLOCK || unload_points() == EBUSY, "it is held");
	CHECK(ward_detach(s, NULL) == 0, "detached");
	do_points("pass", "10");
	check_seven(s, 100);
	ward_session_free(s);
	CHECK(ward_list_kernel(same_name, all_several, &n, NULL) == 0 && n == 2, "%d: the kernel's and the module's",
		n);
	refused("count", same_name, WARD_E_TARGET, "several tracepoints");
	CHECK(unload_points() == 0, "it is free");
	n = 0;
	CHECK(ward_list_kernel(same_name, one_method, &n, NULL) == 0 && n == 1, "%d: the kernel's", n);
}

/* ---- All there are ---- */

struct seen {
	unsigned can, cannot, system_calls;
	uint64_t hash; /* of names and verdicts, in any order */
};

static void see(void *user, const struct ward_site_report *r)
{
	const char *verdict = r->method ? r->method : r->reason;
	bool call = strncmp(r->site, "kernel:syscalls:", 16) == 0;
	uint64_t hash = 0xcbf29ce484222325;
	struct seen *seen = user;

	CHECK(strncmp(r->site, "kernel:", 7) == 0 && !r->address == !call && !r->method == !!r->reason, "%s", r->site);
	seen->can += r->method != NULL;
	seen->cannot += r->reason != NULL;
	seen->system_calls += call;
	for (const char *c = r->site; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3;
	for (const char *c = verdict; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3;
	seen->hash += hash;
}

/* What the list says is what attaching does, of each; and with all of them probed the kernel goes on. */
void test_all_points(void)
{
	struct seen listed = {0}, hooked = {0};
	struct ward_session_stats stats;
	struct ward_error err;
	ward_session *s;

	CHECK(ward_list_kernel("kernel:*:*", see, &listed, &err) == 0, "%s: %s", err.what, err.why);
	CHECK(listed.can > 300 && listed.system_calls > 300, "%u can, %u can't, %u are of system calls", listed.can,
		listed.cannot, listed.system_calls);
	s = attached_with("many", "kernel:*:*", see, &hooked);
	CHECK(listed.hash == hooked.hash, "%u and %u can, %u and %u can't", listed.can, hooked.can, listed.cannot,
		hooked.cannot);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0) {
			call_getppid(1000);
			_exit(0);
		}
		CHECK(waitpid(child, NULL, 0) == child, "a child comes and goes");
	}
	CHECK(ward_detach(s, NULL) == 0, "detached");
	ward_session_stats(s, &stats);
	CHECK(stats.sites == hooked.can && stats.events > 6000, "%u sites, %lu events", stats.sites, stats.events);
	printf("  %u tracepoints and system calls' ends, %u other events; %lu passed, %lu dropped\n", hooked.can,
		hooked.cannot, stats.events, stats.dropped);
	ward_session_free(s);
}

/* ---- Life ---- */

static volatile bool stop;

static void *call_until_stopped(void *unused)
{
	while (!stop) {
		call_getppid(1000);
		usleep(500); /* the others want the processor too */
	}
	return unused;
}

enum { THREADS = 3, CYCLES = 4 };

void test_points_under_load(void)
{
	pthread_t thread[THREADS];

	stop = false;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, call_until_stopped, NULL) == 0, "a thread");
	for (int i = 0; i < CYCLES; i++) {
		ward_session *s = attached("enters", NULL);
		uint64_t seen;

		call_getppid(100);
		CHECK(ward_detach(s, NULL) == 0, "detached");
		seen = field_value(s, "enters", "calls");
		call_getppid(10);
		CHECK(field_value(s, "enters", "calls") == seen, "the state is final");
		check_enters(s, 100);
		ward_session_free(s);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void attach_and_call(int told)
{
	ward_session *s = attached("enters", NULL);

	if (write(told, "a", 1) != 1 || !s)
		_exit(1);
	for (;;)
		call_getppid(1000);
}

/* A tracer that is killed holds a module no longer than it lives. */
void test_points_killed(void)
{
	load_points();
	for (int i = 0; i < 4; i++) {
		pid_t child;
		int told[2];
		char c;

		CHECK(pipe(told) == 0, "a pipe");
		child = fork();
		if (child == 0) {
			attached("seven", NULL);
			attach_and_call(told[1]);
		}
		close(told[1]);
		CHECK(read(told[0], &c, 1) == 1, "the child has attached");
		close(told[0]);
		CHECK(unload_points() != 0, "it is held");
		kill(child, SIGKILL);
		CHECK(waitpid(child, NULL, 0) == child, "killed");
	}
	CHECK(unload_points() == 0, "it is free");
}

/* A clock's tick that comes while a probe runs on that processor runs none, and is counted. */
void test_points_nested(void)
{
	ward_session *s = attached("slow", NULL);
	struct ward_session_stats stats;

	do {
		call_getppid(100);
		ward_session_stats(s, &stats);
	} while (stats.dropped == 0 || field_value(s, "slow", "ticks") == 0);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	ward_session_stats(s, &stats);
	CHECK(stats.events == field_value(s, "slow", "calls") + field_value(s, "slow", "ticks"), "%lu events",
		stats.events);
	ward_session_free(s);
}

/* ---- What can't be probed ---- */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path, strerror(errno));
	close(fd);
}

static const char *reason;

static void remember_reason(void *unused, const struct ward_site_report *r)
{
	(void)unused;
	reason = r->reason ? r->reason : "none";
}

void test_points_refused(void)
{
	refused("count", "kernel:sched", WARD_E_USAGE, "isn't a tracepoint of the kernel");
	refused("count", "kernel:sched:", WARD_E_USAGE, "isn't a tracepoint of the kernel");
	refused("count", "kernel::sched_switch", WARD_E_USAGE, "isn't a tracepoint of the kernel");
	refused("count", "kernel:sched:sched_switch:return", WARD_E_USAGE, "isn't a tracepoint of the kernel");
	refused("count", "kernel:sched:sched_swatch", WARD_E_TARGET, "no such tracepoint");
	refused("count", "kernel:sched_switch:sched", WARD_E_TARGET, "no such tracepoint");
	refused("result", "kernel:sched:sched_switch", WARD_E_USAGE, "only a return site has");
	/* An event of a tracer's has the name of a tracepoint, and isn't it. */
	write_file("/sys/kernel/tracing/dynamic_events", "p:mine/sched_switch vfs_read\n");
	CHECK(ward_list_kernel("kernel:mine:*", remember_reason, NULL, NULL) == 0, "it is listed");
	CHECK(reason && strstr(reason, "made at run time"), "%s", reason);
	refused("count", "kernel:mine:sched_switch", WARD_E_TARGET, "made at run time");
	write_file("/sys/kernel/tracing/dynamic_events", "-:mine/sched_switch\n");
	refused("count", "kernel:mine:sched_switch", WARD_E_TARGET, "no such tracepoint");
}
