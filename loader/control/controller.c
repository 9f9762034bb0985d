/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session that follows, for the caller's threads. They communicate with the follower through struct wl_controller,
 * under its lock.
 */
#include "controller.h"

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
	struct wl_controller *c;
	pid_t pid; /* to attach to, or 0 */
	char *const *argv;
	sigset_t mask;
};

/* The caller's strings may be gone when the next program is attached to. False without memory. */
static bool sites_keep(struct wl_controller *c, const struct ward_attach_options *o)
{
	const char **more = calloc(o->n_more_sites + 1, sizeof(*more));
	bool well = more != NULL;

	c->options.more_sites = more;
	c->options.site = o->site ? strdup(o->site) : NULL;
	for (size_t i = 0; well && i < o->n_more_sites; i++)
		well = (more[i] = strdup(o->more_sites[i])) != NULL;
	return well && (c->options.site || !o->site);
}

struct wl_controller *wl_controller_new(const struct ward_image *image, const struct ward_attach_options *o)
{
	struct wl_controller *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->image = image;
	c->first = (struct wl_process){.pidfd = -1, .mem = -1};
	c->options = *o;
	c->options.verdict = NULL;
	c->options.pidfd = 0;
	c->options.names = o->names && !o->follow ? &c->names : NULL;
	c->reports_end = &c->reports;
	c->turn = -1;
	c->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->knock = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->options.site = NULL;
	c->options.more_sites = NULL;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	if (o->names && o->follow)
		c->names = wl_names_new();
	if (c->bell >= 0 && c->knock >= 0 && sites_keep(c, o) && (c->names || !o->names || !o->follow))
		return c;
	wl_controller_free(c);
	return NULL;
}

void wl_controller_free(struct wl_controller *c)
{
	if (!c)
		return;
	wl_controller_forget(c);
	wl_lanes_free(c);
	wl_reports_free(c);
	wl_process_close(&c->first);
	ward_names_close(c->names);
	if (c->bell >= 0)
		close(c->bell);
	if (c->knock >= 0)
		close(c->knock);
	if (c->turn >= 0)
		close(c->turn);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free((char *)c->options.site);
	for (size_t i = 0; c->options.more_sites && i < c->options.n_more_sites; i++)
		free((char *)c->options.more_sites[i]);
	free((void *)c->options.more_sites);
	free(c);
}

static int first_space_begin(struct beginning *b)
{
	struct wl_controller *c = b->c;
	pid_t pid = 0;
	int rc;

	if (b->pid)
		return wl_controller_seize(c, b->pid, &c->err);
	rc = wl_start_program(b->argv, &b->mask, WL_FOLLOW_OPTIONS, &pid, &c->err);
	return rc ? rc : wl_controller_started(c, pid, &c->err);
}

static void *controller_thread(void *arg)
{
	struct beginning b = *(struct beginning *)arg;
	struct wl_controller *c = b.c;
	int rc;

	free(arg);
	if (!c->options.follow) {
		prctl(PR_SET_NAME, "ward-watcher");
		wl_untraced_run(c, b.pid, b.argv, &b.mask);
		return NULL;
	}
	prctl(PR_SET_NAME, WL_FOLLOWER);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	rc = first_space_begin(&b);
	if (rc) {
		pthread_mutex_lock(&c->lock);
		c->rc = rc;
		c->begun = c->end_done = true;
		pthread_cond_broadcast(&c->changed);
		pthread_mutex_unlock(&c->lock);
		return NULL;
	}
	wl_controller_run(c);
	return NULL;
}

static int start_thread(struct wl_controller *c, struct beginning *b, struct ward_error *err)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	b->mask = old;
	rc = pthread_create(&c->thread, NULL, controller_thread, b); /* b is the follower's from now on */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		free(b);
		return wl_fail(err, WARD_E_SYSTEM, "tracer", "can't start a thread: %s", strerror(rc));
	}
	c->running = true;
	return 0;
}

/* The follower begins; wait until the first program is attached to, or can't be. */
static int controller_run(struct wl_controller *c, pid_t pid, char *const argv[], struct ward_error *err)
{
	struct beginning *b = malloc(sizeof(*b));
	int rc;

	if (!b)
		return wl_no_memory(err);
	*b = (struct beginning){.c = c, .pid = pid, .argv = argv};
	rc = start_thread(c, b, err);
	if (rc)
		return rc;
	pthread_mutex_lock(&c->lock);
	while (!c->begun)
		pthread_cond_wait(&c->changed, &c->lock);
	rc = c->rc;
	if (rc)
		*err = c->err;
	pthread_mutex_unlock(&c->lock);
	wl_queue_deliver(c);
	return rc;
}

int wl_controller_attach(
	struct wl_controller *c, pid_t pid, const struct ward_attach_options *o, struct ward_error *err)
{
	int rc = wl_process_open(&c->first, pid, err);

	if (rc == 0 && o->pidfd > 0)
		rc = wl_process_check(&c->first, o->pidfd, err);
	if (rc == 0)
		rc = wl_refuse_sharer(pid, err);
	return rc ? rc : controller_run(c, pid, NULL, err);
}

int wl_controller_spawn(struct wl_controller *c, char *const argv[], pid_t *pid, struct ward_error *err)
{
	int status, rc = controller_run(c, 0, argv, err);

	*pid = c->child;
	if (rc == 0 || !c->child)
		return rc;
	kill(c->child, SIGKILL);
	wl_controller_end(c, true, NULL);
	while (!wl_controller_status(c, &status) && waitpid(c->child, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

int wl_controller_wait(struct wl_controller *c, int timeout_ms)
{
	struct pollfd bell = {.fd = c->bell, .events = POLLIN};
	eventfd_t n;
	bool over;

	poll(&bell, 1, timeout_ms);
	eventfd_read(c->bell, &n);
	pthread_mutex_lock(&c->lock);
	over = c->over;
	pthread_mutex_unlock(&c->lock);
	if (over)
		eventfd_write(c->bell, 1);
	wl_queue_deliver(c);
	return over;
}

int wl_controller_end(struct wl_controller *c, bool force, struct ward_error *err)
{
	int rc;

	if (!c->running)
		return 0;
	pthread_mutex_lock(&c->lock);
	if (!c->end_done) {
		c->want_end = true;
		c->force = force;
		pthread_cond_broadcast(&c->changed);
		eventfd_write(c->knock, 1);
		while (!c->end_done)
			pthread_cond_wait(&c->changed, &c->lock);
	}
	rc = c->end_rc;
	if (rc && err)
		*err = c->end_err;
	c->end_done = rc == 0; /* else it may be tried again */
	pthread_mutex_unlock(&c->lock);
	if (rc == 0) {
		pthread_join(c->thread, NULL);
		c->running = false;
	}
	wl_queue_deliver(c);
	return rc;
}

bool wl_controller_status(struct wl_controller *c, int *status)
{
	bool ended;

	pthread_mutex_lock(&c->lock);
	ended = c->child_ended;
	*status = ended ? c->child_status : *status;
	pthread_mutex_unlock(&c->lock);
	return ended;
}
