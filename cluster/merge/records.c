/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each stream knows up to which number it is complete, and which ranges came beyond. A number that has come before is
 * dropped. Agents send again what isn't acknowledged, so a gap is filled in the end; unless the agent says that it has
 * nothing below a number any more. Then what hasn't come below that is lost, and is counted.
 *
 * Records wait in a heap, by time, until others that come before them had time to arrive. The clocks of machines lie:
 * no record waits longer than the delay, whatever time it says.
 */
#include "records.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "names.h"

enum { RANGES = 64 };

/* Numbers from `from` to the one before `to`. */
struct range {
	uint64_t from, to;
};

struct stream {
	struct cluster_stream key; /* its machine is the names' */
	size_t machine;
	uint64_t below;             /* all below are here, or lost */
	uint64_t numbered, unread;  /* as its agent says */
	uint64_t given_up;          /* below `below` */
	bool is_known;              /* its agent has said what it keeps */
	struct range range[RANGES]; /* beyond `below`; ascending, with gaps between them */
	size_t n, before;           /* before: of the same machine, the place of the one before, and one */
};

struct waiting {
	uint64_t time_ns, number;
	const struct stream *stream;
	struct cluster_origin origin;
	uint32_t stride;
	unsigned char bytes[];
};

struct machine {
	size_t n, last;
	uint64_t taken, twice, late;
};

struct cluster_records {
	uint64_t delay_ns, given_ns;
	size_t most;
	bool goes_on;
	struct cluster_names names, programs;
	struct machine *machines; /* by the name's number */
	size_t machines_room;
	struct stream **streams;
	size_t n_streams, streams_room;
	struct waiting **heap; /* the first one is the least */
	size_t n, room;
	struct waiting *given;
	uint64_t waiting, waiting_bytes;
};

cluster_records *cluster_records_new(uint64_t delay_ns, size_t bytes, bool goes_on)
{
	cluster_records *r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->delay_ns = delay_ns;
	r->most = bytes ? bytes : CLUSTER_RECORD_BYTES;
	r->goes_on = goes_on;
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
	cluster_names_free(&r->programs);
	free(r);
}

void cluster_records_delay(cluster_records *r, uint64_t delay_ns)
{
	r->delay_ns = delay_ns;
}

/* ---- streams ---- */

static bool is_stream(const struct cluster_stream *a, const struct cluster_stream *b)
{
	return a->epoch == b->epoch && a->nonce == b->nonce;
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
		s->machine = machine;
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

/* Move `below` over what is complete. */
static void below_move(struct stream *s)
{
	size_t n = 0;
	for (; n < s->n && s->range[n].from <= s->below; n++)
		s->below = s->range[n].to > s->below ? s->range[n].to : s->below;
	s->n -= n;
	memmove(&s->range[0], &s->range[n], s->n * sizeof(s->range[0]));
}

/* Add a range, and join it with those that it touches. False: too many gaps. */
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
	below_move(s);
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

/* A name that lasts; of too many programs "". */
static const char *program_keep(cluster_records *r, const char *name)
{
	size_t i = r->programs.n < CLUSTER_MOST_PROGRAMS ? cluster_names_add(&r->programs, name)
							 : cluster_names_find(&r->programs, name);
	return i == SIZE_MAX ? "" : r->programs.at[i];
}

/* Copies of the records that are new, and that there is room for; their number in *n. False without memory. */
static bool copy_new(cluster_records *r, const struct stream *s, const struct cluster_batch *b, uint64_t now_ns,
	struct waiting **copies, size_t *n)
{
	const char *program = program_keep(r, b->origin.program);
	for (uint32_t i = 0; i < b->count; i++) {
		if (has_come(s, b->first + i))
			continue;
		struct waiting *w = malloc(waiting_size(b->stride));
		if (!w)
			return false;
		w->time_ns = b->times[i] < now_ns ? b->times[i] : now_ns;
		w->number = b->first + i;
		w->stream = s;
		w->origin = b->origin;
		w->origin.program = program;
		w->origin.number += i;
		w->stride = b->stride;
		memcpy(w->bytes, (const char *)b->records + (size_t)i * b->stride, b->stride);
		copies[(*n)++] = w;
	}
	return cluster_array_grow(&r->heap, &r->room, r->n + *n, sizeof(struct waiting *));
}

int cluster_records_take(cluster_records *r, const struct cluster_batch *b, uint64_t now_ns, struct ward_error *err)
{
	int status = check_batch(b, err);
	if (status)
		return status;
	struct stream *s = stream_get(r, &b->stream);
	struct waiting **copies = calloc(b->count, sizeof(struct waiting *));
	size_t n = 0;
	bool has_room = r->waiting_bytes + (uint64_t)b->count * waiting_size(b->stride) <= r->most;
	bool ok = s && copies && has_room && copy_new(r, s, b, now_ns, copies, &n) &&
		  range_add(s, b->first, b->first + b->count);
	for (size_t i = 0; i < n; i++)
		ok ? heap_push(r, copies[i]) : free(copies[i]);
	free(copies);
	if (!ok)
		return cluster_fail(err, WARD_E_SYSTEM, "records", "%s: there is no room for its records now (C-21)",
			b->stream.machine);
	r->machines[s->machine].taken += n;
	r->machines[s->machine].twice += b->count - n;
	r->waiting += n;
	r->waiting_bytes += n * waiting_size(b->stride);
	return WARD_OK;
}

/* How many of the numbers below `to` haven't come. */
static uint64_t count_gaps(const struct stream *s, uint64_t to)
{
	uint64_t gaps = to > s->below ? to - s->below : 0;
	for (size_t i = 0; i < s->n && s->range[i].from < to; i++)
		gaps -= (s->range[i].to < to ? s->range[i].to : to) - s->range[i].from;
	return gaps;
}

bool cluster_records_kept(cluster_records *r, const struct cluster_stream *key, uint64_t kept)
{
	struct stream *s = stream_get(r, key);
	if (!s)
		return false;
	bool is_first = !s->is_known;
	s->is_known = true;
	if (kept <= s->below)
		return true;
	if (!is_first || !r->goes_on)
		s->given_up += count_gaps(s, kept);
	s->below = kept;
	below_move(s);
	return true;
}

bool cluster_records_said(cluster_records *r, const struct cluster_stream *key, uint64_t numbered, uint64_t unread)
{
	struct stream *s = stream_get(r, key);
	if (!s)
		return false;
	s->numbered = numbered > s->numbered ? numbered : s->numbered;
	s->unread = unread > s->unread ? unread : s->unread;
	return true;
}

bool cluster_records_next(cluster_records *r, uint64_t now_ns, bool everything, struct cluster_record *out)
{
	free(r->given);
	r->given = NULL;
	if (r->n == 0 || (!everything && r->heap[0]->time_ns + r->delay_ns > now_ns))
		return false;
	struct waiting *w = r->given = heap_pop(r);
	*out = (struct cluster_record){.stream = w->stream->key,
		.origin = w->origin,
		.number = w->number,
		.time_ns = w->time_ns,
		.bytes = w->bytes,
		.stride = w->stride,
		.is_late = w->time_ns < r->given_ns};
	r->given_ns = out->is_late ? r->given_ns : w->time_ns;
	r->machines[w->stream->machine].late += out->is_late;
	r->waiting--;
	r->waiting_bytes -= waiting_size(w->stride);
	return true;
}

uint64_t cluster_records_below(const cluster_records *r, const struct cluster_stream *key)
{
	size_t machine = cluster_names_find(&r->names, key->machine);
	const struct stream *s = machine == SIZE_MAX ? NULL : stream_find(r, machine, key);
	return s ? s->below : 1;
}

/* ---- counts ---- */

/* Numbers that its agent has given out, and that didn't come: gaps, and what is behind all that came. */
static uint64_t stream_missing(const struct stream *s)
{
	uint64_t last = s->numbered, end = s->n ? s->range[s->n - 1].to : s->below;
	return count_gaps(s, end) + (last >= end ? last - end + 1 : 0);
}

static void counts_add(const cluster_records *r, size_t machine, struct cluster_record_counts *c)
{
	const struct machine *m = &r->machines[machine];
	c->taken += m->taken;
	c->twice += m->twice;
	c->late += m->late;
	for (size_t i = m->last; i; i = r->streams[i - 1]->before) {
		const struct stream *s = r->streams[i - 1];
		c->given_up += s->given_up;
		c->unread += s->unread;
		c->missing += stream_missing(s);
	}
}

struct cluster_record_counts cluster_records_counts_of(const cluster_records *r, const char *machine)
{
	struct cluster_record_counts c = {0};
	size_t i = cluster_names_find(&r->names, machine);
	if (i != SIZE_MAX)
		counts_add(r, i, &c);
	return c;
}

struct cluster_record_counts cluster_records_counts(const cluster_records *r)
{
	struct cluster_record_counts c = {.waiting = r->waiting, .waiting_bytes = r->waiting_bytes};
	for (size_t i = 0; i < r->names.n; i++)
		counts_add(r, i, &c);
	return c;
}
