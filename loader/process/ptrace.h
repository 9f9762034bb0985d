/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping the threads of a process with ptrace. A tracee belongs to the thread that seized it. So all calls for one
 * struct wl_threads come from one thread. When that thread ends, the kernel releases all tracees that it still holds.
 */
#ifndef WARD_LOADER_PTRACE_H
#define WARD_LOADER_PTRACE_H

#include "process.h"

#include <sys/user.h>

/* A thread that doesn't stop must not hold up the others. */
enum {
	WL_SOON_NS = 1000000,     /* after this time look whether it is asleep */
	WL_PATIENCE_NS = 4000000, /* after this time resume the others */
	WL_RETRY_MS = 25,         /* and try again after this one */
};

struct wl_thread {
	pid_t tid;    /* 0: not ours (any more) */
	pid_t listed; /* then: one that isn't ours yet, or 0 */
	bool stopped;
	bool slow;                /* it was waited for while the others went on */
	bool asleep;              /* it can't be stopped, and needn't be (asleep.h) */
	uint64_t ip, sp;          /* then: where it will continue */
	pid_t maker;              /* the thread that shares its memory with it, if it is of another process; else 0 */
	int signal;               /* to be delivered when it resumes */
	bool slept;               /* it was asleep when all were about to be stopped */
	bool looked;              /* at, by whoever stops it */
	bool known;               /* what its registers are: */
	uint64_t since;           /* nanoseconds: when it was asked to stop; 0: not yet */
	struct wl_pauses *pauses; /* where that is counted when it resumes, or NULL */
	struct user_regs_struct regs;
};

/* What a stop of all threads consists of. */
enum wl_stage {
	WL_ASK,    /* each thread to stop */
	WL_AWAIT,  /* until each has */
	WL_LOOK,   /* at each: may the code be changed while it is where it is? */
	WL_WRITE,  /* the code */
	WL_LET_GO, /* each */
	WL_STAGES
};

/* How long threads have been stopped. */
struct wl_pauses {
	uint64_t n, total, most;      /* nanoseconds */
	uint64_t by_power[64];        /* of 2^i … 2^(i + 1) - 1 nanoseconds; no time at all is with 1 */
	uint64_t most_awake;          /* of those that weren't asleep */
	uint64_t by_stage[WL_STAGES]; /* nanoseconds of the longest stop of all threads */
};

/* The options that a thread has when it was stopped. */
enum { WL_THREAD_OPTIONS = 1 /* PTRACE_O_TRACESYSGOOD */ };

/*
 * Threads that a tracer thread has interrupted and no longer waits for. If there is no room for one, the kernel lets it
 * go when the tracer thread ends.
 */
struct wl_late {
	pid_t v[256];
	size_t n;
};

/* Addresses of instructions for remote calls (remote.c); 0: unknown. */
struct wl_gadgets {
	uint64_t call, restorer;
};

struct wl_threads {
	struct wl_thread *v;
	size_t n, cap;
	/* Of threads that a caller keeps stopped for us: */
	unsigned options; /* those of ptrace that they have, and are to keep */
	/* the upper end of Ward's memory in the target that can serve as a stack for remote calls, or 0 */
	uint64_t room;
	struct wl_gadgets gadgets; /* where they are in the process of which this one is a copy */
	struct wl_late *late;      /* the process's */
	/* Of a stop of them, if somebody wants to know: */
	struct wl_pauses *pauses;
	uint64_t by_stage[WL_STAGES], last; /* nanoseconds; when the last stage ended */
};

/*
 * Seize and stop every thread of the process, and of vfork children that share its memory. A thread that is asleep in
 * the kernel isn't stopped but marked (`asleep`). If another tracer has a thread, or a thread can't be judged, wait a
 * while with nobody stopped. On failure all are let go.
 *
 * A system call that returns EINTR because of the stop is made again. A call that a dead tracer asked for isn't made
 * (restart_frame.c). The same holds for wl_thread_stop.
 */
int wl_threads_stop(struct wl_threads *t, const struct wl_process *p, struct ward_error *err);

/*
 * Before that, stop those that sleep, so that whoever runs can run while the caller looks at them. If it can't be done,
 * nobody is stopped.
 */
void wl_threads_stop_sleepers(struct wl_threads *t, const struct wl_process *p);

/*
 * Seize and stop one thread. Returns 0; ESRCH if it is gone or a zombie; EPERM; EBUSY if another tracer has it;
 * ETIMEDOUT if it doesn't stop.
 */
int wl_thread_stop(struct wl_thread *t, const struct wl_process *p, pid_t tid);

/*
 * A thread has another tracer: one like us holds it for milliseconds, a debugger for long, and a follower
 * (control/controller.h) until its own end. Wait a little, while nothing of the process is held; false if that was long
 * enough. *deadline is 0 at first.
 */
bool wl_wait_for_tracer(pid_t pid, int64_t *deadline);

/* Followers' threads are called so: by that others know them. */
#define WL_FOLLOWER "ward-follower"

/* Has the process a tracer that follows it, and isn't the caller's thread? */
bool wl_is_followed(pid_t pid);

/* The error for a process, or a program to be started, that another tracer has, or (0) had a moment ago. */
int wl_fail_taken(const char *what, pid_t tracer, struct ward_error *err);

/* PTRACE_SEIZE. Returns 0 or errno, which is EBUSY where another tracer has it. */
int wl_seize(pid_t tid, unsigned options);

/* A stage of the stop ends now. */
void wl_threads_stage(struct wl_threads *t, enum wl_stage stage);

/* Resume a stopped thread, or all; none of them stays traced. Threads that have died meanwhile are skipped. */
void wl_thread_release(struct wl_thread *t);
void wl_threads_release(struct wl_threads *t);

/*
 * Threads that couldn't stop in time may stop later. Release those that have stopped by now; a tracer that is busy for
 * long calls this now and then. The kernel releases the rest when the tracer thread ends. Returns whether any are left.
 * `late` may be NULL.
 */
bool wl_let_go_late(struct wl_late *late);

/*
 * Call fn for each thread id in /proc/PID/task until it returns non-zero, which is returned; -1 with errno if the list
 * can't be read.
 */
int wl_each_thread(pid_t pid, int (*fn)(void *user, pid_t tid), void *user);

/* Wait for a seized thread to stop. Returns 0 with the status, ESRCH if it has ended, ETIMEDOUT. */
int wl_wait_stop(pid_t tid, int *status);

/* Raise our scheduling priority while the target is stopped, if that is permitted. */
void wl_hurry(bool on);

/*
 * We keep a processor to ourselves meanwhile. While threads of the target are awake, call this for each one that
 * sleeps: now and then it leaves the processor to others for a moment.
 */
void wl_give_way(size_t i);

/*
 * A stopped thread would see EINTR only because of our stop: make it call again. If a signal stopped it: only if the
 * process ignores that signal, so that nothing but its tracer would have noticed it.
 */
void wl_mend_eintr(pid_t tid, int ignored);

/* Count how long a thread has been stopped. */
void wl_count_pause(struct wl_pauses *p, uint64_t ns);
uint64_t wl_now_ns(void);

/* Has the thread ended, though it has its number still? */
bool wl_is_zombie(pid_t tid);

/* The state of a thread, as ps shows it; 0 if it is gone. */
char wl_thread_state(pid_t tid);

/*
 * Registers of a thread that is stopped or asleep: those that it had when it stopped, if that is known, until
 * wl_thread_set. If it is asleep, only rip and rsp are known, and the others are 0.
 */
bool wl_thread_at(const struct wl_thread *t, struct user_regs_struct *regs);

bool wl_thread_set(struct wl_thread *t, const struct user_regs_struct *regs);

/* Registers of a stopped thread. */
bool wl_get_regs(pid_t tid, struct user_regs_struct *regs);
bool wl_set_regs(pid_t tid, const struct user_regs_struct *regs);

/* Which process traces the thread; 0: none. */
pid_t wl_tracer_of(pid_t pid, pid_t tid);

/* The value of a "Name:\tvalue" line in /proc/PID/task/TID/status in the given base; false if there is none. */
bool wl_status_value(pid_t pid, pid_t tid, const char *name, int base, uint64_t *value);

/* A thread's id as the target itself sees it (its own pid namespace); 0 if unknown. */
pid_t wl_tid_in_target(pid_t pid, pid_t tid);

#endif
