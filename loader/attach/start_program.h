/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a program with probes from its first instruction on. */
#ifndef WARD_LOADER_START_PROGRAM_H
#define WARD_LOADER_START_PROGRAM_H

#include "loader/inject/attachment.h"

#include <signal.h>

/*
 * Start a program, found in PATH, as a child of the calling thread, which traces it with these options of ptrace;
 * `mask` is the set of signals that it blocks. It is then stopped at its exec. On failure there is no child.
 */
int wl_start_program(char *const argv[], const sigset_t *mask, unsigned options, pid_t *pid, struct ward_error *err);

/* The program has been started, and is stopped where the probes must be attached. A result other than 0 ends it. */
typedef int wl_started_fn(void *user, struct wl_threads *held, struct ward_error *err);

/*
 * Start a program, with *p opened, that runs on when `started` says so. If that attaches `attached` (else NULL), it may
 * be called before the program has a thread pointer. Runs in the thread that is the program's tracer until then. On
 * failure there is no child.
 */
int wl_spawn_live(char *const argv[], const sigset_t *mask, struct wl_process *p, struct wl_attachment *attached,
	wl_started_fn *started, void *user, struct ward_error *err);

/* As wl_spawn_live, but the program is ended when `started` returns. It has run to its entry point and no further. */
int wl_spawn_halted(char *const argv[], const sigset_t *mask, struct wl_process *p, wl_started_fn *started, void *user,
	struct ward_error *err);

#endif
