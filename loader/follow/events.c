/*
 * The follower: what happens to the threads that it traces, one event after the other.
 *
 * A thread that is new stops before its first instruction, and its maker at the end of its system call; either may be seen first. Between events the follower looks again and again, and sleeps in between: microseconds at
 * first, at last a thousandth of a second. Nothing of the host program's is used for it, no signal and no child.
 *
 * To attach to a process, and to take the probes off at the end, all threads are to stand still where they are about to run on in the program: `hold`. One that stops on its way to a signal handler, or inside a system call,
 * goes on and stops again there. A thread that waits for its vfork'ed child can't be stopped: nothing is held in that memory until the child is another program.
 */
#include "follow.h"

#include "../error.h"
#include "../user/wayback.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	EVENT_STOP = 128,
	MAX_PASSES = 1000,
	LONGEST_SLEEP_NS = 1000000,
	END_DEADLINE_MS = 2000,
	POKE_MS = 100,
};

static int64_t now_ms(void)
{
	return (int64_t)(wl_now_ns() / 1000000);
}

/* ---- Threads and processes ---- */

static struct wl_traced **bucket(struct wl_follow *f, pid_t tid)
{
	return &f->bucket[(unsigned)tid % WL_TRACED_BUCKETS];
}

static struct wl_traced *find(struct wl_follow *f, pid_t tid)
{
	struct wl_traced *t = *bucket(f, tid);

	while (t && t->tid != tid)
		t = t->chain;
	return t;
}

/* A new one, of a process, or (NULL) not known whose. */
static struct wl_traced *add_thread(struct wl_follow *f, struct wl_proc *proc, pid_t tid)
{
	struct wl_traced *t = calloc(1, sizeof(*t)), **list = proc ? &proc->threads : &f->early;

	if (!t)
		return NULL;
	t->tid = tid;
	t->proc = proc;
	t->next = *list;
	*list = t;
	t->chain = *bucket(f, tid);
	*bucket(f, tid) = t;
	return t;
}

static void unlink_thread(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_traced **at = t->proc ? &t->proc->threads : &f->early;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
}

static void drop_thread(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_traced **at = bucket(f, t->tid);

	unlink_thread(f, t);
	while (*at != t)
		at = &(*at)->chain;
	*at = t->chain;
	wl_program_put(f, t->from);
	free(t);
}

static void move_thread(struct wl_follow *f, struct wl_traced *t, struct wl_proc *to)
{
	unlink_thread(f, t);
	t->proc = to;
	t->next = to->threads;
	to->threads = t;
}

static struct wl_proc *add_proc(struct wl_follow *f, pid_t pid, pid_t parent)
{
	struct wl_proc *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	p->parent = parent;
	p->next = f->procs;
	f->procs = p;
	f->n_procs++;
	return p;
}

static void drop_proc(struct wl_follow *f, struct wl_proc *p)
{
	struct wl_proc **at = &f->procs;

	while (p->threads)
		drop_thread(f, p->threads);
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	f->n_procs--;
	wl_program_put(f, p->program);
	free(p);
}

static struct wl_proc *find_proc(const struct wl_follow *f, pid_t pid)
{
	struct wl_proc *p = f->procs;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

void wl_follow_forget(struct wl_follow *f)
{
	while (f->procs)
		drop_proc(f, f->procs);
	while (f->early)
		drop_thread(f, f->early);
}

/* ---- Going on, and standing still ---- */

static void resume(struct wl_traced *t, int sig)
{
	int request = PTRACE_CONT;

	if (t->job_stop)
		request = PTRACE_LISTEN;
	else if (t->proc && t->proc->start.how && t->tid == t->proc->pid)
		request = PTRACE_SYSCALL;
	t->stopped = false;
	ptrace(request, t->tid, 0, (void *)(intptr_t)(t->job_stop ? 0 : sig));
}

/* Also if it is to stand still: not here. */
static void go_on(struct wl_traced *t, int sig)
{
	if (t->proc && t->proc->hold) {
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		t->job_stop = false;
	}
	resume(t, sig);
}

static void hold(struct wl_proc *p)
{
	if (p->hold)
		return;
	p->hold = true;
	for (struct wl_traced *t = p->threads; t; t = t->next) {
		t->since = wl_now_ns();
		t->dead = wl_is_zombie(p->pid, t->tid);
		if (!t->stopped && !t->fresh)
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	}
}

static void let_go_on(struct wl_follow *f, struct wl_proc *p)
{
	p->hold = p->attach = false;
	for (struct wl_traced *t = p->threads; t; t = t->next) {
		if (!t->stopped)
			continue;
		pthread_mutex_lock(&f->lock);
		wl_count_pause(&f->session->a.pauses, wl_now_ns() - t->since);
		pthread_mutex_unlock(&f->lock);
		resume(t, 0);
	}
}

static bool stands(const struct wl_proc *p)
{
	for (const struct wl_traced *t = p->threads; t; t = t->next)
		if (!t->stopped && !t->dead)
			return false;
	return p->hold;
}

/* All threads of a program that can make calls for us. To be freed. */
static bool all_held(const struct wl_follow *f, const struct wl_program *program, struct wl_threads *held)
{
	*held = (struct wl_threads){.options = WL_FOLLOW_OPTIONS};
	for (const struct wl_proc *p = f->procs; p; p = p->next)
		for (const struct wl_traced *t = p->program == program ? p->threads : NULL; t; t = t->next) {
			struct wl_thread *v = realloc(held->v, (held->n + 1) * sizeof(*v));

			if (!v) {
				free(held->v);
				return false;
			}
			held->v = v;
			if (!t->dead)
				v[held->n++] = (struct wl_thread){.tid = t->tid, .stopped = true};
		}
	return true;
}

/* ---- Attaching ---- */

static void attach(struct wl_follow *f, struct wl_proc *p)
{
	struct ward_attach_options o = f->options;
	struct ward_session *s = wl_program_session(f, p->program, p->pid);
	struct ward_error err = {0};
	struct wl_threads held;
	int rc, turn = f->turn;

	if (!s) {
		let_go_on(f, p);
		return;
	}
	f->turn = -1;
	if (turn < 0)
		turn = wl_process_turn(p->pid);
	rc = all_held(f, p->program, &held) ? wl_session_attach(s, &o, &held, &err) : wl_no_memory(&err);
	free(held.v);
	if (turn >= 0)
		close(turn);
	if (!f->begun) {
		/* Usage is wrong for all that come, too; that this one has none of the sites is no error. */
		f->rc = rc == WARD_E_TARGET && !wl_process_dying(&s->a.p) ? 0 : rc;
		f->err = err;
	}
	if (!f->begun || rc == 0)
		wl_tell_sites(f, s, !f->begun);
	f->options.names = NULL;
	wl_program_attached(f, p->program, s, rc, &err);
	let_go_on(f, p);
}

/* The first one, with whom the caller waits: successful or not. */
static void begun(struct wl_follow *f)
{
	if (f->begun)
		return;
	if (f->turn >= 0)
		close(f->turn);
	f->turn = -1;
	pthread_mutex_lock(&f->lock);
	f->begun = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static bool is_vforking(const struct wl_follow *f, const struct wl_program *program)
{
	for (const struct wl_proc *p = f->procs; p; p = p->next)
		for (const struct wl_traced *t = p->program == program ? p->threads : NULL; t; t = t->next)
			if (t->in_vfork)
				return true;
	return false;
}

/* All processes of a program stand still: its probes are taken off. */
static bool unpatch(struct wl_follow *f, struct wl_program *program)
{
	struct wl_threads held;

	/* A child that hasn't stopped yet has copies of what is to be taken off; or it is on its way to be one. */
	for (const struct wl_proc *p = f->procs; p; p = p->next) {
		if (p->program == program && !stands(p))
			return false;
		for (const struct wl_traced *t = p->threads; t; t = t->next)
			if (t->from == program)
				return false;
	}
	if (!program->unpatched && program->session && all_held(f, program, &held)) {
		wl_unpatch_held(&program->session->a, &held);
		free(held.v);
	}
	program->unpatched = true;
	return true;
}

/* Something has changed: what was waited for may have come. */
static void look(struct wl_follow *f, struct wl_proc *p)
{
	if (p->attach && !f->ending && stands(p)) {
		if (!p->program->session)
			attach(f, p);
		else
			let_go_on(f, p);
		begun(f);
	}
}

static void want_attach(struct wl_follow *f, struct wl_proc *p)
{
	p->attach = true;
	hold(p);
	look(f, p);
}

/* ---- Children ---- */

static bool is_job_stop(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Its states are to be its own. */
static void take_over(struct wl_follow *f, struct wl_traced *t, struct wl_program *from)
{
	struct wl_program *program = t->proc->program;
	struct ward_session *s = wl_program_session(f, program, t->tid);
	struct wl_thread thread = {.tid = t->tid, .stopped = true};
	struct wl_threads held = {.v = &thread, .n = 1, .cap = 1, .options = WL_FOLLOW_OPTIONS};
	struct ward_error err = {0};
	int rc, rows;

	if (!s)
		return;
	rc = wl_copy_attachment(&s->a, &from->session->a) ? wl_no_memory(&err) : 0;
	rows = rc ? 0 : wl_own_rows(&s->a, t->tid);
	if (rows == EBUSY)
		rc = wl_fail(&err, WARD_E_TARGET, "", "it was forked by a signal handler in the midst of a probe");
	else if (rows)
		rc = wl_process_lost(&s->a.p, &err);
	if (rc == 0)
		rc = wl_map_forked(&s->a, &from->session->a, s->image, &held, &err);
	if (rc == 0 && !wl_open_gate(&s->a))
		rc = wl_process_lost(&s->a.p, &err);
	s->n_attached = from->session->n_attached;
	wl_program_attached(f, program, s, rc, &err);
}

/* Does it run in the memory of its parent's program? The gate's page is wiped in copies of it. */
static bool shares_memory(const struct wl_traced *t, const struct wl_program *from)
{
	struct wl_process p;
	uint32_t gate = 0;

	if (!from->session)
		return t->is_vfork;
	if (wl_process_open(&p, t->tid, NULL))
		return false;
	if (!wl_process_read(&p, from->session->a.slots.gate, &gate, sizeof(gate)))
		gate = 0;
	wl_process_close(&p);
	return gate != 0;
}

/* A new process stands at its first instruction. */
static void begin_process(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_program *from = t->from;
	struct wl_proc *p = t->proc;

	t->from = NULL;
	if (shares_memory(t, from)) {
		p->program = from;
		return;
	}
	p->start = t->start;
	p->program = wl_program_new(f, p);
	if (p->program && from->session)
		take_over(f, t, from);
	else if (p->program)
		memcpy(p->program->reason, from->reason, sizeof(from->reason));
	wl_program_put(f, from);
}

static void begin(struct wl_follow *f, struct wl_traced *t, int sig)
{
	t->fresh = false;
	t->job_stop = is_job_stop(sig);
	if (t->from)
		begin_process(f, t);
	if (!t->proc->program) { /* no memory for it: let it run */
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		drop_proc(f, t->proc);
		return;
	}
	if (t->proc->hold) {
		t->stopped = true;
		look(f, t->proc);
	} else {
		resume(t, 0);
	}
}

/* A traced thread has made another, or a process. */
static void made(struct wl_follow *f, struct wl_traced *maker, pid_t tid, bool vfork)
{
	struct wl_traced *t = find(f, tid);
	struct wl_proc *p = maker->proc;
	bool early = t != NULL, process;
	uint64_t group = 0;

	/* It is an orphan already, or was killed already and has been waited for. */
	if ((early && t->proc) || !wl_status_value(tid, tid, "Tgid", 10, &group))
		return;
	process = (pid_t)group == tid;
	if (process)
		p = add_proc(f, tid, maker->proc->pid);
	if (p && !early)
		t = add_thread(f, p, tid);
	else if (p)
		move_thread(f, t, p);
	if (!p || !t) {
		if (early)
			ptrace(PTRACE_DETACH, tid, 0, 0);
		return;
	}
	t->fresh = true;
	t->since = wl_now_ns();
	t->is_vfork = vfork;
	if (process) {
		t->from = maker->proc->program;
		t->from->users++;
		t->start = maker->proc->start;
	}
	if (early)
		begin(f, t, 0);
}

/*
 * Nobody who could have made it is left to say so: he was killed in that very moment. A process runs on, without probes.
 */
static void is_orphan(struct wl_follow *f, struct wl_traced *t)
{
	struct ward_error err = {.why = "its parent was killed when it forked it"};
	uint64_t group = (uint64_t)t->tid;
	struct wl_proc *p;

	wl_status_value(t->tid, t->tid, "Tgid", 10, &group);
	p = find_proc(f, (pid_t)group);
	if (p) {
		move_thread(f, t, p);
		begin(f, t, 0);
		return;
	}
	p = add_proc(f, t->tid, 0);
	if (!p || !(p->program = wl_program_new(f, p))) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		return;
	}
	wl_program_refuse(p->program, &err);
	move_thread(f, t, p);
	begin(f, t, 0);
}

/* Ask all threads that have said nothing since an early child came whether it is theirs. */
static void look_at_early(struct wl_follow *f)
{
	for (struct wl_traced *e = f->early, *next; e; e = next) {
		bool asked = false;

		next = e->next;
		for (struct wl_proc *p = f->procs; p; p = p->next)
			for (struct wl_traced *t = p->threads; t; t = t->next)
				if (t->seen < e->seen && !t->stopped && !t->fresh && !t->in_vfork && !wl_is_zombie(p->pid, t->tid)) {
					ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
					asked = true;
				}
		if (!asked)
			is_orphan(f, e);
	}
}

/* ---- Events ---- */

static void executed(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_proc *p = t->proc;
	struct ward_error err = {0};

	for (struct wl_traced *o = p->threads, *next; o; o = next) {
		next = o->next;
		if (o != t)
			drop_thread(f, o);
	}
	t->dead = t->in_vfork = t->job_stop = t->stopped = false;
	wl_program_put(f, p->program);
	p->program = wl_program_new(f, p);
	p->start = (struct wl_start){0};
	if (!p->program) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		drop_proc(f, p);
		return;
	}
	if (!f->ending) {
		p->hold = p->attach = false;
		if (wl_start_begin(&p->start, p->pid, &err)) {
			wl_program_refuse(p->program, &err);
			if (!f->begun) {
				f->rc = err.status;
				f->err = err;
				begun(f);
			}
		}
	}
	go_on(t, 0);
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

	if (p && p->pid == f->child && t->tid == p->pid) {
		pthread_mutex_lock(&f->lock);
		f->child_ended = true;
		f->child_status = status;
		pthread_mutex_unlock(&f->lock);
	}
	if (!p) {
		drop_thread(f, t);
	} else if (t->tid == p->pid) {
		pid_t pid = p->pid;

		drop_proc(f, p);
		if (!f->begun) {
			f->rc = ended_early(f, pid);
			begun(f);
		}
	} else {
		drop_thread(f, t);
		look(f, p);
	}
}

/* The thread stands where it will go on in the program, and is free to make calls. */
static void at_rest(struct wl_follow *f, struct wl_traced *t, int sig)
{
	t->job_stop = is_job_stop(sig);
	wl_wayback_call_off(t->tid);
	wl_mend_eintr(t->tid, 0);
	if (t->proc->hold) {
		t->stopped = true;
		look(f, t->proc);
	} else {
		resume(t, 0);
	}
}

static void at_signal(struct wl_traced *t, int sig)
{
	wl_mend_eintr(t->tid, sig);
	go_on(t, sig);
}

static void at_call(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_proc *p = t->proc;

	if (p->start.how && t->tid == p->pid && wl_start_step(&p->start, p->pid) && !f->ending) {
		p->attach = true;
		hold(p);
	}
	go_on(t, 0);
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
			made(f, t, (pid_t)message, status >> 16 == PTRACE_EVENT_VFORK);
		go_on(t, 0);
		break;
	case PTRACE_EVENT_VFORK_DONE:
		t->in_vfork = false;
		go_on(t, 0);
		break;
	case PTRACE_EVENT_EXEC: executed(f, t); break;
	case EVENT_STOP: at_rest(f, t, sig); break;
	case 0:
		if (sig == (SIGTRAP | 0x80))
			at_call(f, t);
		else
			at_signal(t, sig);
		break;
	default: go_on(t, 0);
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
	/* Stops of those who are traced are shown whether asked for or not: one that came just now is for the next turn. */
	return info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED ? info.si_pid : 0;
}

/*
 * Who has ended? The first process may be a child of the host program's own, whose end belongs to that: it is seen by the pidfd, and not waited for. From then on it may stand before others in what there is to be waited
 * for, and each is asked for by itself.
 */
static pid_t next_end(struct wl_follow *f, int *status)
{
	pid_t tid = 0;

	if (f->hosts && find_proc(f, f->hosts) && wl_process_gone(&f->session->a.p)) {
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
	t = find(f, tid);
	if (!t && WIFSTOPPED(status) && (t = add_thread(f, NULL, tid)) == NULL)
		ptrace(PTRACE_DETACH, tid, 0, 0);
	if (!t)
		return true;
	t->seen = ++f->events;
	if (!WIFSTOPPED(status))
		ended(f, t, status);
	else if (t->fresh)
		begin(f, t, WSTOPSIG(status));
	else if (t->proc)
		stopped(f, t, status);
	return true;
}

/* ---- The end ---- */

/* Stand still, as far as that is possible now. True if all do, and no probe is there any more. */
static bool all_unpatched(struct wl_follow *f)
{
	bool all = true;

	if (f->early)
		return false;
	for (struct wl_proc *p = f->procs; p; p = p->next)
		if (p->program && !is_vforking(f, p->program))
			hold(p);
	for (struct wl_program *program = f->programs; program; program = program->next)
		all &= unpatch(f, program);
	return all;
}

static int cant_stop(const struct wl_follow *f, struct ward_error *err)
{
	for (const struct wl_proc *p = f->procs; p; p = p->next)
		for (const struct wl_traced *t = p->threads; t; t = t->next)
			if (!t->stopped && !t->dead) {
				char what[64];

				snprintf(what, sizeof(what), "process %d", (int)p->pid);
				wl_fail(err, WARD_E_TARGET, what, "thread %d can't be stopped: it waits in the kernel (a vfork, or a dead file system)", (int)t->tid);
				wl_hint(err, "try again when the wait is over");
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
			wl_count_pause(&f->session->a.pauses, wl_now_ns() - t->since);
		}
	for (struct wl_program *program = f->programs; program; program = program->next) {
		struct ward_session *s = program->session;
		int one;

		if (s)
			s->a.p.pauses = &f->session->a.pauses;
		else
			clean_up_after_others(program);
		one = s && !wl_process_gone(&s->a.p) ? wl_detach_live(s, &err) : 0;

		if (one && !wl_process_dying(&s->a.p) && rc == 0) {
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

/* The caller wants it to end. True if it has. */
static bool go_towards_end(struct wl_follow *f, int64_t *deadline)
{
	f->ending = true;
	if (!*deadline)
		*deadline = now_ms() + END_DEADLINE_MS;
	if (all_unpatched(f) || (f->force && now_ms() >= *deadline)) {
		end_done(f, leave(f) && !f->force ? f->end_err.status : 0);
		return true;
	}
	if (now_ms() < *deadline)
		return false;
	end_done(f, cant_stop(f, &f->end_err));
	f->ending = false;
	*deadline = 0;
	for (struct wl_proc *p = f->procs; p; p = p->next)
		if (p->hold)
			let_go_on(f, p);
	return false;
}

static void all_over(struct wl_follow *f)
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

static bool wants_end(struct wl_follow *f)
{
	bool wants;

	pthread_mutex_lock(&f->lock);
	wants = f->want_end;
	pthread_mutex_unlock(&f->lock);
	return wants;
}

void wl_follow_run(struct wl_follow *f)
{
	long sleep_ns = 10000;
	int64_t deadline = 0, quiet = now_ms(), start = quiet;

	for (;;) {
		bool got = take_event(f);

		if (f->n_procs == 0 && !f->early)
			break;
		if (!f->begun && !f->child && now_ms() - start > END_DEADLINE_MS) {
			f->rc = cant_stop(f, &f->err);
			begun(f);
		}
		if (wants_end(f) && f->begun && go_towards_end(f, &deadline))
			return;
		if (got) {
			wl_hurry(true); /* somebody stands still for us, and attaching ends it */
			sleep_ns = 10000;
			quiet = now_ms();
			continue;
		}
		if (f->early && now_ms() - quiet > POKE_MS) {
			look_at_early(f);
			quiet = now_ms();
		}
		nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
		if (sleep_ns < LONGEST_SLEEP_NS)
			sleep_ns += sleep_ns / 8;
	}
	all_over(f);
}

/* ---- The beginning ---- */

static int refuse(pid_t pid, int error, struct ward_error *err)
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
	struct wl_follow *f;
	struct wl_proc *p;
	bool found;
	int error;
};

static int seize_one(void *user, pid_t tid)
{
	struct seizing *s = user;
	int error;

	if (find(s->f, tid))
		return 0;
	error = wl_seize(tid, WL_FOLLOW_OPTIONS);
	if (error) {
		/* A thread that was made by one we have is ours already, and tells. */
		if (error == ESRCH || wl_is_zombie(s->p->pid, tid) || wl_tracer_of(tid, tid) == gettid())
			return 0;
		s->error = error;
		return 1;
	}
	s->found = true;
	if (add_thread(s->f, s->p, tid))
		return 0;
	s->error = ENOMEM;
	return 1;
}

static int seize_all(struct wl_follow *f, struct wl_proc *p)
{
	struct seizing s = {.f = f, .p = p, .found = true};

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
int wl_follow_seize(struct wl_follow *f, pid_t pid, struct ward_error *err)
{
	struct wl_proc *p = add_proc(f, pid, 0);
	int64_t deadline = 0;
	uint64_t parent = 0;
	int error;

	if (!p || !(p->program = wl_program_new(f, p)))
		return wl_no_memory(err);
	wl_status_value(pid, pid, "PPid", 10, &parent);
	p->parent = p->program->parent = (pid_t)parent;
	f->hosts = p->parent == getpid() ? pid : 0;
	f->turn = wl_process_turn(pid); /* until it is attached to: somebody may be in the midst of that, and couldn't go on when we have its threads */
	do
		error = seize_all(f, p);
	while (error == EBUSY && wl_wait_for_tracer(pid, &deadline));
	if (error)
		return refuse(pid, error, err);
	want_attach(f, p);
	return 0;
}

int wl_follow_started(struct wl_follow *f, pid_t pid, struct ward_error *err)
{
	struct wl_proc *p = add_proc(f, pid, getpid());
	struct wl_traced *t = p ? add_thread(f, p, pid) : NULL;

	if (!t)
		return wl_no_memory(err);
	ptrace(PTRACE_SETOPTIONS, pid, 0, WL_FOLLOW_OPTIONS);
	f->child = pid;
	if (wl_process_open(&f->session->a.p, pid, err)) {
		kill(pid, SIGKILL);
		return err->status;
	}
	executed(f, t);
	return 0;
}
