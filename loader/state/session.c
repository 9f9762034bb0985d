/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the states of a session: what this folder does with states, given the session's. */
#include <stdlib.h>

#include "partial.h"
#include "session.h"

#include "loader/backend/ops.h"
#include "loader/base/error.h"
#include "loader/base/shared_part.h"
#include "loader/symbols/names.h"

/* How many bytes there are of what threads share, or processors. */
static size_t shared_size(const ward_session *session)
{
	size_t size;
	const void *file = wl_image_file(session->image, &size);

	if (session->backend->profile != WARD_PROFILE_KERNEL)
		return wl_image_facts(session->image)->data.memsz;
	return wl_shared_part(file, size, wl_image_facts(session->image)->state_size).size;
}

int session_states_take(ward_session *session, struct session_states *out, struct ward_error *err)
{
	size_t n = 0, n_shared = 0;

	*out = (struct session_states){
		.at = session->backend->states(session, &n), .shared = session->backend->shared(session, &n_shared)};
	out->state_size = wl_image_facts(session->image)->state_size;
	out->all = (struct states){.at = out->at,
		.n = n,
		.names = wl_names_differ(session->names) ? session->names : NULL,
		.is_read_only = session->backend->is_read_only,
		.shared = out->shared,
		.n_shared = n_shared,
		.shared_size = shared_size(session)};
	if (out->at && out->shared)
		return WARD_OK;
	wl_no_memory(err);
	wl_hint(err, "trace fewer threads");
	return WARD_E_SYSTEM;
}

void session_states_free(struct session_states *states)
{
	free(states->at);
	free(states->shared);
}

void session_note(ward_session *session, ward_partial *partial)
{
	struct ward_session_stats stats;

	ward_session_stats(session, &stats);
	struct ward_partial_notes notes = {.size = sizeof(notes), .events = stats.events, .dropped = stats.dropped};
	ward_partial_note(partial, &notes, NULL);
}

int ward_snapshot_take(ward_session *session, const ward_schema *schema, ward_snapshot **out, struct ward_error *err)
{
	struct session_states s;
	int status;

	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_snapshot_take", "out");
	*out = NULL;
	if (!session)
		return wl_missing(err, "ward_snapshot_take", "the session");
	status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = snapshot_merge(schema, &s.all, s.state_size, out, err);
	session_states_free(&s);
	return status;
}

int ward_partial_take(ward_session *session, const ward_schema *schema, ward_names *names,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	struct session_states s;
	int status;

	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_take", "out");
	*out = NULL;
	if (!session)
		return wl_missing(err, "ward_partial_take", "the session");
	status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = partial_merge(schema, names, &s.all, s.state_size, limits, out, err);
	session_states_free(&s);
	if (status == WARD_OK)
		session_note(session, *out);
	return status;
}

int ward_stream_poll(ward_stream *stream, ward_session *session, ward_record_fn *fn, void *user, struct ward_error *err)
{
	struct session_states s;
	int status;

	wl_clear(err);
	if (!stream || !session || !fn)
		return wl_missing(err, "ward_stream_poll", !stream ? "the stream" : !session ? "the session" : "fn");
	status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = wl_stream_read(stream, &s.all, s.state_size, fn, user, err);
	session_states_free(&s);
	return status;
}

int ward_stream_batch(ward_stream *stream, ward_session *session, ward_batch_fn *fn, void *user, struct ward_error *err)
{
	struct session_states s;
	int status;

	wl_clear(err);
	if (!stream || !session || !fn)
		return wl_missing(err, "ward_stream_batch", !stream ? "the stream" : !session ? "the session" : "fn");
	status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = wl_stream_batch(stream, &s.all, s.state_size, fn, user, err);
	session_states_free(&s);
	return status;
}

int ward_ctf_poll(ward_ctf *ctf, ward_session *session, struct ward_error *err)
{
	struct session_states s;
	int status;

	wl_clear(err);
	if (!ctf || !session)
		return wl_missing(err, "ward_ctf_poll", ctf ? "the session" : "the trace");
	status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = wl_ctf_read(ctf, &s.all, s.state_size, err);
	session_states_free(&s);
	return status;
}
