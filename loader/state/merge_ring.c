/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read rings of records while probes write them. A record's slot has the record's number, which is zero while the
 * record is written. The slot is copied between two reads of the number. If the reads differ, or this slot can't have
 * that number, the record was being overwritten. It is left out, and counted as lost, as those are that were
 * overwritten before.
 *
 * In a queue nothing is overwritten: its probe compares with the cursor of the reader, which is in the state. The
 * reader remembers by itself how far it has come. It believes the target's cursor only when it first meets a thread.
 */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

/* A copy of a record's slot. */
struct copy {
	const unsigned char *bytes;
	uint64_t number, time;
	uint32_t thread, dump;
};

/* In order of time; without one, in order of thread, dump and number. */
static int by_time(const void *a, const void *b)
{
	const struct copy *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->dump != y->dump)
		return x->dump < y->dump ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Of a flight recorder: each dump of each thread in order of time; what was recorded after the last dump comes last. */
static int by_dump(const void *a, const void *b)
{
	const struct copy *x = a, *y = b;
	if (x->dump != y->dump)
		return x->dump < y->dump ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return by_time(a, b);
}

/* Copy a slot that holds record `number`, if it does all the time. */
static bool copy_slot(const struct state_map *map, const unsigned char *slot, uint64_t slot_number, unsigned char *to,
	uint64_t *number)
{
	*number = merge_read(slot, &map->used);
	memcpy(to, slot, map->stride);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return *number != 0 && (*number - 1) % map->n == slot_number && merge_read(slot, &map->used) == *number;
}

struct copies {
	struct copy *at;
	size_t n;
	unsigned char *bytes; /* for the next one */
};

/* How many records of a queue were taken. The cursor may lie; no more than its slots are left in any case. */
static uint64_t queue_taken(const struct state_map *map, const unsigned char *state, uint64_t pushed)
{
	uint64_t taken = merge_read(state, &map->taken);
	if (pushed - taken <= map->n)
		return taken;
	return pushed > map->n ? pushed - map->n : 0;
}

/* The slots of a ring that may hold records: so many, from one on. Others aren't touched. */
struct span {
	uint32_t first, n;
	uint64_t pushed;
};

static struct span span_of(const struct state_map *map, const unsigned char *ring)
{
	uint64_t pushed = merge_read(ring, &map->evicted);
	uint64_t taken = map->taken.size ? queue_taken(map, ring, pushed) : 0;
	uint64_t n = pushed - taken < map->n ? pushed - taken : map->n;
	return (struct span){map->taken.size ? (uint32_t)(taken % map->n) : 0, (uint32_t)n, pushed};
}

/* Copy the records of one ring. Returns how many of those ever pushed are not among them. */
static uint64_t copy_ring(const struct state_field *f, const unsigned char *ring, struct span span, uint32_t thread,
	uint32_t dump, struct copies *copies)
{
	const struct state_map *map = &f->map;
	const struct state_int *time = state_time_member(f);
	uint64_t pushed = span.pushed, number;
	size_t before = copies->n;
	for (uint32_t i = 0; i < span.n; i++) {
		uint32_t s = (uint32_t)(((uint64_t)span.first + i) % map->n);
		if (!copy_slot(map, ring + map->slots + (size_t)s * map->stride, s, copies->bytes, &number))
			continue;
		copies->at[copies->n++] =
			(struct copy){copies->bytes, number, time ? merge_read(copies->bytes, time) : 0, thread, dump};
		copies->bytes += map->stride;
	}
	return pushed > copies->n - before ? pushed - (copies->n - before) : 0;
}

static bool fill_record(
	const struct state_field *f, const struct copy *copy, struct ward_record *record, struct heap *heap)
{
	struct ward_field *members = heap_take(heap, f->n_values, sizeof(*members));
	bool ok = members != NULL;
	for (uint32_t i = 0; ok && i < f->n_values; i++)
		ok = merge_part(&f[1 + i], copy->bytes, &members[i], heap);
	*record = (struct ward_record){
		.thread = copy->thread, .dump = copy->dump, .number = copy->number, .members = members};
	return ok;
}

/* All rings of all threads. A flight recorder's dumps are before the ring in use; the rings behind that are empty. */
static bool copy_all(const struct state_field *f, const struct states *states, struct copies *copies, uint64_t *lost,
	struct heap *heap)
{
	const struct state_map *map = &f->map;
	size_t rings = (size_t)map->rings + 1, room = 0;
	struct span *spans = heap_take(heap, states->n * rings, sizeof(*spans));
	for (size_t i = 0; spans && i < states->n * rings; i++) {
		spans[i] = span_of(map, (const unsigned char *)states->at[i / rings] + i % rings * map->ring_stride);
		room += spans[i].n;
	}
	copies->at = heap_take(heap, room, sizeof(*copies->at));
	copies->bytes = heap_take(heap, room + 1, map->stride); /* one is copied before it is known to be none */
	if (!spans || !copies->at || !copies->bytes)
		return false;
	for (size_t t = 0; t < states->n; t++) {
		uint64_t in_use = map->events.size ? merge_read(states->at[t], &map->events) : 0;
		for (uint32_t r = 0; r <= map->rings && r <= in_use; r++) {
			uint32_t dump = r < in_use ? r : map->rings; /* what was recorded last is no dump yet */
			*lost += copy_ring(f, (const unsigned char *)states->at[t] + (size_t)r * map->ring_stride,
				spans[t * rings + r], (uint32_t)t, dump, copies);
		}
	}
	return true;
}

/* Sort the copies, and make the last ones of them records. */
static bool fill_records(const struct state_field *f, struct copies *copies, struct ward_field *out, struct heap *heap)
{
	size_t first = copies->n > STATE_MAX_ENTRIES ? copies->n - STATE_MAX_ENTRIES : 0; /* the oldest are left out */
	struct ward_record *records = heap_take(heap, copies->n - first, sizeof(*records));
	bool ok = records != NULL;
	if (ok && copies->n)
		qsort(copies->at, copies->n, sizeof(*copies->at), f->map.rings ? by_dump : by_time);
	for (size_t i = first; ok && i < copies->n; i++)
		ok = fill_record(f, &copies->at[i], &records[out->n++], heap);
	out->records = records;
	out->unlisted = first;
	return ok;
}

/* Words of a row that are before the record's slot. */
enum { RING_TIME, RING_THREAD, RING_DUMP, RING_NUMBER, RING_SLOT };

static void put_row(struct rows *rows, const struct copy *c, uint32_t stride)
{
	uint64_t head[RING_SLOT] = {c->time, c->thread, c->dump, c->number};
	rows_begin(rows);
	rows_copy(rows, head, RING_SLOT);
	uint64_t *slot = rows_put(rows, ((size_t)stride + 7) / 8);
	if (slot)
		memcpy(slot, c->bytes, stride);
}

static struct copy copy_of_row(const uint64_t *row)
{
	return (struct copy){(const unsigned char *)&row[RING_SLOT], row[RING_NUMBER], row[RING_TIME],
		(uint32_t)row[RING_THREAD], (uint32_t)row[RING_DUMP]};
}

int ring_compare(const struct partial_field *p, const uint64_t *a, const uint64_t *b)
{
	struct copy x = copy_of_row(a), y = copy_of_row(b);
	int order = p->f->map.rings ? by_dump(&x, &y) : by_time(&x, &y);
	return order ? order : memcmp(x.bytes, y.bytes, p->f->map.stride);
}

bool ring_take(struct partial_field *p, const struct states *states)
{
	const struct state_field *f = p->f;
	struct heap scratch = {0};
	struct copies copies = {0};
	bool ok = copy_all(f, states, &copies, &p->lost, &scratch);
	if (ok && copies.n)
		qsort(copies.at, copies.n, sizeof(*copies.at), f->map.rings ? by_dump : by_time);
	for (size_t i = 0; ok && i < copies.n && !p->rows.has_failed; i++)
		put_row(&p->rows, &copies.at[i], f->map.stride);
	heap_free(&scratch);
	if (f->map.lost.size)
		p->lost = merge_sum(states, &f->map.lost);
	return ok && !p->rows.has_failed;
}

bool ring_finish(const struct partial_field *p, struct ward_field *out, struct heap *heap)
{
	struct heap scratch = {0};
	struct copies copies = {.at = heap_take(&scratch, p->rows.n, sizeof(*copies.at)), .n = p->rows.n};
	bool ok = copies.at != NULL;
	for (size_t i = 0; ok && i < copies.n; i++)
		copies.at[i] = copy_of_row(rows_at(&p->rows, i));
	ok = ok && fill_records(p->f, &copies, out, heap);
	heap_free(&scratch);
	out->lost = p->lost;
	return ok;
}

/* ---- readers ---- */

uint64_t ring_look(const struct state_field *f, const unsigned char *state, struct ring_seen *seen, uint64_t *lost)
{
	const struct state_map *map = &f->map;
	uint64_t refused = map->taken.size ? merge_read(state, &map->lost) : 0;
	uint64_t pushed = merge_read(state, &map->evicted);
	if (!seen->is_known && map->taken.size)
		seen->pushed = queue_taken(map, state, pushed);
	seen->is_known = true;
	if (pushed < seen->pushed)
		seen->pushed = pushed; /* which no honest probe does */
	if (pushed - seen->pushed > map->n) {
		*lost += pushed - seen->pushed - map->n;
		seen->pushed = pushed - map->n;
	}
	*lost += refused > seen->refused ? refused - seen->refused : 0;
	seen->refused = refused;
	return pushed;
}

void ring_move(const struct state_field *f, const struct states *states, size_t thread, const struct ring_seen *seen)
{
	if (f->map.taken.size)
		merge_write_word(states, thread, &f->map.taken, seen->pushed);
}

/* Copy the records behind seen->pushed, up to the `to`-th. Returns how many of them are gone. */
static uint64_t copy_since(const struct state_field *f, const unsigned char *state, uint32_t thread,
	struct ring_seen *seen, uint64_t to, struct copies *copies)
{
	const struct state_map *map = &f->map;
	const struct state_int *time = state_time_member(f);
	uint64_t number, lost = 0;
	for (; seen->pushed < to; seen->pushed++) {
		uint64_t s = seen->pushed % map->n;
		if (!copy_slot(map, state + map->slots + (size_t)s * map->stride, s, copies->bytes, &number) ||
			number != seen->pushed + 1) {
			lost++;
			continue;
		}
		copies->at[copies->n++] =
			(struct copy){copies->bytes, number, time ? merge_read(copies->bytes, time) : 0, thread, 0};
		copies->bytes += map->stride;
	}
	return lost;
}

/* Copy what is new of all threads. */
static bool copy_new(const struct state_field *f, const struct states *states, struct ring_seen *seen,
	struct ring_totals *totals, struct copies *copies, struct heap *scratch)
{
	uint64_t *pushed = heap_take(scratch, states->n, sizeof(*pushed));
	size_t room = 0;
	for (size_t t = 0; pushed && t < states->n; t++) {
		pushed[t] = ring_look(f, states->at[t], &seen[t], &totals->lost);
		room += pushed[t] - seen[t].pushed;
	}
	copies->at = heap_take(scratch, room, sizeof(*copies->at));
	copies->bytes = heap_take(scratch, room + 1, f->map.stride); /* one is copied before it is known to be none */
	if (!pushed || !copies->at || !copies->bytes)
		return false;
	for (size_t t = 0; t < states->n; t++) {
		totals->lost += copy_since(f, states->at[t], (uint32_t)t, &seen[t], pushed[t], copies);
		ring_move(f, states, t, &seen[t]);
	}
	return true;
}

bool ring_read_new(const struct state_field *f, const struct states *states, struct ring_seen *seen, ward_record_fn *fn,
	void *user, struct ring_totals *totals)
{
	struct heap scratch = {0};
	struct copies copies = {0};
	struct ward_field field;
	bool ok = merge_describe(f, &field, &scratch) && copy_new(f, states, seen, totals, &copies, &scratch);
	if (ok && copies.n)
		qsort(copies.at, copies.n, sizeof(*copies.at), by_time);
	for (size_t i = 0; i < copies.n; i++) {
		struct heap heap = {0};
		struct ward_record record;
		ok = ok && fill_record(f, &copies.at[i], &record, &heap);
		if (ok)
			fn(user, &field, &record);
		heap_free(&heap);
		*(ok ? &totals->told : &totals->lost) += 1;
	}
	heap_free(&scratch);
	return ok;
}
