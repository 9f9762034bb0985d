/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that a thread of the target makes for the tracer. remote.c describes how. */
#ifndef WARD_LOADER_REMOTE_H
#define WARD_LOADER_REMOTE_H

#include "maps.h"
#include "ptrace.h"

struct wl_remote {
	const struct wl_process *p;
	struct wl_thread thread;
	bool borrowed;    /* the thread was stopped already, and stays so */
	unsigned options; /* of ptrace, that it had then */
	struct user_regs_struct saved;
	uint64_t saved_mask;
	struct wl_gadgets found; /* both, if they were */
	uint64_t gadget;         /* a system call instruction; with a frame: followed by ret */
	uint64_t frame;          /* the frame that returns the thread if we die; 0: none */
	uint64_t scratch;        /* SCRATCH bytes of the thread's stack for arguments in memory; 0 if there are none */
	bool active;
};

enum { WL_REMOTE_SCRATCH = 256 };

/*
 * Take a thread of the process for remote system calls: one of `held` if that is not NULL (threads that the caller
 * keeps stopped), else one that is stopped now, while the others run on. Returns 0 or an error; on an error the target
 * is as before.
 */
int wl_remote_begin(struct wl_remote *r, const struct wl_process *p, const struct wl_maps *maps,
	struct wl_threads *held, struct ward_error *err);

/* Make a system call. *result is what the kernel returned (-errno on failure). False if the target is gone. */
bool wl_remote_call(struct wl_remote *r, int64_t *result, long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
	uint64_t e, uint64_t f);

/* Put the thread back as it was and let it go (a held one stays stopped). Allocates nothing, as wl_remote_call. */
void wl_remote_end(struct wl_remote *r);

/* As wl_thread_stop; if it was about to take a signal, it stops where the handler begins. */
int wl_thread_stop_clear(struct wl_thread *t, const struct wl_process *p, pid_t tid);

#endif
