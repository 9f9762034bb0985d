/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that isn't followed, while libraries that it loads later are probed (dlopen_watch.c).
 *
 * A thread of the library's own, the watcher, serves it as long as the session lives. In between it traces nothing.
 * To attach or remove something, it starts another thread, which stops the process, does the work, and ends.
 */
#include "follower.h"

#include "loader/attach/start_program.h"
#include "loader/base/error.h"
#include "loader/inject/unwind_tables.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { GLIMPSE_MS = 1 };

struct watcher {
	struct wl_controller *c;
	struct wl_space *space; /* the only one */
	char *const *argv;
	const sigset_t *mask;
	struct ward_error err;
};

/* ---- Beginning ---- */

static int attach_first(struct watcher *w, struct wl_threads *held)
{
	struct wl_controller *c = w->c;
	struct wl_attempt try = {.options = &c->options, .held = held, .all = true, .turn = -1};
	int rc;

	w->space = wl_space_new(c, &(struct wl_proc){.pid = c->first.pid});
	if (!w->space)
		return wl_no_memory(&w->err);
	rc = wl_watch_begin(c, w->space, &c->first, &try);
	w->err = try.err;
	w->space->begun = true;
	if (c->options.names && (try.nothing || (rc == 0 && !held))) /* else they are open */
		ward_names_open(c->first.pid, c->options.names, NULL);
	wl_space_stacks(c, w->space);
	return rc;
}

static int program_started(void *user, struct wl_threads *held, struct ward_error *err)
{
	struct watcher *w = user;
	int rc = attach_first(w, held);

	if (rc)
		*err = w->err;
	else
		w->c->child = w->c->first.pid;
	return rc;
}

static int program_spawn(void *arg)
{
	struct watcher *w = arg;
	struct ward_error err = {0};
	int rc = wl_spawn_live(w->argv, w->mask, &w->c->first, NULL, program_started, w, &err);

	w->err = err;
	return rc;
}

static int watcher_begin(struct watcher *w, pid_t pid)
{
	return pid ? attach_first(w, NULL) : wl_as_tracer(program_spawn, w, &w->err);
}

static void tell_begun(struct watcher *w, int rc)
{
	struct wl_controller *c = w->c;

	pthread_mutex_lock(&c->lock);
	c->rc = rc;
	c->err = w->err;
	c->begun = true;
	c->end_done = rc != 0;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

/* ---- On and on ---- */

/*
 * Has it become another program? Then that is what is looked at. False if it has ended, or isn't ours to trace any
 * more.
 */
static bool is_there(struct watcher *w)
{
	struct wl_process *p = &w->c->first, now;
	struct ward_error ignored;

	if (wl_process_is_same(p))
		return true;
	if (wl_process_open(&now, p->pid, &ignored))
		return false;
	close(now.pidfd);
	close(p->mem); /* no other thread uses it */
	p->mem = now.mem;
	wl_watch_anew(w->c, w->space);
	return true;
}

/* Wait until the process has ended (true), the end is wanted, or it is time to look. */
static bool watcher_await(const struct watcher *w)
{
	struct pollfd events[] = {{.fd = w->c->first.pidfd, .events = POLLIN}, {.fd = w->c->knock, .events = POLLIN}};
	const struct wl_watch *watch = &w->space->watch;
	int64_t from = watch->last ? watch->least : watch->most, now;
	int n = poll(events, 2, 0);

	while (n == 0 && (now = wl_now_ms()) < watch->most && (now < from || !wl_watch_poll(watch))) {
		n = poll(events, 2, w->c->names || now >= from ? GLIMPSE_MS : (int)(from - now));
		wl_names_poll(w->c->names, &w->c->first);
		for (struct wl_attached *a = w->space->attached; a; a = a->next)
			wl_tables_poll(&a->a);
	}
	return n > 0 && events[0].revents;
}

/* Until something happens to the process that isn't to be looked at any more; true: it has ended. */
static bool await_news(const struct watcher *w, bool over, bool lost)
{
	struct pollfd events[] = {{.fd = w->c->knock, .events = POLLIN}, {.fd = w->c->first.pidfd, .events = POLLIN}};

	if (!over && !lost)
		return watcher_await(w);
	poll(events, over ? 1 : 2, -1);
	return !over && events[1].revents;
}

/*
 * The newest first, because its jumps may be over an older one's. What can't be taken off stays, and may be tried
 * again.
 */
static int take_all_off(struct watcher *w)
{
	struct wl_attempt try = {.turn = -1};
	struct ward_error first = {0};
	int rc = 0;

	for (struct wl_attached *a = w->space->attached, *next; a; a = next) {
		int one;

		next = a->next;
		one = wl_space_detach(w->c, w->space, a, &try);
		if (one && rc == 0)
			first = try.err;
		rc = rc ? rc : one;
	}
	w->c->end_err = first;
	return rc;
}

static void tell_end(struct wl_controller *c, int rc)
{
	uint64_t n;

	pthread_mutex_lock(&c->lock);
	eventfd_read(c->knock, &n);
	c->end_rc = rc;
	c->want_end = false;
	c->end_done = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void watcher_run(struct watcher *w)
{
	bool over = false, lost = false;

	for (;;) {
		if (await_news(w, over, lost)) {
			over = true;
			wl_queue_end(w->c);
		}
		if (wl_controller_wants_end(w->c)) {
			int rc;

			wl_names_look(w->c->names, &w->c->first);
			rc = take_all_off(w);
			if (rc == 0)
				wl_names_over(w->c->names);
			tell_end(w->c, w->c->force ? 0 : rc);
			if (rc == 0 || w->c->force)
				return;
		} else if (!over && !lost) {
			lost = !is_there(w);
			if (!lost)
				wl_watch_look(w->c, w->space, NULL);
		}
	}
}

void wl_untraced_run(struct wl_controller *c, pid_t pid, char *const argv[], const sigset_t *mask)
{
	struct watcher w = {.c = c, .argv = argv, .mask = mask};
	int rc = watcher_begin(&w, pid);

	tell_begun(&w, rc);
	if (rc == 0)
		watcher_run(&w);
	wl_space_put(c, w.space); /* with what couldn't be taken off, or had begun */
}
