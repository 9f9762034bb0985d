/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Ward lists of the kernel's functions, and how they are called: it must agree with the kernel, and be empty
 * where the kernel doesn't show it.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

enum { MOST = 1 << 18 };

/* What was told of sites, in the order in which it was. */
struct told {
	size_t n;
	struct {
		char *site;
		const char *method, *reason;
		uint64_t addr;
	} v[MOST];
};

static struct told listed, attached_to;

static void remember(void *user, const struct ward_site_report *r)
{
	struct told *t = user;

	CHECK(t->n < MOST, "no more than %d", MOST);
	t->v[t->n].site = strdup(r->site);
	t->v[t->n].method = r->method;
	t->v[t->n].reason = r->reason;
	t->v[t->n].addr = r->address;
	CHECK(!r->method == !!r->reason && r->address, "%s: a way, or a reason", r->site);
	t->n++;
}

static const struct told *list(const char *pattern)
{
	struct ward_error err;

	listed.n = 0;
	CHECK(ward_list_kernel(pattern, remember, &listed, &err) == 0, "%s: %s", err.what, err.why);
	return &listed;
}

/* Reasons and ways of a pattern are those of attaching to it. */
static void same_as_attached(const char *pattern)
{
	const struct told *l = list(pattern);
	size_t at = 0;

	attached_to.n = 0;
	ward_session_free(attached_with("count", pattern, remember, &attached_to));
	for (size_t i = 0; i < l->n; i++) {
		const char *is = l->v[i].method ? l->v[i].method : l->v[i].reason;
		const char *was;

		if (l->v[i].method && i && l->v[i - 1].addr == l->v[i].addr)
			continue; /* another name of the one before, which is attached once */
		CHECK(at < attached_to.n && attached_to.v[at].addr == l->v[i].addr, "%s", l->v[i].site);
		was = attached_to.v[at].method ? attached_to.v[at].method : attached_to.v[at].reason;
		CHECK(strcmp(is, was) == 0, "%s: %s, %s", l->v[i].site, is, was);
		at++;
	}
	CHECK(at == attached_to.n && at > 5, "%zu of %zu", at, attached_to.n);
}

void test_list(void)
{
	same_as_attached("kernel!*_write*");
	same_as_attached("kernel!vfs_*:return");
}

/* How many of all functions there are of a reason. */
static size_t count_reason(const struct told *l, const char *words)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->v[i].reason && strstr(l->v[i].reason, words);
	return n;
}

static const char *verdict_of(const struct told *l, const char *site)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].site, site) == 0)
			return l->v[i].method ? l->v[i].method : l->v[i].reason;
	return "";
}

void test_list_all(void)
{
	const struct told *l = list(NULL);
	size_t can = 0;

	for (size_t i = 0; i < l->n; i++) {
		can += l->v[i].method != NULL;
		CHECK(i == 0 || l->v[i - 1].addr <= l->v[i].addr, "%s: in order", l->v[i].site);
		CHECK(strncmp(l->v[i].site, "kernel!", 7) == 0, "%s", l->v[i].site);
	}
	CHECK(can > 20000 && can < l->n, "%zu of %zu", can, l->n);
	CHECK(count_reason(l, "while the kernel started") > 500, "code of its start");
	CHECK(count_reason(l, "noinstr") > 50, "code where nothing may be traced");
	CHECK(count_reason(l, "entry code") > 20, "entry code");
	CHECK(count_reason(l, "without a place") > 100, "code without a place for it");
	CHECK(count_reason(l, "runs the probes") > 5, "ours");
	CHECK(strstr(verdict_of(l, "kernel!start_kernel"), "while the kernel started"), "%s",
		verdict_of(l, "kernel!start_kernel"));
	CHECK(strstr(verdict_of(l, "kernel!asm_exc_page_fault"), "entry code"), "%s",
		verdict_of(l, "kernel!asm_exc_page_fault"));
	CHECK(strstr(verdict_of(l, "kernel!ward_ioctl"), "runs the probes"), "%s", verdict_of(l, "kernel!ward_ioctl"));
	CHECK(strcmp(verdict_of(l, getppid_site), "direct call") == 0, "%s", verdict_of(l, getppid_site));
	printf("  %zu of %zu functions can be probed\n", can, l->n);
}

void test_list_held(void)
{
	ward_session *s = attached("count", getppid_site);

	CHECK(strcmp(verdict_of(list(getppid_site), getppid_site), "direct call") == 0, "it is shared: %s",
		verdict_of(&listed, getppid_site));
	ward_session_free(s);
	CHECK(strcmp(verdict_of(list(getppid_site), getppid_site), "direct call") == 0, "%s",
		verdict_of(&listed, getppid_site));
	load_points();
	do_points("hold", "vfs_write");
	CHECK(strcmp(verdict_of(list("kernel!vfs_write"), "kernel!vfs_write"), "function tracer") == 0, "%s",
		verdict_of(&listed, "kernel!vfs_write"));
	do_points("release", "1");
	CHECK(unload_points() == 0, "it is free");
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path, strerror(errno));
	close(fd);
}

static void hide_addresses(bool hidden)
{
	write_file("/proc/sys/kernel/kptr_restrict", hidden ? "2" : "0");
}

/*
 * In a kernel that doesn't show its addresses, or has no tracefs. Whatever comes of it, the next test finds both again.
 */
void test_list_untold(void)
{
	struct ward_error err[4];
	int rc[4];

	listed.n = 0;
	hide_addresses(true);
	rc[0] = ward_list_kernel("kernel!vfs_read", remember, &listed, &err[0]);
	rc[1] = ward_list_kernel(NULL, remember, &listed, &err[1]);
	hide_addresses(false);
	CHECK(umount("/sys/kernel/tracing") == 0, "%s", strerror(errno));
	rc[2] = ward_list_kernel("kernel!vfs_read", remember, &listed, &err[2]);
	rc[3] = ward_list_kernel(NULL, remember, &listed, &err[3]);
	CHECK(mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) == 0, "%s", strerror(errno));
	for (int i = 0; i < 4; i++) {
		CHECK(rc[i] == WARD_E_TARGET && err[i].hint[0], "%d: %d: %s", i, rc[i], err[i].why);
		CHECK(strstr(err[i].why, i < 2 ? "doesn't show the addresses" : "isn't known"), "%d: %s", i,
			err[i].why);
	}
	CHECK(listed.n == 0, "nothing was told");
	CHECK(ward_list_kernel("kernel!no_such_function", remember, &listed, &err[0]) == WARD_E_TARGET &&
			strstr(err[0].why, "no such function"),
		"%s", err[0].why);
	CHECK(ward_list_kernel("libc.so.6!read", remember, &listed, &err[0]) == WARD_E_USAGE &&
			strstr(err[0].why, "isn't a function of the kernel"),
		"%s", err[0].why);
}

/* ---- Names ---- */

static uint64_t address_of(const char *site)
{
	const struct told *l = list(site);

	CHECK(l->n == 1, "%s is one", site);
	return l->v[0].addr;
}

static bool is_named(ward_names *names, uint64_t addr, const char *name)
{
	char text[600] = "";

	if (ward_names_find(names, addr, text, sizeof(text)) && strcmp(text, name) == 0)
		return true;
	printf("  %#lx is %s\n", addr, text);
	return false;
}

static ward_names *opened(void)
{
	ward_names *names;

	CHECK(ward_names_open_kernel(&names, NULL) == 0, "names");
	return names;
}

void test_names(void)
{
	static const uint64_t nowhere[] = {
		0, 1, 0x1000, 0x7fffffffffff, 0x8000000000000000, 0xffff888000000000, UINT64_MAX};
	uint64_t write = address_of("kernel!vfs_write"), ours = address_of("kernel!ward_ioctl"),
		 started = address_of("kernel!start_kernel");
	ward_names *names = opened(), *hidden = opened();
	char text[16];
	bool found;

	CHECK(is_named(names, write, "vfs_write") && is_named(names, write + 0x12, "vfs_write+0x12"),
		"the kernel's own");
	CHECK(is_named(names, ours, "ward_ioctl [ward]") && is_named(names, ours + 5, "ward_ioctl+0x5 [ward]"),
		"a module's");
	CHECK(!ward_names_find(names, started, text, sizeof(text)), "what is gone since the start");
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		CHECK(!ward_names_find(names, nowhere[i], text, sizeof(text)), "%#lx", nowhere[i]);
	for (size_t size = 1; size <= sizeof(text); size++)
		CHECK(ward_names_find(names, ours + 5, text, size) && strlen(text) < size, "%zu bytes", size);
	CHECK(!ward_names_find(names, write, text, 0) && !ward_names_find(names, write, NULL, 8), "no room");
	hide_addresses(true);
	found = ward_names_find(hidden, write, text, sizeof(text));
	hide_addresses(false);
	CHECK(!found && is_named(names, write, "vfs_write"), "hidden from then on");
	ward_names_close(names);
	ward_names_close(hidden);
}

/* ---- The command ---- */

static void said(int status, const char *text, int expected, const char *words)
{
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected && strstr(text, words), "status %#x: %s: %s",
		(unsigned)status, words, text);
}

static char nothing[8];

static void write_until_killed(void)
{
	for (int fd = open("/dev/null", O_WRONLY);;)
		if (write(fd, nothing, sizeof(nothing)) < 0)
			_exit(1);
}

void test_list_command(void)
{
	static char text[1 << 20];
	char module[256];
	char *list[] = {(char *)ward, "list", "--kernel", "kernel!ktime_get_*", NULL},
	     *json[] = {(char *)ward, "list", "--kernel", "--json", "kernel!start_kernel", NULL};
	char *trace[] = {(char *)ward, "trace", "--kernel", "-d", "1", module, NULL};
	char *points[] = {(char *)ward, "list", "--kernel", "kernel:sched:sched_process_*", NULL},
	     *calls[] = {(char *)ward, "list", "--kernel", "kernel:*:sys_e*t", NULL};
	char *openat[] = {(char *)ward, "list", "--kernel", "kernel:syscalls:sys_*_openat", NULL};
	char argument[40];
	pid_t other, writer;
	int status = run_ward(text, sizeof(text), &other, list);

	said(status, text, 0, "kernel!ktime_get_ts64 ");
	said(status, text, 0, " can be probed, ");
	said(status, text, 0, "  direct call (struct timespec64 *ts)\n");
	said(status, text, 0, "  direct call\n");
	said(status, text, 0, "  no: the kernel doesn't let this function be traced");
	fputs(text, stdout);
	status = run_ward(text, sizeof(text), &other, json);
	said(status, text, 0, "\"site\":\"kernel!start_kernel\"");
	said(status, text, 0, "while the kernel started");
	status = run_ward(text, sizeof(text), &other, points);
	said(status, text, 0,
		"kernel:sched:sched_process_fork  -               tracepoint (struct task_struct *parent, struct "
		"task_struct *child)\n");
	said(status, text, 0, " 0 can't\n");
	fputs(text, stdout);
	status = run_ward(text, sizeof(text), &other, calls);
	said(status, text, 0, "       1  tracepoint\n");
	said(status, text, 0, "\nkernel:syscalls:sys_exit_exit ");
	said(status, text, 0, "  kretprobe (int error_code)\n");
	status = run_ward(text, sizeof(text), &other, openat);
	said(status, text, 0, "kernel:syscalls:sys_enter_openat  0x");
	said(status, text, 0, "  direct call (int dfd, const char *filename, int flags, umode_t mode)\n");
	said(status, text, 0, "  wrapped call (int dfd, const char *filename, int flags, umode_t mode)\n");
	fputs(text, stdout);
	snprintf(module, sizeof(module), "%s/callers.ward", probes);
	writer = fork();
	if (writer == 0)
		write_until_killed();
	status = run_ward(text, sizeof(text), &other, trace);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	said(status, text, 0, "\n  ksys_write+0x");
	snprintf(argument, sizeof(argument), "\n  %p ", (void *)nothing);
	said(status, text, 0, argument);
}
