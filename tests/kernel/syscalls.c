/* SPDX-License-Identifier: Apache-2.0 */
/* System calls by name: their arguments and results, that those of 32 bits are separate, and those of a shell. */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t me(void)
{
	return (uint64_t)syscall(SYS_gettid);
}

static void transfer(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK(syscall(SYS_copy_file_range, -1, 0x1122334455667788, -3, 0x123456789abcdef0, 0x5555555555,
			      0x66666666) == -1 &&
				errno == EBADF,
			"%s", strerror(errno));
}

static void check_transfers(ward_session *s, uint64_t n)
{
	static const char *const all[] = {"entered", "returned", "good_entry", "good_return", "good_result",
		"good_time", "good_caller", "good_cpu"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		CHECK(field_value(s, "transfer", all[i]) == n, "%s: %lu of %lu", all[i],
			field_value(s, "transfer", all[i]), n);
	CHECK(field_value(s, "transfer", "sp") == 0, "%#lx", field_value(s, "transfer", "sp"));
	CHECK(map_value(s, "transfer", "by_site", 0) == n && map_value(s, "transfer", "by_site", 1) == n, "each site");
}

struct sites {
	const char *enter, *leave;
	unsigned n;
};

static void note_site(void *user, const struct ward_site_report *r)
{
	struct sites *t = user;
	bool returns = strstr(r->site, "sys_exit_");

	CHECK(r->method && strcmp(r->method, returns ? t->leave : t->enter) == 0, "%s: %s", r->site,
		r->method ? r->method : r->reason);
	CHECK(strcmp(r->site, returns ? "kernel:syscalls:sys_exit_copy_file_range"
				      : "kernel:syscalls:sys_enter_copy_file_range") == 0,
		"%s", r->site);
	CHECK(r->address && r->arguments &&
			strcmp(r->arguments, "int fd_in, loff_t *off_in, int fd_out, loff_t *off_out, size_t len, "
					     "unsigned int flags") == 0,
		"%s", r->arguments ? r->arguments : "no arguments");
	CHECK(r->number == t->n, "%u", r->number);
	t->n++;
}

/* Two sessions, which get these hooks. */
static void two_sessions(struct sites one, struct sites other)
{
	ward_session *first = attached_with("transfer", NULL, note_site, &one), *second;

	transfer(1000);
	second = attached_with("transfer", NULL, note_site, &other);
	CHECK(one.n == 2 && other.n == 2, "%u, %u", one.n, other.n);
	transfer(500);
	CHECK(ward_detach(first, NULL) == 0, "detached");
	transfer(250);
	CHECK(ward_detach(second, NULL) == 0, "detached");
	transfer(10);
	check_transfers(first, 1500);
	check_transfers(second, 750);
	ward_session_free(first);
	ward_session_free(second);
}

/* Of a function whose calls are wrapped already, and of one that another tracer has. */
void test_calls(void)
{
	const struct sites first = {.enter = "direct call", .leave = "wrapped call"},
			   second = {.enter = "direct call", .leave = "kretprobe"},
			   traced = {.enter = "function tracer", .leave = "kretprobe"};

	two_sessions(first, second);
	load_points();
	do_points("hold", "__x64_sys_copy_file_range");
	two_sessions(traced, traced);
	do_points("release", "1");
	CHECK(unload_points() == 0, "it is free");
}

/* A 32-bit call's number is another one; getppid's function is the same. */
static void call_getppid_32(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		long result = 64;

		__asm__ volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory", "cc");
		CHECK(result == getppid(), "%ld", result);
	}
}

void test_calls_32(void)
{
	static const char enter[] = "kernel:syscalls:sys_enter_getppid", leave[] = "kernel:syscalls:sys_exit_getppid";
	ward_session *s[] = {attached("count", enter), attached("count", enter), attached("count", leave),
		attached("count", getppid_site)};
	static const uint64_t n[] = {500, 500, 500, 800}; /* getppid() above is one of 64 bits as well */

	call_getppid(200);
	call_getppid_32(300);
	for (int i = 0; i < 4; i++) {
		struct ward_session_stats stats;

		CHECK(ward_detach(s[i], NULL) == 0, "detached");
		ward_session_stats(s[i], &stats);
		CHECK(map_value(s[i], "count", "by_thread", me()) == n[i], "%d: %lu", i,
			map_value(s[i], "count", "by_thread", me()));
		CHECK(stats.events == field_value(s[i], "count", "calls") && stats.dropped == 0,
			"%d: others are no events", i);
		ward_session_free(s[i]);
	}
}

/* ---- By a pattern ---- */

struct all {
	unsigned enters, exits, without;
	uint32_t getppid[2];
};

static void note_all(void *user, const struct ward_site_report *r)
{
	struct all *a = user;
	bool returns = strncmp(r->site, "kernel:syscalls:sys_exit_", 25) == 0;

	CHECK(returns || strncmp(r->site, "kernel:syscalls:sys_enter_", 26) == 0, "%s", r->site);
	CHECK(r->method && r->address, "%s: %s", r->site, r->reason ? r->reason : "no address");
	a->enters += !returns;
	a->exits += returns;
	a->without += r->arguments == NULL;
	if (strstr(r->site, "_getppid")) {
		CHECK(r->arguments && strcmp(r->arguments, "void") == 0, "%s", r->arguments ? r->arguments : "none");
		a->getppid[returns] = r->number;
	}
}

/* All can be probed, as the kernel tells of the arguments of all; some of them are. */
void test_calls_all(void)
{
	struct all listed = {0}, hooked = {0};
	struct ward_error err;
	ward_session *s;

	CHECK(ward_list_kernel("kernel:syscalls:*", note_all, &listed, &err) == 0, "%s: %s", err.what, err.why);
	CHECK(listed.enters > 300 && listed.enters == listed.exits && listed.without == 0, "%u, %u, %u", listed.enters,
		listed.exits, listed.without);
	s = attached_with("many", "kernel:syscalls:sys_*_get*", note_all, &hooked);
	CHECK(hooked.enters > 20 && hooked.enters == hooked.exits && hooked.without == 0, "%u, %u", hooked.enters,
		hooked.exits);
	call_getppid(1234);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	for (int i = 0; i < 2; i++)
		CHECK(map_value(s, "many", "by_site", hooked.getppid[i]) == 1234, "%d: %lu", i,
			map_value(s, "many", "by_site", hooked.getppid[i]));
	printf("  %u system calls\n", listed.enters);
	ward_session_free(s);
}

void test_calls_refused(void)
{
	refused("count", "kernel:syscalls:sys_enter_there_is_none", WARD_E_TARGET, "no such system call");
	refused("count", "kernel:syscalls:sys_enter_", WARD_E_TARGET, "no such system call");
	refused("count", "kernel:syscalls:read", WARD_E_TARGET, "no such system call");
	refused("count", "kernel:syscalls:sys_exit_nothing*", WARD_E_TARGET, "no such system call");
	refused("count", "kernel:syscalls:sys_enter_read:return", WARD_E_USAGE, "isn't a tracepoint of the kernel");
	refused("result", "kernel:syscalls:sys_enter_read", WARD_E_USAGE, "only a return site has");
	refused("result", "kernel:syscalls:sys_enter_*", WARD_E_USAGE, "only a return site has");
	ward_session_free(attached("result", "kernel:syscalls:sys_exit_read"));
}

/* ---- A shell ---- */

enum { PROGRAMS = 20 };

static void run_shell(void)
{
	execl("/bin/busybox", "sh", "-c", "i=0; while [ $i -lt 20 ]; do /bin/busybox true; i=$((i+1)); done", NULL);
	_exit(127);
}

/* It starts so many programs, and waits for each; what is replaced, or ends, has one return, or none. */
void test_shell(void)
{
	ward_session *exec = attached("count", "kernel:syscalls:sys_enter_execve"),
		     *executed = attached("count", "kernel:syscalls:sys_exit_execve"),
		     *wait = attached("count", "kernel:syscalls:sys_exit_wait4"),
		     *end = attached("count", "kernel:syscalls:sys_enter_exit_group"),
		     *ended = attached("count", "kernel:syscalls:sys_exit_exit_group");
	ward_session *all[] = {exec, executed, wait, end, ended};
	pid_t shell = fork();
	int status;

	if (shell == 0)
		run_shell();
	CHECK(waitpid(shell, &status, 0) == shell && status == 0, "%#x", (unsigned)status);
	for (int i = 0; i < 5; i++)
		CHECK(ward_detach(all[i], NULL) == 0, "detached");
	CHECK(field_value(exec, "count", "calls") == PROGRAMS + 1 &&
			field_value(executed, "count", "calls") == PROGRAMS + 1,
		"%lu, %lu", field_value(exec, "count", "calls"), field_value(executed, "count", "calls"));
	CHECK(map_value(exec, "count", "by_thread", (uint64_t)shell) == 1, "the shell itself");
	CHECK(map_value(wait, "count", "by_thread", (uint64_t)shell) >= PROGRAMS, "%lu",
		map_value(wait, "count", "by_thread", (uint64_t)shell));
	CHECK(field_value(end, "count", "calls") == PROGRAMS + 1 && field_value(ended, "count", "calls") == 0,
		"%lu, %lu", field_value(end, "count", "calls"), field_value(ended, "count", "calls"));
	for (int i = 0; i < 5; i++)
		ward_session_free(all[i]);
}

/* Has a call a line of the process of that id, if it isn't 0, and the program's name? */
static bool told_of(const char *text, int process, const char *program, const char *call)
{
	char name[16], site[64];
	int id;

	for (const char *line = text; line; line = strchr(line + 1, '\n'))
		if (sscanf(line, " %d %15s %63s", &id, name, site) == 3 && (!process || id == process) &&
			strcmp(name, program) == 0 && strcmp(site, call) == 0)
			return true;
	return false;
}

/* The example: which calls, by which process, and whose. */
void test_shell_command(void)
{
	static char text[1 << 20];
	char module[256];
	char *trace[] = {(char *)ward, "trace", "--kernel", "-d", "2", module, NULL};
	pid_t shells = fork(), other;
	int status;

	if (shells == 0)
		for (;;) {
			pid_t shell = fork();

			if (shell == 0)
				run_shell();
			waitpid(shell, NULL, 0);
		}
	snprintf(module, sizeof(module), "%s/syscalls.ward", probes);
	status = run_ward(text, sizeof(text), &other, trace);
	kill(shells, SIGKILL);
	waitpid(shells, NULL, 0);
	fputs(text, stdout);
	CHECK(status == 0 && strncmp(text, "calls\n", 6) == 0, "%#x", (unsigned)status);
	CHECK(told_of(text, other, "ward-kernel-sui", "kernel:syscalls:sys_enter_getppid"), "of process %d",
		(int)other);
	CHECK(told_of(text, 0, "busybox", "kernel:syscalls:sys_enter_execve"), "of the shell's programs");
	CHECK(strstr(text, "\nby_user\n"), "and whose");
}
