/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that can't be stopped because they sleep in the kernel, and the processes that share their memory. */
#ifndef WARD_LOADER_ASLEEP_H
#define WARD_LOADER_ASLEEP_H

#include "process.h"

/* Where such a thread will continue in its program. */
struct wl_asleep {
	int64_t call;      /* the system call that it is in; -1: a fault took it to the kernel */
	uint64_t argument; /* the call's first */
	uint64_t ip, sp;
};

/* Is the thread in uninterruptible sleep? False if its state can't be read. */
bool wl_sleeps(pid_t tid);

/* The same; also fills in where it is. */
bool wl_is_asleep(pid_t tid, struct wl_asleep *where);

/* The thread is asleep, and was interrupted before that was seen. May code be patched without waiting for it? */
bool wl_may_sleep_on(const struct wl_process *p, pid_t tid, const struct wl_asleep *where);

/*
 * Some children of a thread share its memory: a vfork child does. Call fn for each of their threads until it returns
 * non-zero, and return that. Return -1 if such a child is inside an exec: PTRACE_SEIZE would block until that is over.
 */
int wl_each_sharer(pid_t tid, int (*fn)(void *user, pid_t tid), void *user);

/*
 * Refuse a process that shares its parent's memory, as a vfork child does: the parent's threads would keep running in
 * the code that is patched. Returns 0 or the error.
 */
int wl_refuse_sharer(pid_t pid, struct ward_error *err);

/* Do both threads use the same memory? */
bool wl_share_memory(pid_t a, pid_t b);

#endif
