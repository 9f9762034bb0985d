/* Threads that can't be stopped since they sleep in the kernel, and whoever else runs in their memory meanwhile. asleep.c tells how. */
#ifndef WARD_LOADER_ASLEEP_H
#define WARD_LOADER_ASLEEP_H

#include "process.h"

/* Where such a thread will go on in its program. */
struct wl_asleep {
	int64_t call; /* the system call that it is in; -1: a fault took it to the kernel */
	uint64_t argument; /* the call's first */
	uint64_t ip, sp;
};

/* Does the thread sleep so that it can't be interrupted? False also where that can't be known. */
bool wl_sleeps(pid_t tid);

/* The same, and where it is. */
bool wl_is_asleep(pid_t tid, struct wl_asleep *where);

/* It is asleep, and was asked to stop before: may the others' code be changed without waiting for it? */
bool wl_may_sleep_on(const struct wl_process *p, pid_t tid, const struct wl_asleep *where);

/*
 * Call fn for each thread of each process that a thread has made which runs in its memory, as a child by vfork does, until it returns non-zero, which is returned. -1: such a process is in the midst of an exec, and
 * whoever would trace it might wait long.
 */
int wl_each_sharer(pid_t tid, int (*fn)(void *user, pid_t tid), void *user);

/* A process that runs in its parent's memory, as a child by vfork does, can't be had alone: the parent's threads would run in code that is changed. 0, or the error. */
int wl_refuse_sharer(pid_t pid, struct ward_error *err);

/* Do both run in one memory? */
bool wl_share_memory(pid_t a, pid_t b);

#endif
