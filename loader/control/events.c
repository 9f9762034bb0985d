/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The follower: what happens to the threads that it traces, one event after the other.
 *
 * Between events it looks again and again, and sleeps in between: microseconds at first, at last a thousandth of a
 * second. Nothing of the host program's is used for it, no signal and no child.
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

void wl_traced_executed(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_proc *p = t->proc;
	struct ward_error err = {0};

	for (struct wl_traced *o = p->threads, *next; o; o = next) {
		next = o->next;
		if (o != t)
			wl_traced_drop(f, o);
	}
	t->dead = t->in_vfork = t->job_stop = t->stopped = t->asleep = false;
	wl_program_put(f, p->program);
	p->program = wl_program_new(f, p);
	p->start = (struct wl_start){0};
	if (!p->program) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		wl_proc_drop(f, p);
		return;
	}
	if (!f->ending) {
		p->hold = p->attach = false;
		p->again = 0;
		if (wl_start_begin(&p->start, p->pid, &err)) {
			wl_program_refuse(p->program, &err);
			if (wl_is_awaited(f, p)) {
				f->rc = err.status;
				f->err = err;
				wl_follow_begun(f);
			}
		}
	}
	wl_traced_go_on(t, 0);
}

static int ended_early(struct wl_follow *f, pid_t pid)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)pid);
	wl_fail(&f->err, WARD_E_TARGET, what, "it ended before it could be attached to");
	wl_hint(&f->err, "does it run without ward?");
	return WARD_E_TARGET;
}

static void ended(struct wl_follow *f, struct wl_traced *t, int status)
{
	struct wl_proc *p = t->proc;
	bool awaited;
	pid_t pid;

	if (p && p->pid == f->child && t->tid == p->pid) {
		pthread_mutex_lock(&f->lock);
		f->child_ended = true;
		f->child_status = status;
		pthread_mutex_unlock(&f->lock);
	}
	if (!p) {
		wl_traced_drop(f, t);
		return;
	}
	if (t->tid != p->pid && p->threads->next) {
		wl_traced_drop(f, t);
		wl_proc_look(f, p);
		return;
	}
	/* The first thread, or the last one where that had ended before. */
	awaited = wl_is_awaited(f, p);
	pid = p->pid;
	wl_proc_drop(f, p);
	if (awaited) {
		f->rc = ended_early(f, pid);
		wl_follow_begun(f);
	}
}

/* The thread stands where it will go on in the program, and is free to make calls. */
static void at_rest(struct wl_follow *f, struct wl_traced *t, int sig)
{
	t->job_stop = wl_is_job_stop(sig);
	wl_wayback_call_off(t->tid);
	wl_mend_eintr(t->tid, 0);
	if (t->proc->hold) {
		t->stopped = true;
		wl_proc_look(f, t->proc);
	} else {
		wl_traced_resume(t, 0);
	}
}

static void at_signal(struct wl_traced *t, int sig)
{
	wl_mend_eintr(t->tid, sig);
	wl_traced_go_on(t, sig);
}

static void at_call(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_proc *p = t->proc;

	if (p->start.how && t->tid == p->pid && wl_start_step(&p->start, p->pid) && !f->ending) {
		p->attach = true;
		wl_proc_hold(p);
	}
	wl_traced_go_on(t, 0);
}

static void stopped(struct wl_follow *f, struct wl_traced *t, int status)
{
	unsigned long message = 0;
	int sig = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		t->in_vfork |= status >> 16 == PTRACE_EVENT_VFORK;
		if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &message) == 0 && message)
			wl_traced_made(f, t, (pid_t)message, status >> 16 == PTRACE_EVENT_VFORK);
		wl_traced_go_on(t, 0);
		break;
	case PTRACE_EVENT_VFORK_DONE:
		t->in_vfork = false;
		wl_traced_go_on(t, 0);
		break;
	case PTRACE_EVENT_EXEC: wl_traced_executed(f, t); break;
	case EVENT_STOP: at_rest(f, t, sig); break;
	case 0:
		if (sig == (SIGTRAP | 0x80))
			at_call(f, t);
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
	/*
	 * Stops of those who are traced are shown whether asked for or not: one that came just now is for the next
	 * turn.
	 */
	return info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED ? info.si_pid : 0;
}

/*
 * Who has ended? The first process may be a child of the host program's own, whose end belongs to that: it is seen by
 * the pidfd, and not waited for. From then on it may stand before others in what there is to be waited for, and each is
 * asked for by itself.
 */
static pid_t next_end(struct wl_follow *f, int *status)
{
	pid_t tid = 0;

	if (f->hosts && wl_proc_find(f, f->hosts) && wl_process_gone(&f->first)) {
		f->hosts_ended = true;
		*status = 0;
		return f->hosts;
	}
	if (!f->hosts_ended)
		tid = peek_end(P_ALL, 0);
	for (size_t i = 0; f->hosts_ended && i < WL_TRACED_BUCKETS && !tid; i++)
		for (const struct wl_traced *t = f->bucket[i]; t && !tid; t = t->chain)
			tid = peek_end(P_PID, t->tid);
	if (!tid || tid == f->hosts)
		return 0;
	return waitpid(tid, status, __WALL | WNOHANG) == tid ? tid : 0;
}

/* One event, if there is one. */
static bool take_event(struct wl_follow *f)
{
	struct wl_traced *t;
	int status;
	pid_t tid = next_stop(&status);

	if (!tid)
		tid = next_end(f, &status);
	if (!tid)
		return false;
	t = wl_traced_find(f, tid);
	if (!t && WIFSTOPPED(status) && (t = wl_traced_add(f, NULL, tid)) == NULL)
		ptrace(PTRACE_DETACH, tid, 0, 0);
	if (!t)
		return true;
	t->seen = ++f->events;
	t->asleep = false;
	if (!WIFSTOPPED(status))
		ended(f, t, status);
	else if (t->fresh)
		wl_traced_begin(f, t, WSTOPSIG(status));
	else if (t->proc)
		stopped(f, t, status);
	return true;
}

void wl_follow_run(struct wl_follow *f)
{
	long sleep_ns = 10000;
	int64_t deadline = 0, quiet = wl_now_ms(), start = quiet;

	for (;;) {
		bool got = take_event(f);

		if (f->n_procs == 0 && !f->early)
			break;
		if (!f->begun && !f->child && wl_now_ms() - start > WL_END_DEADLINE_MS) {
			f->rc = wl_follow_cant_stop(f, &f->err);
			wl_follow_begun(f);
		}
		wl_look_at_held(f);
		if (wl_follow_wants_end(f) && f->begun && wl_follow_go_towards_end(f, &deadline))
			return;
		if (got) {
			wl_hurry(true); /* somebody stands still for us, and attaching ends it */
			sleep_ns = 10000;
			quiet = wl_now_ms();
			continue;
		}
		if (f->early && wl_now_ms() - quiet > POKE_MS) {
			wl_look_at_early(f);
			quiet = wl_now_ms();
		}
		nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
		if (sleep_ns < LONGEST_SLEEP_NS)
			sleep_ns += sleep_ns / 8;
	}
	wl_follow_all_over(f);
}
