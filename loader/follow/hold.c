/*
 * Threads that are traced go on, or stand still.
 *
 * To attach to a process, and to take the probes off at the end, all threads are to stand still where they are about to run on in the program: `hold`. One that stops on its way to a signal handler, or inside a system call,
 * goes on and stops again there. A thread that waits for its vfork'ed child can't be stopped: nothing is held in that memory until the child is another program.
 */
#include "follower.h"

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
	if (p->hold)
		return;
	p->hold = true;
	for (struct wl_traced *t = p->threads; t; t = t->next) {
		t->since = wl_now_ns();
		t->dead = wl_is_zombie(t->tid);
		if (!t->stopped && !t->fresh)
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	}
}

void wl_proc_let_go_on(struct wl_follow *f, struct wl_proc *p)
{
	p->hold = p->attach = false;
	for (struct wl_traced *t = p->threads; t; t = t->next) {
		if (!t->stopped)
			continue;
		pthread_mutex_lock(&f->lock);
		wl_count_pause(&f->session->a.pauses, wl_now_ns() - t->since);
		pthread_mutex_unlock(&f->lock);
		wl_traced_resume(t, 0);
	}
}

bool wl_proc_stands(const struct wl_proc *p)
{
	for (const struct wl_traced *t = p->threads; t; t = t->next)
		if (!t->stopped && !t->dead)
			return false;
	return p->hold;
}

bool wl_program_held(const struct wl_follow *f, const struct wl_program *program, struct wl_threads *held)
{
	*held = (struct wl_threads){.options = WL_FOLLOW_OPTIONS};
	for (const struct wl_proc *p = f->procs; p; p = p->next)
		for (const struct wl_traced *t = p->program == program ? p->threads : NULL; t; t = t->next) {
			struct wl_thread *v = realloc(held->v, (held->n + 1) * sizeof(*v));

			if (!v) {
				free(held->v);
				held->v = NULL; /* callers free it in any case */
				return false;
			}
			held->v = v;
			if (!t->dead)
				v[held->n++] = (struct wl_thread){.tid = t->tid, .stopped = true};
		}
	return true;
}
