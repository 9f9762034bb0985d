/* SPDX-License-Identifier: Apache-2.0 */
/* A process by its pidfd: its memory, and whether it has ended. */
#include "process.h"

#include "loader/base/error.h"
#include "maps.h"
#include "ptrace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_PATIENCE_MS = 200, TURN_PATIENCE_MS = 10000 };

bool wl_process_gone(const struct wl_process *p)
{
	struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};

	return p->pidfd < 0 || (poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLIN));
}

int wl_process_poll(const struct wl_process *p, int timeout_ms)
{
	struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN}; /* readable for good once it has ended */

	return poll(&pfd, 1, timeout_ms);
}

bool wl_process_wait(const struct wl_process *p, int timeout_ms)
{
	return wl_process_poll(p, timeout_ms) == 1;
}

bool wl_child_status(pid_t pid, int *status)
{
	int now;

	if (waitpid(pid, &now, WNOHANG) != pid || (!WIFEXITED(now) && !WIFSIGNALED(now)))
		return false;
	*status = now;
	return true;
}

/*
 * What the kernel keeps of a process for those who have a pidfd of it, once its parent has waited for it. Since Linux
 * 6.15; headers may be older.
 */
struct exit_info {
	uint64_t mask, cgroup;
	uint32_t pid, group, parent, ids[8];
	int32_t status;
};

enum { WANTS_EXIT = 1 << 3 };

static bool told_by_pidfd(const struct wl_process *p, int *status)
{
	struct exit_info info = {.mask = WANTS_EXIT};

	if (ioctl(p->pidfd, _IOWR(0xff, 11, struct exit_info), &info) < 0 || !(info.mask & WANTS_EXIT))
		return false;
	*status = info.status;
	return true;
}

/* A zombie's status is the last number of its line. The parent may wait for it at any moment. */
static bool told_by_zombie(const struct wl_process *p, int *status)
{
	char path[64], *text, *state;
	bool known;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)wl_shown_at(p->pid));
	text = wl_read_proc(path, &size);
	state = text ? strrchr(text, ')') : NULL;
	known = state && strncmp(state, ") Z ", 4) == 0;
	if (known)
		*status = atoi(strrchr(state, ' '));
	free(text);
	/* if it can still be signalled, the number hasn't become another process's */
	return known && syscall(SYS_pidfd_send_signal, p->pidfd, 0, NULL, 0) == 0;
}

bool wl_process_status(const struct wl_process *p, int *status)
{
	return p->pidfd >= 0 && (told_by_pidfd(p, status) || told_by_zombie(p, status) || told_by_pidfd(p, status));
}

bool wl_process_dying(const struct wl_process *p)
{
	struct wl_maps maps;
	bool none;

	if (wl_process_gone(p))
		return true;
	if (wl_maps_read(p->pid, &maps))
		return true;
	none = maps.n == 0;
	wl_maps_free(&maps);
	return none;
}

/*
 * A killed process loses its memory a moment after its threads can't be controlled any more. It counts as ended only
 * when its tracer (this process) has released all of them.
 */
static bool dies_soon(const struct wl_process *p)
{
	for (int i = 0; i < EXIT_PATIENCE_MS; i++) {
		if (wl_process_dying(p))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return false;
}

int wl_process_lost_in(const struct wl_process *p, const char *function, struct ward_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)p->pid);
	if (dies_soon(p))
		wl_fail(err, WARD_E_TARGET, what, "it has ended");
	else if (p->mem >= 0 && !wl_process_is_same(p))
		wl_fail(err, WARD_E_TARGET, what, "it has replaced its program (exec)");
	else
		wl_fail(err, WARD_E_TARGET, what, "its threads can't be controlled any more (%s)", function);
	wl_hint(err, "nothing was left attached");
	return WARD_E_TARGET;
}

/* What opening /proc/PID/mem says about our rights. */
static int open_failed(int error, pid_t pid, const char *what, struct ward_error *err)
{
	if (error == ESRCH || error == ENOENT) {
		wl_fail(err, WARD_E_TARGET, what, "no such process");
		wl_hint(err, "ps -e lists the processes there are");
	} else if (error == EACCES || error == EPERM) {
		wl_fail(err, WARD_E_TARGET, what, "no permission to trace it");
		wl_hint(err, "run as the same user or as root; see also /proc/sys/kernel/yama/ptrace_scope");
	} else {
		wl_fail(err, WARD_E_TARGET, what, "can't open its memory: %s", strerror(error));
		wl_hint(err, "is /proc mounted, and %d a process of this machine?", (int)pid);
	}
	return WARD_E_TARGET;
}

/* Only 64-bit x86 programs. The header is read through /proc/PID/exe; a kernel thread has none. */
static int check_program(pid_t pid, const char *what, struct ward_error *err)
{
	char path[64];
	Elf64_Ehdr h;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)wl_shown_at(pid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && wl_is_zombie(pid)) {
		wl_fail(err, WARD_E_TARGET, what, "it has ended, and its parent hasn't waited for it yet (a zombie)");
		wl_hint(err, "ps -e lists the processes there are");
		return WARD_E_TARGET;
	}
	if (fd < 0 && errno == ENOENT) {
		wl_fail(err, WARD_E_TARGET, what, "it has no program: a kernel thread");
		wl_hint(err, "kernel functions are traced with --kernel");
		return WARD_E_TARGET;
	}
	if (fd < 0)
		return open_failed(errno, pid, what, err);
	got = pread(fd, &h, sizeof(h), 0);
	close(fd);
	if (got != (ssize_t)sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
		h.e_machine != EM_X86_64) {
		wl_fail(err, WARD_E_TARGET, what, "it isn't a 64-bit x86 program");
		wl_hint(err, "only x86-64 programs can be traced");
		return WARD_E_TARGET;
	}
	return 0;
}

/* Of another number's process. (Kernels have had several errors for that.) */
static bool is_thread(pid_t pid)
{
	uint64_t group = 0;
	int error = errno;
	bool is = wl_status_value(pid, pid, "Tgid", 10, &group) && group != (uint64_t)pid;

	errno = error;
	return is;
}

int wl_process_open(struct wl_process *p, pid_t pid, struct ward_error *err)
{
	char what[64], path[64];
	int rc;

	*p = (struct wl_process){.pid = pid, .pidfd = -1, .mem = -1};
	snprintf(what, sizeof(what), "process %d", (int)pid);
	if (pid <= 0)
		return open_failed(ESRCH, pid, what, err);
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p->pidfd < 0 && is_thread(pid)) {
		wl_fail(err, WARD_E_TARGET, what, "it is a thread, not a process");
		wl_hint(err, "give the process id: Tgid in /proc/%d/status", (int)pid);
		return WARD_E_TARGET;
	}
	if (p->pidfd < 0)
		return open_failed(errno, pid, what, err);
	rc = check_program(pid, what, err);
	if (rc) {
		wl_process_close(p);
		return rc;
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)wl_shown_at(pid));
	p->mem = open(path, O_RDWR | O_CLOEXEC);
	if (p->mem < 0) {
		rc = open_failed(errno, pid, what, err);
		wl_process_close(p);
		return rc;
	}
	if (wl_process_gone(p)) {
		rc = wl_process_lost(p, err);
		wl_process_close(p);
		return rc;
	}
	return 0;
}

/*
 * The process of a pidfd, as our own namespace numbers it: -1 if it has ended and was waited for, 0 if the file isn't
 * a pidfd.
 */
static long pid_of(int pidfd)
{
	char path[64], *text, *line;
	size_t size;
	long pid = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	text = wl_read_proc(path, &size);
	line = text ? strstr(text, "\nPid:") : NULL;
	if (line)
		pid = strtol(line + 5, NULL, 10);
	free(text);
	return pid;
}

/* Ours was opened before: if the caller's still lives, under the same number, they are one. */
int wl_process_check(const struct wl_process *p, int pidfd, struct ward_error *err)
{
	const struct wl_process meant = {.pidfd = pidfd};
	long pid = pid_of(pidfd);
	char what[64];

	if (pid == 0) {
		wl_fail(err, WARD_E_USAGE, "options", "%d isn't a pidfd", pidfd);
		wl_hint(err, "pidfd_open makes one from a process id");
		return WARD_E_USAGE;
	}
	if (pid == p->pid && !wl_process_gone(&meant))
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)p->pid);
	wl_fail(err, WARD_E_TARGET, what,
		pid > 0 && pid != p->pid ? "it isn't the process of the pidfd"
					 : "the intended process has ended, and another one has its number now");
	wl_hint(err, "look it up again");
	return WARD_E_TARGET;
}

void wl_process_close(struct wl_process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	if (p->mem >= 0)
		close(p->mem);
	p->pidfd = p->mem = -1;
}

int wl_process_turn(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < TURN_PATIENCE_MS && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
		i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return fd;
}

/* Memory that is gone ends at its beginning, where memory that is there has nothing to be read. */
bool wl_process_is_same(const struct wl_process *p)
{
	char c;

	return pread(p->mem, &c, 1, 0) != 0;
}

size_t wl_process_read_some(const struct wl_process *p, uint64_t addr, void *buf, size_t size)
{
	size_t n = 0;

	if (p->below)
		return p->below->read_some(p->below, addr, buf, size);
	while (n < size) {
		ssize_t got = pread(p->mem, (char *)buf + n, size - n, (off_t)(addr + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n;
}

bool wl_process_is_unpatched(const struct wl_process *p, uint64_t addr, size_t n)
{
	uint8_t code[64], now[64];

	if (!p->below)
		return true;
	if (n > sizeof(now) || !wl_process_read(p, addr, code, n) || !wl_process_read(p->below->memory, addr, now, n))
		return false;
	return memcmp(code, now, n) == 0;
}

bool wl_process_read(const struct wl_process *p, uint64_t addr, void *buf, size_t size)
{
	return wl_process_read_some(p, addr, buf, size) == size;
}

bool wl_process_write(const struct wl_process *p, uint64_t addr, const void *buf, size_t size)
{
	ssize_t put;

	do
		put = pwrite(p->mem, buf, size, (off_t)addr);
	while (put < 0 && errno == EINTR);
	return put == (ssize_t)size;
}
