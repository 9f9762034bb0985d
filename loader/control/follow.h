/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following a process to its children, and to the programs that these become: ward_attach_options.follow.
 *
 * One thread of ours, the follower, traces all threads of all these processes as long as the session lives, for nothing
 * but to be told when they fork and when they exec. Between such events they run as if it weren't there. Each program
 * that runs in an address space of its own is an attachment of its own:
 *
 *   fork     The child has copies of the jumps and stubs. While it is held at its first instruction it is given
 *            states of its own, and its gate is opened (inject/fork_child.c).
 *   vfork    The child runs in its parent's memory, and counts there, until it is another program. So does whatever
 *            else shares memory.
 *   exec     The new program runs through its dynamic linker (start.c), and is attached to as any program that is
 *            started.
 *
 * A tracer that is killed leaves all of that right at any moment: no breakpoints are used, and the kernel lets go of
 * what was traced.
 *
 * Libraries that a process loads later (ward_attach_options.later) are such attachments as well, side by side in one
 * process, which isn't traced in between: dlopen_watch.c has a thread in the follower's place.
 *
 * Hundreds of processes a second may come and go, so what an ended one has counted isn't kept for itself: the next one
 * that begins goes on with the states it has left (a `lane`), as a thread goes on with those of one that has ended.
 * There are as many lanes as there were programs at one time.
 */
#ifndef WARD_LOADER_FOLLOW_H
#define WARD_LOADER_FOLLOW_H

#include "loader/attach/attach.h"
#include "loader/symbols/link_map.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>

enum {
	WL_FOLLOW_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			    PTRACE_O_TRACEEXEC | PTRACE_O_TRACEVFORKDONE
};

/* Where states are, one process' after the other's. `base` stays where it is once it is there. */
struct wl_lane {
	void *base; /* our view; NULL: none yet */
	int fd;     /* of the file there */
	uint32_t n; /* states that were told of */
	bool taken;
	struct wl_lane *next;
};

/* A program in an address space. */
struct wl_program {
	unsigned users; /* processes, and threads that may be about to become some */
	pid_t pid, parent;
	char *path;
	char reason[484];                 /* why it has no probes; empty if it has */
	struct wl_attachment *attachment; /* NULL if it has none */
	struct wl_lane *lane;
	uint64_t events, dropped; /* of the lane, when it began */
	size_t places;            /* where it has sites, and which are mapped still: dlopen_watch.c */
	bool unpatched;           /* at the end */
	struct wl_program *next;
};

/* A program on its way to its entry point: start.c. */
struct wl_start {
	enum { WL_STARTED, WL_TO_ENTRY, WL_TO_POINTER } how;
	uint64_t entry, trampoline, word;
	uint8_t saved[32];
};

struct wl_traced;

struct wl_proc {
	pid_t pid, parent;
	struct wl_program *program;
	struct wl_start start;
	bool hold;     /* its threads are to stand still */
	bool attach;   /* and when they do, it is attached to */
	int64_t again; /* milliseconds: they aren't held before that, as one couldn't be stopped */
	struct wl_traced *threads;
	struct wl_proc *next;
};

/* A thread that we trace. */
struct wl_traced {
	pid_t tid;
	struct wl_proc *proc;    /* NULL: nobody has said yet whose child it is */
	struct wl_program *from; /* of a child that hasn't stopped yet: what its parent ran */
	bool fresh;              /* it hasn't stopped yet */
	bool stopped;            /* and can make system calls for us */
	bool asleep;             /* or it can't be stopped, and needn't (user/asleep.h): it goes on in the program */
	uint64_t ip, sp;         /* there */
	bool dead;               /* a first thread that has ended before the others */
	bool job_stop;           /* it is stopped for others, too */
	bool in_vfork;           /* waits for its child, and can't be stopped */
	bool is_vfork;           /* of a fresh child: by vfork */
	struct wl_start start;   /* of a fresh child: its parent's */
	uint64_t seen;           /* number of its last event */
	uint64_t since;          /* when it was asked to stop */
	struct wl_traced *next, *chain; /* of its process; of its hash */
};

enum { WL_TRACED_BUCKETS = 1024 };

struct wl_told;

struct wl_follow {
	const struct ward_image *image; /* the session's */
	struct wl_process first;        /* what it began with */
	struct ward_attach_options options;
	char *site;
	/* the follower's own */
	struct wl_traced *bucket[WL_TRACED_BUCKETS], *early;
	struct wl_proc *procs;
	size_t n_procs;
	struct wl_program *programs;
	uint64_t events;
	void *labels;  /* a tree of names of sites */
	void *skipped; /* the same of those that can't be had: dlopen_watch.c */
	uint32_t n_labels, told_labels, n_skipped;
	bool tells_all;
	bool ending;
	pid_t child; /* that we started */
	pid_t hosts; /* the first process, if it is a child of the host program's */
	bool hosts_ended;
	/* of both sides, by the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool running;     /* the thread is to be joined */
	bool begun, over; /* the first attachment is done; all processes have ended */
	bool want_end, end_done;
	bool force;     /* end also if somebody can't be stopped */
	int rc, end_rc; /* of the beginning; of the end */
	struct ward_error err, end_err;
	struct wl_lane *lanes;
	const void **states;
	size_t n_states, cap_states;
	struct wl_pauses pauses; /* of all */
	struct wl_slots slots;   /* that all of them have, but for addresses */
	uint64_t shared_size;
	uint64_t states_offset;
	struct wl_told *told, **told_end;
	bool child_ended;
	int child_status;
	int bell;  /* readable when there is something to tell, and for good when all is over */
	int knock; /* readable when the end is wanted */
	int turn;  /* with the first process, until it is attached to; -1: it isn't ours */
};

/* ---- follow.c: for the caller's threads ---- */

/* NULL without memory. The image stays the caller's. */
struct wl_follow *wl_follow_new(const struct ward_image *image, const struct ward_attach_options *o);
/* As ward_attach and ward_spawn. On failure it is to be freed still. */
int wl_follow_attach(struct wl_follow *f, pid_t pid, const struct ward_attach_options *o, struct ward_error *err);
int wl_follow_spawn(struct wl_follow *f, char *const argv[], pid_t *pid, struct ward_error *err);

/* Wait for the end of all, and tell what there is to tell. Returns 1 at the end. */
int wl_follow_wait(struct wl_follow *f, int timeout_ms);
/* Take the probes off everywhere, and trace nobody any more; by force, also if somebody can't be stopped. */
int wl_follow_end(struct wl_follow *f, bool force, struct ward_error *err);
/* It has ended, or it hasn't begun. */
void wl_follow_free(struct wl_follow *f);
/* How what was started has ended. False: it hasn't. */
bool wl_follow_status(struct wl_follow *f, int *status);
void wl_follow_pauses(struct wl_follow *f, struct ward_pauses *pauses);

/* ---- report_queue.c: programs, their states, and what is told of them ---- */

struct wl_program *wl_program_new(struct wl_follow *f, const struct wl_proc *proc);
void wl_program_put(struct wl_follow *f, struct wl_program *p);
/* The reason, of an error. */
void wl_program_refuse(struct wl_program *p, const struct ward_error *err);
/* An attachment for it, with a lane and its process open. NULL, and the reason, if that can't be. */
struct wl_attachment *wl_program_attachment(struct wl_follow *f, struct wl_program *p, pid_t pid);
/* It is attached; or isn't, and is freed. */
void wl_program_attached(
	struct wl_follow *f, struct wl_program *p, struct wl_attachment *a, int rc, const struct ward_error *err);
/* Tell of the sites that are new, or of all, also of those that can't be had. */
void wl_tell_sites(struct wl_follow *f, const struct wl_attachment *a, bool all);
/* Tell of something that can't be attached to, and why. */
void wl_tell_refused(struct wl_follow *f, const char *what, const char *why);
/* Tell that all have ended: the last that there is to tell. */
void wl_tell_over(struct wl_follow *f);
/* Tell the callbacks what there is, in the caller's thread. */
void wl_tell_all(struct wl_follow *f);
const void **wl_follow_states(struct wl_follow *f, size_t *n);
void wl_follow_stats(struct wl_follow *f, struct ward_session_stats *stats);

/* As ward_session_shut: one of the processes. */
bool wl_follow_shut(struct wl_follow *f);
void wl_lanes_free(struct wl_follow *f);

/* ---- dlopen_watch.c: libraries that are loaded later, in a process that nobody follows ---- */

/*
 * Attach to the process, or (0) to the program that is started, and to what it loads, until it has ended or the end is
 * wanted.
 */
void wl_later_run(struct wl_follow *f, pid_t pid, char *const argv[], const sigset_t *mask);

/* ---- start.c ---- */

/* At the exec: where to? An error if it can't be led to its entry point. */
int wl_start_begin(struct wl_start *s, pid_t pid, struct ward_error *err);
/* At each stop at a system call until it is there: is it now? */
bool wl_start_step(struct wl_start *s, pid_t pid);

/* ---- The follower (follower.h): seize.c, events.c, release.c, threads.c ---- */

/* Seize a process, which is to be attached to. */
int wl_follow_seize(struct wl_follow *f, pid_t pid, struct ward_error *err);
/* The follower's child stands at its exec. */
int wl_follow_started(struct wl_follow *f, pid_t pid, struct ward_error *err);
/* Until all have ended, or the end is wanted and done. */
void wl_follow_run(struct wl_follow *f);
/* Does the caller want the end? */
bool wl_follow_wants_end(struct wl_follow *f);
void wl_follow_forget(struct wl_follow *f);

#endif
