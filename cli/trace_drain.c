/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace, ward query: take what maps hand on while the trace runs (WARD_SPILL), so that the probes have room again.
 * As long as entries come they are taken every millisecond.
 */
#include "trace.h"

enum { DRAIN_FIRST_MS = 1, DRAIN_MOST_MS = 10 };

int trace_open_drain(struct trace *t)
{
	struct ward_error err = {0};
	if (!ward_drain_is_needed(t->schema))
		return CLI_OK;
	t->drain_ms = DRAIN_FIRST_MS;
	/* A query merges the keys of several processes by their names. */
	if (ward_drain_open(t->schema, t->print ? t->names.names : NULL, NULL, &t->drain, &err) == WARD_OK)
		return CLI_OK;
	return cli_library_error(&err);
}

/* Without memory the entries wait; those that find no room then are counted. */
static int drain_one(struct trace *t)
{
	size_t taken = 0;
	if (!t->drain)
		return TRACE_SLICE_MS;
	ward_drain_poll(t->drain, t->session, &taken, NULL);
	t->drain_ms = taken ? DRAIN_FIRST_MS : 2 * t->drain_ms;
	t->drain_ms = t->drain_ms < DRAIN_MOST_MS ? t->drain_ms : DRAIN_MOST_MS;
	return t->drain_ms;
}

int trace_drain(struct trace *t)
{
	int ms = drain_one(t), other = t->with ? drain_one(t->with) : ms;
	return ms < other ? ms : other;
}

int cli_take_snapshot(ward_session *session, const ward_schema *schema, ward_drain *drain, ward_snapshot **out,
	struct ward_error *err)
{
	ward_partial *partial = NULL;
	if (!drain)
		return ward_snapshot_take(session, schema, out, err);
	*out = NULL;
	int status = ward_drain_take(drain, session, &partial, err);
	if (status == WARD_OK)
		status = ward_partial_finish(partial, out, err);
	ward_partial_free(partial);
	return status;
}
