/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of maps that hand entries on (ward/spill.h). A poll copies the entries that wait, and moves the cursors,
 * so that the probes have room again; that is all that must be quick. The copies become rows of a partial when there
 * are as many of them as it has rows: so each is sorted once, and the rows are gone through as often as they double.
 */
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "take.h"

#include "loader/base/error.h"

enum { SETTLE = 1 << 16 /* copies, at least */ };

/* A map that hands on. */
struct drained {
	const struct state_field *f; /* NULL: the field is none */
	struct spill_seen *seen;     /* by thread */
	struct spilled copies;
	uint64_t missed; /* entries that weren't there, which no honest target does */
};

struct ward_drain {
	ward_names *names;
	ward_names *meanings; /* of threads whose addresses differ in meaning; or NULL */
	ward_partial *sum;
	size_t threads;
	bool has_failed; /* there was no memory for entries, which wait on */
	struct drained fields[];
};

int ward_drain_open(const ward_schema *schema, ward_names *names, const struct ward_partial_limits *limits,
	ward_drain **out, struct ward_error *err)
{
	struct ward_partial_limits most;
	int status;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_drain_open", "out");
	*out = NULL;
	if (!schema)
		return wl_missing(err, "ward_drain_open", "the schema");
	if ((status = partial_limits(limits, &most, err)))
		return status;
	ward_drain *d = calloc(1, sizeof(*d) + schema->n * sizeof(d->fields[0]));
	if (d) {
		d->names = names;
		d->sum = partial_new(schema, names != NULL, limits ? most.memory : SIZE_MAX);
	}
	if (!d || !d->sum || !partial_take(d->sum, &(struct states){0}, names, NULL)) {
		ward_drain_close(d);
		return partial_fail(NULL, "", err);
	}
	for (size_t i = 0; i < d->sum->n; i++)
		if (d->sum->fields[i].f->map.queued)
			d->fields[i].f = d->sum->fields[i].f;
	*out = d;
	return WARD_OK;
}

void ward_drain_close(ward_drain *d)
{
	if (!d)
		return;
	for (size_t i = 0; d->sum && i < d->sum->n; i++) {
		free(d->fields[i].seen);
		free(d->fields[i].copies.bytes);
		free(d->fields[i].copies.threads);
	}
	ward_partial_free(d->sum);
	free(d);
}

bool ward_drain_is_needed(const ward_schema *schema)
{
	for (size_t i = 0; schema && i < schema->n; i++)
		if (schema->fields[i].map.queued)
			return true;
	return false;
}

/* ---- copying ---- */

static bool make_room(ward_drain *d, size_t threads)
{
	for (size_t i = 0; i < d->sum->n && threads > d->threads; i++) {
		struct spill_seen *seen =
			d->fields[i].f ? reallocarray(d->fields[i].seen, threads, sizeof(*seen)) : NULL;
		if (!d->fields[i].f)
			continue;
		if (!seen)
			return false;
		memset(seen + d->threads, 0, (threads - d->threads) * sizeof(*seen));
		d->fields[i].seen = seen;
	}
	if (threads > d->threads)
		d->threads = threads;
	return true;
}

static bool make_copies(struct spilled *s, size_t more, size_t stride)
{
	size_t room = s->room * 2 > s->n + more ? s->room * 2 : s->n + more;
	if (more <= s->room - s->n)
		return true;
	unsigned char *bytes = reallocarray(s->bytes, room, stride);
	s->bytes = bytes ? bytes : s->bytes;
	uint32_t *threads = bytes ? reallocarray(s->threads, room, sizeof(*threads)) : NULL;
	s->threads = threads ? threads : s->threads;
	s->room = threads ? room : s->room;
	return threads != NULL;
}

/* Returns how many entries were copied. Those that there is no memory for stay where they are. */
static size_t drain_thread(ward_drain *d, struct drained *field, const struct states *states, size_t t)
{
	const struct state_map *map = &field->f->map;
	struct spilled *s = &field->copies;
	uint64_t from, left = spill_look(map, states->at[t], &field->seen[t], &from);
	if (!make_copies(s, (size_t)(left - from), map->stride)) {
		d->has_failed = true;
		return 0;
	}
	for (uint64_t number = from; number < left; number++) {
		if (spill_copy(map, states->at[t], number + 1, s->bytes + s->n * map->stride))
			s->threads[s->n++] = (uint32_t)t;
		else
			field->missed++;
	}
	field->seen[t].taken = left;
	merge_write_word(states, t, &map->taken, left);
	return (size_t)(left - from);
}

/* ---- rows ---- */

static bool settle_field(const ward_drain *d, const ward_partial *p, size_t i)
{
	const struct drained *from = &d->fields[i];
	struct taker t = {.p = p,
		.field = &p->fields[i],
		.kind = wl_kind_at(p->fields[i].f->kind)->entries,
		.states = &(struct states){.names = d->meanings},
		.names = d->names};
	if (!from->copies.n)
		return true;
	bool ok = take_spilled(&t, &from->copies);
	heap_free(&t.scratch);
	free(t.words);
	return ok;
}

/* Make rows of all copies. */
static int drain_settle(ward_drain *d, struct ward_error *err)
{
	ward_partial *p = partial_new(d->sum->schema, d->sum->is_named, d->sum->budget.most);
	bool ok = p && partial_take(p, &(struct states){0}, d->names, NULL);
	for (size_t i = 0; ok && i < p->n; i++)
		ok = settle_field(d, p, i);
	int status = ok ? ward_partial_add(d->sum, p, err) : partial_fail(p, "what maps have handed on", err);
	for (size_t i = 0; status == WARD_OK && i < p->n; i++) {
		d->sum->fields[i].lost += d->fields[i].missed;
		d->fields[i].missed = 0;
		d->fields[i].copies.n = 0;
	}
	ward_partial_free(p);
	return status;
}

static int settle_when_due(ward_drain *d, struct ward_error *err)
{
	for (size_t i = 0; i < d->sum->n; i++) {
		size_t n = d->fields[i].copies.n;
		if (n >= SETTLE && n >= d->sum->fields[i].rows.n)
			return drain_settle(d, err);
	}
	return WARD_OK;
}

/* ---- what callers use ---- */

static int drain_fits(const ward_drain *d, size_t state_size, struct ward_error *err)
{
	return partial_fits(d->sum->schema, state_size, err);
}

static int drain_copy(ward_drain *d, const struct states *states, size_t *n, struct ward_error *err)
{
	int status = settle_when_due(d, err);
	*n = 0;
	if (status != WARD_OK)
		return status;
	d->meanings = states->names;
	if (!make_room(d, states->n))
		return partial_fail(NULL, "", err);
	for (size_t i = 0; i < d->sum->n; i++)
		for (size_t t = 0; d->fields[i].f && t < states->n; t++)
			*n += drain_thread(d, &d->fields[i], states, t);
	status = d->has_failed ? partial_fail(NULL, "", err) : WARD_OK;
	d->has_failed = false;
	return status;
}

/* What is in the states, beside what was taken. */
static int take_states(ward_drain *d, const struct states *states, ward_partial **out, struct ward_error *err)
{
	struct spill_seen **seen = calloc(d->sum->n + 1, sizeof(struct spill_seen *));
	ward_partial *p = partial_new(d->sum->schema, d->sum->is_named, d->sum->budget.most);
	for (size_t i = 0; seen && i < d->sum->n; i++)
		seen[i] = d->fields[i].seen;
	bool ok = seen && p && partial_take(p, states, d->names, seen);
	free(seen);
	int status = ok ? drain_settle(d, err) : partial_fail(p, "the state", err);
	if (status == WARD_OK)
		status = ward_partial_add(p, d->sum, err);
	if (status != WARD_OK) {
		ward_partial_free(p);
		return status;
	}
	*out = p;
	return WARD_OK;
}

static int drain_take(
	ward_drain *d, const struct states *states, size_t state_size, ward_partial **out, struct ward_error *err)
{
	size_t n;
	int status = drain_fits(d, state_size, err);
	if (status == WARD_OK)
		status = drain_copy(d, states, &n, err);
	return status == WARD_OK ? take_states(d, states, out, err) : status;
}

int ward_drain_read(
	ward_drain *d, const void *const *states, size_t n, size_t state_size, size_t *taken, struct ward_error *err)
{
	size_t ignored;
	wl_clear(err);
	if (!d || (n && !states))
		return wl_missing(err, "ward_drain_read", d ? "states" : "the reader");
	int status = drain_fits(d, state_size, err);
	return status ? status : drain_copy(d, &(struct states){.at = states, .n = n}, taken ? taken : &ignored, err);
}

int ward_drain_merge(ward_drain *d, const void *const *states, size_t n, size_t state_size, ward_partial **out,
	struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_drain_merge", "out");
	*out = NULL;
	if (!d || (n && !states))
		return wl_missing(err, "ward_drain_merge", d ? "states" : "the reader");
	return drain_take(d, &(struct states){.at = states, .n = n}, state_size, out, err);
}

int ward_drain_poll(ward_drain *d, ward_session *session, size_t *taken, struct ward_error *err)
{
	struct session_states s;
	size_t ignored;
	wl_clear(err);
	if (!d || !session)
		return wl_missing(err, "ward_drain_poll", d ? "the session" : "the reader");
	int status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = drain_fits(d, s.state_size, err);
	if (status == WARD_OK)
		status = drain_copy(d, &s.all, taken ? taken : &ignored, err);
	session_states_free(&s);
	return status;
}

int ward_drain_take(ward_drain *d, ward_session *session, ward_partial **out, struct ward_error *err)
{
	struct session_states s;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_drain_take", "out");
	*out = NULL;
	if (!d || !session)
		return wl_missing(err, "ward_drain_take", d ? "the session" : "the reader");
	int status = session_states_take(session, &s, err);
	if (status == WARD_OK)
		status = drain_take(d, &s.all, s.state_size, out, err);
	session_states_free(&s);
	if (status == WARD_OK)
		session_note(session, *out);
	return status;
}
