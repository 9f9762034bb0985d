/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several attachments of one session: ward_attach_options.follow and .later.
 *
 *   session      has one controller: the image, lanes of states, and pending reports
 *   space        a program in an address space: the processes that run in it, and what has been seen of its link map
 *   attachment   of the image to a space: one for what is there at the space's beginning, and one more for what comes
 *                later, each time (at most 64)
 *
 * A thread of the library's own does all that as long as the session lives. It has two sources of information: events
 * of ptrace, and looks at the link map of each space (dlopen_watch.c).
 *
 * With `follow` the thread traces all threads of all these processes, only to learn when they fork and exec. Between
 * such events they run undisturbed.
 *
 *   fork     The child is a new space with copies of the jumps and stubs. While it is held at its first instruction,
 *            each attachment gets states of its own there, and its gate is opened (inject/fork_child.c).
 *   vfork    The child runs in its parent's space, and counts there, until it executes another program. So does
 *            anything else that shares memory.
 *   exec     The new program is a new space. It runs through its dynamic linker (start.c). Then Ward attaches to it as
 *            to any program that it starts.
 *
 * If the tracer is killed at any moment, all of that stays correct: no breakpoints are used, and the kernel releases
 * what was traced.
 *
 * Without `follow` there is one space, whose process isn't traced in between (untraced.c).
 *
 * Hundreds of processes a second may come and go, so the counts of an ended one aren't kept separately. The next
 * attachment reuses the states that it has left (a `lane`), as a thread reuses those of an ended one. There are as
 * many lanes as there were attachments at the same time.
 */
#ifndef WARD_LOADER_CONTROLLER_H
#define WARD_LOADER_CONTROLLER_H

#include "loader/attach/attach.h"
#include "loader/symbols/link_map.h"
#include "loader/symbols/names.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>

enum {
	WL_FOLLOW_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			    PTRACE_O_TRACEEXEC | PTRACE_O_TRACEVFORKDONE
};

/* Where states are, one process' after the other's. `base` stays where it is once it is there. */
struct wl_lane {
	void *base;       /* our view; NULL: none yet */
	int fd;           /* of the file there */
	uint32_t n;       /* states that were reported */
	uint32_t number;  /* of the table of stacks that were taken (symbols/stack_table.h) */
	uint32_t history; /* of the addresses in its states (symbols/names.h) */
	bool taken;
	struct wl_lane *next;
};

/* One attachment to a space, and the states that it uses. */
struct wl_attached {
	struct wl_attachment a;
	struct wl_lane *lane;
	uint64_t events, dropped; /* of the lane, when it began */
	size_t places;            /* where it has sites, and which are mapped still: dlopen_watch.c */
	unsigned tries;           /* to take it off, when none is */
	struct wl_attached *next; /* an older one */
};

enum { WL_ATTACHED_MOST = 64 /* to one space */ };

/* What has been seen of the code that a space has mapped: dlopen_watch.c. */
struct wl_watch {
	struct wl_process *p;  /* where it looks; NULL: it doesn't */
	struct wl_places seen; /* where sites have been looked for, owned by the attachment that has some there */
	struct wl_places news; /* where they haven't, in the last look */
	uint64_t linker;
	uint64_t last; /* the last library of the linker's list before the last look; 0: unknown */
	bool pending;  /* something has come, and the linker was busy */
	bool wanted;   /* there is work for which its threads must be stopped */
	unsigned failures;
	uint64_t owed;       /* nanoseconds that the next pause has to be at least */
	bool was_soon;       /* the last one was shorter */
	int64_t least, most; /* milliseconds: when the next look comes, if something has come, and in any case */
	char reported[sizeof(((struct ward_error *)0)->why)]; /* why something couldn't be done */
};

/* A program in an address space. */
struct wl_space {
	unsigned users; /* processes, and threads that may be about to become some */
	pid_t pid, parent;
	char *path;
	char reason[484];             /* why it has no probes; empty if it has */
	bool begun;                   /* it was attached to, as far as that was possible */
	struct wl_attached *attached; /* the newest first */
	unsigned n_attached;
	uint64_t events, dropped; /* of attachments that are no more */
	uint32_t sites;           /* the most that it had at a time */
	struct wl_process p;      /* its first process, open if it is followed and watched */
	struct wl_watch watch;
	struct wl_mapped mapped; /* as far as its addresses have names */
	bool unpatched;          /* at the end */
	struct wl_space *next;
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
	struct wl_space *space;
	struct wl_start start;
	bool hold;     /* its threads must be stopped */
	bool attach;   /* and when they do, it is attached to, or what has come and gone is seen to */
	int64_t again; /* milliseconds: they aren't held before that, as one couldn't be stopped */
	struct wl_traced *threads;
	struct wl_proc *next;
};

/* A thread that we trace. */
struct wl_traced {
	pid_t tid;
	struct wl_proc *proc;  /* NULL: it isn't known yet whose child it is */
	struct wl_space *from; /* of a child that hasn't stopped yet: what its parent ran */
	bool fresh;            /* it hasn't stopped yet */
	bool stopped;          /* and can make system calls for us */
	/* or it can't be stopped, and needn't be (process/asleep.h): it continues in the program */
	bool asleep;
	uint64_t ip, sp;                /* there */
	bool dead;                      /* a first thread that has ended before the others */
	bool job_stop;                  /* it is stopped for others, too */
	bool in_vfork;                  /* waits for its child, and can't be stopped */
	bool is_vfork;                  /* of a fresh child: by vfork */
	struct wl_start start;          /* of a fresh child: its parent's */
	uint64_t seen;                  /* number of its last event */
	uint64_t since;                 /* when its stop was requested */
	struct wl_traced *next, *chain; /* of its process; of its hash */
};

enum { WL_TRACED_BUCKETS = 1024 };

struct wl_report;

struct wl_controller {
	const struct ward_image *image; /* the session's */
	ward_names *names;              /* the caller's, which learn what is mapped; or NULL */
	struct wl_process first;        /* what it began with */
	struct ward_attach_options options;
	/* the follower's own */
	struct wl_traced *bucket[WL_TRACED_BUCKETS], *early;
	struct wl_proc *procs;
	size_t n_procs;
	struct wl_space *spaces;
	uint64_t events;
	void *labels;  /* a tree of names of sites */
	void *skipped; /* the same of those that can't be had: dlopen_watch.c */
	uint32_t n_labels, reported_labels, n_skipped;
	bool tells_all, tells_later;
	int64_t glimpsed; /* milliseconds: no space is glimpsed at before that */
	int64_t named;    /* the same for names */
	bool ending;
	pid_t child; /* that we started */
	pid_t hosts; /* the first process, if it is a child of the host program's */
	bool hosts_ended;
	/* of both sides, by the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool running;     /* the thread must be joined */
	bool begun, over; /* the first attachment is done; all processes have ended */
	bool want_end, end_done;
	bool force;     /* end even if a thread can't be stopped */
	int rc, end_rc; /* of the beginning; of the end */
	struct ward_error err, end_err;
	struct wl_lane *lanes;
	uint32_t n_lanes;
	const void **states;
	size_t n_states, cap_states;
	struct wl_pauses pauses; /* of all */
	struct wl_slots slots;   /* that all of them have, but for addresses */
	uint64_t shared_size;
	uint64_t states_offset;
	struct wl_report *reports, **reports_end;
	bool child_ended;
	int child_status;
	int bell;  /* readable when there is a report, and for good when all is over */
	int knock; /* readable when the end is wanted */
	int turn;  /* with the first process, until it is attached to; -1: it isn't ours */
};

/* ---- follow.c: for the caller's threads ---- */

/* NULL without memory. The image stays the caller's. */
struct wl_controller *wl_controller_new(const struct ward_image *image, const struct ward_attach_options *o);
/* As ward_attach and ward_spawn. On failure it must still be freed. */
int wl_controller_attach(
	struct wl_controller *c, pid_t pid, const struct ward_attach_options *o, struct ward_error *err);
int wl_controller_spawn(struct wl_controller *c, char *const argv[], pid_t *pid, struct ward_error *err);

/* Wait for the end of all, and deliver reports. Returns 1 at the end. */
int wl_controller_wait(struct wl_controller *c, int timeout_ms);
/* Take the probes off everywhere, and stop tracing; with force, even if a thread can't be stopped. */
int wl_controller_end(struct wl_controller *c, bool force, struct ward_error *err);
/* It has ended, or it hasn't begun. */
void wl_controller_free(struct wl_controller *c);
/* How what was started has ended. False: it hasn't. */
bool wl_controller_status(struct wl_controller *c, int *status);

/* ---- lanes.c ---- */

/*
 * A free lane, for a new attachment: one in which the addresses of that space mean no other thing, as far as there is
 * room for one. NULL without memory.
 */
struct wl_lane *wl_lane_take(struct wl_controller *c, const struct wl_space *s);
/* What was ever counted in it. */
void wl_lane_count(const struct wl_controller *c, const struct wl_lane *l, uint64_t *events, uint64_t *dropped);
const void **wl_controller_states(struct wl_controller *c, size_t *n);
/* The same for the module's data, of which each lane has one. */
const void **wl_controller_shared(struct wl_controller *c, size_t *n);
void wl_controller_stats(struct wl_controller *c, struct ward_session_stats *stats);
void wl_controller_pauses(struct wl_controller *c, struct ward_pauses *pauses);
/* As ward_session_shut: one of the processes. */
bool wl_controller_shut(struct wl_controller *c);
void wl_lanes_free(struct wl_controller *c);

/* ---- space.c: programs in address spaces, and what is attached to them ---- */

struct wl_space *wl_space_new(struct wl_controller *c, const struct wl_proc *proc);
void wl_space_put(struct wl_controller *c, struct wl_space *s);
/* The reason, of an error. */
void wl_space_refuse(struct wl_space *s, const struct ward_error *err);

/* An attachment for it, with a lane and its process open. NULL, with *err, if that can't be. */
struct wl_attached *wl_attached_new(struct wl_controller *c, struct wl_space *s, pid_t pid, struct ward_error *err);
/* It is attached, and the space's from now on; or (rc) isn't, and is freed. */
void wl_attached_begun(struct wl_controller *c, struct wl_space *s, struct wl_attached *a, int rc);
/* What it has is taken off, or is left. */
void wl_attached_over(struct wl_controller *c, struct wl_space *s, struct wl_attached *a);

/* How a space is attached to once more. */
struct wl_attempt {
	const struct ward_attach_options *options;
	struct wl_threads *held;        /* all of its threads; NULL: they run, and another thread of ours stops them */
	const struct wl_places *places; /* where sites are looked for; NULL: everywhere */
	bool later;                     /* what is there came later than the space's beginning */
	bool all;                       /* all sites are reported, not only new ones */
	int turn;        /* our turn with the process has come, and ends with the attempt; -1: it hasn't */
	uint64_t worked; /* out: nanoseconds of processor time */
	bool nothing, overtaken, dying; /* out: why it failed (inject/attachment.h); or it is about to end */
	struct ward_error err;
};

/* Returns the new attachment, or NULL and try->err. */
struct wl_attached *wl_space_attach(struct wl_controller *c, struct wl_space *s, pid_t pid, struct wl_attempt *try);
/*
 * Take an attachment off. With all threads held: it is of something that is mapped no more, and is over also if others
 * may come back to its code, once that was tried often enough.
 */
int wl_space_detach(struct wl_controller *c, struct wl_space *s, struct wl_attached *a, struct wl_attempt *try);

/* ---- report_queue.c: reports to the caller ---- */

/* Tell of the sites that are new, or of all, also of those that can't be had. */
void wl_queue_sites(struct wl_controller *c, const struct wl_attachment *a, bool all);
/* Tell of something that can't be attached to, and why. */
void wl_queue_refused(struct wl_controller *c, const char *what, const char *why);
/* Report a program that is over. */
void wl_queue_space(struct wl_controller *c, const struct wl_space *s);
/* Report that all have ended: the last report. */
void wl_queue_end(struct wl_controller *c);
/* Tell the callbacks what there is, in the caller's thread. */
void wl_queue_deliver(struct wl_controller *c);
void wl_reports_free(struct wl_controller *c);
/* One number for all sites of that name, in whatever space; `user` is the controller. */
uint32_t wl_number_of(void *user, const char *site);

/* ---- dlopen_watch.c: libraries that are loaded later ---- */

/*
 * Attach to what the space has mapped now, and watch what comes: `p` is its process, open as long as it is watched.
 * Returns 0, also where nothing matches, or the error.
 */
int wl_watch_begin(struct wl_controller *c, struct wl_space *s, struct wl_process *p, struct wl_attempt *try);
/*
 * Find what has come and gone. The work is done with `held` as all of its threads or, if the process isn't traced
 * (`held` is NULL), at once. In a followed space it isn't done without `held`: then s->watch.wanted is set.
 */
void wl_watch_look(struct wl_controller *c, struct wl_space *s, struct wl_threads *held);
/* Has something come, or gone, and is the linker done with it? */
bool wl_watch_poll(const struct wl_watch *w);
/* It executes another program: all of that counts like a library that was loaded. */
void wl_watch_anew(struct wl_controller *c, struct wl_space *s);
/* The space is a copy of another one, which may be watched. */
void wl_watch_copy(struct wl_space *to, const struct wl_space *from);
/* It goes on with an attachment of that one's as one of its own. */
void wl_watch_own(
	struct wl_space *to, struct wl_attached *own, const struct wl_space *from, const struct wl_attached *theirs);
/* It is time to look at followed spaces: which need their threads stopped? */
void wl_watch_turn(struct wl_controller *c);
void wl_watch_free(struct wl_watch *w);

/* ---- space_names.c: names of addresses ---- */

/* Look at what the space has mapped: now, or if it is time for that. */
/* What the stacks mean that its attachments take. */
void wl_space_stacks(struct wl_controller *c, const struct wl_space *s);
void wl_space_see(struct wl_controller *c, struct wl_space *s, const struct wl_process *p, bool now);
/* The same for all that are followed and have probes, if it is time for any. */
void wl_names_turn(struct wl_controller *c);

/* ---- untraced.c: a process that isn't followed ---- */

/*
 * Attach to the process, or (0) to the program that is started, and to what it loads, until it has ended or the
 * session ends.
 */
void wl_untraced_run(struct wl_controller *c, pid_t pid, char *const argv[], const sigset_t *mask);

/* ---- start.c ---- */

/* At the exec: where to? An error if it can't be led to its entry point. */
int wl_start_begin(struct wl_start *s, pid_t pid, struct ward_error *err);
/* At each stop at a system call until it is there: is it now? */
bool wl_start_step(struct wl_start *s, pid_t pid);

/* ---- The follower (follower.h): seize.c, events.c, release.c, threads.c ---- */

/* Seize a process to which the session attaches. */
int wl_controller_seize(struct wl_controller *c, pid_t pid, struct ward_error *err);
/* The follower's child is stopped at its exec. */
int wl_controller_started(struct wl_controller *c, pid_t pid, struct ward_error *err);
/* Until all have ended, or the end is wanted and done. */
void wl_controller_run(struct wl_controller *c);
/* Does the caller want the end? */
bool wl_controller_wants_end(struct wl_controller *c);
void wl_controller_forget(struct wl_controller *c);

#endif
