/* SPDX-License-Identifier: Apache-2.0 */
/* The follower's own parts, which run in its thread. controller.h describes what it does. */
#ifndef WARD_LOADER_FOLLOWER_H
#define WARD_LOADER_FOLLOWER_H

#include "controller.h"

enum { WL_END_DEADLINE_MS = 2000 }; /* how long those are waited for that can't be stopped */

static inline int64_t wl_now_ms(void)
{
	return (int64_t)(wl_now_ns() / 1000000);
}

static inline bool wl_is_job_stop(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/*
 * Does the caller wait for this one? Children that it forks meanwhile are traced already, and may end, or become other
 * programs.
 */
static inline bool wl_is_awaited(const struct wl_controller *c, const struct wl_proc *p)
{
	return !c->begun && p->pid == c->first.pid;
}

/* ---- threads.c: whom it traces ---- */

/* NULL: no thread has that number. */
struct wl_traced *wl_traced_find(struct wl_controller *c, pid_t tid);
struct wl_proc *wl_proc_find(const struct wl_controller *c, pid_t pid);
/* A new one, of a process, or (NULL) not known whose. NULL without memory. */
struct wl_traced *wl_traced_add(struct wl_controller *c, struct wl_proc *proc, pid_t tid);
/* A new one, without threads and program. NULL without memory. */
struct wl_proc *wl_proc_add(struct wl_controller *c, pid_t pid, pid_t parent);
void wl_traced_move(struct wl_controller *c, struct wl_traced *t, struct wl_proc *to);
/* Forget one that has ended or isn't traced any more; a process with its threads. */
void wl_traced_drop(struct wl_controller *c, struct wl_traced *t);
void wl_proc_drop(struct wl_controller *c, struct wl_proc *p);

/* ---- group_stop.c: resume and stop threads ---- */

void wl_traced_resume(struct wl_traced *t, int sig);
/* Also if it is to stand still: not here. */
void wl_traced_go_on(struct wl_traced *t, int sig);
/* Stop all of its threads, unless that just failed. */
void wl_proc_hold(struct wl_proc *p);
/* They needn't any more: all of a program, which may be several processes in one memory. */
void wl_space_let_go_on(struct wl_controller *c, const struct wl_space *space);
/* Do all of the program's? */
bool wl_space_stands(const struct wl_controller *c, const struct wl_space *space);
/* Look at those that are to stand still, and don't. */
void wl_look_at_held(struct wl_controller *c);
/* All threads of a program that can make calls for us. To be freed. False without memory. */
bool wl_space_held(const struct wl_controller *c, const struct wl_space *space, struct wl_threads *held);

/* ---- space_attach.c: what has the probes ---- */

/* Attach to it as soon as it is stopped. */
void wl_proc_want_attach(struct wl_controller *c, struct wl_proc *p);
/* Something has changed: what was waited for may have come. */
void wl_proc_look(struct wl_controller *c, struct wl_proc *p);
/* The first one, with whom the caller waits: successful or not. */
void wl_controller_begun(struct wl_controller *c);
/* All processes of a program stand still: its probes are taken off. False if one doesn't. */
bool wl_space_unpatch(struct wl_controller *c, struct wl_space *space);

/* ---- children.c: who comes ---- */

/* A traced thread has made another, or a process. */
void wl_traced_made(struct wl_controller *c, struct wl_traced *maker, pid_t tid, bool vfork);
/* A new thread is stopped at its first instruction. */
void wl_traced_begin(struct wl_controller *c, struct wl_traced *t, int sig);
/* Ask all threads that have said nothing since an early child came whether it is theirs. */
void wl_look_at_early(struct wl_controller *c);

/* ---- events.c ---- */

/* It is stopped at its exec. */
void wl_traced_executed(struct wl_controller *c, struct wl_traced *t);

/* ---- release.c ---- */

/* The caller wants it to end. True if it has. *deadline is 0 at first. */
bool wl_controller_go_towards_end(struct wl_controller *c, int64_t *deadline);
/* Everybody has ended: wait until the caller knows. */
void wl_controller_all_over(struct wl_controller *c);
/* The error of who couldn't be stopped. */
int wl_controller_cant_stop(const struct wl_controller *c, struct ward_error *err);

#endif
