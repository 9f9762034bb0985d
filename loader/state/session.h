/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a session, as this folder reads them (session.c). Internal to loader/state. */
#ifndef WARD_LOADER_STATE_SESSION_H
#define WARD_LOADER_STATE_SESSION_H

#include "merge.h"
#include "ward/partial.h"

struct session_states {
	const void **at, **shared; /* to be freed */
	struct states all;
	size_t state_size;
};

/* WARD_E_SYSTEM without memory. Free them in any case. */
int session_states_take(ward_session *session, struct session_states *out, struct ward_error *err);
void session_states_free(struct session_states *states);

/* Note in a partial how many events the session has had. */
void session_note(ward_session *session, ward_partial *partial);

#endif
