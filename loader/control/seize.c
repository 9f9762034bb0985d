/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of following: seize a running process, or take over a program that was started. */
#include "follower.h"

#include "loader/base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PASSES = 1000 };

static int seize_refuse(pid_t pid, int error, struct ward_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)pid);
	if (error == EBUSY) {
		wl_fail_taken(what, wl_tracer_of(pid, pid), err);
	} else if (error == EPERM) {
		wl_fail(err, WARD_E_TARGET, what, "no permission to trace it");
		wl_hint(err, "run as the same user or as root; see also /proc/sys/kernel/yama/ptrace_scope");
	} else {
		wl_fail(err, WARD_E_SYSTEM, what, "can't trace it: %s", strerror(error));
	}
	return err->status;
}

struct seizing {
	struct wl_controller *c;
	struct wl_proc *p;
	bool found;
	int error;
};

static int seize_one(void *user, pid_t tid)
{
	struct seizing *s = user;
	int error;

	if (wl_traced_find(s->c, tid))
		return 0;
	error = wl_seize(tid, WL_FOLLOW_OPTIONS);
	if (error) {
		/* A thread that was made by one we have is ours already, and tells. */
		if (error == ESRCH || wl_is_zombie(tid) || wl_tracer_of(tid, tid) == gettid())
			return 0;
		s->error = error;
		return 1;
	}
	s->found = true;
	if (wl_traced_add(s->c, s->p, tid))
		return 0;
	s->error = ENOMEM;
	return 1;
}

static int seize_all(struct wl_controller *c, struct wl_proc *p)
{
	struct seizing s = {.c = c, .p = p, .found = true};

	for (unsigned pass = 0; s.found && pass < MAX_PASSES; pass++) {
		s.found = false;
		if (wl_each_thread(p->pid, seize_one, &s) < 0)
			return ESRCH;
		if (s.error)
			return s.error;
	}
	return p->threads ? 0 : ESRCH;
}

/* What was seized before an error is let go when the thread ends. */
int wl_controller_seize(struct wl_controller *c, pid_t pid, struct ward_error *err)
{
	struct wl_proc *p = wl_proc_add(c, pid, 0);
	int64_t deadline = 0;
	uint64_t parent = 0;
	int error;

	if (!p || !(p->space = wl_space_new(c, p)))
		return wl_no_memory(err);
	wl_status_value(pid, pid, "PPid", 10, &parent);
	p->parent = p->space->parent = (pid_t)parent;
	c->hosts = p->parent == getpid() ? pid : 0;
	/* until it is attached to: somebody may be in the midst of that, and couldn't go on when we have its threads */
	c->turn = wl_process_turn(pid);
	do
		error = seize_all(c, p);
	while (error == EBUSY && wl_wait_for_tracer(pid, &deadline));
	if (error)
		return seize_refuse(pid, error, err);
	wl_proc_want_attach(c, p);
	return 0;
}

int wl_controller_started(struct wl_controller *c, pid_t pid, struct ward_error *err)
{
	struct wl_proc *p = wl_proc_add(c, pid, getpid());
	struct wl_traced *t = p ? wl_traced_add(c, p, pid) : NULL;

	if (!t)
		return wl_no_memory(err);
	ptrace(PTRACE_SETOPTIONS, pid, 0, WL_FOLLOW_OPTIONS);
	c->child = pid;
	if (wl_process_open(&c->first, pid, err)) {
		kill(pid, SIGKILL);
		return err->status;
	}
	wl_traced_executed(c, t);
	return 0;
}
