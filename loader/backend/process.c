/* SPDX-License-Identifier: Apache-2.0 */
/* Another process that is running, or a command that is started: one attachment. */
#include "ops.h"

#include "loader/attach/attach.h"
#include "loader/attach/start_program.h"
#include "loader/base/error.h"
#include "loader/inject/unwind_tables.h"
#include "loader/symbols/names.h"

#include <stdlib.h>
#include <time.h>

struct process {
	struct wl_attachment a;
	bool is_child;     /* started by us */
	ward_names *names; /* the caller's, which learn what is loaded; or NULL */
};

/* ---- Attaching ---- */

struct job {
	struct process *own;
	const struct wl_target *target;
	const struct ward_attach_options *options;
	struct ward_error *err;
	sigset_t mask; /* the command's */
};

static int attach_live(void *arg)
{
	struct job *job = arg;

	return wl_attach_live(&job->own->a, job->target->pid, job->options, job->err);
}

static int attach_held(void *user, struct wl_threads *held, struct ward_error *err)
{
	struct job *job = user;

	return wl_attach(&job->own->a, job->options, held, err);
}

static int program_start(void *arg)
{
	struct job *job = arg;
	struct wl_attachment *a = &job->own->a;

	return wl_spawn_live(job->target->argv, &job->mask, &a->p, a, attach_held, job, job->err);
}

static int process_attach(
	struct ward_session *s, struct wl_target *t, const struct ward_attach_options *o, struct ward_error *err)
{
	struct process *own = s->own = calloc(1, sizeof(*own));
	struct job job = {.own = own, .target = t, .options = o, .err = err};
	int rc;

	if (!own)
		return wl_no_memory(err);
	wl_attachment_init(&own->a, s->image);
	own->is_child = t->argv != NULL;
	pthread_sigmask(SIG_SETMASK, NULL, &job.mask);
	rc = wl_as_tracer(t->argv ? program_start : attach_live, &job, err);
	if (t->argv)
		t->pid = own->a.p.pid;
	else if (rc == 0 && o->names) /* which takes its time: whoever traces may have to let go of somebody */
		ward_names_open(t->pid, o->names, NULL);
	if (rc == 0 && o->names) {
		own->names = wl_names_share(*o->names);
		wl_names_stacks(own->names, 0, own->a.state_fd, own->a.stacks_offset);
		wl_names_look(own->names, &own->a.p); /* its dynamic linker, too, which needs its memory */
	}
	wl_report_sites(&own->a, o);
	return rc;
}

/* ---- Attached ---- */

enum { GLIMPSE_MS = 1 };

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static bool wait_for(struct ward_session *s, int timeout_ms)
{
	struct process *own = s->own;
	int64_t end = now_ms() + timeout_ms;

	while (own->a.tables) { /* libraries may come, through which stacks are walked */
		int64_t left = timeout_ms < 0 ? GLIMPSE_MS : end - now_ms();

		wl_tables_poll(&own->a);
		if (left <= GLIMPSE_MS && timeout_ms >= 0)
			return wl_names_wait(own->names, &own->a.p, left < 0 ? 0 : (int)left);
		if (wl_names_wait(own->names, &own->a.p, GLIMPSE_MS))
			return true;
	}
	return wl_names_wait(own->names, &own->a.p, timeout_ms);
}

static bool process_status(struct ward_session *s, int *status)
{
	const struct process *own = s->own;

	return own->is_child ? wl_child_status(own->a.p.pid, status) : wl_process_status(&own->a.p, status);
}

struct detach_job {
	struct wl_attachment *a;
	struct ward_error *err;
};

static int detach_live(void *arg)
{
	struct detach_job *job = arg;

	return wl_detach_live(job->a, job->err);
}

static int process_detach(struct ward_session *s, bool force, struct ward_error *err)
{
	struct process *own = s->own;
	struct detach_job job = {&own->a, err};
	int rc;

	wl_names_look(own->names, &own->a.p);
	rc = wl_process_gone(&own->a.p) ? 0 : wl_as_tracer(detach_live, &job, err);
	if (rc == 0)
		wl_names_over(own->names);
	(void)force;
	return rc && wl_process_dying(&own->a.p) ? 0 : rc;
}

static void free_own(struct ward_session *s)
{
	struct process *own = s->own;

	if (own) {
		wl_attachment_free(&own->a);
		ward_names_close(own->names);
	}
	free(own);
}

static void process_stats(const struct ward_session *s, struct ward_session_stats *stats)
{
	const struct process *own = s->own;

	wl_attachment_stats(&own->a, stats);
}

static bool process_gate_is_shut(const struct ward_session *s)
{
	const struct process *own = s->own;

	return wl_attachment_shut(&own->a);
}

static void process_pauses(struct ward_session *s, struct ward_pauses *pauses)
{
	const struct process *own = s->own;

	pthread_mutex_lock(&s->lock);
	wl_pauses_tell(&own->a.pauses, pauses);
	pthread_mutex_unlock(&s->lock);
}

static const void **process_states(const struct ward_session *s, size_t *n)
{
	const struct process *own = s->own;

	return wl_attachment_states(&own->a, n);
}

static const void **process_shared(const struct ward_session *s, size_t *n)
{
	const struct process *own = s->own;

	return wl_attachment_shared(&own->a, n);
}

const struct wl_backend wl_backend_process = {
	.profile = WARD_PROFILE_USER,
	.attach = process_attach,
	.wait = wait_for,
	.status = process_status,
	.detach = process_detach,
	.free = free_own,
	.stats = process_stats,
	.shut = process_gate_is_shut,
	.pauses = process_pauses,
	.states = process_states,
	.shared = process_shared,
};
