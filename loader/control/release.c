/* SPDX-License-Identifier: Apache-2.0 */
/* The end of following: all stand still, the probes are taken off, and all are let go. Or all have ended. */
#include "follower.h"

#include "loader/base/error.h"

#include <stdio.h>
#include <unistd.h>

/* Stand still, as far as that is possible now. True if all do, and no probe is there any more. */
static bool all_unpatched(struct wl_follow *f)
{
	bool all = true;

	if (f->early)
		return false;
	for (struct wl_proc *p = f->procs; p; p = p->next)
		if (p->program)
			wl_proc_hold(p);
	for (struct wl_program *program = f->programs; program; program = program->next)
		all &= wl_program_unpatch(f, program);
	return all;
}

int wl_follow_cant_stop(const struct wl_follow *f, struct ward_error *err)
{
	for (const struct wl_proc *p = f->procs; p; p = p->next)
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
static void clean_up_after_others(const struct wl_program *program)
{
	struct wl_process p;
	int turn;

	if (wl_process_open(&p, program->pid, NULL))
		return;
	turn = wl_process_turn(p.pid);
	wl_clean(&p, &(struct ward_cleanup_options){0}, NULL);
	if (turn >= 0)
		close(turn);
	wl_process_close(&p);
}

/* Trace nobody any more; then what is left of each attachment is taken off as ever. */
static int leave(struct wl_follow *f)
{
	struct ward_error err = {0};
	int rc = 0;

	for (struct wl_proc *p = f->procs; p; p = p->next)
		for (struct wl_traced *t = p->threads; t; t = t->next) {
			ptrace(PTRACE_DETACH, t->tid, 0, 0);
			if (t->stopped)
				wl_count_pause(&f->pauses, wl_now_ns() - t->since);
		}
	for (struct wl_program *program = f->programs; program; program = program->next) {
		struct wl_attachment *a = program->attachment;
		int one;

		if (a)
			a->p.pauses = &f->pauses;
		else
			clean_up_after_others(program);
		one = a && !wl_process_gone(&a->p) ? wl_detach_live(a, &err) : 0;

		if (one && !wl_process_dying(&a->p) && rc == 0) {
			rc = one;
			f->end_err = err;
		}
	}
	wl_follow_forget(f);
	return rc;
}

static void end_done(struct wl_follow *f, int rc)
{
	pthread_mutex_lock(&f->lock);
	f->end_rc = rc;
	f->want_end = false;
	f->end_done = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

bool wl_follow_go_towards_end(struct wl_follow *f, int64_t *deadline)
{
	f->ending = true;
	if (!*deadline)
		*deadline = wl_now_ms() + WL_END_DEADLINE_MS;
	if (all_unpatched(f) || (f->force && wl_now_ms() >= *deadline)) {
		end_done(f, leave(f) && !f->force ? f->end_err.status : 0);
		return true;
	}
	if (wl_now_ms() < *deadline)
		return false;
	end_done(f, wl_follow_cant_stop(f, &f->end_err));
	f->ending = false;
	*deadline = 0;
	for (struct wl_proc *p = f->procs; p; p = p->next)
		if (p->hold)
			wl_program_let_go_on(f, p->program);
	return false;
}

void wl_follow_all_over(struct wl_follow *f)
{
	wl_follow_forget(f);
	wl_tell_over(f);
	pthread_mutex_lock(&f->lock);
	f->begun = true;
	pthread_cond_broadcast(&f->changed);
	while (!f->want_end)
		pthread_cond_wait(&f->changed, &f->lock);
	pthread_mutex_unlock(&f->lock);
	end_done(f, 0);
}

bool wl_follow_wants_end(struct wl_follow *f)
{
	bool wants;

	pthread_mutex_lock(&f->lock);
	wants = f->want_end;
	pthread_mutex_unlock(&f->lock);
	return wants;
}
