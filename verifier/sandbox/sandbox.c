/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process for libraries that read hostile files.
 *
 * Debug information and symbols come from unknown sources, and the libraries that read them weren't written for
 * hostile files; some versions hang or crash on broken ones. So they run in a child process that may compute for some
 * time, allocate some memory, write to its pipe, and do nothing else. What comes out of the pipe is as hostile as
 * the file, so the caller checks it.
 *
 * The child is a copy of an unknown program, with one of its threads. No thread in the copy releases the locks that
 * the other threads held at the fork. glibc resets the locks of its own allocator, but another allocator that the
 * program uses may not (AddressSanitizer's doesn't), and the child would wait for such a lock for ever. The only
 * thing that it should sleep for is a full pipe. So a child that sleeps while there is nothing to read is abandoned,
 * and another one is forked, when the lock may be free. If the waiting thread is the only one of this process, nothing
 * will free the lock: then there is only one attempt.
 *
 * ward-verify and libward share this. It is not part of libward-verify, which decides without it.
 */
#define _GNU_SOURCE 1

#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 16, LOOK_MS = 50, LOOKS_ASLEEP = 20, COPIES = 5, MORE_RESERVED = 32 << 20 };

#if !defined(__SANITIZE_ADDRESS__) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/*
 * The child could write to any file of the program that stayed open. And with the ends of other threads' pipes open,
 * their children wouldn't notice that no process reads, and we wouldn't notice that no process writes.
 */
static void close_files_but(unsigned fd)
{
#ifdef __SANITIZE_ADDRESS__ /* which reports there */
	unsigned first = STDERR_FILENO + 1;
#else
	unsigned first = 0;
#endif
	if (fd > first)
		close_range(first, fd - 1, 0);
	close_range(fd < first ? first : fd + 1, ~0u, 0);
}

/*
 * System calls from here on: memory, the pipe, the end. Best effort, a kernel without filters still has the other
 * limits.
 */
static void forbid_system_calls(void)
{
#ifndef __SANITIZE_ADDRESS__ /* whose runtime needs more */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(brk),
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(mprotect),
		ALLOW(madvise),
		ALLOW(futex),
		ALLOW(getrandom),
		ALLOW(write),
		ALLOW(exit_group),
		/* libdw looks for the file's name and can do without */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

static void limit_set(int resource, rlim_t value)
{
	struct rlimit old, new = {.rlim_cur = value, .rlim_max = value};
	if (getrlimit(resource, &old) == 0 && (old.rlim_max == RLIM_INFINITY || old.rlim_max > value))
		setrlimit(resource, &new);
}

/* The limit has whole seconds. The timer, which can't be set again afterwards, has what is left of them. */
static void limit_time(uint64_t microseconds)
{
	const uint64_t second = 1000000;
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)(microseconds / second),
					  .tv_usec = (suseconds_t)(microseconds % second)}};

	limit_set(RLIMIT_CPU, microseconds / second + 1);
	setitimer(ITIMER_PROF, &timer, NULL);
}

/* Pages of address space, and of memory that can be written; 0: unknown. Not by stdio, whose locks others had. */
static void pages_count(unsigned long *all, unsigned long *data)
{
	unsigned long v[6] = {0}; /* size resident shared text lib data */
	char text[128], *p = text;
	ssize_t n = -1;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		v[i] = strtoul(p, &p, 10);
	*all = v[0];
	*data = v[5];
}

/*
 * What counts is memory that can be written: an allocator may have reserved address space that it doesn't use yet. The
 * limit of address space is a little larger. While that one is reached, the kernel doesn't check the first one where
 * protection changes; so less is left of it than an allocator reserves at a time (64 MiB).
 */
static void limit_memory(size_t more)
{
	const rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
	unsigned long all, data;

	pages_count(&all, &data);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
	if (all)
		limit_set(RLIMIT_AS, all * page + more + MORE_RESERVED);
	if (data)
		limit_set(RLIMIT_DATA, data * page + more);
#else
	(void)page, (void)more;
#endif
}

static void child_confine(const struct sandbox *s, int fd)
{
	limit_set(RLIMIT_CORE, 0);
	limit_time(s->microseconds);
	limit_memory(s->memory);
	close_files_but((unsigned)fd);
	forbid_system_calls();
}

bool sandbox_write(int fd, const void *data, size_t size)
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

struct child {
	pid_t pid;
	int pidfd, out;
	bool ended;
	unsigned asleep; /* how often in a row it was found so */
};

static bool child_sleeps(pid_t pid)
{
	char path[64], text[128], *after; /* a name has at most 64 bytes, whatever they are */
	ssize_t n = -1;
	int fd;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	after = strrchr(text, ')');
	return after && strncmp(after, ") S", 3) == 0;
}

/* Until there is something to read, or the child has ended. False: it will do neither. */
static bool child_await(struct child *c)
{
	struct pollfd events[] = {{.fd = c->out, .events = POLLIN}, {.fd = c->pidfd, .events = POLLIN}};
	int n = poll(events, 2, LOOK_MS);
	if (n > 0 && events[1].revents)
		c->ended = true;
	if (n == 0 && child_sleeps(c->pid))
		c->asleep++;
	else if (n >= 0)
		c->asleep = 0;
	return c->asleep < LOOKS_ASLEEP;
}

/* All that comes, up to `most` bytes, in *out. 0, ENOMEM, or EDEADLK: the child waits for what never comes. */
static int child_read(struct child *c, size_t most, uint8_t **out, size_t *got)
{
	size_t room = 0;
	for (*got = 0;;) {
		bool ended = c->ended; /* before it is read: then it is all there is */
		if (*got == room) {
			size_t larger = room ? room * 2 : FIRST_ROOM;
			larger = larger < most ? larger : most;
			uint8_t *grown = larger > room ? realloc(*out, larger) : NULL;
			if (larger == room)
				return 0;
			if (!grown)
				return ENOMEM;
			*out = grown;
			room = larger;
		}
		ssize_t n = read(c->out, *out + *got, room - *got);
		if (n > 0)
			*got += (size_t)n;
		else if (n == 0 || (errno != EINTR && errno != EAGAIN) || ended)
			return 0;
		else if (errno == EAGAIN && !child_await(c))
			return EDEADLK;
	}
}

/* The handlers of the process around us have no business in the child. */
static void reset_signals(void)
{
	sigset_t none;
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void __attribute__((noreturn)) be_child(const struct sandbox *s, int fd)
{
	reset_signals();
	child_confine(s, fd);
	_exit(s->work(s->arg, fd) ? 0 : 1);
}

static bool child_start(const struct sandbox *s, struct child *child)
{
	int fd[2], saved;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return false;
	fcntl(fd[0], F_SETFL, O_NONBLOCK); /* of our end alone */
	*child = (struct child){.pid = fork(), .pidfd = -1, .out = fd[0]};
	if (child->pid == 0)
		be_child(s, fd[1]);
	if (child->pid > 0)
		child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	saved = errno;
	close(fd[1]);
	if (child->pidfd >= 0 || (child->pid > 0 && saved == ENOSYS))
		return true; /* without a pidfd its end is seen at its pipe's */
	close(fd[0]);
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	errno = saved;
	return false;
}

/* Whatever it would do yet isn't wanted. */
static void child_end(struct child *child)
{
	if (child->pidfd >= 0) {
		syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
		close(child->pidfd);
	} else {
		kill(child->pid, SIGKILL); /* the number stays its own until it is waited for */
	}
	close(child->out);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* How often it is worth trying. The folder of our threads has two links more than there are threads. */
static int most_copies(void)
{
	struct stat st;
	return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3 ? 1 : COPIES;
}

long sandbox_run(const struct sandbox *s, uint8_t **out)
{
	int error = EDEADLK, copies = most_copies();
	size_t n = 0;
	*out = NULL;
	for (int i = 0; error == EDEADLK && i < copies; i++) {
		struct child child;
		if (!child_start(s, &child))
			return -1;
		error = child_read(&child, s->most, out, &n);
		child_end(&child);
		if (error || n == 0) {
			free(*out);
			*out = NULL;
		}
	}
	errno = error;
	return error ? -1 : (long)n;
}
