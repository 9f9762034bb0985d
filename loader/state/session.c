/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the states of a session: what this folder does with states, given the session's. */
#include <stdlib.h>

#include "merge.h"
#include "ward/partial.h"

#include "loader/backend/ops.h"
#include "loader/base/error.h"

/* The session's states, to be freed. NULL, with *err filled, without memory. */
static const void **take_states(ward_session *session, size_t *n, size_t *state_size, struct ward_error *err)
{
	const void **states = session->backend->states(session, n);

	*state_size = wl_image_facts(session->image)->state_size;
	if (!states) {
		wl_no_memory(err);
		wl_hint(err, "trace fewer threads");
	}
	return states;
}

int ward_snapshot_take(ward_session *session, const ward_schema *schema, ward_snapshot **out, struct ward_error *err)
{
	const void **states;
	size_t state_size, n;
	int status;

	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_snapshot_take", "out");
	*out = NULL;
	if (!session)
		return wl_missing(err, "ward_snapshot_take", "the session");
	states = take_states(session, &n, &state_size, err);
	if (!states)
		return WARD_E_SYSTEM;
	status = ward_snapshot_merge_named(schema, session->names, states, n, state_size, out, err);
	free(states);
	return status;
}

int ward_partial_take(ward_session *session, const ward_schema *schema, ward_names *names,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	const void **states;
	size_t state_size, n;
	int status;

	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_take", "out");
	*out = NULL;
	if (!session)
		return wl_missing(err, "ward_partial_take", "the session");
	states = take_states(session, &n, &state_size, err);
	if (!states)
		return WARD_E_SYSTEM;
	status = ward_partial_merge(schema, names, states, n, state_size, limits, out, err);
	free(states);
	if (status == WARD_OK) {
		struct ward_session_stats stats;
		ward_session_stats(session, &stats);
		struct ward_partial_notes notes = {
			.size = sizeof(notes), .events = stats.events, .dropped = stats.dropped};
		ward_partial_note(*out, &notes, NULL);
	}
	return status;
}

int ward_stream_poll(ward_stream *stream, ward_session *session, ward_record_fn *fn, void *user, struct ward_error *err)
{
	const void **states;
	size_t state_size, n;
	int status;

	wl_clear(err);
	if (!stream || !session || !fn)
		return wl_missing(err, "ward_stream_poll", !stream ? "the stream" : !session ? "the session" : "fn");
	states = take_states(session, &n, &state_size, err);
	if (!states)
		return WARD_E_SYSTEM;
	status = wl_stream_read(stream,
		&(struct states){.at = states, .n = n, .is_read_only = session->backend->is_read_only}, state_size, fn,
		user, err);
	free(states);
	return status;
}

int ward_ctf_poll(ward_ctf *ctf, ward_session *session, struct ward_error *err)
{
	const void **states;
	size_t state_size, n;
	int status;

	wl_clear(err);
	if (!ctf || !session)
		return wl_missing(err, "ward_ctf_poll", ctf ? "the session" : "the trace");
	states = take_states(session, &n, &state_size, err);
	if (!states)
		return WARD_E_SYSTEM;
	status =
		wl_ctf_read(ctf, &(struct states){.at = states, .n = n, .is_read_only = session->backend->is_read_only},
			state_size, err);
	free(states);
	return status;
}
