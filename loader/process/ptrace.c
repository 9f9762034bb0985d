/* SPDX-License-Identifier: Apache-2.0 */
/* Seizing, stopping and resuming the threads of a process. */
#include "ptrace.h"

#include "loader/base/error.h"
#include "asleep.h"
#include "maps.h"
#include "restart_frame.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PTRACE_EVENT_STOP_ = 128,
	STOP_DEADLINE_MS = 2000,
	LOOKS = 64, /* for a stop, before the first sleep */
	SEIZE_TRIES = 3,
	/* the tracer that waits has its turn, which the follower may want while the process is stopped */
	FOLLOWED_DEADLINE_MS = 50,
	MAX_PASSES = 1000,
	SLOW_NS = 500000, /* between two checks of a thread that gets no processor */
	STOP_NS = 20000,  /* of a processor, for one thread to stop */
	AT_ONCE = 128,    /* sleepers, which take two milliseconds together */
	WAY_NS = 50000,
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * 1 and the status if the thread has stopped, 0 if it runs, -1 if it has ended. An end is only peeked at: the target
 * may be a child of this very process, and other code waits for its exit status.
 */
static int poll_stop(pid_t tid, int *status)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL) < 0)
		return errno == EINTR ? 0 : -1;
	if (info.si_pid == tid) {
		*status = info.si_status << 8 | 0x7f;
		return 1;
	}
	if (waitid(P_PID, (id_t)tid, &info, WEXITED | WNOWAIT | WNOHANG | __WALL) < 0)
		return errno == EINTR ? 0 : -1;
	/* Stops of a tracee are reported even if not requested: one that came just now is left for the next turn. */
	return info.si_pid == tid &&
			       (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
		       ? -1
		       : 0;
}

/*
 * If `where` isn't NULL, return early for a thread that would make the others wait: EINPROGRESS if it is in
 * uninterruptible sleep (*where says at what place), EAGAIN if it gets no processor until the time `patience`. It was
 * asked to stop at the time `since`.
 */
static int wait_stop(pid_t tid, uint64_t since, uint64_t patience, int *status, struct wl_asleep *where)
{
	int64_t deadline = 0;
	long pause_ns = 10000;

	/*
	 * A thread stops within microseconds of getting a processor. So poll without sleeping for some tens of them,
	 * because no sleep is shorter; then sleep a little, then longer.
	 */
	for (unsigned turn = 0;; turn++) {
		int got = poll_stop(tid, status);

		if (got)
			return got > 0 ? 0 : ESRCH;
		if (turn < LOOKS)
			continue;
		if (where && wl_now_ns() - since > WL_SOON_NS && wl_is_asleep(tid, where))
			return EINPROGRESS;
		if (where && wl_now_ns() > patience)
			return EAGAIN;
		if (!deadline)
			deadline = now_ms() + STOP_DEADLINE_MS;
		else if (now_ms() > deadline)
			return ETIMEDOUT;
		nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
		if (pause_ns < 1000000)
			pause_ns += pause_ns / 8;
	}
}

int wl_wait_stop(pid_t tid, int *status)
{
	return wait_stop(tid, 0, 0, status, NULL);
}

void wl_hurry(bool on)
{
	struct sched_param high = {.sched_priority = 1}, normal = {0};

	if (on)
		sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &high);
	else
		sched_setscheduler(0, SCHED_OTHER, &normal);
}

void wl_give_way(size_t i)
{
	if (i % AT_ONCE == AT_ONCE - 1)
		nanosleep(&(struct timespec){.tv_nsec = WAY_NS}, NULL);
}

bool wl_status_value(pid_t pid, pid_t tid, const char *name, int base, uint64_t *value)
{
	char path[96], chunk[4096], line[128]; /* lines may be longer: not those with numbers */
	size_t len = strlen(name), n = 0;
	bool found = false;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && !found && (got = read(fd, chunk, sizeof(chunk))) > 0)
		for (ssize_t i = 0; i < got && !found; i++) {
			if (chunk[i] != '\n') {
				line[n] = chunk[i];
				n += n < sizeof(line) - 1;
				continue;
			}
			line[n] = 0;
			n = 0;
			found = strncmp(line, name, len) == 0 && line[len] == ':';
			if (found)
				*value = strtoull(line + len + 1, NULL, base);
		}
	if (fd >= 0)
		close(fd);
	return found;
}

pid_t wl_tid_in_target(pid_t pid, pid_t tid)
{
	char path[96], *text, *line;
	long id = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	text = wl_read_proc(path, NULL);
	line = text ? strstr(text, "\nNSpid:") : NULL;
	if (line) {
		line[strcspn(line + 1, "\n") + 1] = 0;
		id = strtol(strrchr(line, '\t') ? strrchr(line, '\t') : "0", NULL, 10);
	}
	free(text);
	return id > 0 && id <= INT32_MAX ? (pid_t)id : 0;
}

pid_t wl_tracer_of(pid_t pid, pid_t tid)
{
	uint64_t tracer;

	return wl_status_value(pid, tid, "TracerPid", 10, &tracer) ? (pid_t)tracer : 0;
}

static bool is_follower(pid_t tracer)
{
	char path[64], *name;
	bool is;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tracer);
	name = tracer ? wl_read_proc(path, NULL) : NULL;
	is = name && strcmp(name, WL_FOLLOWER "\n") == 0;
	free(name);
	return is;
}

bool wl_is_followed(pid_t pid)
{
	pid_t tracer = wl_tracer_of(pid, pid);

	return tracer != gettid() && is_follower(tracer);
}

/* The kernel names the thread: what people know is its process. */
int wl_fail_taken(const char *what, pid_t tracer, struct ward_error *err)
{
	uint64_t process = (uint64_t)tracer;

	wl_status_value(tracer, tracer, "Tgid", 10, &process);
	if (!tracer) { /* it is gone already */
		wl_fail(err, WARD_E_TARGET, what, "another process traces it");
		wl_hint(err, "try again");
	} else if (is_follower(tracer)) {
		wl_fail(err, WARD_E_TARGET, what, "process %d traces it already, and follows it to its children",
			(int)process);
		wl_hint(err, "wait until that has ended: a followed process can have no other tracer");
	} else {
		wl_fail(err, WARD_E_TARGET, what, "process %d traces it already", (int)process);
		wl_hint(err, "end the debugger or tracer there first");
	}
	return WARD_E_TARGET;
}

/* Job control stops and our own are EVENT_STOPs; other stops carry a signal that the thread is still to get. */
static int pending_signal(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP_ ? 0 : WSTOPSIG(status);
}

uint64_t wl_now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void wl_count_pause(struct wl_pauses *p, uint64_t ns)
{
	p->n++;
	p->total += ns;
	p->most = ns > p->most ? ns : p->most;
	p->by_power[63 - __builtin_clzll(ns | 1)]++;
}

int wl_seize(pid_t tid, unsigned options)
{
	for (int i = 0; i < SEIZE_TRIES; i++) { /* if no tracer has it, the former one may have released it just now */
		pid_t tracer;

		if (ptrace(PTRACE_SEIZE, tid, 0, options) == 0)
			return 0;
		if (errno != EPERM)
			return errno;
		tracer = wl_tracer_of(tid, tid);
		if (tracer)
			return tracer == gettid() ? EPERM : EBUSY;
	}
	return EPERM;
}

/* It runs on. */
static int thread_seize(struct wl_thread *t, pid_t tid)
{
	int error = wl_seize(tid, WL_THREAD_OPTIONS);

	*t = (struct wl_thread){.tid = tid};
	/*
	 * One that began to die when we had it before never stopped, so it couldn't be let go: it is ours still, and
	 * its end is waited for.
	 */
	return error && (error != EPERM || wl_tracer_of(tid, tid) != gettid()) ? error : 0;
}

/* Ask it to stop. */
static int thread_interrupt(struct wl_thread *t)
{
	t->since = wl_now_ns();
	return ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0 && errno == ESRCH ? ESRCH : 0;
}

/* Is there a signal that the thread would take at once? */
static bool signal_waits(pid_t tid)
{
	uint64_t own = 0, shared = 0, blocked = 0;

	if (!wl_status_value(tid, tid, "SigPnd", 16, &own) || !wl_status_value(tid, tid, "ShdPnd", 16, &shared) ||
		!wl_status_value(tid, tid, "SigBlk", 16, &blocked))
		return true;
	return (own | shared) & ~blocked;
}

static bool is_ignored_by_default(pid_t tid, int signal)
{
	uint64_t caught = 0;

	return (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT) &&
	       wl_status_value(tid, tid, "SigCgt", 16, &caught) && !(caught >> (signal - 1) & 1);
}

/*
 * Undo the stop's effect on system calls that the kernel doesn't restart by itself (epoll_wait and similar ones
 * return EINTR): a thread that would see EINTR only because of our stop makes the call again. This is done at once,
 * because we may be killed later.
 */
static void mend_eintr(pid_t tid, int ignored, struct user_regs_struct *regs)
{
	uint64_t none = 0;

	if ((int64_t)regs->orig_rax < 0 || (int64_t)regs->rax != -EINTR || signal_waits(tid))
		return;
	if (ignored && !(wl_status_value(tid, tid, "SigIgn", 16, &none) && none >> (ignored - 1) & 1) &&
		!is_ignored_by_default(tid, ignored))
		return;
	regs->rip -= 2;
	regs->rax = regs->orig_rax;
	regs->orig_rax = (unsigned long long)-1;
	wl_set_regs(tid, regs);
}

void wl_mend_eintr(pid_t tid, int ignored)
{
	struct user_regs_struct regs;

	if (wl_get_regs(tid, &regs))
		mend_eintr(tid, ignored, &regs);
}

/* It has. */
static void has_stopped(struct wl_thread *t, int status)
{
	t->stopped = true;
	t->signal = pending_signal(status);
	t->known = wl_get_regs(t->tid, &t->regs);
	if (!t->known) /* it has just died */
		return;
	wl_restart_frame_cancel(t->tid, &t->regs);
	if (!t->signal)
		mend_eintr(t->tid, 0, &t->regs);
}

/* Wait until the thread has stopped, unless it is asleep. */
static int await_stop(struct wl_thread *t, uint64_t patience, struct wl_asleep *where)
{
	int status, rc = wait_stop(t->tid, t->since, patience, &status, where);

	if (rc == 0)
		has_stopped(t, status);
	return rc;
}

/* It is ours no longer, or again. */
static void isnt_late(struct wl_late *late, pid_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; late && i < late->n; i++)
		if (late->v[i] != tid)
			late->v[kept++] = late->v[i];
	if (late)
		late->n = kept;
}

static void is_late(struct wl_late *late, pid_t tid)
{
	isnt_late(late, tid);
	if (late && late->n < sizeof(late->v) / sizeof(late->v[0]))
		late->v[late->n++] = tid;
}

bool wl_let_go_late(struct wl_late *late)
{
	size_t kept = 0;

	for (size_t i = 0; late && i < late->n; i++) {
		struct wl_thread t = {.tid = late->v[i]};
		int status, got = poll_stop(t.tid, &status);

		if (got > 0) {
			has_stopped(&t, status);
			wl_thread_release(&t);
		} else if (got == 0) {
			late->v[kept++] = t.tid;
		}
	}
	if (late)
		late->n = kept;
	return kept > 0;
}

int wl_thread_stop(struct wl_thread *t, const struct wl_process *p, pid_t tid)
{
	struct wl_asleep where;
	int rc = thread_seize(t, tid);

	isnt_late(p->late, tid);
	if (rc == 0)
		rc = thread_interrupt(t);
	if (rc == 0) /* no other thread is held */
		rc = await_stop(t, t->since + STOP_DEADLINE_MS * 1000000ull, &where);
	if (rc == EINPROGRESS || rc == EAGAIN) {
		is_late(p->late, tid);
		rc = ETIMEDOUT;
	}
	return rc;
}

void wl_thread_release(struct wl_thread *t)
{
	if (t->stopped)
		ptrace(PTRACE_DETACH, t->tid, 0, (void *)(intptr_t)t->signal);
	if (t->stopped && t->pauses) {
		uint64_t held = wl_now_ns() - t->since;

		wl_count_pause(t->pauses, held);
		if (!t->slept && held > t->pauses->most_awake)
			t->pauses->most_awake = held;
	}
	t->stopped = t->known = false;
}

void wl_threads_stage(struct wl_threads *t, enum wl_stage stage)
{
	uint64_t now = wl_now_ns();

	t->by_stage[stage] += now - t->last;
	t->last = now;
}

/* The longest stop is kept. */
static void count_stages(struct wl_threads *t)
{
	uint64_t took = 0, most = 0;

	for (unsigned i = 0; i < WL_STAGES && t->pauses; i++) {
		took += t->by_stage[i];
		most += t->pauses->by_stage[i];
	}
	if (took > most)
		memcpy(t->pauses->by_stage, t->by_stage, sizeof(t->by_stage));
}

static void let_go(struct wl_threads *t, struct wl_thread *one)
{
	if (!one->stopped && one->tid && !one->since)
		thread_interrupt(one); /* only a stopped one can be let go */
	if (!one->stopped && one->tid)
		is_late(t->late, one->tid);
	wl_thread_release(one);
}

void wl_threads_release(struct wl_threads *t)
{
	struct wl_late *late = t->late;

	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].slept)
			let_go(t, &t->v[i]);
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].slept) {
			wl_give_way(i);
			let_go(t, &t->v[i]);
		}
	wl_threads_stage(t, WL_LET_GO);
	count_stages(t);
	free(t->v);
	*t = (struct wl_threads){0};
	wl_let_go_late(late);
}

int wl_each_thread(pid_t pid, int (*fn)(void *user, pid_t tid), void *user)
{
	char path[64];
	struct dirent *e;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (rc == 0 && (e = readdir(dir))) {
		char *end;
		long tid = strtol(e->d_name, &end, 10);

		if (tid > 0 && tid <= INT32_MAX && *end == 0)
			rc = fn(user, (pid_t)tid);
	}
	closedir(dir);
	return rc;
}

bool wl_wait_for_tracer(pid_t pid, int64_t *deadline)
{
	if (!*deadline)
		*deadline = now_ms() + (wl_is_followed(pid) ? FOLLOWED_DEADLINE_MS : STOP_DEADLINE_MS);
	if (now_ms() > *deadline)
		return false;
	nanosleep(&(struct timespec){.tv_nsec = 1000000 + now_ms() % 7 * 300000}, NULL);
	return true;
}

struct stopping {
	struct wl_threads *threads;
	const struct wl_process *p;
	struct ward_error *err;
	pid_t maker;       /* whose children are listed, or 0 */
	size_t next;       /* where in the threads' list one is expected: both lists have the same order */
	pid_t most;        /* the largest number in ours */
	uint64_t patience; /* nanoseconds from the last request on; more each time that it wasn't enough */
	uint64_t until;    /* then it is over */
	bool found_new;
	bool taken;    /* a thread has another tracer */
	bool can_wait; /* a thread can't be stopped at the moment */
};

char wl_thread_state(pid_t tid)
{
	char path[96], text[128], *after;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)tid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	after = strrchr(text, ')'); /* the name before it may hold anything, and has 64 bytes at most */
	return after && strlen(after) > 2 ? after[2] : 0;
}

bool wl_is_zombie(pid_t tid)
{
	char state = wl_thread_state(tid);

	return state == 0 || state == 'Z' || state == 'X';
}

static int refuse_thread(struct stopping *s, pid_t tid, int error)
{
	pid_t tracer = wl_tracer_of(tid, tid);
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)s->p->pid);
	if (error == EINPROGRESS) {
		s->can_wait = true;
		wl_fail(s->err, WARD_E_TARGET, what,
			"thread %d can't be stopped: it is inside a call that makes a process, or one for a tracer "
			"that has died",
			(int)tid);
		wl_hint(s->err, "try again when that is over");
	} else if (error == ETIMEDOUT) {
		wl_fail(s->err, WARD_E_TARGET, what, "thread %d can't be stopped: it gets no processor", (int)tid);
		wl_hint(s->err, "try again when the machine is less busy");
	} else if (error == EBUSY || tracer) {
		s->taken = error == EBUSY;
		wl_fail_taken(what, tracer, s->err);
	} else if (error == EPERM) {
		wl_fail(s->err, WARD_E_TARGET, what, "no permission to trace it");
		wl_hint(s->err, "run as the same user or as root; see also /proc/sys/kernel/yama/ptrace_scope");
	} else {
		wl_fail(s->err, WARD_E_SYSTEM, what, "can't stop thread %d: %s", (int)tid, strerror(error));
	}
	return 1;
}

/*
 * Room for more threads. It is allocated while no thread is about to stop: an allocator may wait, and meanwhile no
 * thread's interrupted system call may stay unrestored.
 */
static bool make_room(const struct stopping *s)
{
	struct wl_threads *t = s->threads;
	size_t cap = t->cap * 2;
	struct wl_thread *v;
	char path[64];
	struct stat st;

	if (t->n < t->cap)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)s->p->pid);
	if (!cap) /* its links are two more than there are threads */
		cap = 64 + (stat(path, &st) == 0 ? (size_t)st.st_nlink : 0);
	v = realloc(t->v, cap * sizeof(*v));
	if (!v) {
		wl_no_memory(s->err);
		return false;
	}
	t->v = v;
	t->cap = cap;
	return true;
}

/* Seize a thread, which has a place in our list. It runs on. Non-zero: give up, with the error filled in. */
static int seize_at(struct stopping *s, struct wl_thread *t, pid_t tid)
{
	int rc = thread_seize(t, tid);

	isnt_late(s->p->late, tid);
	if (rc)
		t->tid = 0;
	if (rc == ESRCH || ((rc == EPERM || rc == EBUSY) && wl_is_zombie(tid)))
		return 0;
	if (rc)
		return refuse_thread(s, tid, rc);
	t->maker = s->maker;
	t->pauses = s->p->pauses;
	s->found_new = true;
	return 0;
}

/* Seize one thread of the process's list, unless we have it. */
static int seize_listed(void *user, pid_t tid)
{
	struct stopping *s = user;
	struct wl_threads *t = s->threads;
	int rc;

	for (size_t i = 0; i < t->n && tid <= s->most; i++, s->next++) {
		s->next = s->next < t->n ? s->next : 0;
		if (t->v[s->next].tid == tid)
			return 0;
		if (t->v[s->next].listed == tid)
			return seize_at(s, &t->v[s->next], tid);
	}
	if (t->n == t->cap) { /* there is room in the next pass */
		s->found_new = true;
		return 0;
	}
	rc = seize_at(s, &t->v[t->n], tid);
	if (t->v[t->n].tid) {
		s->most = tid > s->most ? tid : s->most;
		t->n++;
	}
	return rc;
}

/* Seize the threads of processes that share the memory of a sleeping thread. */
static int seize_sharers(struct stopping *s)
{
	struct wl_threads *t = s->threads;
	int rc = 0;

	for (size_t i = 0; i < t->n && rc == 0; i++) {
		if (!t->v[i].asleep)
			continue;
		s->maker = t->v[i].tid;
		rc = wl_each_sharer(s->maker, seize_listed, s);
		if (rc < 0)
			rc = refuse_thread(s, s->maker, EINPROGRESS);
	}
	s->maker = 0;
	return rc;
}

/* Is it a thread of another process that no longer shares the memory? */
static bool is_away(const struct wl_thread *t)
{
	return t->maker && !wl_share_memory(t->maker, t->tid);
}

/* Release the threads that have stopped, except slow ones. The next pass stops them again. */
static void let_others_go(struct stopping *s, const struct wl_thread *but)
{
	int status;

	for (size_t i = 0; i < s->threads->n; i++) {
		struct wl_thread *t = &s->threads->v[i];

		if (t == but || t->slow || t->asleep || !t->tid)
			continue;
		if (!t->stopped && poll_stop(t->tid, &status) > 0)
			has_stopped(t, status);
		if (t->stopped) {
			wl_thread_release(t);
			t->tid = 0;
		}
	}
	s->found_new = true;
}

/*
 * The thread is ready to run, but gets no processor, because its priority is low or the machine is busy. It can't
 * stop until it runs. Meanwhile the others continue.
 */
static int await_slow(struct stopping *s, struct wl_thread *t, struct wl_asleep *where)
{
	uint64_t end = wl_now_ns() + STOP_DEADLINE_MS * 1000000ull;
	int rc = EAGAIN;

	t->slow = true;
	if (s->patience < STOP_DEADLINE_MS * 1000000ull)
		s->patience *= 2;
	while (rc == EAGAIN && wl_now_ns() < end) {
		let_others_go(s, t);
		nanosleep(&(struct timespec){.tv_nsec = SLOW_NS}, NULL);
		rc = await_stop(t, 0, where);
	}
	t->since = wl_now_ns();
	return rc == EAGAIN ? ETIMEDOUT : rc;
}

/* Wait until the thread has stopped, or is known not to need it. */
static int await_one(struct stopping *s, struct wl_thread *t)
{
	struct wl_asleep where;
	int rc;

	while ((rc = await_stop(t, s->until, &where)) == EINPROGRESS || rc == EAGAIN) {
		if (rc == EAGAIN)
			rc = await_slow(s, t, &where);
		if (rc != EINPROGRESS || is_away(t))
			break;
		if (wl_may_sleep_on(s->p, t->tid, &where)) {
			t->asleep = true;
			t->ip = where.ip;
			t->sp = where.sp;
			return 0;
		}
		if (wl_now_ns() - t->since > WL_PATIENCE_NS)
			return refuse_thread(s, t->tid, EINPROGRESS);
	}
	if (rc == 0 && is_away(t))
		wl_thread_release(t);
	return rc == ETIMEDOUT ? refuse_thread(s, t->tid, ETIMEDOUT) : 0;
}

/*
 * Ask those of a part of the list to stop that haven't been asked: all at once, when all have been seized, as seizing
 * takes longer. The more there are, the longer it takes until each has had a processor.
 */
static void interrupt_all(struct stopping *s, size_t from, size_t to)
{
	struct wl_threads *t = s->threads;
	size_t asked = 0;

	t->last = wl_now_ns();
	for (size_t i = from; i < to; i++) {
		if (!t->v[i].tid || t->v[i].since)
			continue;
		asked++;
		if (thread_interrupt(&t->v[i]) == ESRCH)
			t->v[i].tid = 0;
	}
	if (!s->patience)
		s->patience = WL_PATIENCE_NS;
	s->until = wl_now_ns() + s->patience + asked * STOP_NS;
	wl_threads_stage(t, WL_ASK);
}

/* Are those that we have all that there are? Then there is no need to list them again while they are stopped. */
static bool has_all(const struct stopping *s)
{
	const struct wl_threads *t = s->threads;
	size_t have = 0;
	char path[64];
	struct stat st;

	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].asleep || t->v[i].maker)
			return false;
		have += t->v[i].stopped;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", (int)s->p->pid);
	return stat(path, &st) == 0 && have && (size_t)st.st_nlink == have + 2;
}

/* Wait for those that have been asked. The ones that have died stay in the list, not stopped. */
static int await_all(struct stopping *s)
{
	struct wl_threads *t = s->threads;
	int rc = 0;

	for (size_t i = 0; i < t->n && rc == 0; i++)
		if (t->v[i].tid && t->v[i].since && !t->v[i].stopped && !t->v[i].asleep)
			rc = await_one(s, &t->v[i]);
	wl_threads_stage(t, WL_AWAIT);
	return rc;
}

static int stop_all(struct stopping *s)
{
	struct wl_threads *t = s->threads;

	/* A thread that still runs can make another one: all are stopped when a pass over the list finds no new one. */
	for (unsigned pass = 0;; pass++) {
		int rc;

		if (t->n && has_all(s)) /* sleepers */
			return 0;
		s->found_new = false;
		rc = make_room(s) ? wl_each_thread(s->p->pid, seize_listed, s) : 1;
		if (rc == 0)
			rc = seize_sharers(s);
		if (rc == 0)
			interrupt_all(s, 0, t->n);
		if (rc == 0)
			rc = await_all(s);
		if (rc == 0 && t->n && (!s->found_new || has_all(s)))
			return 0;
		if (rc == 0 && s->found_new && pass < MAX_PASSES)
			continue;
		wl_threads_release(t);
		return rc > 0 ? s->err->status : wl_process_lost(s->p, s->err);
	}
}

/* Give a thread its place in our list, and remember whether it sleeps. */
static int note_listed(void *user, pid_t tid)
{
	struct stopping *s = user;
	struct wl_threads *t = s->threads;

	if (t->n < t->cap) /* the others are found later */
		t->v[t->n++] = (struct wl_thread){.listed = tid, .slept = wl_thread_state(tid) == 'S'};
	return 0;
}

/*
 * Those that are awake aren't even seized yet, since one that we have seized stops at each signal. Few are asked at a
 * time: each needs a processor for a moment to stop on, and whoever is awake needs them, too. One that doesn't get it
 * soon is waited for later, with those that are awake.
 */
static int stop_sleepers(struct stopping *s)
{
	struct wl_threads *t = s->threads;
	struct wl_asleep where;
	int rc = make_room(s) ? wl_each_thread(s->p->pid, note_listed, s) : 1;

	for (size_t i = 0; i < t->n && rc == 0; i++) {
		if (!t->v[i].slept)
			continue;
		rc = seize_at(s, &t->v[i], t->v[i].listed);
		t->v[i].slept = true;
	}
	for (size_t i = 0, n; i < t->n && rc == 0; i = n) {
		n = t->n - i < AT_ONCE ? t->n : i + AT_ONCE;
		interrupt_all(s, i, n);
		for (size_t k = i; k < n; k++)
			if (t->v[k].tid)
				await_stop(&t->v[k], s->until, &where);
		wl_give_way(n - 1);
		wl_threads_stage(t, WL_AWAIT);
	}
	return rc;
}

void wl_threads_stop_sleepers(struct wl_threads *t, const struct wl_process *p)
{
	struct ward_error local = {0};
	struct stopping s = {.threads = t, .p = p, .err = &local};

	t->late = p->late;
	t->pauses = p->pauses;
	if (stop_sleepers(&s))
		wl_threads_release(t);
}

/* Nobody is held meanwhile. False if that was long enough. */
static bool wait_for_sleeper(const struct wl_process *p, int64_t *deadline)
{
	if (!*deadline)
		*deadline = now_ms() + STOP_DEADLINE_MS;
	if (now_ms() > *deadline)
		return false;
	nanosleep(&(struct timespec){.tv_nsec = WL_RETRY_MS * 1000000}, NULL);
	wl_let_go_late(p->late);
	return true;
}

static pid_t largest(const struct wl_threads *t)
{
	pid_t most = 0;

	for (size_t i = 0; i < t->n; i++) {
		most = t->v[i].tid > most ? t->v[i].tid : most;
		most = t->v[i].listed > most ? t->v[i].listed : most;
	}
	return most;
}

int wl_threads_stop(struct wl_threads *t, const struct wl_process *p, struct ward_error *err)
{
	int64_t deadline = 0, sleeper = 0;
	struct ward_error local = {0};

	for (;;) {
		struct stopping s = {.threads = t, .p = p, .err = err ? err : &local, .most = largest(t)};
		int rc;

		t->late = p->late;
		t->pauses = p->pauses;
		rc = stop_all(&s);
		if (!rc || wl_process_dying(p) || !(s.taken || s.can_wait))
			return rc;
		if (s.taken ? !wl_wait_for_tracer(p->pid, &deadline) : !wait_for_sleeper(p, &sleeper))
			return rc;
		wl_clear(s.err);
	}
}

bool wl_thread_at(const struct wl_thread *t, struct user_regs_struct *regs)
{
	if (t->known)
		*regs = t->regs;
	if (t->stopped)
		return t->known || wl_get_regs(t->tid, regs);
	*regs = (struct user_regs_struct){.rip = t->ip, .rsp = t->sp};
	return t->asleep;
}

bool wl_thread_set(struct wl_thread *t, const struct user_regs_struct *regs)
{
	t->known = wl_set_regs(t->tid, regs);
	if (t->known)
		t->regs = *regs;
	return t->known;
}

bool wl_get_regs(pid_t tid, struct user_regs_struct *regs)
{
	return ptrace(PTRACE_GETREGS, tid, 0, regs) == 0;
}

bool wl_set_regs(pid_t tid, const struct user_regs_struct *regs)
{
	return ptrace(PTRACE_SETREGS, tid, 0, regs) == 0;
}
