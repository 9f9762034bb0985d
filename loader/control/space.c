/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs in address spaces, and their attachments: one for what is there at the beginning, and one more for what
 * comes later, each time. Each has states of its own (a lane).
 */
#include "controller.h"

#include "loader/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TRIES = 6 /* to take off what is gone */ };

struct wl_space *wl_space_new(struct wl_controller *c, const struct wl_proc *proc)
{
	struct wl_space *s = calloc(1, sizeof(*s));
	char link[64], path[4096];
	ssize_t n;

	if (!s)
		return NULL;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)wl_shown_at(proc->pid));
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	s->path = strdup(path);
	s->users = 1;
	s->pid = proc->pid;
	s->parent = proc->parent;
	s->p = (struct wl_process){.pidfd = -1, .mem = -1};
	s->next = c->spaces;
	c->spaces = s;
	return s;
}

void wl_space_refuse(struct wl_space *s, const struct ward_error *err)
{
	snprintf(s->reason, sizeof(s->reason), "%s%s%s", err->what, *err->what ? ": " : "", err->why);
}

/* It has ended, or is no longer traced. */
void wl_space_put(struct wl_controller *c, struct wl_space *s)
{
	struct wl_space **at = &c->spaces;

	if (!s || --s->users)
		return;
	while (s->attached)
		wl_attached_over(c, s, s->attached);
	if (c->options.follow) /* else it is the same process all the while */
		wl_queue_space(c, s);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	wl_watch_free(&s->watch);
	wl_mapped_free(&s->mapped);
	wl_process_close(&s->p);
	free(s->path);
	free(s);
}

/* ---- Attachments ---- */

static void free_attached(struct wl_attached *a)
{
	if (a->lane)
		a->lane->taken = false;
	wl_attachment_free(&a->a);
	free(a);
}

/* A lane for it, once it is known what its addresses mean. */
static bool take_lane(struct wl_controller *c, struct wl_space *s, struct wl_attached *a)
{
	if (c->options.follow)
		wl_space_see(c, s, &a->a.p, true);
	a->lane = wl_lane_take(c, s);
	if (!a->lane)
		return false;
	a->a.view = a->lane->base;
	a->a.carried = a->lane->fd;
	a->a.stacks_number = a->lane->number;
	if (a->lane->base)
		wl_lane_count(c, a->lane, &a->events, &a->dropped);
	return true;
}

struct wl_attached *wl_attached_new(struct wl_controller *c, struct wl_space *s, pid_t pid, struct ward_error *err)
{
	struct wl_attached *a;

	if (s->n_attached == WL_ATTACHED_MOST) {
		wl_fail(err, WARD_E_TARGET, "libraries that are loaded later",
			"more than %d of them are probed at a time", (int)WL_ATTACHED_MOST);
		return NULL;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		wl_no_memory(err);
		return NULL;
	}
	wl_attachment_init(&a->a, c->image);
	a->a.number = wl_number_of;
	a->a.number_user = c;
	if (wl_process_open(&a->a.p, pid, err) == 0) {
		if (take_lane(c, s, a))
			return a;
		wl_no_memory(err);
	}
	free_attached(a);
	return NULL;
}

void wl_attached_begun(struct wl_controller *c, struct wl_space *s, struct wl_attached *a, int rc)
{
	struct wl_lane *l = a->lane;
	uint32_t sites = 0;

	a->a.carried = -1; /* the lane's */
	if (rc) {
		free_attached(a);
		return;
	}
	pthread_mutex_lock(&c->lock);
	if (!l->base) {
		c->slots = a->a.slots;
		c->states_offset = a->a.states_offset;
		c->shared_size = a->a.shared_size;
		l->base = a->a.shared;
	}
	if (l->fd >= 0)
		close(l->fd);
	l->fd = a->a.state_fd;
	a->a.state_fd = -1;
	pthread_mutex_unlock(&c->lock);
	a->a.view = l->base;
	a->next = s->attached;
	s->attached = a;
	s->n_attached++;
	if (c->names && c->options.follow)
		wl_names_join(c->names, &s->mapped, l->history);
	wl_space_stacks(c, s);
	s->reason[0] = 0;
	for (const struct wl_attached *o = a; o; o = o->next)
		sites += o->a.n_attached;
	s->sites = sites > s->sites ? sites : s->sites;
}

void wl_attached_over(struct wl_controller *c, struct wl_space *s, struct wl_attached *a)
{
	struct wl_attached **at = &s->attached;
	uint64_t events, dropped;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	s->n_attached--;
	if (c->names && c->options.follow)
		wl_names_leave(c->names, &s->mapped, a->lane->history);
	wl_lane_count(c, a->lane, &events, &dropped);
	s->events += events - a->events;
	s->dropped += dropped - a->dropped;
	a->a.shared = NULL; /* the lane's */
	free_attached(a);
}

/* ---- By whoever traces it, or by a thread that stops it for that ---- */

struct job {
	struct wl_attachment *a;
	struct wl_attempt *try;
};

/* Of this thread. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int space_attach(void *arg)
{
	struct job *job = arg;
	struct wl_attempt *try = job->try;
	uint64_t start = cpu_ns();
	int turn = try->turn >= 0 ? try->turn : wl_process_turn(job->a->p.pid);
	int rc = wl_attach(job->a, try->options, try->held, &try->err);

	if (turn >= 0)
		close(turn);
	try->turn = -1;
	try->worked += cpu_ns() - start;
	return rc;
}

static int detach_live(void *arg)
{
	struct job *job = arg;
	uint64_t start = cpu_ns();
	int rc = wl_detach_live(job->a, &job->try->err);

	job->try->worked += cpu_ns() - start;
	return rc;
}

/*
 * A thread that traces something, and ends: whatever can't be let go is let go then. How long others stood still for it
 * is the session's.
 */
static int do_live(struct wl_controller *c, int (*fn)(void *arg), struct job *job)
{
	struct wl_pauses *sum = &c->pauses, *one = &job->a->pauses;
	int rc = job->try->held ? fn(job) : wl_as_tracer(fn, job, &job->try->err);

	pthread_mutex_lock(&c->lock);
	sum->n += one->n;
	sum->total += one->total;
	sum->most = one->most > sum->most ? one->most : sum->most;
	for (size_t i = 0; i < sizeof(sum->by_power) / sizeof(sum->by_power[0]); i++)
		sum->by_power[i] += one->by_power[i];
	pthread_mutex_unlock(&c->lock);
	*one = (struct wl_pauses){0};
	return rc;
}

struct wl_attached *wl_space_attach(struct wl_controller *c, struct wl_space *s, pid_t pid, struct wl_attempt *try)
{
	struct wl_attached *a;
	struct job job;
	int rc;

	memset(&try->err, 0, sizeof(try->err));
	try->nothing = try->overtaken = try->dying = false;
	a = wl_attached_new(c, s, pid, &try->err);
	if (!a) {
		if (try->turn >= 0)
			close(try->turn);
		try->turn = -1;
		return NULL;
	}
	a->a.only = try->places;
	a->a.later = try->later;
	job = (struct job){&a->a, try};
	rc = do_live(c, space_attach, &job);
	a->a.only = NULL;
	try->dying = rc && wl_process_dying(&a->a.p);
	try->nothing = a->a.nothing;
	try->overtaken = a->a.overtaken;
	if (rc == 0 || try->nothing || (try->all && c->options.follow))
		wl_queue_sites(c, &a->a, try->all);
	wl_attached_begun(c, s, a, rc);
	return rc ? NULL : a;
}

/* While its threads stand still: is all of it gone? */
static bool detach_held(struct wl_attached *a, struct wl_attempt *try)
{
	uint64_t start = cpu_ns();
	bool quiet = wl_unpatch_held(&a->a, try->held) && wl_is_quiet(&a->a, try->held);

	if (quiet)
		wl_unmap(&a->a, try->held);
	try->worked += cpu_ns() - start;
	return quiet;
}

int wl_space_detach(struct wl_controller *c, struct wl_space *s, struct wl_attached *a, struct wl_attempt *try)
{
	struct job job = {&a->a, try};
	int rc = 0;

	memset(&try->err, 0, sizeof(try->err));
	if (try->held)
		rc = detach_held(a, try) || ++a->tries == MOST_TRIES ? 0 : WARD_E_TARGET;
	else if (!wl_process_gone(&a->a.p))
		rc = do_live(c, detach_live, &job);
	if (rc && !wl_process_dying(&a->a.p))
		return rc;
	wl_attached_over(c, s, a);
	return 0;
}
