/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as bytes. Slots that follow each other are copied together. A copy is believed only if each slot had the
 * record's number before and after (merge_ring.c); records between two that were overwritten are given out together.
 */
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#include "loader/base/error.h"
#include "loader/state/kinds/kind.h"

enum { BUFFER = 1 << 18 };

bool batch_describe(struct followed *ring)
{
	const struct state_field *f = ring->field;
	ring->members = calloc(f->n_values, sizeof(*ring->members));
	for (uint32_t i = 0; ring->members && i < f->n_values; i++) {
		const struct state_field *m = &f[1 + i];
		struct ward_field shown = state_field_public(m);
		ring->members[i] = (struct ward_member){.name = m->name,
			.kind = (enum ward_field_kind)m->kind,
			.offset = m->offset - f->map.value_offset,
			.size = m->size,
			.bits = m->scalar.bits,
			.shift = m->scalar.shift,
			.is_signed = m->scalar.is_signed != 0,
			.is_address = shown.is_address,
			.is_site = shown.is_site,
			.unit = (enum ward_unit)m->unit,
			.enumeration = shown.enumeration};
	}
	ring->layout = (struct ward_layout){f->name, f->n_values, ring->members, f->map.value_size};
	return ring->members != NULL;
}

const struct ward_layout *ward_stream_layout(const ward_stream *stream, size_t i)
{
	return stream && i < stream->n ? &stream->rings[i].layout : NULL;
}

/* Room for at least one record of each ring. */
static bool buffer_room(ward_stream *stream)
{
	size_t room = BUFFER;
	for (size_t i = 0; i < stream->n; i++)
		if (stream->rings[i].field->map.stride > room)
			room = stream->rings[i].field->map.stride;
	if (!stream->buffer && (stream->buffer = malloc(room)))
		stream->room = room;
	return stream->buffer != NULL;
}

/* Slots that follow each other, and the first of the records that they are to hold. */
struct run {
	const unsigned char *slots;
	uint64_t number; /* of the first record */
	size_t n;
};

/* How many of the run's first slots have their records' numbers. */
static size_t count_valid(const struct state_map *map, const struct run *run, size_t from)
{
	size_t i = from;
	while (i < run->n && merge_read(run->slots + i * map->stride, &map->used) == run->number + i)
		i++;
	return i - from;
}

/* Give out what the buffer has of a run, but for records that were overwritten meanwhile. */
static void give_run(struct followed *ring, const unsigned char *buffer, const struct run *run, size_t n,
	struct ward_batch *batch, ward_batch_fn *fn, void *user)
{
	const struct state_map *map = &ring->field->map;
	const struct run copied = {run->slots, run->number, n};
	for (size_t i = 0, valid; i < n; i += valid) {
		valid = count_valid(map, &copied, i);
		if (!valid) {
			ring->totals.lost++;
			valid = 1;
			continue;
		}
		batch->first = run->number + i;
		batch->n = valid;
		batch->records = buffer + i * map->stride + map->value_offset;
		ring->totals.told += valid;
		fn(user, batch);
	}
}

/* Copy a run, as far as its slots have the records now, and give it out. Returns how many records are over. */
static size_t read_run(const ward_stream *stream, struct followed *ring, const struct run *run,
	struct ward_batch *batch, ward_batch_fn *fn, void *user)
{
	const struct state_map *map = &ring->field->map;
	size_t n = count_valid(map, run, 0);
	if (n == 0) {
		ring->totals.lost++;
		return 1;
	}
	memcpy(stream->buffer, run->slots, n * map->stride);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	give_run(ring, stream->buffer, run, n, batch, fn, user);
	return n;
}

static void read_thread(const ward_stream *stream, struct followed *ring, const struct states *states, size_t t,
	ward_batch_fn *fn, void *user)
{
	const struct state_map *map = &ring->field->map;
	const unsigned char *slots = (const unsigned char *)states->at[t] + map->slots;
	struct ring_seen *seen = &ring->seen[t];
	struct ward_batch batch = {.layout = &ring->layout, .thread = (uint32_t)t, .stride = map->stride};
	uint64_t pushed = ring_look(ring->field, states->at[t], seen, &ring->totals.lost);
	while (seen->pushed < pushed) {
		size_t first = (size_t)(seen->pushed % map->n), most = stream->room / map->stride;
		size_t n = pushed - seen->pushed < map->n - first ? (size_t)(pushed - seen->pushed) : map->n - first;
		struct run run = {slots + first * map->stride, seen->pushed + 1, n < most ? n : most};
		seen->pushed += read_run(stream, ring, &run, &batch, fn, user);
		ring_move(ring->field, states, t, seen);
	}
}

int wl_stream_batch(ward_stream *stream, const struct states *states, size_t state_size, ward_batch_fn *fn, void *user,
	struct ward_error *err)
{
	if (!stream_room(stream, states->n) || !buffer_room(stream))
		return stream_no_memory(err);
	for (size_t i = 0; i < stream->n; i++) {
		const struct state_field *f = stream->rings[i].field;
		if (!state_group_valid(f, 1 + (size_t)f->n_keys + f->n_values, state_size))
			continue;
		for (size_t t = 0; t < states->n; t++)
			read_thread(stream, &stream->rings[i], states, t, fn, user);
	}
	return WARD_OK;
}

int ward_stream_batch_read(ward_stream *stream, const void *const *states, size_t n, size_t state_size,
	ward_batch_fn *fn, void *user, struct ward_error *err)
{
	wl_clear(err);
	if (!stream || !fn || (n && !states))
		return wl_missing(err, "ward_stream_batch_read", !stream ? "the stream" : !fn ? "fn" : "states");
	return wl_stream_batch(stream, &(struct states){.at = states, .n = n}, state_size, fn, user, err);
}
