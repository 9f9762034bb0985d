/* SPDX-License-Identifier: Apache-2.0 */
/* A live process: a stable reference to it, and access to its memory. */
#ifndef WARD_LOADER_PROCESS_H
#define WARD_LOADER_PROCESS_H

#include "ward/ward.h"

struct wl_process;

/* The code without any patches (inject/original.h): what knows it, and where patches show. */
struct wl_below {
	const struct wl_process *memory; /* what is there now */
	/* As wl_process_read_some. */
	size_t (*read_some)(const struct wl_below *below, uint64_t addr, void *buf, size_t size);
};

struct wl_process {
	struct wl_pauses *pauses; /* counts how long its threads are stopped for us, or NULL (ptrace.h) */
	struct wl_late *late;     /* its threads that couldn't stop in time, or NULL: they aren't tracked (ptrace.h) */
	const struct wl_below *below; /* code is read as it is below all patches; NULL: as it is */
	pid_t pid;
	int pidfd; /* the process itself, whatever becomes of the number */
	int mem;   /* its address space; dead after an exec */
};

/* Returns 0 or an error for the user. On failure *p is closed. */
int wl_process_open(struct wl_process *p, pid_t pid, struct ward_error *err);

/* Is it the process of the caller's pidfd? 0 or an error; *p stays open. */
int wl_process_check(const struct wl_process *p, int pidfd, struct ward_error *err);

void wl_process_close(struct wl_process *p);

/*
 * Wait for our turn with the process: several tracers of ours that patch and unpatch at one moment would find each
 * other's threads and changed code. Returns a descriptor to be closed when the turn is over, or -1. A courtesy: who
 * waits long, or can't wait, goes ahead.
 */
int wl_process_turn(pid_t pid);

/* Has it ended? */
bool wl_process_gone(const struct wl_process *p);

/* Wait, at most so long (-1: for good), until it has. The first one returns 0 if it hasn't, and -1 at a signal. */
int wl_process_poll(const struct wl_process *p, int timeout_ms);
bool wl_process_wait(const struct wl_process *p, int timeout_ms);

/* Has a child of ours ended, and how? It is waited for then. */
bool wl_child_status(pid_t pid, int *status);

/*
 * How has a process ended that need not be a child of ours? Unknown (false) before Linux 6.15, if its parent has waited
 * for it already.
 */
bool wl_process_status(const struct wl_process *p, int *status);

/* Has it ended, or is it ending? Then it has no memory left. */
bool wl_process_dying(const struct wl_process *p);

/* Is what it has in memory still what it had when it was opened? Not if it has ended, or become another program. */
bool wl_process_is_same(const struct wl_process *p);

/* Memory of the target, even where it is mapped without the right. True if all bytes were transferred. */
bool wl_process_read(const struct wl_process *p, uint64_t addr, void *buf, size_t size);
bool wl_process_write(const struct wl_process *p, uint64_t addr, const void *buf, size_t size);

/* As many bytes as can be read, from 0 to size. */
size_t wl_process_read_some(const struct wl_process *p, uint64_t addr, void *buf, size_t size);

/* Are these bytes of code now as they are below all patches? True for a process without `below`. At most 64 bytes. */
bool wl_process_is_unpatched(const struct wl_process *p, uint64_t addr, size_t n);

/*
 * The error for a target that can't be controlled any more: it has ended, has replaced its program, or a thread doesn't
 * do what it is asked. For the last the error names the function that found it, as nothing else tells where to look.
 */
#define wl_process_lost(p, err) wl_process_lost_in(p, __func__, err)
int wl_process_lost_in(const struct wl_process *p, const char *function, struct ward_error *err);

#endif
