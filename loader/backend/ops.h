/* SPDX-License-Identifier: Apache-2.0 */
/* A session, and the table of its operations: a row for each kind of target. */
#ifndef WARD_LOADER_OPS_H
#define WARD_LOADER_OPS_H

#include "loader/base/image.h"

#include <pthread.h>
#include <signal.h>

/* The target of the probes: a process, or a command that is started. */
struct wl_target {
	pid_t pid;         /* of a command: given out */
	char *const *argv; /* NULL: no command */
};

/* Functions that may be NULL say so. */
struct wl_backend {
	enum ward_profile profile; /* of its images */
	bool is_read_only;         /* its states can't be written, so cursors of queues can't be moved */
	/* Can it have what the options want? May put limits into them. NULL: it can. */
	int (*check)(struct ward_attach_options *o, struct ward_error *err);
	/* On failure the target is as before, and `free` is still called. */
	int (*attach)(struct ward_session *s, struct wl_target *t, const struct ward_attach_options *o,
		struct ward_error *err);
	/* Wait, at most so long (-1: for good), until the target has ended: true then. */
	bool (*wait)(struct ward_session *s, int timeout_ms);
	/* How the target has ended. False: it hasn't, or that isn't known. NULL: it never is. */
	bool (*status)(struct ward_session *s, int *status);
	/* For a session that is attached, once. `force`: leave what can't be taken off. */
	int (*detach)(struct ward_session *s, bool force, struct ward_error *err);
	/* What of it is left, detached or not; `own` may be NULL. */
	void (*free)(struct ward_session *s);
	/* As ward_session_…, into what is all zero; with no lock held. */
	void (*stats)(const struct ward_session *s, struct ward_session_stats *stats);
	bool (*shut)(const struct ward_session *s);
	uint64_t (*held_back)(const struct ward_session *s); /* NULL: never */
	void (*pauses)(struct ward_session *s, struct ward_pauses *pauses);
	/* In an array to be freed. NULL without memory. */
	const void **(*states)(const struct ward_session *s, size_t *n);
	/* The same for the data of the module, which each process has once. */
	const void **(*shared)(const struct ward_session *s, size_t *n);
};

extern const struct wl_backend wl_backend_process; /* another process */
extern const struct wl_backend wl_backend_self;    /* this process */
extern const struct wl_backend wl_backend_tree;    /* a process, its children, and what they load later */
extern const struct wl_backend wl_backend_samples; /* a process of which samples are taken */
extern const struct wl_backend wl_backend_kernel;

struct ward_session {
	const struct wl_backend *backend;
	struct ward_image *image;
	void *own;            /* the backend's */
	const void **states;  /* what ward_session_states gave out last */
	ward_names *names;    /* of the target's addresses, if the caller wants them; else NULL */
	pthread_mutex_t lock; /* of what follows, and while it is detached */
	bool detached;
	bool ended; /* and that is how */
	int wait_status;
};

#endif
