/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each stream knows up to which number it is complete, and which ranges came beyond. A number that has come before is
 * dropped. A gap may still be filled, as agents send again what isn't acknowledged; but a batch says how many records
 * of its stream are lost, and when that explains all gaps before its end, nothing more is to come for them.
 *
 * Records wait in a heap, by time, until others that come before them had time to arrive. The clocks of machines lie:
 * no record waits longer than the delay, whatever time it says.
 */
#include "records.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "names.h"

enum { RANGES = 64, GAP_DELAYS = 8 };

/* Numbers from `from` to the one before `to`. */
struct range {
	uint64_t from, to;
};

struct stream {
	struct cluster_stream key; /* its machine is the names' */
	uint64_t below;            /* all below are here, or lost */
	uint64_t received, lost;
	uint64_t gap_ns;            /* since when the lowest gap is there; 0: there is none */
	struct range range[RANGES]; /* beyond; ascending, with gaps between them */
	size_t n, before;           /* of the same machine: the place of the one before, and one */
};

struct waiting {
	uint64_t time_ns, number;
	const struct stream *stream;
	uint32_t stride;
	unsigned char bytes[];
};

struct machine {
	size_t n, last;
};

struct cluster_records {
	uint64_t delay_ns, given_ns;
	size_t most;
	struct cluster_names names;
	struct machine *machines; /* by the name's number */
	size_t machines_room;
	struct stream **streams;
	size_t n_streams, streams_room;
	struct waiting **heap; /* the first one is the least */
	size_t n, room;
	struct waiting *given;
	struct cluster_record_counts counts;
};

cluster_records *cluster_records_new(uint64_t delay_ns, size_t bytes)
{
	cluster_records *r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->delay_ns = delay_ns;
	r->most = bytes ? bytes : CLUSTER_RECORD_BYTES;
	return r;
}

void cluster_records_free(cluster_records *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		free(r->heap[i]);
	for (size_t i = 0; i < r->n_streams; i++)
		free(r->streams[i]);
	free(r->given);
	free(r->heap);
	free(r->streams);
	free(r->machines);
	cluster_names_free(&r->names);
	free(r);
}

/* ---- streams ---- */

static bool is_stream(const struct cluster_stream *a, const struct cluster_stream *b)
{
	return a->epoch == b->epoch && a->nonce == b->nonce && a->unit == b->unit && a->field == b->field &&
	       a->stream == b->stream;
}

static struct stream *stream_find(const cluster_records *r, size_t machine, const struct cluster_stream *key)
{
	for (size_t i = r->machines[machine].last; i; i = r->streams[i - 1]->before)
		if (is_stream(&r->streams[i - 1]->key, key))
			return r->streams[i - 1];
	return NULL;
}

/* Find it, or make it. NULL without memory, or if the machine has too many. */
static struct stream *stream_get(cluster_records *r, const struct cluster_stream *key)
{
	size_t machine;
	struct stream *s;
	if (!cluster_array_grow(&r->machines, &r->machines_room, r->names.n + 1, sizeof(*r->machines)) ||
		(machine = cluster_names_add(&r->names, key->machine)) == SIZE_MAX)
		return NULL;
	if (!(s = stream_find(r, machine, key))) {
		struct machine *m = &r->machines[machine];
		if (m->n >= CLUSTER_MOST_STREAMS ||
			!cluster_array_grow(&r->streams, &r->streams_room, r->n_streams + 1, sizeof(struct stream *)) ||
			!(s = calloc(1, sizeof(*s))))
			return NULL;
		s->key = *key;
		s->key.machine = r->names.at[machine];
		s->below = 1;
		s->before = m->last;
		r->streams[r->n_streams++] = s;
		m->last = r->n_streams;
		m->n++;
	}
	return s;
}

/* The first range that doesn't end before this number. */
static size_t range_find(const struct stream *s, uint64_t number)
{
	size_t i = 0;
	while (i < s->n && s->range[i].to < number)
		i++;
	return i;
}

static bool has_come(const struct stream *s, uint64_t number)
{
	size_t i = range_find(s, number);
	for (; i < s->n && s->range[i].from <= number; i++)
		if (number < s->range[i].to)
			return true;
	return number < s->below;
}

/* Add a range, join it with those that it touches, and move `below` over what is complete. False: too many gaps. */
static bool range_add(struct stream *s, uint64_t from, uint64_t to)
{
	size_t i = range_find(s, from), end = i;
	for (; end < s->n && s->range[end].from <= to; end++) {
		from = s->range[end].from < from ? s->range[end].from : from;
		to = s->range[end].to > to ? s->range[end].to : to;
	}
	if (end == i && s->n == RANGES)
		return false;
	memmove(&s->range[i + 1], &s->range[end], (s->n - end) * sizeof(s->range[0]));
	s->range[i] = (struct range){from, to};
	s->n += 1 - (end - i);
	while (s->n && s->range[0].from <= s->below) {
		s->below = s->range[0].to > s->below ? s->range[0].to : s->below;
		memmove(&s->range[0], &s->range[1], --s->n * sizeof(s->range[0]));
	}
	return true;
}

/* ---- the heap ---- */

static bool is_less(const struct waiting *a, const struct waiting *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	int order = a->stream == b->stream ? 0 : strcmp(a->stream->key.machine, b->stream->key.machine);
	if (order)
		return order < 0;
	if (a->stream->key.stream != b->stream->key.stream)
		return a->stream->key.stream < b->stream->key.stream;
	return a->number < b->number;
}

static void heap_push(cluster_records *r, struct waiting *w)
{
	size_t i = r->n++;
	for (; i && is_less(w, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
		r->heap[i] = r->heap[(i - 1) / 2];
	r->heap[i] = w;
}

static struct waiting *heap_pop(cluster_records *r)
{
	struct waiting *first = r->heap[0], *last = r->heap[--r->n];
	size_t i = 0, child;
	while ((child = 2 * i + 1) < r->n) {
		child += child + 1 < r->n && is_less(r->heap[child + 1], r->heap[child]);
		if (!is_less(r->heap[child], last))
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	if (r->n)
		r->heap[i] = last;
	return first;
}

/* ---- batches ---- */

static size_t waiting_size(uint32_t stride)
{
	return sizeof(struct waiting) + stride;
}

/* C-20 */
static int check_batch(const struct cluster_batch *b, struct ward_error *err)
{
	uint64_t end;
	if (b->count == 0 || b->stride == 0 || b->stride > CLUSTER_MOST_STRIDE || b->first == 0 ||
		__builtin_add_overflow(b->first, (uint64_t)b->count, &end))
		return cluster_fail(
			err, WARD_E_USAGE, "records", "%s has sent no batch of records (C-20)", b->stream.machine);
	return WARD_OK;
}

/* Copies of the records that are new, and that there is room for; their number in *n. False without memory. */
static bool copy_new(cluster_records *r, const struct stream *s, const struct cluster_batch *b, uint64_t now_ns,
	struct waiting **copies, size_t *n)
{
	for (uint32_t i = 0; i < b->count; i++) {
		if (has_come(s, b->first + i))
			continue;
		struct waiting *w = malloc(waiting_size(b->stride));
		if (!w)
			return false;
		w->time_ns = b->times[i] < now_ns ? b->times[i] : now_ns;
		w->number = b->first + i;
		w->stream = s;
		w->stride = b->stride;
		memcpy(w->bytes, (const char *)b->records + (size_t)i * b->stride, b->stride);
		copies[(*n)++] = w;
	}
	return cluster_array_grow(&r->heap, &r->room, r->n + *n, sizeof(struct waiting *));
}

/* What the agent says is lost. If that explains all gaps before the batch's end, nothing comes for them any more. */
static void take_lost(cluster_records *r, struct stream *s, const struct cluster_batch *b)
{
	uint64_t end = b->first + b->count, here = s->received;
	if (b->lost > s->lost) {
		r->counts.lost += b->lost - s->lost;
		s->lost = b->lost;
	}
	if (end <= s->below)
		return;
	for (size_t i = 0; i < s->n; i++) /* what came beyond the batch's end is no part of this */
		if (s->range[i].to > end)
			here -= s->range[i].to - (s->range[i].from > end ? s->range[i].from : end);
	if (here + s->lost >= end - 1)
		range_add(s, s->below, end);
}

/* What hasn't come for long was taken by another coordinator, or is lost: nothing waits for it any more. */
static void give_up_gap(cluster_records *r, struct stream *s, uint64_t was_below, uint64_t now_ns)
{
	if (!s->n || s->below != was_below)
		s->gap_ns = 0;
	if (!s->n)
		return;
	if (!s->gap_ns)
		s->gap_ns = now_ns + 1;
	if (now_ns < s->gap_ns || now_ns - s->gap_ns < GAP_DELAYS * r->delay_ns)
		return;
	s->lost += s->range[0].from - s->below;
	r->counts.lost += s->range[0].from - s->below;
	s->gap_ns = 0;
	range_add(s, s->below, s->range[0].from);
}

int cluster_records_take(cluster_records *r, const struct cluster_batch *b, uint64_t now_ns, struct ward_error *err)
{
	int status = check_batch(b, err);
	if (status)
		return status;
	struct stream *s = stream_get(r, &b->stream);
	uint64_t was_below = s ? s->below : 0;
	struct waiting **copies = calloc(b->count, sizeof(struct waiting *));
	size_t n = 0;
	bool has_room = r->counts.waiting_bytes + (uint64_t)b->count * waiting_size(b->stride) <= r->most;
	bool ok = s && copies && has_room && copy_new(r, s, b, now_ns, copies, &n) &&
		  range_add(s, b->first, b->first + b->count);
	for (size_t i = 0; i < n; i++)
		ok ? heap_push(r, copies[i]) : free(copies[i]);
	free(copies);
	if (!ok)
		return cluster_fail(err, WARD_E_SYSTEM, "records", "%s: there is no room for its records now (C-21)",
			b->stream.machine);
	s->received += n;
	r->counts.taken += n;
	r->counts.twice += b->count - n;
	r->counts.waiting += n;
	r->counts.waiting_bytes += n * waiting_size(b->stride);
	take_lost(r, s, b);
	give_up_gap(r, s, was_below, now_ns);
	return WARD_OK;
}

bool cluster_records_next(cluster_records *r, uint64_t now_ns, bool everything, struct cluster_record *out)
{
	free(r->given);
	r->given = NULL;
	if (r->n == 0 || (!everything && r->heap[0]->time_ns + r->delay_ns > now_ns))
		return false;
	struct waiting *w = r->given = heap_pop(r);
	*out = (struct cluster_record){.stream = w->stream->key,
		.number = w->number,
		.time_ns = w->time_ns,
		.bytes = w->bytes,
		.stride = w->stride,
		.is_late = w->time_ns < r->given_ns};
	r->given_ns = out->is_late ? r->given_ns : w->time_ns;
	r->counts.late += out->is_late;
	r->counts.waiting--;
	r->counts.waiting_bytes -= waiting_size(w->stride);
	return true;
}

uint64_t cluster_records_below(const cluster_records *r, const struct cluster_stream *key)
{
	size_t machine = cluster_names_find(&r->names, key->machine);
	const struct stream *s = machine == SIZE_MAX ? NULL : stream_find(r, machine, key);
	return s ? s->below : 1;
}

struct cluster_record_counts cluster_records_counts(const cluster_records *r)
{
	return r->counts;
}
