/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads in uninterruptible sleep.
 *
 * A thread that waits for its vfork child, for a disk, or for a dead file system doesn't stop until the wait is over.
 * If the tracer waited for it, all other threads would stay stopped as long. That isn't needed:
 *
 *   1. The tracer has seized and interrupted the thread (PTRACE_INTERRUPT).
 *   2. After that it sees the thread in state D. So the thread is inside the kernel.
 *   3. The kernel checks for the interrupt before each return to user mode. So the thread stops before it executes
 *      another instruction of the program.
 *   4. /proc/PID/syscall shows the instruction pointer and the stack pointer at which it will continue. They don't
 *      change until it stops. (If it executes another program, it leaves this memory.)
 *
 * So code may be patched beside such a thread, except in these cases:
 *
 *   it will continue inside the patched bytes    patch.c leaves out that site.
 *   it may create a thread or a process          The new one is on no list yet and runs at once. Only clone and its
 *                                                relatives create any. Of these only a wait for a vfork child is
 *                                                allowed, since that child exists already. The tracer stops it
 *                                                like a thread of the process itself, because it runs the same
 *                                                code.
 *   it makes a call for a tracer that has died   The call may map or unmap memory (restart_frame.c).
 *
 * While a vfork child is inside an exec, the kernel holds a lock that PTRACE_SEIZE needs. The tracer waits for the
 * end of the exec with nobody stopped.
 */
#include "asleep.h"

#include "loader/base/error.h"
#include "maps.h"
#include "ptrace.h"
#include "restart_frame.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool wl_sleeps(pid_t tid)
{
	return wl_thread_state(tid) == 'D';
}

/*
 * Read the beginning of a /proc file, and terminate it. It allocates nothing: threads may be about to stop (make_room
 * in ptrace.c).
 */
static bool read_beginning(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

/* "CALL ARGUMENT … SP IP", "-1 SP IP", or "running". */
static bool read_call(pid_t tid, struct wl_asleep *where)
{
	enum { WORDS = 8, FAULT_WORDS = 2 };
	char path[64], text[256], *rest;
	uint64_t v[WORDS];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	if (!read_beginning(path, text, sizeof(text)))
		return false;
	where->call = strtoll(text, &rest, 10);
	while (rest != text && n < WORDS && *rest == ' ')
		v[n++] = strtoull(rest, &rest, 16);
	if (n != (where->call < 0 ? FAULT_WORDS : WORDS))
		return false;
	where->argument = where->call < 0 ? 0 : v[0];
	where->sp = v[n - 2];
	where->ip = v[n - 1];
	return true;
}

bool wl_is_asleep(pid_t tid, struct wl_asleep *where)
{
	return wl_sleeps(tid) && read_call(tid, where);
}

bool wl_share_memory(pid_t a, pid_t b)
{
	return syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0) == 0;
}

/* Call fn for each child of the thread that shares its memory, until it returns non-zero. Return that. */
static int each_child(pid_t tid, int (*fn)(void *user, pid_t child), void *user)
{
	char path[64], chunk[4096];
	uint64_t child = 0;
	ssize_t got;
	int fd, rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)tid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && rc == 0 && (got = read(fd, chunk, sizeof(chunk))) > 0)
		for (ssize_t i = 0; i < got && rc == 0; i++) {
			if (chunk[i] >= '0' && chunk[i] <= '9') {
				child = child * 10 + (uint64_t)(chunk[i] - '0');
				continue;
			}
			if (child && child <= INT32_MAX && wl_share_memory(tid, (pid_t)child))
				rc = fn(user, (pid_t)child);
			child = 0;
		}
	if (fd >= 0)
		close(fd);
	return rc;
}

struct sharers {
	int (*fn)(void *user, pid_t tid);
	void *user;
	pid_t maker;
};

static int each_of_child(void *user, pid_t child)
{
	const struct sharers *s = user;
	struct wl_asleep where;
	int rc = -1;

	if (!read_call(child, &where) || (where.call != SYS_execve && where.call != SYS_execveat))
		rc = wl_each_thread(child, s->fn, s->user);
	return rc < 0 && !wl_share_memory(s->maker, child) ? 0 : rc; /* it has ended or executed a program */
}

int wl_each_sharer(pid_t tid, int (*fn)(void *user, pid_t tid), void *user)
{
	struct sharers s = {fn, user, tid};

	return each_child(tid, each_of_child, &s);
}

static int is_one(void *user, pid_t child)
{
	(void)user;
	(void)child;
	return 1;
}

/* Does it wait for a vfork child that exists already? */
static bool waits_for_child(const struct wl_process *p, pid_t tid, const struct wl_asleep *where)
{
	uint64_t flags = where->argument;

	if (where->call == SYS_clone3 && !wl_process_read(p, where->argument, &flags, sizeof(flags)))
		return false;
	return (where->call == SYS_vfork || flags & CLONE_VFORK) && each_child(tid, is_one, NULL);
}

bool wl_may_sleep_on(const struct wl_process *p, pid_t tid, const struct wl_asleep *where)
{
	static const uint8_t SYSCALL[] = {0x0f, 0x05};
	uint8_t before[sizeof(SYSCALL)];

	if (where->call < 0)
		return true;
	/* int $0x80 and x32 have other numbers for the same calls. */
	if (where->call >> 30 || !wl_process_read(p, where->ip - sizeof(before), before, sizeof(before)) ||
		memcmp(before, SYSCALL, sizeof(before)) != 0)
		return false;
	switch (where->call) {
	case SYS_fork: return false;
	case SYS_vfork:
	case SYS_clone:
	case SYS_clone3: return waits_for_child(p, tid, where);
	default: return !wl_restart_frame_is_used(p, where->sp);
	}
}

int wl_refuse_sharer(pid_t pid, struct ward_error *err)
{
	uint64_t parent = 0;
	char what[64];

	if (!wl_status_value(pid, pid, "PPid", 10, &parent) || !parent ||
		!wl_share_memory(wl_shown_at(pid), wl_shown_at((pid_t)parent)))
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)pid);
	wl_fail(err, WARD_E_TARGET, what,
		"it runs in the memory of process %d, its parent, until it executes a program (vfork)", (int)parent);
	wl_hint(err, "trace process %d: calls of both are counted there", (int)parent);
	return WARD_E_TARGET;
}
