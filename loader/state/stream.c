/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as they come. For each ring and thread a stream knows how many records it has seen. Each reading reports
 * those pushed since the last one, and counts as lost those that were overwritten by then. A target that lies about how
 * many there are makes wrong numbers, but no more work than there are slots.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#include "loader/base/error.h"
#include "loader/state/kinds/kind.h"

int stream_no_memory(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "records", "out of memory");
	wl_hint(err, "trace fewer threads, or use smaller rings");
	return WARD_E_SYSTEM;
}

int ward_stream_open(const ward_schema *schema, ward_stream **out, struct ward_error *err)
{
	ward_stream *stream;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_stream_open", "out");
	*out = NULL;
	if (!schema)
		return wl_missing(err, "ward_stream_open", "the schema");
	stream = calloc(1, sizeof(*stream) + schema->n * sizeof(stream->rings[0]));
	*out = stream;
	if (!stream)
		return stream_no_memory(err);
	for (size_t i = 0; i < schema->n; i++) {
		if (schema->fields[i].part != STATE_WHOLE || !wl_kind_at(schema->fields[i].kind)->is_followed)
			continue;
		struct followed *ring = &stream->rings[stream->n++];
		ring->field = &schema->fields[i];
		if (!batch_describe(ring)) {
			ward_stream_close(stream);
			*out = NULL;
			return stream_no_memory(err);
		}
	}
	return WARD_OK;
}

void ward_stream_close(ward_stream *stream)
{
	for (size_t i = 0; stream && i < stream->n; i++) {
		free(stream->rings[i].seen);
		free(stream->rings[i].members);
	}
	if (stream)
		free(stream->buffer);
	free(stream);
}

bool stream_room(ward_stream *stream, size_t threads)
{
	for (size_t i = 0; i < stream->n && threads > stream->threads; i++) {
		struct ring_seen *seen = reallocarray(stream->rings[i].seen, threads, sizeof(*seen));
		if (!seen)
			return false;
		memset(seen + stream->threads, 0, (threads - stream->threads) * sizeof(*seen));
		stream->rings[i].seen = seen;
	}
	if (threads > stream->threads)
		stream->threads = threads;
	return true;
}

int wl_stream_read(ward_stream *stream, const struct states *states, size_t state_size, ward_record_fn *fn, void *user,
	struct ward_error *err)
{
	if (!stream_room(stream, states->n))
		return stream_no_memory(err);
	for (size_t i = 0; i < stream->n; i++) {
		struct followed *ring = &stream->rings[i];
		const struct state_field *f = ring->field;
		if (state_group_valid(f, 1 + (size_t)f->n_keys + f->n_values, state_size) &&
			!ring_read_new(f, states, ring->seen, fn, user, &ring->totals))
			return stream_no_memory(err);
	}
	return WARD_OK;
}

int ward_stream_read(ward_stream *stream, const void *const *states, size_t n, size_t state_size, ward_record_fn *fn,
	void *user, struct ward_error *err)
{
	wl_clear(err);
	if (!stream || !fn || (n && !states))
		return wl_missing(err, "ward_stream_read", !stream ? "the stream" : !fn ? "fn" : "states");
	return wl_stream_read(stream, &(struct states){.at = states, .n = n}, state_size, fn, user, err);
}

void ward_stream_totals(const ward_stream *stream, const char *field, uint64_t *told, uint64_t *lost)
{
	uint64_t ignored;
	told = told ? told : &ignored;
	lost = lost ? lost : &ignored;
	*told = *lost = 0;
	for (size_t i = 0; stream && field && i < stream->n; i++) {
		if (strcmp(stream->rings[i].field->name, field) == 0) {
			*told = stream->rings[i].totals.told;
			*lost = stream->rings[i].totals.lost;
		}
	}
}
