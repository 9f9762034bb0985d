/* A session, as the parts of libward see it. */
#ifndef WARD_LOADER_SESSION_H
#define WARD_LOADER_SESSION_H

#include "image.h"
#include "user/attachment.h"

struct ward_session {
	struct ward_image *image;
	struct wl_attachment a;
	const void **states; /* what ward_session_states gave out last */
	bool *unmatched;     /* for each entry: its pattern matched nothing */
	bool is_child;       /* started by us */
	bool ended;          /* a child that was waited for */
	int wait_status;
	bool detached;
};

/* A new session for a verified image, which becomes the session's (also on failure). NULL without memory. */
struct ward_session *wl_session_new(struct ward_image *image);

/* Options with every field of this version present, from a caller that may know fewer. */
struct ward_attach_options wl_options(const struct ward_attach_options *given);

/*
 * Attach to session->a.p.pid, which is live, or held stopped before its start with `held` as its one thread. Runs in the thread that is to
 * be the tracer. On failure the target is as before.
 */
int wl_session_attach(
	struct ward_session *session, const struct ward_attach_options *options, struct wl_thread *held, struct ward_error *err);

/* Tell options->on_site about every site. */
void wl_session_report(const struct ward_session *session, const struct ward_attach_options *options);

/* Tell fn about a function's entry or exits. */
void wl_site_report(const struct wl_site *site, bool exits, const char *probe, ward_site_fn *fn, void *user);

/*
 * Run fn(arg) in a thread of its own and return what it returns. Whatever that thread traces is let go by the kernel when it ends, even
 * what we could not stop; and no signal handler of the host program runs in it.
 */
int wl_as_tracer(int (*fn)(void *arg), void *arg, struct ward_error *err);

#endif
