/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The follower: events of the threads that it traces, one after the other.
 *
 * Between events it polls, and sleeps in between: microseconds at first, later up to a millisecond. It uses nothing
 * of the host program for that, neither a signal nor a child.
 */
#include "follower.h"

#include "loader/base/error.h"
#include "loader/process/restart_frame.h"

#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

enum {
	EVENT_STOP = 128,
	LONGEST_SLEEP_NS = 1000000,
	POKE_MS = 100,
};

void wl_traced_executed(struct wl_controller *c, struct wl_traced *t)
{
	struct wl_proc *p = t->proc;
	struct ward_error err = {0};

	for (struct wl_traced *o = p->threads, *next; o; o = next) {
		next = o->next;
		if (o != t)
			wl_traced_drop(c, o);
	}
	t->dead = t->in_vfork = t->job_stop = t->stopped = t->asleep = false;
	wl_space_put(c, p->space);
	p->space = wl_space_new(c, p);
	p->start = (struct wl_start){0};
	if (!p->space) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		wl_proc_drop(c, p);
		return;
	}
	if (!c->ending) {
		p->hold = p->attach = false;
		p->again = 0;
		if (wl_start_begin(&p->start, p->pid, &err)) {
			wl_space_refuse(p->space, &err);
			if (wl_is_awaited(c, p)) {
				c->rc = err.status;
				c->err = err;
				wl_controller_begun(c);
			}
		}
	}
	wl_traced_go_on(t, 0);
}

static int ended_early(struct wl_controller *c, pid_t pid)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)pid);
	wl_fail(&c->err, WARD_E_TARGET, what, "it ended before it could be attached to");
	wl_hint(&c->err, "does it run without ward?");
	return WARD_E_TARGET;
}

static void thread_ended(struct wl_controller *c, struct wl_traced *t, int status)
{
	struct wl_proc *p = t->proc;
	bool awaited;
	pid_t pid;

	if (p && p->pid == c->child && t->tid == p->pid) {
		pthread_mutex_lock(&c->lock);
		c->child_ended = true;
		c->child_status = status;
		pthread_mutex_unlock(&c->lock);
	}
	if (!p) {
		wl_traced_drop(c, t);
		return;
	}
	if (t->tid != p->pid && p->threads->next) {
		wl_traced_drop(c, t);
		wl_proc_look(c, p);
		return;
	}
	/* The first thread, or the last one where that had ended before. */
	awaited = wl_is_awaited(c, p);
	pid = p->pid;
	wl_proc_drop(c, p);
	if (awaited) {
		c->rc = ended_early(c, pid);
		wl_controller_begun(c);
	}
}

/* The thread is where it will continue in the program, and is free to make calls. */
static void at_rest(struct wl_controller *c, struct wl_traced *t, int sig)
{
	struct user_regs_struct regs;

	t->job_stop = wl_is_job_stop(sig);
	if (wl_get_regs(t->tid, &regs))
		wl_restart_frame_cancel(t->tid, &regs);
	wl_mend_eintr(t->tid, 0);
	if (t->proc->hold) {
		t->stopped = true;
		wl_proc_look(c, t->proc);
	} else {
		wl_traced_resume(t, 0);
	}
}

static void at_signal(struct wl_traced *t, int sig)
{
	wl_mend_eintr(t->tid, sig);
	wl_traced_go_on(t, sig);
}

static void at_call(struct wl_controller *c, struct wl_traced *t)
{
	struct wl_proc *p = t->proc;

	if (p->start.how && t->tid == p->pid && wl_start_step(&p->start, p->pid) && !c->ending) {
		p->attach = true;
		wl_proc_hold(p);
	}
	wl_traced_go_on(t, 0);
}

static void thread_stopped(struct wl_controller *c, struct wl_traced *t, int status)
{
	unsigned long message = 0;
	int sig = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		t->in_vfork |= status >> 16 == PTRACE_EVENT_VFORK;
		if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &message) == 0 && message)
			wl_traced_made(c, t, (pid_t)message, status >> 16 == PTRACE_EVENT_VFORK);
		wl_traced_go_on(t, 0);
		break;
	case PTRACE_EVENT_VFORK_DONE:
		t->in_vfork = false;
		wl_traced_go_on(t, 0);
		break;
	case PTRACE_EVENT_EXEC: wl_traced_executed(c, t); break;
	case EVENT_STOP: at_rest(c, t, sig); break;
	case 0:
		if (sig == (SIGTRAP | 0x80))
			at_call(c, t);
		else
			at_signal(t, sig);
		break;
	default: wl_traced_go_on(t, 0);
	}
}

static pid_t next_stop(int *status)
{
	siginfo_t info = {0};

	if (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | __WALL | __WNOTHREAD) < 0)
		return 0;
	*status = info.si_status << 8 | 0x7f;
	return info.si_pid;
}

/* Who has ended, of all or of one? He is still to be waited for. */
static pid_t peek_end(idtype_t whom, pid_t tid)
{
	siginfo_t info = {0};

	if (waitid(whom, (id_t)tid, &info, WEXITED | WNOWAIT | WNOHANG | __WALL | __WNOTHREAD) < 0)
		return 0;
	/* Stops of tracees are reported even if not requested: one that came just now is left for the next turn. */
	return info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED ? info.si_pid : 0;
}

/*
 * Who has ended? The first process may be a child of the host program's own, whose end belongs to that: it is seen by
 * the pidfd, and not waited for. From then on it may stand before others in what there is to be waited for, and each is
 * asked for by itself.
 */
static pid_t next_end(struct wl_controller *c, int *status)
{
	pid_t tid = 0;

	if (c->hosts && wl_proc_find(c, c->hosts) && wl_process_gone(&c->first)) {
		c->hosts_ended = true;
		*status = 0;
		return c->hosts;
	}
	if (!c->hosts_ended)
		tid = peek_end(P_ALL, 0);
	for (size_t i = 0; c->hosts_ended && i < WL_TRACED_BUCKETS && !tid; i++)
		for (const struct wl_traced *t = c->bucket[i]; t && !tid; t = t->chain)
			tid = peek_end(P_PID, t->tid);
	if (!tid || tid == c->hosts)
		return 0;
	return waitpid(tid, status, __WALL | WNOHANG) == tid ? tid : 0;
}

/* One event, if there is one. */
static bool take_event(struct wl_controller *c)
{
	struct wl_traced *t;
	int status;
	pid_t tid = next_stop(&status);

	if (!tid)
		tid = next_end(c, &status);
	if (!tid)
		return false;
	t = wl_traced_find(c, tid);
	if (!t && WIFSTOPPED(status) && (t = wl_traced_add(c, NULL, tid)) == NULL)
		ptrace(PTRACE_DETACH, tid, 0, 0);
	if (!t)
		return true;
	t->seen = ++c->events;
	t->asleep = false;
	if (!WIFSTOPPED(status))
		thread_ended(c, t, status);
	else if (t->fresh)
		wl_traced_begin(c, t, WSTOPSIG(status));
	else if (t->proc)
		thread_stopped(c, t, status);
	return true;
}

void wl_controller_run(struct wl_controller *c)
{
	long sleep_ns = 10000;
	int64_t deadline = 0, quiet = wl_now_ms(), start = quiet;

	for (;;) {
		bool got = take_event(c);

		if (c->n_procs == 0 && !c->early)
			break;
		if (!c->begun && !c->child && wl_now_ms() - start > WL_END_DEADLINE_MS) {
			c->rc = wl_controller_cant_stop(c, &c->err);
			wl_controller_begun(c);
		}
		wl_look_at_held(c);
		if (c->options.later && !c->ending)
			wl_watch_turn(c);
		if (!c->ending)
			wl_names_turn(c);
		if (wl_controller_wants_end(c) && c->begun && wl_controller_go_towards_end(c, &deadline))
			return;
		if (got) {
			wl_hurry(true); /* a thread is stopped for us, and attaching releases it */
			sleep_ns = 10000;
			quiet = wl_now_ms();
			continue;
		}
		if (c->early && wl_now_ms() - quiet > POKE_MS) {
			wl_look_at_early(c);
			quiet = wl_now_ms();
		}
		nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
		if (sleep_ns < LONGEST_SLEEP_NS)
			sleep_ns += sleep_ns / 8;
	}
	wl_controller_all_over(c);
}
