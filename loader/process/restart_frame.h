/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame that returns a thread to its program if the tracer is killed during a remote system call. restart_frame.c
 * describes how.
 */
#ifndef WARD_LOADER_WAYBACK_H
#define WARD_LOADER_WAYBACK_H

#include "process.h"

#include <sys/user.h>

/*
 * Write a frame below `below`, which is in the thread's stack, with what the stopped thread is to go on with: `saved`,
 * the signal mask, and its vector state. `restorer`: the program's own code that makes the system call rt_sigreturn.
 * Returns the frame's address, where rsp has to point while calls are made, or 0.
 */
uint64_t wl_wayback_push(const struct wl_process *p, pid_t tid, const struct user_regs_struct *saved, uint64_t mask,
	uint64_t restorer, uint64_t below);

/*
 * Nothing leads back any more: the stopped thread has all its registers again. What they were may be an address in our
 * code, and such a word on a stack looks like somebody's return address to whoever wants to free the code.
 * restart_frame.c wipes it out.
 */
void wl_wayback_forget(const struct wl_process *p, uint64_t frame);

/* Where in the frame the thread's alternate signal stack is to be written, by itself: sigaltstack(NULL, there). */
uint64_t wl_wayback_altstack(uint64_t frame);

/*
 * Does the stopped thread stand before a system call that a tracer has asked of it, which isn't there any more? Then
 * the call is not made: the thread goes its way back as soon as it goes on.
 */
void wl_wayback_call_off(pid_t tid);

/* Is the thread in the midst of such a call? `sp` is its stack pointer. */
bool wl_wayback_leads_from(const struct wl_process *p, uint64_t sp);

#endif
