/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is followed gets its probes when all of its threads stand still, and loses them so. */
#include "follower.h"

#include "loader/base/error.h"

#include <stdlib.h>
#include <unistd.h>

static void attach(struct wl_follow *f, struct wl_proc *p)
{
	struct ward_attach_options o = f->options;
	struct wl_attachment *a = wl_program_attachment(f, p->program, p->pid);
	struct ward_error err = {0};
	bool awaited = wl_is_awaited(f, p);
	struct wl_threads held;
	int rc, turn = awaited ? f->turn : -1;

	if (!a) {
		wl_program_let_go_on(f, p->program);
		return;
	}
	if (awaited)
		f->turn = -1;
	else
		o.names = NULL; /* those of the one that is awaited are asked for */
	if (turn < 0)
		turn = wl_process_turn(p->pid);
	rc = wl_program_held(f, p->program, &held) ? wl_attach(a, &o, &held, &err) : wl_no_memory(&err);
	free(held.v);
	if (turn >= 0)
		close(turn);
	if (awaited) {
		/* Usage is wrong for all that come, too; that this one has none of the sites is no error. */
		f->rc = rc == WARD_E_TARGET && !wl_process_dying(&a->p) ? 0 : rc;
		f->err = err;
	}
	if (awaited || rc == 0)
		wl_tell_sites(f, a, awaited);
	if (awaited)
		f->options.names = NULL;
	wl_program_attached(f, p->program, a, rc, &err);
	wl_program_let_go_on(f, p->program);
}

void wl_follow_begun(struct wl_follow *f)
{
	if (f->begun)
		return;
	if (f->turn >= 0)
		close(f->turn);
	f->turn = -1;
	pthread_mutex_lock(&f->lock);
	f->begun = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

bool wl_program_unpatch(struct wl_follow *f, struct wl_program *program)
{
	struct wl_threads held;

	if (!wl_program_stands(f, program))
		return false;
	if (!program->unpatched && program->attachment && wl_program_held(f, program, &held)) {
		wl_unpatch_held(program->attachment, &held);
		free(held.v);
	}
	program->unpatched = true;
	return true;
}

void wl_proc_look(struct wl_follow *f, struct wl_proc *p)
{
	bool awaited = wl_is_awaited(f, p);

	if (p->attach && !f->ending && wl_program_stands(f, p->program)) {
		if (!p->program->attachment)
			attach(f, p);
		else
			wl_program_let_go_on(f, p->program);
		if (awaited)
			wl_follow_begun(f);
	}
}

void wl_proc_want_attach(struct wl_follow *f, struct wl_proc *p)
{
	p->attach = true;
	wl_proc_hold(p);
	wl_proc_look(f, p);
}
