/*
 * Threads in uninterruptible sleep.
 *
 * A thread that waits for its child by vfork, for a disk, or for a file system whose server is gone, stops for nobody before that is over, and the others would stand still as long. They needn't: it has been asked to stop
 * (PTRACE_INTERRUPT), so the kernel stops it on its way back to the program, before another instruction of it is carried out. The kernel tells of a thread that sleeps what the system call is, and where the program goes on.
 * That stays true until it stops, whatever it does in the kernel meanwhile. It must have been asked before it was looked at: asleep then, it was in the kernel, and can't have left it since. If it becomes another program, it
 * has a memory of its own.
 *
 * So bytes may be changed beside such a thread unless
 *
 *   it goes on in their midst      patch.c leaves that site alone, as for a return address of a signal's handler
 *   it makes others                a thread that is made in that very moment is on no list yet. Only clone and its kin make any; of these only who waits for a child by vfork may sleep on, for it has made it already. That is
 *                                  told by the child: it runs in the same memory, and has to be stopped as a thread of the process itself has.
 *   a dead tracer's call is made   which maps, or unmaps (wayback.c): nobody may count on that being over
 *
 * Is the child in the midst of an exec, it can't be seized before that is over, since the kernel holds a lock for as long: better wait for that while nobody is held.
 */
#include "asleep.h"

#include "../error.h"
#include "maps.h"
#include "ptrace.h"
#include "wayback.h"

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

/* The beginning of a file of /proc, terminated. Nothing is allocated: threads may be on their way to stop (make_room in ptrace.c). */
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

/* Call fn for each process that the thread has made and that runs in its memory, until it returns non-zero, which is returned. */
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
	return rc < 0 && !wl_share_memory(s->maker, child) ? 0 : rc; /* it has ended meanwhile, or is another program */
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

/* Has it made the child that it waits for? */
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
	/* Other ways into the kernel have other numbers. */
	if (where->call >> 30 || !wl_process_read(p, where->ip - sizeof(before), before, sizeof(before)) || memcmp(before, SYSCALL, sizeof(before)) != 0)
		return false;
	switch (where->call) {
	case SYS_fork: return false;
	case SYS_vfork:
	case SYS_clone:
	case SYS_clone3: return waits_for_child(p, tid, where);
	default: return !wl_wayback_leads_from(p, where->sp);
	}
}

int wl_refuse_sharer(pid_t pid, struct ward_error *err)
{
	uint64_t parent = 0;
	char what[64];

	if (!wl_status_value(pid, pid, "PPid", 10, &parent) || !parent || !wl_share_memory(wl_shown_at(pid), wl_shown_at((pid_t)parent)))
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)pid);
	wl_fail(err, WARD_E_TARGET, what, "it runs in the memory of process %d, its parent, until it becomes another program (vfork)", (int)parent);
	wl_hint(err, "trace that one: what this one does counts there");
	return WARD_E_TARGET;
}
