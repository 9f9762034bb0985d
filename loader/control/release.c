/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of following: all threads are stopped, the probes are taken off, and all are released. Or all processes
 * have ended.
 */
#include "follower.h"

#include "loader/base/error.h"

#include <stdio.h>
#include <unistd.h>

/* Stand still, as far as that is possible now. True if all do, and no probe is there any more. */
static bool all_unpatched(struct wl_controller *c)
{
	bool all = true;

	if (c->early)
		return false;
	for (struct wl_proc *p = c->procs; p; p = p->next)
		if (p->space)
			wl_proc_hold(p);
	for (struct wl_space *space = c->spaces; space; space = space->next)
		all &= wl_space_unpatch(c, space);
	return all;
}

int wl_controller_cant_stop(const struct wl_controller *c, struct ward_error *err)
{
	for (const struct wl_proc *p = c->procs; p; p = p->next)
		for (const struct wl_traced *t = p->threads; t; t = t->next)
			if (!t->stopped && !t->asleep && !t->dead) {
				char what[64];

				snprintf(what, sizeof(what), "process %d", (int)p->pid);
				wl_fail(err, WARD_E_TARGET, what,
					"thread %d can't be stopped: it is inside a call that makes a process, or "
					"executes a program",
					(int)t->tid);
				wl_hint(err, "try again when that is over");
				return WARD_E_TARGET;
			}
	return wl_fail(err, WARD_E_TARGET, "follow", "a process was forked a moment ago and can't be stopped");
}

/* Tracers that ended while the process was followed couldn't take off what they had there (wl_detach_live). */
static void clean_up_after_others(const struct wl_space *space)
{
	struct wl_process p;
	int turn;

	if (wl_process_open(&p, space->pid, NULL))
		return;
	turn = wl_process_turn(p.pid);
	wl_clean(&p, &(struct ward_cleanup_options){0}, NULL);
	if (turn >= 0)
		close(turn);
	wl_process_close(&p);
}

/* Release all threads; then take what is left of each attachment off as usual. */
static int spaces_leave(struct wl_controller *c)
{
	struct ward_error err = {0};
	int rc = 0;

	for (struct wl_proc *p = c->procs; p; p = p->next)
		for (struct wl_traced *t = p->threads; t; t = t->next) {
			ptrace(PTRACE_DETACH, t->tid, 0, 0);
			if (t->stopped)
				wl_count_pause(&c->pauses, wl_now_ns() - t->since);
		}
	for (struct wl_space *space = c->spaces; space; space = space->next) {
		if (!space->attached)
			clean_up_after_others(space);
		/* The newest first, because its jumps may be over an older one's. */
		for (struct wl_attached *a = space->attached; a; a = a->next) {
			int one;

			a->a.p.pauses = &c->pauses;
			one = wl_process_gone(&a->a.p) ? 0 : wl_detach_live(&a->a, &err);
			if (one && !wl_process_dying(&a->a.p) && rc == 0) {
				rc = one;
				c->end_err = err;
			}
		}
	}
	wl_controller_forget(c);
	return rc;
}

static void end_done(struct wl_controller *c, int rc)
{
	pthread_mutex_lock(&c->lock);
	c->end_rc = rc;
	c->want_end = false;
	c->end_done = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

bool wl_controller_go_towards_end(struct wl_controller *c, int64_t *deadline)
{
	c->ending = true;
	if (!*deadline)
		*deadline = wl_now_ms() + WL_END_DEADLINE_MS;
	if (all_unpatched(c) || (c->force && wl_now_ms() >= *deadline)) {
		end_done(c, spaces_leave(c) && !c->force ? c->end_err.status : 0);
		return true;
	}
	if (wl_now_ms() < *deadline)
		return false;
	end_done(c, wl_controller_cant_stop(c, &c->end_err));
	c->ending = false;
	*deadline = 0;
	for (struct wl_proc *p = c->procs; p; p = p->next)
		if (p->hold)
			wl_space_let_go_on(c, p->space);
	return false;
}

void wl_controller_all_over(struct wl_controller *c)
{
	wl_controller_forget(c);
	wl_queue_end(c);
	pthread_mutex_lock(&c->lock);
	c->begun = true;
	pthread_cond_broadcast(&c->changed);
	while (!c->want_end)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	end_done(c, 0);
}

bool wl_controller_wants_end(struct wl_controller *c)
{
	bool wants;

	pthread_mutex_lock(&c->lock);
	wants = c->want_end;
	pthread_mutex_unlock(&c->lock);
	return wants;
}
