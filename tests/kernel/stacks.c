/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of the kernel, which must be those that the kernel itself sees: of functions of the tests' module in a known
 * order (module/chains.c), and of a task that sleeps, by /proc/PID/stack. They are compared by the functions' names.
 */
#include "suite.h"
#include "unframed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { TEXT = 4096 };

struct stacked {
	ward_session *s;
	ward_names *names;
	const char *probe;
};

static struct stacked stacked_at(const char *probe, const char *site, const char *setting)
{
	static const char *const allow[] = {"ward_kernel_stack_take", "ward_user_stack_take"};
	struct stacked at = {.probe = probe};
	struct ward_attach_options o = {.size = sizeof(o),
		.site = site,
		.allow = allow,
		.n_allow = 2,
		.names = &at.names,
		.settings = &setting,
		.n_settings = setting ? 1 : 0};
	struct module m = module_named(probe);
	struct ward_error err;

	CHECK(ward_attach_kernel(m.data, m.size, &o, &at.s, &err) == 0, "%s: %s", err.what, err.why);
	CHECK(at.names, "names");
	return at;
}

static void end(struct stacked *at)
{
	ward_session_free(at->s);
	ward_names_close(at->names);
}

/* "a+0x1;b+0x2 [m];c" without offsets and modules: "a;b;c". */
static void only_names(char *text)
{
	char *to = text;
	bool in = true;

	for (const char *c = text; *c; c++) {
		in = *c == ';' || (in && *c != '+' && (*c != ' ' || c == text));
		if (in)
			*to++ = *c;
	}
	*to = 0;
}

/* What a function does with each stack, and how often it was there; then how many there are. */
static size_t each_stack(const struct stacked *at, void (*fn)(void *user, char *text, uint64_t calls), void *user)
{
	struct module m = module_named(at->probe);
	ward_snapshot *snapshot;
	ward_schema *schema;
	const struct ward_field *f;
	size_t n;

	CHECK(ward_schema_read(m.data, m.size, &schema, NULL) == 0, "a schema");
	CHECK(ward_snapshot_take(at->s, schema, &snapshot, NULL) == 0, "a snapshot");
	f = ward_snapshot_field(snapshot, 2);
	CHECK(strcmp(f->name, "by_stack") == 0, "%s", f->name);
	n = f->n;
	for (size_t i = 0; i < n && fn; i++) {
		char text[TEXT];

		CHECK(ward_names_find(at->names, f->entries[i].key, text, sizeof(text)), "%lx", f->entries[i].key);
		only_names(text);
		fn(user, text, f->entries[i].value);
	}
	ward_snapshot_free(snapshot);
	ward_schema_free(schema);
	return n;
}

struct wanted {
	const char *text;
	uint64_t calls;
	unsigned wrong;
};

static void compare(void *user, char *text, uint64_t calls)
{
	struct wanted *w = user;

	if (strcmp(text, w->text) == 0) {
		w->calls += calls;
	} else if (w->wrong++ < 5) {
		printf("  not %s\n  but %s (%lu times)\n", w->text, text, calls);
	}
}

/* All stacks are this one, and so many. */
static void are_all(const struct stacked *at, const char *text, uint64_t calls)
{
	struct wanted w = {.text = text};

	each_stack(at, compare, &w);
	CHECK(w.wrong == 0 && w.calls == calls, "%s: %lu of %lu, %u others", at->probe, w.calls, calls, w.wrong);
	CHECK(field_value(at->s, at->probe, "none") == 0, "%lu", field_value(at->s, at->probe, "none"));
}

/* The lines of a file, of names the innermost first, as a stack: outermost first, with ; between. */
static void read_stack(const char *path, const char *before, char text[TEXT])
{
	char lines[TEXT], *at = text + TEXT - 1, *line, *rest = lines;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, lines, sizeof(lines) - 1);

	CHECK(n > 0, "%s: %s", path, strerror(errno));
	close(fd);
	lines[n] = 0;
	*at = 0;
	while ((line = strsep(&rest, "\n"))) {
		size_t length;

		if (strncmp(line, before, strlen(before)) == 0)
			line += strlen(before);
		length = strcspn(line, "+ ");
		if (!length)
			continue;
		if (*at)
			*--at = ';';
		CHECK((size_t)(at - text) > length + 1, "room");
		at -= length;
		memcpy(at, line, length);
	}
	memmove(text, at, strlen(at) + 1);
}

/* What the kernel itself has seen in the last call of ward_chain_inner. */
static void seen_by_kernel(char text[TEXT])
{
	read_stack("/sys/module/ward_points/parameters/chain_stack", "", text);
}

static const char chain[] = ";ward_chain_outer;ward_chain_middle;ward_chain_inner";

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static void expected(char text[TEXT])
{
	do_points("chain", "1");
	seen_by_kernel(text);
	CHECK(ends_with(text, chain) && strstr(text, "vfs_write"), "%s", text);
}

/* ---- Kinds of hooks ---- */

void test_stacks(void)
{
	static const char *const probe[] = {"stacked", "unstacked"};
	char text[TEXT];

	load_points();
	expected(text);
	printf("  %s\n", text);
	for (int i = 0; i < 2; i++) {
		struct stacked at = stacked_at(probe[i], "kernel!ward_chain_inner", NULL);

		do_points("chain", "100");
		CHECK(ward_detach(at.s, NULL) == 0, "detached");
		are_all(&at, text, 100);
		end(&at);
	}
	CHECK(unload_points() == 0, "it is free");
}

/* Wrapped calls all the way out: of the module's functions, and of the kernel's around them. */
void test_stacks_wrapped(void)
{
	static const char *const wrapped[] = {"kernel!ward_chain_*", "kernel!vfs_write", "kernel!ksys_write"};
	enum { N = sizeof(wrapped) / sizeof(wrapped[0]) };
	ward_session *s[N];
	struct stacked at[2];
	char text[TEXT];

	load_points();
	expected(text);
	for (int i = 0; i < N; i++)
		s[i] = attached("ends", wrapped[i]);
	at[0] = stacked_at("stacked", "kernel!ward_chain_inner", NULL);
	at[1] = stacked_at("unstacked", "kernel!ward_chain_inner", NULL);
	do_points("chain", "100");
	for (int i = 0; i < 2; i++) {
		CHECK(ward_detach(at[i].s, NULL) == 0, "detached");
		are_all(&at[i], text, 100);
		end(&at[i]);
	}
	for (int i = 0; i < N; i++)
		ward_session_free(s[i]);
	CHECK(unload_points() == 0, "it is free");
}

/* Another tracer has the function: entries come through the function tracer, returns through the return probe. */
void test_stacks_held(void)
{
	struct stacked at[2];
	char text[TEXT];

	load_points();
	expected(text);
	do_points("hold", "ward_chain_inner");
	at[0] = stacked_at("stacked", "kernel!ward_chain_inner", NULL);
	at[1] = stacked_at("unstacked", "kernel!ward_chain_inner", NULL);
	do_points("chain", "100");
	for (int i = 0; i < 2; i++) {
		CHECK(ward_detach(at[i].s, NULL) == 0, "detached");
		are_all(&at[i], text, 100);
		end(&at[i]);
	}
	do_points("release", "1");
	CHECK(unload_points() == 0, "it is free");
}

/* By one session and by two: then the kernel has a function of its own between. */
void test_stacks_points(void)
{
	static const char chain_point[] = "kernel:ward_points:ward_six";
	struct stacked at[2];
	char text[TEXT];

	load_points();
	expected(text);
	/* the caller of the chain is the function `chain`, of the tracepoint `pass` */
	CHECK(ends_with(text, chain), "%s", text);
	text[strlen(text) - strlen(chain)] = 0;
	CHECK(ends_with(text, ";chain"), "%s", text);
	strcpy(text + strlen(text) - strlen("chain"), "pass");
	at[0] = stacked_at("stacked", chain_point, NULL);
	do_points("pass", "10");
	at[1] = stacked_at("stacked", chain_point, NULL);
	do_points("pass", "100");
	for (int i = 0; i < 2; i++) {
		CHECK(ward_detach(at[i].s, NULL) == 0, "detached");
		are_all(&at[i], text, i ? 100 : 110);
		end(&at[i]);
	}
	CHECK(unload_points() == 0, "it is free");
}

/* ---- Through an interrupt, of a sleeper, cut, and too many ---- */

void test_stacks_interrupt(void)
{
	struct stacked at;
	char text[TEXT];

	load_points();
	for (int i = 0; i < 20; i++) {
		at = stacked_at("stacked", "kernel!ward_chain_inner", NULL);
		do_points("chain_interrupt", "1");
		CHECK(ward_detach(at.s, NULL) == 0, "detached");
		seen_by_kernel(text);
		CHECK(ends_with(text, chain) && strstr(text, ";asm_sysvec_irq_work;"), "%s", text);
		are_all(&at, text, 1);
		end(&at);
	}
	printf("  %s\n", text);
	CHECK(unload_points() == 0, "it is free");
}

static void has_end(void *user, char *text, uint64_t calls)
{
	struct wanted *w = user;
	const char *found = strstr(text, w->text);

	/* behind it the scheduler's own functions */
	if (found == text && calls)
		w->calls += calls;
	else if (w->wrong++ < 5)
		printf("  not %s...\n  but %s\n", w->text, text);
}

/* A task that goes to sleep, as the scheduler sees it, and as /proc shows it later. */
void test_stacks_sleeper(void)
{
	struct wanted w = {0};
	char path[64], setting[32], text[TEXT];
	struct stacked at;
	int pipes[2];
	pid_t child;

	CHECK(pipe(pipes) == 0, "a pipe");
	child = fork();
	if (child == 0)
		for (;;)
			if (read(pipes[0], setting, 1) != 1)
				_exit(0);
	snprintf(setting, sizeof(setting), "thread=%d", child);
	usleep(200000);
	at = stacked_at("stacked", "kernel:sched:sched_switch", setting);
	for (int i = 0; i < 20; i++) {
		CHECK(write(pipes[1], "x", 1) == 1, "written");
		usleep(20000);
	}
	snprintf(path, sizeof(path), "/proc/%d/stack", child);
	read_stack(path, "[<0>] ", text);
	CHECK(ward_detach(at.s, NULL) == 0, "detached");
	CHECK(strstr(text, "pipe_read"), "%s", text);
	printf("  %s\n", text);
	w.text = text;
	each_stack(&at, has_end, &w);
	CHECK(w.calls >= 20, "%lu of 20, %u others", w.calls, w.wrong);
	end(&at);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

void test_stacks_cut(void)
{
	static const char cut[] = "[more];ward_chain_outer;ward_chain_middle;ward_chain_inner";
	struct stacked at;

	load_points();
	at = stacked_at("stacked", "kernel!ward_chain_inner", "frames=3");
	do_points("chain", "10");
	CHECK(ward_detach(at.s, NULL) == 0, "detached");
	are_all(&at, cut, 10);
	end(&at);
	at = stacked_at("stacked", "kernel!ward_chain_inner", "frames=1");
	do_points("chain", "10");
	are_all(&at, "[more];ward_chain_inner", 10);
	end(&at);
	CHECK(unload_points() == 0, "it is free");
}

/* More than a table has room for: those that aren't kept are counted, and what was kept stays. */
void test_stacks_many(void)
{
	struct stacked at;
	uint64_t calls, none, lost;
	size_t n;

	load_points();
	at = stacked_at("stacked", "kernel!ward_chain_end", NULL);
	do_points("chain_orders", "1000");
	CHECK((n = each_stack(&at, NULL, NULL)) == 1000, "%zu different stacks", n);
	do_points("chain_orders", "1000");
	CHECK((n = each_stack(&at, NULL, NULL)) == 1000, "%zu: they are the same", n);
	do_points("chain_orders", "12000");
	CHECK(ward_detach(at.s, NULL) == 0, "detached");
	n = each_stack(&at, NULL, NULL);
	calls = field_value(at.s, "stacked", "calls");
	none = field_value(at.s, "stacked", "none");
	lost = ward_names_lost_stacks(at.names);
	printf("  %zu stacks kept, %lu lost\n", n, lost);
	CHECK(calls == 14000 && lost > 0 && none == lost && n + lost == 12000, "%lu calls, %lu without", calls, none);
	end(&at);
	CHECK(unload_points() == 0, "it is free");
}

/* ---- Stacks of processes ---- */

static long call_with(uint64_t sp, uint64_t bp)
{
	long result;

	__asm__ volatile("mov %%rsp, %%r12\n\tmov %%rbp, %%r13\n\tmov %2, %%rsp\n\tmov %3, %%rbp\n\tsyscall\n\t"
			 "mov %%r12, %%rsp\n\tmov %%r13, %%rbp"
		: "=a"(result)
		: "0"((long)SYS_getppid), "D"(sp), "S"(bp)
		: "rcx", "r11", "r12", "r13", "memory");
	return result;
}

/* These have frame pointers, as this file is compiled with them. */
#define APART __attribute__((noinline, used))

APART static long user_inner(void)
{
	char room[64]; /* so that it has a frame */
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"((long)SYS_getppid), "r"(room) : "rcx", "r11", "memory");
	return result;
}

APART static long user_middle(void)
{
	long result = user_inner();

	__asm__ volatile("" : "+r"(result)); /* it is a call, no jump */
	return result + 1;
}

APART static long user_outer(void)
{
	long result = user_middle();

	__asm__ volatile("" : "+r"(result));
	return result + 1;
}

static const char users[] = "ward-kernel-suite!user_outer;ward-kernel-suite!user_middle;ward-kernel-suite!user_inner";

static const char unframed[] = ";ward-kernel-suite!unframed_outer;ward-kernel-suite!unframed_middle;"
			       "ward-kernel-suite!unframed_inner;libc.so.6!getppid";

static void find_users(void *user, char *text, uint64_t calls)
{
	struct wanted *w = user;

	if (ends_with(text, w->text))
		w->calls += calls;
	else if (w->wrong++ < 5)
		printf("  not ...%s\n  but %s\n", w->text, text);
}

void test_stacks_user(void)
{
	char setting[32];
	struct wanted w = {.text = users};
	struct stacked at;

	snprintf(setting, sizeof(setting), "thread=%d", getpid());
	at = stacked_at("userstacked", NULL, setting);
	for (int i = 0; i < 100; i++)
		user_outer();
	CHECK(ward_detach(at.s, NULL) == 0, "detached");
	each_stack(&at, find_users, &w);
	CHECK(w.calls == 100 && w.wrong == 0, "%lu of 100, %u others", w.calls, w.wrong);
	CHECK(field_value(at.s, "userstacked", "none") == 0, "each has one");
	end(&at);
}

/* Functions without frame pointers and the C library's, from the first one of the process on. */
static void find_unframed(void *user, char *text, uint64_t calls)
{
	struct wanted *w = user;
	bool whole = strncmp(text, "ward-kernel-suite!_start;", 25) == 0 && strstr(text, ";ward-kernel-suite!main;");

	if (whole && ends_with(text, unframed) && (!w->text || strstr(text, w->text)))
		w->calls += calls;
	else if (w->wrong++ < 5)
		printf("  not _start;...%s\n  but %s\n", unframed, text);
}

void test_stacks_user_unframed(void)
{
	char setting[32];

	snprintf(setting, sizeof(setting), "thread=%d", getpid());
	for (int signalled = 0; signalled < 2; signalled++) {
		struct wanted w = {.text = signalled ? "!unframed_signalled;" : NULL};
		struct stacked at = stacked_at("userstacked", NULL, setting);

		for (int i = 0; i < 100; i++)
			if (signalled)
				unframed_signalled(i);
			else
				unframed_outer(i);
		CHECK(ward_detach(at.s, NULL) == 0, "detached");
		each_stack(&at, find_unframed, &w);
		CHECK(w.calls == 100 && w.wrong == 0, "%lu of 100, %u others", w.calls, w.wrong);
		CHECK(field_value(at.s, "userstacked", "none") == 0, "each has one");
		end(&at);
	}
}

/* A child that calls when it is told to: itself, or as a program that it executes. */
static pid_t later_caller(int go, bool executes)
{
	pid_t child = fork();

	if (child)
		return child;
	dup2(go, STDIN_FILENO);
	if (executes)
		execl("/proc/self/exe", "ward-kernel-suite", "unframed", NULL);
	_exit(executes ? 1 : unframed_program());
}

/* Of processes that are made while the session waits, and that execute a program. */
void test_stacks_user_later(void)
{
	struct wanted w = {0};
	struct stacked at = stacked_at("userstacked", NULL, NULL);
	pid_t child[2];
	int go[2];

	CHECK(pipe(go) == 0, "a pipe");
	for (int executes = 0; executes < 2; executes++)
		child[executes] = later_caller(go[0], executes);
	ward_wait(at.s, 1000);
	CHECK(write(go[1], "xx", 2) == 2, "they go on");
	for (int i = 0; i < 300 && field_value(at.s, "userstacked", "calls") < 2 * UNFRAMED_CALLS; i++)
		ward_wait(at.s, 20);
	ward_wait(at.s, 50);
	CHECK(ward_detach(at.s, NULL) == 0, "detached");
	for (int i = 0; i < 2; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	each_stack(&at, find_unframed, &w);
	CHECK(w.calls == 2 * UNFRAMED_CALLS && w.wrong == 0, "%lu calls, %u others", w.calls, w.wrong);
	end(&at);
	close(go[0]);
	close(go[1]);
}

static void has_words(void *user, char *text, uint64_t calls)
{
	struct wanted *w = user;

	if (strstr(text, w->text))
		w->calls += calls;
	else
		w->wrong++;
}

/* What a process is called. */
static bool is_called(pid_t pid, const char *name)
{
	char path[64], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	if (fd >= 0)
		close(fd);
	return strncmp(text, name, strlen(name)) == 0;
}

/* A child that calls when it is told to, and is then another program, or waits to be killed. */
static pid_t caller(int go, bool executes)
{
	pid_t child = fork();
	char c;

	if (child)
		return child;
	if (read(go, &c, 1) != 1)
		_exit(1);
	user_outer();
	if (executes)
		execl("/bin/busybox", "busybox", "sleep", "100", NULL);
	for (;;)
		pause();
}

/* Of a process that is seen and ends it has names; of one that is another program by then, no names of that. */
void test_stacks_user_gone(void)
{
	for (int executes = 0; executes < 2; executes++) {
		struct wanted w = {.text = executes ? "busybox" : users};
		struct stacked at;
		char setting[32];
		pid_t child;
		int go[2];

		CHECK(pipe(go) == 0, "a pipe");
		child = caller(go[0], executes);
		snprintf(setting, sizeof(setting), "thread=%d", child);
		at = stacked_at("userstacked", NULL, setting);
		CHECK(write(go[1], "x", 1) == 1, "it goes on");
		while (field_value(at.s, "userstacked", "calls") == 0 || (executes && !is_called(child, "busybox")))
			usleep(10000); /* nobody looks meanwhile */
		ward_wait(at.s, 50);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		CHECK(ward_detach(at.s, NULL) == 0, "detached");
		each_stack(&at, executes ? has_words : find_users, &w);
		CHECK((int)w.calls == !executes && (int)w.wrong == executes, "%lu of it, %u others", w.calls, w.wrong);
		end(&at);
		close(go[0]);
		close(go[1]);
	}
}

/* Stack pointers and rbp that are whatever a process wants. */
void test_stacks_user_wild(void)
{
	static uint64_t loop[2], far[2] = {0, 0x400000}, up[4];
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t wild[] = {0, 1, 7, 8, 0x1000, (uintptr_t)loop, (uintptr_t)far, (uintptr_t)up,
		(uintptr_t)page + 4088, (uintptr_t)page + 4092, (uintptr_t)page + 4096, 0x7ffffffff000, 0x7ffffffffff8,
		0x800000000000, 0x8000000000000000, 0xffff888000000000, 0xffffffff81000000, UINT64_MAX - 7, UINT64_MAX};
	enum { N = sizeof(wild) / sizeof(wild[0]) };
	struct stacked at;
	char setting[32];

	CHECK(page != MAP_FAILED && mprotect(page + 4096, 4096, PROT_NONE) == 0, "%s", strerror(errno));
	loop[0] = (uintptr_t)loop;
	loop[1] = (uintptr_t)user_inner;
	far[0] = (uintptr_t)far + (1 << 21);
	up[0] = (uintptr_t)&up[2];
	up[1] = up[3] = 0x9999999999999999;
	snprintf(setting, sizeof(setting), "thread=%d", getpid());
	at = stacked_at("userstacked", NULL, setting);
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++)
			CHECK(call_with(wild[i], wild[k]) == getppid(), "it does what it did");
	CHECK(ward_detach(at.s, NULL) == 0, "detached");
	CHECK(field_value(at.s, "userstacked", "calls") >= N * N, "each was seen");
	CHECK(field_value(at.s, "userstacked", "none") == 0, "each has one");
	end(&at);
}

/* ---- The command ---- */

void test_stacks_command(void)
{
	char module[256], text[65536];
	char *argv[] = {(char *)ward, "trace", "--kernel", "-d", "2", "-f", (char *)getppid_site, module, NULL};
	pid_t counted;
	int status;

	snprintf(module, sizeof(module), "%s/stacked.ward", probes);
	status = run_ward(text, sizeof(text), &counted, argv);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", (unsigned)status);
	fputs(text, stdout);
	CHECK(strstr(text, "do_syscall_64+") && strstr(text, "_sys_getppid"), "%s", text);
}

/* The process's and the kernel's stack of one call, in one row. */
void test_stacks_both_command(void)
{
	char module[256], text[65536];
	char *argv[] = {(char *)ward, "trace", "--kernel", "-d", "2", module, NULL};
	pid_t counted;
	int status;

	snprintf(module, sizeof(module), "%s/userstacked.ward", probes);
	status = run_ward(text, sizeof(text), &counted, argv);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", (unsigned)status);
	fputs(text, stdout);
	CHECK(strstr(text, "do_syscall_64+") && strstr(text, "_sys_getppid"), "%s", text);
	CHECK(strstr(text, "libc.so.6!syscall") && strstr(text, "ward-kernel-suite!main") && strstr(text, "!_start"),
		"%s", text);
}
