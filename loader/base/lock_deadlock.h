/* SPDX-License-Identifier: Apache-2.0 */
/* A process that detects that it waits for a lock which nothing can release. lock_deadlock.c describes how. */
#ifndef WARD_LOADER_STANDSTILL_H
#define WARD_LOADER_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>
#include <time.h>

/* Only for a process with one thread, which shares no futex with others. It must be there as long as the process. */
struct wl_standstill {
	void (*look)(void *user); /* is called at each look, */
	/*
	 * and this when nothing will ever come of it: at any place outside of system calls that don't wait. It must not
	 * allocate anything, and should not return
	 */
	void (*give_up)(void *user);
	void *user;
	timer_t timer;
	greg_t registers[REG_RIP + 1]; /* of the loop that we may be in, */
	int64_t cpu;                   /* the process's nanoseconds at the last look, */
	int looks;                     /* and how often it was found there */
};

/* Make ready to look, in a signal handler. False with errno. */
bool wl_standstill_begin(struct wl_standstill *s);

/* Check ten times a second from now on; or stop checking, because it waits for another process. */
void wl_standstill_watch(struct wl_standstill *s, bool on);

#endif
