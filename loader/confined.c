/*
 * Debug information and symbols come from strangers, and the libraries that read them weren't written for strangers' files; versions of them have hung and
 * crashed on broken ones. So they run in a child process that may compute for some seconds, allocate some memory, write to its
 * pipe, and do nothing else. What comes out of the pipe is as hostile as what went in: who asked checks it.
 */
#define _GNU_SOURCE 1

#include "confined.h"

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

enum { FIRST_ROOM = 1 << 16 };

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

static void confine(const struct wl_confined *c)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, c->seconds);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
	unsigned long pages;
	FILE *f = fopen("/proc/self/statm", "re");
	if (f && fscanf(f, "%lu", &pages) == 1)
		limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + c->memory);
	if (f)
		fclose(f);
#endif
	forbid_system_calls();
}

bool wl_confined_write(int fd, const void *data, size_t size)
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

/* All that comes, up to `most` bytes, in *out. False without memory. */
static bool read_all(int fd, size_t most, uint8_t **out, size_t *got)
{
	size_t room = 0;
	for (*got = 0;;) {
		if (*got == room) {
			size_t larger = room ? room * 2 : FIRST_ROOM;
			larger = larger < most ? larger : most;
			uint8_t *grown = larger > room ? realloc(*out, larger) : NULL;
			if (larger == room)
				return true;
			if (!grown)
				return false;
			*out = grown;
			room = larger;
		}
		ssize_t n = read(fd, *out + *got, room - *got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		*got += (size_t)n;
	}
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

long wl_confined_run(const struct wl_confined *c, uint8_t **out)
{
	int fd[2];
	*out = NULL;
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
		confine(c);
		_exit(c->work(c->arg, fd[1]) ? 0 : 1);
	}
	close(fd[1]);
	size_t n;
	bool well = read_all(fd[0], c->most, out, &n);
	close(fd[0]); /* a child that has more to say dies of that */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!well || n == 0) {
		free(*out);
		*out = NULL;
	}
	if (!well)
		errno = ENOMEM;
	return well ? (long)n : -1;
}
