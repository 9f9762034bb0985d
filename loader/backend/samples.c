/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose probes run for samples of it, in this process (loader/sample/). */
#include "ops.h"

#include "loader/attach/start_program.h"
#include "loader/base/error.h"
#include "loader/sample/sampler.h"
#include "loader/symbols/names.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>

struct samples {
	struct wl_sampler *sampler; /* NULL: it couldn't be started */
	struct wl_process p;        /* the first one */
	bool is_child;              /* started by us */
	bool follow;
	bool is_over;                       /* no more samples are taken */
	struct ward_attach_options options; /* only on_process and user */
};

struct job {
	struct samples *own;
	const struct ward_image *image;
	const struct wl_target *target;
	const struct ward_attach_options *options;
	struct ward_error *err;
	sigset_t mask; /* the command's */
};

/* It is stopped at its entry point, in the thread that is its tracer until then. */
static int sample_held(void *user, struct wl_threads *held, struct ward_error *err)
{
	struct job *job = user;

	(void)held;
	return wl_sampler_start(&job->own->sampler, job->image, job->own->p.pid, job->options, err);
}

static int program_start(void *arg)
{
	struct job *job = arg;

	return wl_spawn_live(job->target->argv, &job->mask, &job->own->p, NULL, sample_held, job, job->err);
}

static int samples_attach(
	struct ward_session *s, struct wl_target *t, const struct ward_attach_options *o, struct ward_error *err)
{
	struct samples *own = s->own = calloc(1, sizeof(*own));
	struct job job = {.own = own, .image = s->image, .target = t, .options = o, .err = err};
	int rc;

	if (!own)
		return wl_no_memory(err);
	own->p = (struct wl_process){.pidfd = -1, .mem = -1};
	own->is_child = t->argv != NULL;
	own->follow = o->follow;
	own->options = (struct ward_attach_options){.on_process = o->on_process, .user = o->user};
	if (t->argv) {
		pthread_sigmask(SIG_SETMASK, NULL, &job.mask);
		rc = wl_as_tracer(program_start, &job, err);
		t->pid = own->p.pid;
	} else {
		rc = wl_process_open(&own->p, t->pid, err);
		if (rc == 0)
			rc = wl_sampler_start(&own->sampler, s->image, t->pid, o, err);
	}
	if (own->sampler)
		wl_sampler_report(own->sampler, o);
	if (rc == 0 && o->names)
		*o->names = wl_names_share(wl_sampler_names(own->sampler));
	return rc;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Children are known to the sampler only. */
static bool samples_wait(struct ward_session *s, int timeout_ms)
{
	enum { GLIMPSE_MS = 100 };
	struct samples *own = s->own;
	int64_t end = now_ms() + timeout_ms, left;
	int got;

	if (!own->follow || own->is_over)
		return wl_process_wait(&own->p, timeout_ms);
	for (;;) {
		wl_sampler_tell(own->sampler, &own->options);
		if (wl_process_gone(&own->p) && wl_sampler_over(own->sampler))
			return true;
		left = timeout_ms < 0 ? GLIMPSE_MS : end - now_ms();
		if (left <= 0)
			return false;
		left = left < GLIMPSE_MS ? left : GLIMPSE_MS;
		got = wl_process_gone(&own->p) ? poll(NULL, 0, (int)left) : wl_process_poll(&own->p, (int)left);
		if (got < 0)
			return false;
	}
}

static bool samples_status(struct ward_session *s, int *status)
{
	const struct samples *own = s->own;

	return own->is_child ? wl_child_status(own->p.pid, status) : wl_process_status(&own->p, status);
}

static int samples_detach(struct ward_session *s, bool force, struct ward_error *err)
{
	struct samples *own = s->own;

	(void)force;
	(void)err;
	own->is_over = true;
	wl_sampler_stop(own->sampler);
	wl_sampler_tell(own->sampler, &own->options);
	return 0;
}

static void free_own(struct ward_session *s)
{
	struct samples *own = s->own;

	if (own) {
		wl_sampler_free(own->sampler);
		wl_process_close(&own->p);
	}
	free(own);
}

static const struct wl_attachment *states_of(const struct ward_session *s)
{
	return wl_sampler_states(((const struct samples *)s->own)->sampler);
}

static void samples_stats(const struct ward_session *s, struct ward_session_stats *stats)
{
	wl_attachment_stats(states_of(s), stats);
}

static bool samples_shut(const struct ward_session *s)
{
	(void)s;
	return false;
}

/* It stops no thread. */
static void samples_pauses(struct ward_session *s, struct ward_pauses *pauses)
{
	(void)s;
	(void)pauses;
}

static const void **samples_states(const struct ward_session *s, size_t *n)
{
	return wl_attachment_states(states_of(s), n);
}

static const void **samples_shared(const struct ward_session *s, size_t *n)
{
	return wl_attachment_shared(states_of(s), n);
}

const struct wl_backend wl_backend_samples = {
	.profile = WARD_PROFILE_USER,
	.attach = samples_attach,
	.wait = samples_wait,
	.status = samples_status,
	.detach = samples_detach,
	.free = free_own,
	.stats = samples_stats,
	.shut = samples_shut,
	.pauses = samples_pauses,
	.states = samples_states,
	.shared = samples_shared,
};
