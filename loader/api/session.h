/* SPDX-License-Identifier: Apache-2.0 */
/* A session, as the parts of libward see it. */
#ifndef WARD_LOADER_SESSION_H
#define WARD_LOADER_SESSION_H

#include "loader/base/image.h"
#include "loader/inject/attachment.h"
#include "loader/symbols/link_map.h"

#include <pthread.h>
#include <signal.h>

struct ward_session {
	pthread_mutex_t lock; /* of what follows that changes once it is attached: detaching, and how a child ended */
	struct ward_image *image;
	struct wl_attachment a;
	const void **states; /* what ward_session_states gave out last */
	bool *unmatched;     /* for each entry: its pattern matched nothing */
	bool is_child;       /* started by us */
	bool ended;          /* a child that was waited for */
	int wait_status;
	bool detached;
	uint32_t n_attached;          /* sites */
	const struct wl_places *only; /* where sites are looked for; NULL: everywhere */
	bool later;                   /* what is there was loaded just now */
	bool nothing;                 /* it is not attached, as there was nothing to attach to; */
	bool overtaken;               /* or as others changed the code meanwhile */
	int kernel;                   /* /dev/ward; -1: the target is a process */
	/* who attaches to the process and its children, each by itself (follow/follow.h); NULL: `a` is all there is */
	struct wl_follow *follow;
	/* the connection to who traces us for us (self_attach.c); -1: the target is another process */
	int helper;
	int helper_process;        /* a pidfd of it */
	bool helper_lost;          /* it couldn't get on, and has left our probes as they are */
	struct wl_remote_use *use; /* in the helper: what it has in use */
	bool stuck;                /* a copy of this process that was to read symbols waited for a lock */
};

/* A new session for a verified image, which becomes the session's (also on failure). NULL without memory. */
struct ward_session *wl_session_new(struct ward_image *image);

/*
 * Options of any public type, which begin with their size: every field of this version is present in *o, of `size`
 * bytes, from a caller that may know fewer or more (NULL: all zero). WARD_E_USAGE for what is none, or wants what this
 * version doesn't know.
 */
int wl_read_options(void *o, size_t size, const void *given, const char *type, struct ward_error *err);

/*
 * Options with every field of this version present, from a caller that may know fewer or more (NULL: the defaults).
 * What they give out is NULL from then on. WARD_E_USAGE for what is none, or wants what this version doesn't know.
 */
int wl_options(const struct ward_attach_options *given, struct ward_attach_options *o, struct ward_error *err);

/*
 * The states of the session's threads, as ward_session_states, in an array of the caller's, to be freed. NULL without
 * memory.
 */
const void **wl_session_states(const struct ward_session *session, size_t *n, size_t *state_size);

/*
 * Attach to session->a.p.pid, which is live, or held stopped with `held` as all of its threads. Runs in the thread that
 * is to be the tracer. On failure the target is as before.
 */
int wl_session_attach(struct ward_session *session, const struct ward_attach_options *options, struct wl_threads *held,
	struct ward_error *err);

/*
 * Take off what tracers have left that are gone, in the tracer's thread; or, if the options say so, what live ones have
 * put there.
 */
int wl_clean(const struct wl_process *p, const struct ward_cleanup_options *options, struct ward_error *err);

/*
 * Start a program, found in PATH, as a child of the calling thread that it traces with these options of ptrace; `mask`
 * is the signals that it blocks. It stands at its exec then. On failure there is no child.
 */
int wl_start_program(char *const argv[], const sigset_t *mask, unsigned options, pid_t *pid, struct ward_error *err);

/* The program has been started, and stands where the probes are to be attached; not 0: it is to be ended. */
typedef int wl_started_fn(void *user, struct wl_threads *held, struct ward_error *err);

/*
 * Start a program, with *p opened, that runs on when `started` says so. Runs in the thread that is its tracer until
 * then. On failure there is no child.
 */
int wl_spawn_live(char *const argv[], const sigset_t *mask, struct wl_process *p, wl_started_fn *started, void *user,
	struct ward_error *err);

/*
 * ward_cleanup of another process, in a thread that is to be the tracer. What it has in use is told in *use, unless
 * that is NULL.
 */
int wl_cleanup_live(
	pid_t pid, const struct ward_cleanup_options *options, struct wl_remote_use *use, struct ward_error *err);

/* Attach to a live process, and detach from it, in a thread that is to be the tracer. */
int wl_attach_live(
	struct ward_session *session, pid_t pid, const struct ward_attach_options *options, struct ward_error *err);
int wl_detach_live(struct ward_session *session, struct ward_error *err);

/* The same, where the target is this process. Reports come while attaching. */
int wl_itself_attach(struct ward_session *session, const struct ward_attach_options *options, struct ward_error *err);
int wl_itself_detach(struct ward_session *session, struct ward_error *err);

/* Let the helper go. */
void wl_itself_free(struct ward_session *session);

/* Tell options->on_site about every site. */
void wl_session_report(const struct ward_session *session, const struct ward_attach_options *options);

/* Tell fn about a function that was inlined wherever it was called. */
void wl_gone_report(const struct wl_gone *gone, const char *probe, ward_site_fn *fn, void *user);

/*
 * Tell fn about a function's entry or exits, or about exceptions that leave it. `denied` is why this one probe can't
 * have what it wants there, or NULL.
 */
void wl_site_report(const struct wl_site *site, bool exits, bool thrown, const char *denied, const char *probe,
	ward_site_fn *fn, void *user);

/*
 * Run fn(arg) in a thread of its own and return what it returns. Whatever that thread traces is let go by the kernel
 * when it ends, even what we could not stop; and no signal handler of the host program runs in it.
 */
int wl_as_tracer(int (*fn)(void *arg), void *arg, struct ward_error *err);

#endif
