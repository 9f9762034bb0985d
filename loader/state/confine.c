/*
 * Debug information comes from strangers, and the library that reads it wasn't written for strangers' files; versions of it have hung and
 * crashed on broken ones. So it runs in a child process that may compute for some seconds, allocate some memory, write to its
 * pipe, and do nothing else; what comes out of the pipe is checked field by field. If the child dies there are no fields.
 */
#define _GNU_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema.h"

enum { CPU_SECONDS = 5, MEMORY_ROOM = 512 << 20 };

#if !defined(__SANITIZE_ADDRESS__) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* System calls from here on: memory, the pipe, the end. Best effort, a kernel without filters still has the other limits. */
static void forbid_system_calls(void)
{
#ifndef __SANITIZE_ADDRESS__ /* whose runtime needs more */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), ALLOW(brk), ALLOW(mmap), ALLOW(munmap),
		ALLOW(mremap), ALLOW(mprotect), ALLOW(madvise), ALLOW(futex), ALLOW(getrandom), ALLOW(write), ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), /* libdw looks for the file's name and can do without */
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

static void limit(int resource, rlim_t value)
{
	struct rlimit old, new = {.rlim_cur = value, .rlim_max = value};
	if (getrlimit(resource, &old) == 0 && (old.rlim_max == RLIM_INFINITY || old.rlim_max > value))
		setrlimit(resource, &new);
}

static void confine(void)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
	unsigned long pages;
	FILE *f = fopen("/proc/self/statm", "re");
	if (f && fscanf(f, "%lu", &pages) == 1)
		limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_ROOM);
	if (f)
		fclose(f);
#endif
	forbid_system_calls();
}

static bool write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	while (size) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	return true;
}

static size_t read_all(int fd, void *data, size_t size)
{
	size_t got = 0;
	while (got < size) {
		ssize_t n = read(fd, (char *)data + got, size - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

/* The handlers of the process around us have no business in the child. */
static void default_signals(void)
{
	sigset_t none;
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Fields by their types, then stops: what a probe has stopped is told even where its types would fill all of the room. */
static size_t read_both(
	const void *image, size_t size, const char *type, const char *entry, uint64_t state_size, struct state_field *fields, size_t max)
{
	size_t stops = state_stops_read(image, size, fields, max / 2), room = max - stops;
	memmove(fields + room, fields, stops * sizeof(*fields));
	size_t n = state_types_read(image, size, type, entry, state_size, fields, room);
	if (n > room)
		return SIZE_MAX;
	memmove(fields + n, fields + room, stops * sizeof(*fields));
	return n + stops;
}

long state_describe(
	const void *image, size_t size, const char *type, const char *entry, uint64_t state_size, struct state_field *fields, size_t max)
{
	int fd[2];
	if (max == 0)
		return 0;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return -1;
	pid_t pid = fork();
	if (pid < 0) {
		int saved = errno;
		close(fd[0]);
		close(fd[1]);
		errno = saved;
		return -1;
	}
	if (pid == 0) {
		default_signals();
		confine();
		size_t n = read_both(image, size, type, entry, state_size, fields, max);
		bool ok = n <= max && write_all(fd[1], fields, n * sizeof(*fields));
		_exit(ok ? 0 : 1);
	}
	close(fd[1]);
	size_t n = read_all(fd[0], fields, max * sizeof(*fields)) / sizeof(*fields), good = 0;
	close(fd[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (size_t i = 0, group; i < n; i += group ? group : 1) {
		group = state_group_valid(&fields[i], n - i, state_size);
		memmove(&fields[good], &fields[i], group * sizeof(*fields));
		good += group;
	}
	return (long)good;
}
