/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resume and stop traced threads.
 *
 * To attach to a process, and to take the probes off at the end, all threads must be stopped where they are about to
 * continue in the program: `hold`. A thread that stops on its way to a signal handler, or inside a system call, is
 * resumed and stops again at such a place.
 *
 * A thread that waits for its vfork child can't be stopped. It needn't be (process/asleep.h), but its child must be,
 * which runs in the same memory. The child is followed already or, if it is older than the session, from now on. If a
 * thread can't be judged, all threads are resumed for a while, and then held again.
 */
#include "follower.h"

#include "loader/process/asleep.h"

#include <stdlib.h>

void wl_traced_resume(struct wl_traced *t, int sig)
{
	int request = PTRACE_CONT;

	if (t->job_stop)
		request = PTRACE_LISTEN;
	else if (t->proc && t->proc->start.how && t->tid == t->proc->pid)
		request = PTRACE_SYSCALL;
	t->stopped = false;
	ptrace(request, t->tid, 0, (void *)(intptr_t)(t->job_stop ? 0 : sig));
}

void wl_traced_go_on(struct wl_traced *t, int sig)
{
	if (t->proc && t->proc->hold) {
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		t->job_stop = false;
	}
	wl_traced_resume(t, sig);
}

void wl_proc_hold(struct wl_proc *p)
{
	if (p->hold || wl_now_ms() < p->again)
		return;
	p->hold = true;
	for (struct wl_traced *t = p->threads; t; t = t->next) {
		t->since = wl_now_ns();
		t->dead = wl_is_zombie(t->tid);
		if (!t->stopped && !t->fresh)
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	}
}

static void let_go_on(struct wl_controller *c, struct wl_proc *p)
{
	p->hold = p->attach = false;
	for (struct wl_traced *t = p->threads; t; t = t->next) {
		t->asleep = false;
		if (!t->stopped)
			continue;
		pthread_mutex_lock(&c->lock);
		wl_count_pause(&c->pauses, wl_now_ns() - t->since);
		pthread_mutex_unlock(&c->lock);
		wl_traced_resume(t, 0);
	}
}

void wl_space_let_go_on(struct wl_controller *c, const struct wl_space *space)
{
	for (struct wl_proc *p = c->procs; p; p = p->next)
		if (p->space == space)
			let_go_on(c, p);
}

static bool is_all_stopped(const struct wl_proc *p)
{
	for (const struct wl_traced *t = p->threads; t; t = t->next)
		if (!t->stopped && !t->asleep && !t->dead)
			return false;
	return p->hold;
}

/* A child that hasn't stopped yet may have copies of the program's patches. */
bool wl_space_stands(const struct wl_controller *c, const struct wl_space *space)
{
	for (const struct wl_proc *p = c->procs; p; p = p->next) {
		if (p->space == space && !is_all_stopped(p))
			return false;
		for (const struct wl_traced *t = p->threads; t; t = t->next)
			if (t->from == space)
				return false;
	}
	return true;
}

struct adopting {
	struct wl_controller *c;
	struct wl_proc *maker;
};

/* Follow a thread of a process that shares its maker's memory. Returns non-zero if that fails. */
static int thread_adopt(void *user, pid_t tid)
{
	struct adopting *a = user;
	struct wl_traced *t = wl_traced_find(a->c, tid);
	uint64_t group = (uint64_t)tid;
	struct wl_proc *p;

	if (t)
		return t->proc == NULL;
	if (wl_seize(tid, WL_FOLLOW_OPTIONS))
		return !wl_is_zombie(tid);
	wl_status_value(tid, tid, "Tgid", 10, &group);
	p = wl_proc_find(a->c, (pid_t)group);
	if (!p && (p = wl_proc_add(a->c, (pid_t)group, a->maker->pid))) {
		p->space = a->maker->space;
		p->space->users++;
		p->hold = true;
	}
	t = p ? wl_traced_add(a->c, p, tid) : NULL;
	if (!t)
		return 1;
	t->since = wl_now_ns();
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	return 0;
}

/* May code be patched while the thread sleeps there? */
static bool may_sleep_on(struct wl_controller *c, struct wl_traced *t, const struct wl_asleep *where)
{
	struct adopting a = {c, t->proc};
	struct wl_process p;
	bool may;

	if (wl_process_open(&p, t->proc->pid, NULL))
		return false;
	may = wl_may_sleep_on(&p, t->tid, where) && wl_each_sharer(t->tid, thread_adopt, &a) == 0;
	wl_process_close(&p);
	return may;
}

/* Check threads that don't stop. Returns false if all threads should resume for now. */
static bool look_at_sleepers(struct wl_controller *c, struct wl_proc *p)
{
	struct wl_asleep where;
	bool well = true;

	for (struct wl_traced *t = p->threads; t; t = t->next) {
		uint64_t held = wl_now_ns() - t->since;

		if (t->stopped || t->asleep || t->dead || t->fresh || held < WL_SOON_NS ||
			!wl_is_asleep(t->tid, &where))
			continue;
		t->asleep = may_sleep_on(c, t, &where);
		t->ip = where.ip;
		t->sp = where.sp;
		well &= t->asleep || held < WL_PATIENCE_NS;
	}
	return well;
}

/* At the end all programs are held together, so all resume. */
static void give_way(struct wl_controller *c, const struct wl_space *space)
{
	for (struct wl_proc *p = c->procs; p; p = p->next) {
		bool attach = p->attach;

		if (!p->hold || (p->space != space && !c->ending))
			continue;
		let_go_on(c, p);
		p->attach = attach;
		p->again = wl_now_ms() + WL_RETRY_MS;
	}
}

static void hold_program(struct wl_controller *c, const struct wl_space *space)
{
	for (struct wl_proc *p = c->procs; p; p = p->next)
		if (p->space == space)
			wl_proc_hold(p);
}

void wl_look_at_held(struct wl_controller *c)
{
	for (struct wl_proc *p = c->procs; p; p = p->next) {
		if (p->attach)
			hold_program(c, p->space);
		if (p->hold && !is_all_stopped(p) && !look_at_sleepers(c, p))
			give_way(c, p->space);
		if (p->attach && p->hold)
			wl_proc_look(c, p);
	}
}

bool wl_space_held(const struct wl_controller *c, const struct wl_space *space, struct wl_threads *held)
{
	*held = (struct wl_threads){.options = WL_FOLLOW_OPTIONS};
	for (const struct wl_proc *p = c->procs; p; p = p->next)
		for (const struct wl_traced *t = p->space == space ? p->threads : NULL; t; t = t->next) {
			struct wl_thread *v = realloc(held->v, (held->n + 1) * sizeof(*v));

			if (!v) {
				free(held->v);
				held->v = NULL; /* callers free it in any case */
				return false;
			}
			held->v = v;
			if (!t->dead)
				v[held->n++] = (struct wl_thread){.tid = t->tid,
					.stopped = t->stopped,
					.asleep = t->asleep,
					.ip = t->ip,
					.sp = t->sp,
					.maker = p->pid == space->pid ? 0 : space->pid};
		}
	return true;
}
