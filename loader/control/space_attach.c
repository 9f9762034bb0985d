/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching to a followed program, and detaching, while all of its threads are stopped. */
#include "follower.h"

#include "loader/base/error.h"

#include <stdlib.h>
#include <unistd.h>

/* For the first time. */
static int space_begin(struct wl_controller *c, struct wl_proc *p, struct wl_attempt *try)
{
	struct wl_space *s = p->space;

	if (c->options.later && wl_process_open(&s->p, p->pid, &try->err) == 0)
		return wl_watch_begin(c, s, &s->p, try);
	return wl_space_attach(c, s, p->pid, try) ? 0 : try->err.status;
}

static void space_attach(struct wl_controller *c, struct wl_proc *p)
{
	struct ward_attach_options o = c->options;
	bool awaited = wl_is_awaited(c, p);
	struct wl_attempt try = {.options = &o, .all = awaited, .turn = awaited ? c->turn : -1};
	struct wl_threads held;
	int rc;

	if (awaited)
		c->turn = -1;
	try.held = &held;
	rc = wl_space_held(c, p->space, &held) ? space_begin(c, p, &try) : wl_no_memory(&try.err);
	free(held.v);
	if (try.turn >= 0)
		close(try.turn);
	if (awaited) {
		/* Usage is wrong for all that come, too; that this one has none of the sites is no error. */
		c->rc = rc == WARD_E_TARGET && !try.dying ? 0 : rc;
		c->err = try.err;
	}
	if (!p->space->attached)
		wl_space_refuse(p->space, &try.err);
	p->space->begun = true;
}

/* What has come and gone since. */
static void space_look(struct wl_controller *c, struct wl_space *s)
{
	struct wl_threads held;

	if (!wl_space_held(c, s, &held))
		return;
	wl_watch_look(c, s, &held);
	free(held.v);
}

void wl_controller_begun(struct wl_controller *c)
{
	if (c->begun)
		return;
	if (c->turn >= 0)
		close(c->turn);
	c->turn = -1;
	pthread_mutex_lock(&c->lock);
	c->begun = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

bool wl_space_unpatch(struct wl_controller *c, struct wl_space *space)
{
	struct wl_threads held;

	if (!wl_space_stands(c, space))
		return false;
	if (!space->unpatched && space->attached)
		wl_space_see(c, space, &space->attached->a.p, true);
	if (!space->unpatched && space->attached && wl_space_held(c, space, &held)) {
		for (struct wl_attached *a = space->attached; a; a = a->next)
			wl_unpatch_held(&a->a, &held);
		free(held.v);
	}
	space->unpatched = true;
	return true;
}

void wl_proc_look(struct wl_controller *c, struct wl_proc *p)
{
	bool awaited = wl_is_awaited(c, p);

	if (p->attach && !c->ending && wl_space_stands(c, p->space)) {
		if (!p->space->begun)
			space_attach(c, p);
		else if (p->space->watch.wanted)
			space_look(c, p->space);
		wl_space_let_go_on(c, p->space);
		if (awaited)
			wl_controller_begun(c);
	}
}

void wl_proc_want_attach(struct wl_controller *c, struct wl_proc *p)
{
	p->attach = true;
	wl_proc_hold(p);
	wl_proc_look(c, p);
}
