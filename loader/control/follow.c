/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session that follows, as the caller's threads see it: they talk to the follower by what is in struct wl_follow,
 * with its lock.
 */
#include "follow.h"

#include "loader/attach/start_program.h"
#include "loader/base/error.h"
#include "loader/process/asleep.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct beginning {
	struct wl_follow *f;
	pid_t pid; /* to attach to, or 0 */
	char *const *argv;
	sigset_t mask;
};

struct wl_follow *wl_follow_new(const struct ward_image *image, const struct ward_attach_options *o)
{
	struct wl_follow *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->image = image;
	f->first = (struct wl_process){.pidfd = -1, .mem = -1};
	f->options = *o;
	f->options.verdict = NULL;
	f->options.pidfd = 0;
	f->told_end = &f->told;
	f->turn = -1;
	f->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->knock = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->site = o->site ? strdup(o->site) : NULL;
	f->options.site = f->site;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	if (f->bell >= 0 && f->knock >= 0 && (f->site || !o->site))
		return f;
	wl_follow_free(f);
	return NULL;
}

void wl_follow_free(struct wl_follow *f)
{
	if (!f)
		return;
	wl_follow_forget(f);
	wl_lanes_free(f);
	wl_process_close(&f->first);
	if (f->bell >= 0)
		close(f->bell);
	if (f->knock >= 0)
		close(f->knock);
	if (f->turn >= 0)
		close(f->turn);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f->site);
	free(f);
}

static int begin(struct beginning *b)
{
	struct wl_follow *f = b->f;
	pid_t pid = 0;
	int rc;

	if (b->pid)
		return wl_follow_seize(f, b->pid, &f->err);
	rc = wl_start_program(b->argv, &b->mask, WL_FOLLOW_OPTIONS, &pid, &f->err);
	return rc ? rc : wl_follow_started(f, pid, &f->err);
}

static void *follower(void *arg)
{
	struct beginning b = *(struct beginning *)arg;
	struct wl_follow *f = b.f;
	int rc;

	free(arg);
	if (f->options.later) {
		prctl(PR_SET_NAME, "ward-watcher");
		wl_later_run(f, b.pid, b.argv, &b.mask);
		return NULL;
	}
	prctl(PR_SET_NAME, WL_FOLLOWER);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	rc = begin(&b);
	if (rc) {
		pthread_mutex_lock(&f->lock);
		f->rc = rc;
		f->begun = f->end_done = true;
		pthread_cond_broadcast(&f->changed);
		pthread_mutex_unlock(&f->lock);
		return NULL;
	}
	wl_follow_run(f);
	return NULL;
}

static int start_thread(struct wl_follow *f, struct beginning *b, struct ward_error *err)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	b->mask = old;
	rc = pthread_create(&f->thread, NULL, follower, b); /* b is the follower's from now on */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		free(b);
		return wl_fail(err, WARD_E_SYSTEM, "tracer", "can't start a thread: %s", strerror(rc));
	}
	f->running = true;
	return 0;
}

/* The follower begins; wait until the first program is attached to, or can't be. */
static int run(struct wl_follow *f, pid_t pid, char *const argv[], struct ward_error *err)
{
	struct beginning *b = malloc(sizeof(*b));
	int rc;

	if (!b)
		return wl_no_memory(err);
	*b = (struct beginning){.f = f, .pid = pid, .argv = argv};
	rc = start_thread(f, b, err);
	if (rc)
		return rc;
	pthread_mutex_lock(&f->lock);
	while (!f->begun)
		pthread_cond_wait(&f->changed, &f->lock);
	rc = f->rc;
	if (rc)
		*err = f->err;
	pthread_mutex_unlock(&f->lock);
	f->options.names = NULL; /* was the caller's */
	wl_tell_all(f);
	return rc;
}

int wl_follow_attach(struct wl_follow *f, pid_t pid, const struct ward_attach_options *o, struct ward_error *err)
{
	int rc = wl_process_open(&f->first, pid, err);

	if (rc == 0 && o->pidfd > 0)
		rc = wl_process_check(&f->first, o->pidfd, err);
	if (rc == 0)
		rc = wl_refuse_sharer(pid, err);
	return rc ? rc : run(f, pid, NULL, err);
}

int wl_follow_spawn(struct wl_follow *f, char *const argv[], pid_t *pid, struct ward_error *err)
{
	int status, rc = run(f, 0, argv, err);

	*pid = f->child;
	if (rc == 0 || !f->child)
		return rc;
	kill(f->child, SIGKILL);
	wl_follow_end(f, true, NULL);
	while (!wl_follow_status(f, &status) && waitpid(f->child, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

int wl_follow_wait(struct wl_follow *f, int timeout_ms)
{
	struct pollfd bell = {.fd = f->bell, .events = POLLIN};
	eventfd_t n;
	bool over;

	poll(&bell, 1, timeout_ms);
	eventfd_read(f->bell, &n);
	pthread_mutex_lock(&f->lock);
	over = f->over;
	pthread_mutex_unlock(&f->lock);
	if (over)
		eventfd_write(f->bell, 1);
	wl_tell_all(f);
	return over;
}

int wl_follow_end(struct wl_follow *f, bool force, struct ward_error *err)
{
	int rc;

	if (!f->running)
		return 0;
	pthread_mutex_lock(&f->lock);
	if (!f->end_done) {
		f->want_end = true;
		f->force = force;
		pthread_cond_broadcast(&f->changed);
		eventfd_write(f->knock, 1);
		while (!f->end_done)
			pthread_cond_wait(&f->changed, &f->lock);
	}
	rc = f->end_rc;
	if (rc && err)
		*err = f->end_err;
	f->end_done = rc == 0; /* else it may be tried again */
	pthread_mutex_unlock(&f->lock);
	if (rc == 0) {
		pthread_join(f->thread, NULL);
		f->running = false;
	}
	wl_tell_all(f);
	return rc;
}

bool wl_follow_status(struct wl_follow *f, int *status)
{
	bool ended;

	pthread_mutex_lock(&f->lock);
	ended = f->child_ended;
	*status = ended ? f->child_status : *status;
	pthread_mutex_unlock(&f->lock);
	return ended;
}
