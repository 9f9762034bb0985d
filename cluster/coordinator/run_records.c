/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of all machines. A message says how its machine's clock and time stamp counter were when its records were
 * read. So each record's time is known by the machine's clock, and by ours, as far as the difference of both is. They
 * are taken once each, acknowledged soon, and given out in the order of their time.
 */
#include "run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"

enum { DELAY_PERIODS = 2 };
static const uint64_t HOUR_NS = 3600ull * 1000000000;

/* ---- beginning ---- */

/* Which member of a ring is when its event was: `time`, as in the rest of Ward. NULL: none is. */
static const struct ward_member *time_member(const struct ward_layout *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->members[i].name, "time") == 0 && l->members[i].size == sizeof(uint64_t) &&
			(l->members[i].kind == WARD_FIELD_VALUE || l->members[i].kind == WARD_FIELD_COUNT))
			return &l->members[i];
	return NULL;
}

int run_records_begin(struct cluster_run *r, bool goes_on, struct ward_error *err)
{
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < r->n_units && !rc; i++) {
		rc = ward_stream_open(r->schema[i], &r->stream[i], err);
		any |= ward_stream_layout(r->stream[i], 0) != NULL;
	}
	if (rc || !any)
		return rc;
	if (r->tree) /* C-124: how many there are is in machines' partials, which combiners take */
		return cluster_fail(err, WARD_E_USAGE, "records",
			"a probe with a ring can't have combiners: its records come from each machine");
	r->records = cluster_records_new(DELAY_PERIODS * r->period_ns, 0, goes_on);
	return r->records ? 0 : cluster_no_memory(err);
}

void run_records_free(struct cluster_run *r)
{
	for (size_t i = 0; i < CLUSTER_RUN_UNITS; i++)
		ward_stream_close(r->stream[i]);
	cluster_records_free(r->records);
	cluster_names_free(&r->speaking);
	free(r->speakers);
	free(r->gots);
}

/* What is known of a machine that sends. NULL without memory. */
static struct run_speaker *speaker_get(struct cluster_run *r, const char *host)
{
	size_t i = cluster_names_add(&r->speaking, host);

	if (i == SIZE_MAX || !cluster_array_grow(&r->speakers, &r->speakers_room, i + 1, sizeof(*r->speakers)) ||
		!cluster_array_grow(&r->gots, &r->gots_room, r->n_gots + 1, sizeof(*r->gots)))
		return NULL;
	return &r->speakers[i];
}

/* ---- what comes ---- */

/* By our clock that never goes back. */
struct times {
	const Ward__Cluster__Records *m;
	int64_t to_ns; /* from the machine's time of the day */
	uint64_t now_ns;
};

static uint64_t time_of(const struct times *t, const struct ward_member *member, const unsigned char *record)
{
	double rate = t->m->has_counts_per_us ? t->m->counts_per_us : 0, ns = 0;
	uint64_t counts, read_ns = t->m->clock_at + (uint64_t)t->to_ns;

	if (member && t->m->has_counts && isfinite(rate) && rate > 0) {
		memcpy(&counts, record + member->offset, sizeof(counts));
		ns = (double)(int64_t)(t->m->counts - counts) * 1000 / rate;
	}
	if (read_ns > t->now_ns)
		read_ns = t->now_ns;
	if (!(ns >= 0 && ns < (double)HOUR_NS)) /* the record says what can't be */
		ns = 0;
	return read_ns > (uint64_t)ns ? read_ns - (uint64_t)ns : 0;
}

/* Until a beat has come back, its clock is taken for as much ahead as it would be without a way. */
static int64_t machine_offset(const struct run_speaker *s, const struct cluster_run *r, uint64_t clock_at)
{
	return s->clock.is_known ? s->clock.offset_ns : (int64_t)(clock_at - r->now.at);
}

static bool batch_fits(const struct cluster_run *r, const Ward__Cluster__Batch *b)
{
	const struct ward_layout *l = b->unit < r->n_units ? ward_stream_layout(r->stream[b->unit], b->field) : NULL;

	return l && l->size == b->stride && (uint64_t)b->count * b->stride == b->record.len;
}

static int batch_take(struct cluster_run *r, const struct cluster_stream *stream, const struct times *times,
	const Ward__Cluster__Batch *b, struct ward_error *err)
{
	const struct ward_member *member = time_member(ward_stream_layout(r->stream[b->unit], b->field));
	uint64_t *at = calloc(b->count, sizeof(*at));
	char program[256];
	struct cluster_batch batch = {.stream = *stream,
		.origin = {.unit = b->unit,
			.ring = b->field,
			.session = b->stream,
			.pid = b->has_pid ? (uint32_t)b->pid : 0,
			.program = program,
			.thread = b->has_thread ? (uint32_t)b->thread : 0,
			.number = b->has_number ? b->number : b->first},
		.first = b->first,
		.count = b->count,
		.stride = b->stride,
		.records = b->record.data,
		.times = at};

	if (!at)
		return cluster_no_memory(err);
	cluster_text(b->process.data, b->process.len, program, sizeof(program));
	for (uint32_t i = 0; i < b->count; i++)
		at[i] = time_of(times, member, b->record.data + (size_t)i * b->stride);
	if (cluster_records_take(r->records, &batch, r->now.ns, NULL) == WARD_E_USAGE)
		r->refused++; /* without room it comes again */
	free(at);
	return 0;
}

/* To be acknowledged when all machines are looked at; of another epoch at once. */
static void got_note(struct cluster_run *r, struct run_speaker *s, const struct cluster_stream *stream)
{
	if (s->is_due && (s->epoch != stream->epoch || s->nonce != stream->nonce))
		run_say_got_records(r, stream->machine, s->epoch, s->nonce);
	if (!s->is_due)
		r->gots[r->n_gots++] = (uint32_t)(s - r->speakers);
	s->is_due = true;
	s->epoch = stream->epoch;
	s->nonce = stream->nonce;
}

int run_records_take(struct cluster_run *r, const char *host, const Ward__Cluster__Records *m, struct ward_error *err)
{
	const struct cluster_fleet_machine *machine = cluster_fleet_find(r->fleet, host);
	struct cluster_stream stream = {.machine = host, .epoch = m->epoch, .nonce = m->nonce};
	struct times times = {.m = m, .now_ns = r->now.ns};
	struct run_speaker *s;
	int rc = 0;

	if (!r->records || !machine || machine->state == CLUSTER_STATE_INCONSISTENT) {
		r->refused++;
		return 0;
	}
	for (size_t i = 0; i < m->n_batch; i++)
		if (!batch_fits(r, m->batch[i])) {
			r->refused++;
			return 0;
		}
	s = speaker_get(r, host);
	if (!s)
		return cluster_no_memory(err);
	times.to_ns = (int64_t)(r->now.ns - r->now.at) - machine_offset(s, r, m->clock_at);
	for (size_t i = 0; i < m->n_batch && !rc; i++)
		rc = batch_take(r, &stream, &times, m->batch[i], err);
	if (!rc && m->has_kept && !cluster_records_kept(r->records, &stream, m->kept))
		r->refused++; /* it has too many lives */
	if (m->n_batch)
		got_note(r, s, &stream);
	return rc;
}

int run_records_said(struct cluster_run *r, const char *host, const struct ward_partial_notes *notes,
	const Ward__Cluster__Parts *m, struct ward_error *err)
{
	struct cluster_stream stream = {.machine = host, .epoch = notes->epoch, .nonce = notes->nonce};
	struct run_speaker *s;

	if (!r->records)
		return 0;
	s = speaker_get(r, host);
	if (!s)
		return cluster_no_memory(err);
	if (m->has_beat && m->has_beat_age_ns) {
		const struct cluster_clock_echo echo = {m->beat, m->beat_age_ns, m->clock_at, r->now.at};
		cluster_clock_hear(&s->clock, &echo, r->now.ns);
	}
	if (m->has_records && !cluster_records_said(r->records, &stream, m->records, m->has_unread ? m->unread : 0))
		r->refused++;
	return 0;
}

void run_records_settle(struct cluster_run *r)
{
	for (size_t i = 0; i < r->n_gots; i++) {
		struct run_speaker *s = &r->speakers[r->gots[i]];
		run_say_got_records(r, r->speaking.at[r->gots[i]], s->epoch, s->nonce);
		s->is_due = false;
	}
	r->n_gots = 0;
	if (r->records)
		cluster_records_delay(r->records, DELAY_PERIODS * r->period_ns);
}

bool run_records_wait(const struct cluster_run *r)
{
	return r->records && cluster_records_counts(r->records).missing;
}

/* ---- what goes out ---- */

bool cluster_run_has_records(const cluster_run *r)
{
	return r->records != NULL;
}

struct give {
	cluster_event_fn *fn;
	void *user;
	struct cluster_event event;
};

static void event_give(void *user, const struct ward_field *field, const struct ward_record *record)
{
	struct give *g = user;

	g->event.field = field;
	g->event.members = record;
	g->fn(g->user, &g->event);
}

int cluster_run_records(cluster_run *r, struct cluster_now now, bool everything, cluster_event_fn *fn, void *user,
	struct ward_error *err)
{
	struct cluster_record record;
	int rc = 0;

	while (r->records && !rc && cluster_records_next(r->records, now.ns, everything, &record)) {
		struct give give = {fn, user, {.record = &record, .at = record.time_ns + (now.at - now.ns)}};
		const struct ward_batch one = {.thread = record.origin.thread,
			.first = record.origin.number,
			.n = 1,
			.stride = record.stride,
			.records = record.bytes};
		rc = ward_stream_unbatch(
			r->stream[record.origin.unit], record.origin.ring, &one, event_give, &give, err);
	}
	return rc;
}

struct cluster_record_counts cluster_run_record_counts(const cluster_run *r, const char *machine)
{
	if (!r->records)
		return (struct cluster_record_counts){0};
	return machine ? cluster_records_counts_of(r->records, machine) : cluster_records_counts(r->records);
}

bool cluster_run_is_complete(const cluster_run *r)
{
	struct cluster_record_counts c = cluster_run_record_counts(r, NULL);

	return cluster_fleet_is_complete(r->fleet) && !c.given_up && !c.unread && !c.missing;
}
