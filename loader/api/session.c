/* SPDX-License-Identifier: Apache-2.0 */
/* What a program can do with a session after the attach. */
#include "loader/backend/ops.h"
#include "loader/base/error.h"

#include <stdlib.h>

/* A command that was started may be reaped now; another process's parent may wait for it: remember how it ended. */
static void command_reap(struct ward_session *s)
{
	pthread_mutex_lock(&s->lock);
	if (!s->ended && s->backend->status)
		s->ended = s->backend->status(s, &s->wait_status);
	pthread_mutex_unlock(&s->lock);
}

int ward_wait(ward_session *s, int timeout_ms)
{
	if (!s)
		return WARD_E_USAGE;
	if (!s->backend->wait(s, timeout_ms))
		return 0;
	command_reap(s);
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

static int session_detach(ward_session *s, bool force, struct ward_error *err)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = s->detached ? 0 : s->backend->detach(s, force, err);
	s->detached = rc == 0;
	if (rc == 0)
		wl_clear(err);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int ward_detach(ward_session *s, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;

	wl_clear(e);
	if (!s)
		return wl_missing(e, "ward_detach", "the session");
	return wl_said(session_detach(s, false, e), e);
}

void ward_session_free(ward_session *s)
{
	struct ward_error ignored;

	if (!s)
		return;
	session_detach(s, true, &ignored);
	s->backend->free(s);
	wl_image_free(s->image);
	ward_names_close(s->names);
	free(s->states);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void ward_session_stats(const ward_session *s, struct ward_session_stats *stats)
{
	if (!stats)
		return;
	*stats = (struct ward_session_stats){0};
	if (s)
		s->backend->stats(s, stats);
}

bool ward_session_shut(const ward_session *s)
{
	return s && s->backend->shut(s);
}

uint64_t ward_session_held_back(const ward_session *s)
{
	return s && s->backend->held_back ? s->backend->held_back(s) : 0;
}

void ward_session_pauses(const ward_session *session, struct ward_pauses *pauses)
{
	ward_session *s = (ward_session *)session; /* for the lock */

	if (!pauses)
		return;
	*pauses = (struct ward_pauses){0};
	if (s)
		s->backend->pauses(s, pauses);
}

size_t ward_session_states(ward_session *s, const void *const **states, size_t *state_size)
{
	size_t n = 0;

	if (s && states) {
		free(s->states);
		s->states = s->backend->states(s, &n);
		n = s->states ? n : 0;
	}
	if (states)
		*states = n ? s->states : NULL;
	if (state_size)
		*state_size = s && states ? wl_image_facts(s->image)->state_size : 0;
	return n;
}
