/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame that returns a thread to its program if the tracer is killed during a remote system call. restart_frame.c
 * describes how.
 */
#ifndef WARD_LOADER_RESTART_FRAME_H
#define WARD_LOADER_RESTART_FRAME_H

#include "process.h"

#include <sys/user.h>

/*
 * Write a frame below `below`, which is in the thread's stack, with the state in which the stopped thread is to
 * continue: `saved`, the signal mask, and its vector state. `restorer`: the program's own code that makes the system
 * call rt_sigreturn. Returns the frame's address, where rsp has to point while calls are made, or 0.
 */
uint64_t wl_restart_frame_push(const struct wl_process *p, pid_t tid, const struct user_regs_struct *saved,
	uint64_t mask, uint64_t restorer, uint64_t below);

/*
 * The frame isn't needed any more: the stopped thread has all its registers again. These may have held an address in
 * our code, and such a word on a stack looks like a return address to a check before the code is freed. So it is
 * overwritten.
 */
void wl_restart_frame_forget(const struct wl_process *p, uint64_t frame);

/* The address in the frame to which the thread itself writes its alternate signal stack: sigaltstack(NULL, there). */
uint64_t wl_restart_frame_altstack(uint64_t frame);

/*
 * Is the stopped thread before a system call of a tracer that no longer exists? Then the call is not made: the thread
 * returns to its program as soon as it resumes. *regs are the thread's registers, before and after.
 */
void wl_restart_frame_cancel(pid_t tid, struct user_regs_struct *regs);

/* Is the thread inside such a call? `sp` is its stack pointer. */
bool wl_restart_frame_is_used(const struct wl_process *p, uint64_t sp);

#endif
