/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with a session once it is attached. */
#include "session.h"

#include "loader/base/error.h"
#include "loader/control/follow.h"
#include "loader/kernel/kernel.h"
#include "loader/inject/recovery_record.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct ward_session *wl_session_new(struct ward_image *image)
{
	struct ward_session *s = calloc(1, sizeof(*s));

	if (!s) {
		wl_image_free(image);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL); /* the default kind: nothing can fail */
	s->image = image;
	wl_attachment_init(&s->a);
	s->helper = s->helper_process = -1;
	s->kernel = -1;
	s->unmatched = calloc(wl_image_facts(image)->n_entries, sizeof(*s->unmatched));
	if (s->unmatched)
		return s;
	s->detached = true;
	ward_session_free(s);
	return NULL;
}

/* The child may be reaped now: remember how it ended. */
static void reap(struct ward_session *s)
{
	int status;

	pthread_mutex_lock(&s->lock);
	if (s->follow && !s->ended && wl_follow_status(s->follow) != -1) {
		s->ended = true; /* the follower has waited for it */
		s->wait_status = wl_follow_status(s->follow);
	}
	if (s->is_child && !s->ended && waitpid(s->a.p.pid, &status, WNOHANG) == s->a.p.pid &&
		(WIFEXITED(status) || WIFSIGNALED(status))) {
		s->ended = true;
		s->wait_status = status;
	}
	pthread_mutex_unlock(&s->lock);
}

static bool follows(struct ward_session *s)
{
	bool follows;

	pthread_mutex_lock(&s->lock);
	follows = !s->detached;
	pthread_mutex_unlock(&s->lock);
	return follows;
}

int ward_wait(ward_session *s, int timeout_ms)
{
	struct pollfd pfd = {.events = POLLIN};

	if (!s)
		return WARD_E_USAGE;
	if (s->follow && follows(s)) {
		if (!wl_follow_wait(s->follow, timeout_ms))
			return 0;
		reap(s);
		return 1;
	}
	pfd.fd = s->a.p.pidfd; /* readable for good once it has ended, waited for or not */
	if (poll(&pfd, 1, timeout_ms) != 1)
		return 0;
	reap(s);
	return 1;
}

int ward_exit_status(const ward_session *session)
{
	ward_session *s = (ward_session *)session; /* for the lock */
	int status;

	if (!s)
		return -1;
	pthread_mutex_lock(&s->lock);
	status = s->ended ? s->wait_status : -1;
	pthread_mutex_unlock(&s->lock);
	return status;
}

struct detach_job {
	struct ward_session *session;
	struct ward_error *err;
};

/*
 * Another tracer follows the process, and has all of its threads until its own end. Then it takes off what others have
 * left that are gone (follow/end.c), so we are gone as soon as our files aren't locked any more; but if it has ended
 * before that, it is up to us again.
 */
static bool leave_to_follower(struct wl_attachment *a)
{
	if (!wl_is_followed(a->p.pid) || !wl_silence(a))
		return false;
	wl_unlock_files(a);
	a->left_mapped = wl_is_followed(a->p.pid);
	return a->left_mapped;
}

/* In its turn. */
static int take_off(struct wl_attachment *a, struct ward_error *err)
{
	bool quiet = false;
	int rc;

	if (!wl_process_is_same(&a->p) || leave_to_follower(a))
		return 0;
	rc = wl_unpatch(a, &quiet, err);
	if (rc == 0 && quiet)
		wl_unmap(a, NULL);
	if (rc == 0)
		a->left_mapped = a->n_ranges > 0;
	/*
	 * Of two tracers on one function the first to go must leave its jump below the other's: the last one takes off
	 * what no one is there for any more.
	 */
	if (rc == 0)
		wl_clean(&a->p, &(struct ward_cleanup_options){0}, NULL);
	if (rc == 0)
		wl_unlock_files(a);
	return rc;
}

int wl_detach_live(struct ward_session *s, struct ward_error *err)
{
	int turn = wl_process_turn(s->a.p.pid), rc = take_off(&s->a, err);

	if (turn >= 0)
		close(turn);
	return rc;
}

static int detach_live(void *arg)
{
	struct detach_job *job = arg;

	return wl_detach_live(job->session, job->err);
}

static int detach(ward_session *s, struct ward_error *err)
{
	struct detach_job job = {.session = s, .err = err};
	int rc = 0;

	if (!s->detached && s->follow) {
		rc = wl_follow_end(s->follow, false, err);
		s->detached = rc == 0;
		return rc;
	}
	if (!s->detached && s->kernel >= 0)
		rc = wl_kernel_detach(s, err);
	else if (!s->detached && s->helper >= 0)
		rc = wl_itself_detach(s, err);
	else if (!s->detached && !wl_process_gone(&s->a.p))
		rc = wl_as_tracer(detach_live, &job, err);
	if (rc && s->kernel < 0 && wl_process_dying(&s->a.p))
		rc = 0;
	if (rc == 0) {
		wl_clear(err);
		s->detached = true;
	}
	return rc;
}

int ward_detach(ward_session *s, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	int rc;

	wl_clear(e);
	if (!s)
		return wl_missing(e, "ward_detach", "the session");
	pthread_mutex_lock(&s->lock);
	rc = detach(s, e);
	pthread_mutex_unlock(&s->lock);
	return wl_said(rc, e);
}

void ward_session_free(ward_session *s)
{
	if (!s)
		return;
	if (s->follow)
		wl_follow_end(s->follow, true, NULL);
	ward_detach(s, NULL);
	wl_follow_free(s->follow);
	wl_itself_free(s);
	wl_attachment_free(&s->a); /* with what is mapped of the kernel's, which then frees it */
	if (s->kernel >= 0)
		close(s->kernel);
	wl_image_free(s->image);
	free(s->states);
	free(s->unmatched);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* The target writes these words at any time, and perhaps nonsense: each is read once. */
static uint64_t shared_word(const struct ward_session *s, size_t row, size_t offset)
{
	const char *p = s->a.shared;

	return *(const volatile uint64_t *)(p + row * WL_ROW_SIZE + offset);
}

static uint32_t states_in_use(const struct ward_session *s)
{
	uint64_t n;

	if (!s->a.shared)
		return 0;
	n = shared_word(s, 0, offsetof(struct wl_tally, states));
	return n < s->a.slots.max_threads ? (uint32_t)n : s->a.slots.max_threads;
}

void ward_session_stats(const ward_session *s, struct ward_session_stats *stats)
{
	if (!stats)
		return;
	*stats = (struct ward_session_stats){0};
	if (!s)
		return;
	if (s->follow) {
		wl_follow_stats(s->follow, stats);
		return;
	}
	stats->threads = states_in_use(s);
	stats->sites = s->n_attached;
	if (!s->a.shared)
		return;
	stats->dropped = shared_word(s, 0, offsetof(struct wl_tally, dropped));
	for (size_t row = 1; row < s->a.slots.rows; row++) {
		stats->events += shared_word(s, row, offsetof(struct wl_tally, events));
		stats->dropped += shared_word(s, row, offsetof(struct wl_tally, dropped));
	}
}

bool ward_session_shut(const ward_session *s)
{
	if (!s || s->kernel >= 0)
		return false;
	if (s->follow)
		return wl_follow_shut(s->follow);
	return s->a.shared && shared_word(s, 0, offsetof(struct wl_tally, shut));
}

void ward_session_pauses(const ward_session *session, struct ward_pauses *pauses)
{
	ward_session *s = (ward_session *)session; /* for the lock */

	if (!pauses)
		return;
	*pauses = (struct ward_pauses){0};
	if (!s)
		return;
	pthread_mutex_lock(s->follow ? &s->follow->lock : &s->lock);
	pauses->count = s->a.pauses.n;
	pauses->total = s->a.pauses.total;
	pauses->most = s->a.pauses.most;
	memcpy(pauses->by_power, s->a.pauses.by_power, sizeof(pauses->by_power));
	pthread_mutex_unlock(s->follow ? &s->follow->lock : &s->lock);
}

const void **wl_session_states(const struct ward_session *s, size_t *n, size_t *state_size)
{
	const char *base = s->a.shared;
	const void **v;

	*state_size = wl_image_facts(s->image)->state_size;
	if (s->follow)
		return wl_follow_states(s->follow, n);
	*n = states_in_use(s);
	v = malloc((*n + 1) * sizeof(*v));
	for (size_t i = 0; v && i < *n; i++)
		v[i] = base + s->a.states_offset + i * s->a.slots.state_stride;
	return v;
}

size_t ward_session_states(ward_session *s, const void *const **states, size_t *state_size)
{
	size_t n = 0, size = 0;

	if (s && states) {
		free(s->states);
		s->states = wl_session_states(s, &n, &size);
		n = s->states ? n : 0;
	}
	if (states)
		*states = n ? s->states : NULL;
	if (state_size)
		*state_size = size;
	return n;
}
