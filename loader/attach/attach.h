/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One image, and one program in an address space: finding its sites, and putting the probes on and taking them off.
 * The layers above decide when, and what becomes of the counts.
 */
#ifndef WARD_LOADER_ATTACH_H
#define WARD_LOADER_ATTACH_H

#include "loader/inject/attachment.h"

/*
 * Options with every field of this version present, from a caller that may know fewer or more (NULL: the defaults).
 * What they give out is NULL from then on. WARD_E_USAGE for what is none, or wants what this version doesn't know.
 */
int wl_options(const struct ward_attach_options *given, struct ward_attach_options *o, struct ward_error *err);

/*
 * Attach to a->p.pid, which is running, or held stopped with `held` as all of its threads. Runs in the thread that
 * traces. On failure the target is as before.
 */
int wl_attach(struct wl_attachment *a, const struct ward_attach_options *options, struct wl_threads *held,
	struct ward_error *err);

/* Attach to a live process, and detach from it, in a thread that traces. */
int wl_attach_live(
	struct wl_attachment *a, pid_t pid, const struct ward_attach_options *options, struct ward_error *err);
int wl_detach_live(struct wl_attachment *a, struct ward_error *err);

/* Tell options->on_site about every site. */
void wl_report_sites(const struct wl_attachment *a, const struct ward_attach_options *options);

/* Tell fn about a function that was inlined wherever it was called. */
void wl_report_gone(const struct wl_gone *gone, const char *probe, ward_site_fn *fn, void *user);

/*
 * Tell fn about a function's entry or exits, or about exceptions that leave it. `denied` is why this one probe can't
 * have what it wants there, or NULL.
 */
void wl_report_site(const struct wl_site *site, bool exits, bool thrown, const char *denied, const char *probe,
	ward_site_fn *fn, void *user);

/* Each probe is put on so many sites. */
size_t wl_n_entry_sites(const struct ward_attach_options *options);
/* One of them. */
const char *wl_entry_site(const struct ward_entry_facts *e, const struct ward_attach_options *options, size_t which);
/* Does the probe want exits rather than entries there? The site says so, or else the module. */
bool wl_wants_exits(const struct ward_entry_facts *e, const struct ward_attach_options *options, size_t which);
/* Why the probe can't run there; NULL if it can. */
const char *wl_entry_refused(const struct ward_entry_facts *e, const struct ward_attach_options *options, size_t which);

/* What the threads have counted. The target writes there at any time, and perhaps nonsense. */
void wl_attachment_stats(const struct wl_attachment *a, struct ward_session_stats *stats);
bool wl_attachment_shut(const struct wl_attachment *a);
/* The states, in an array to be freed. NULL without memory. */
const void **wl_attachment_states(const struct wl_attachment *a, size_t *n);
/* The module's data, in such an array: one, or none. */
const void **wl_attachment_shared(const struct wl_attachment *a, size_t *n);
void wl_pauses_tell(const struct wl_pauses *from, struct ward_pauses *to);

/*
 * Take off what tracers have left that are gone, in the tracer's thread; or, if the options say so, what live ones have
 * put there.
 */
int wl_clean(const struct wl_process *p, const struct ward_cleanup_options *options, struct ward_error *err);

/* ward_cleanup of another process, in a thread that traces. */
int wl_cleanup_live(pid_t pid, const struct ward_cleanup_options *options, struct ward_error *err);

/*
 * Run fn(arg) in a thread of its own and return what it returns. Whatever that thread traces is let go by the kernel
 * when it ends, even what we could not stop; and no signal handler of the host program runs in it.
 */
int wl_as_tracer(int (*fn)(void *arg), void *arg, struct ward_error *err);

#endif
