/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking a partial from the threads' states. The target shares their memory. It may fill it with anything at any
 * moment, also while we read. So each integer is read once, by one load where its alignment allows one, and nothing
 * that was read decides where the next read goes. Slots are copied first, and only the copy is looked at (take_map.c).
 */
#include <stdlib.h>
#include <string.h>

#include "take.h"

#include "loader/base/error.h"

/* Room for the words of a part, all zeros. */
static bool clear_words(struct taker *t, size_t n)
{
	if (n > t->n_words) {
		uint64_t *grown = realloc(t->words, n * sizeof(*grown));
		if (!grown)
			return false;
		t->words = grown;
		t->n_words = n;
	}
	if (n)
		memset(t->words, 0, n * sizeof(*t->words));
	return true;
}

/* Add a value, merged over states or slots, to a row. */
static bool take_value(
	struct taker *t, struct rows *rows, const struct state_field *part, const void *const *at, size_t n)
{
	struct part_form form = part_form(part, false);
	if (!clear_words(t, (size_t)form.fixed + form.cells))
		return false;
	for (size_t i = 0; i < n; i++)
		wl_kind_at(part->kind)->take(part, at[i], t->words);
	part_put(rows, form, t->words, 0, form.cells);
	return !rows->has_failed;
}

bool take_values(struct taker *t, struct rows *rows, const void *const *at, size_t n)
{
	const struct partial_field *p = t->field;
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		if (!take_value(t, rows, &p->parts[i], at, n))
			return false;
	return true;
}

/* ---- long arrays ---- */

/* Has any thread written to this element? */
static bool is_written(const void *const *at, size_t n, uint32_t stride)
{
	for (size_t t = 0; t < n; t++)
		for (uint32_t b = 0; b < stride; b++)
			if (__atomic_load_n((const unsigned char *)at[t] + b, __ATOMIC_RELAXED))
				return true;
	return false;
}

/* Elements that are all zeros in every thread are left out. Each is merged as a field is over states. */
static bool take_array(struct taker *t)
{
	struct partial_field *p = t->field;
	const struct state_map *map = &p->f->map;
	const void **at = heap_take(&t->scratch, t->states->n, sizeof(*at));
	for (uint32_t i = 0; at && i < map->n; i++) {
		for (size_t s = 0; s < t->states->n; s++)
			at[s] = take_slot_at(map, t->states->at[s], i);
		if (!is_written(at, t->states->n, map->stride))
			continue;
		rows_begin(&p->rows);
		rows_put_word(&p->rows, WARD_ANY_THREAD);
		rows_put_word(&p->rows, i);
		if (!take_values(t, &p->rows, at, t->states->n))
			return false;
	}
	return at != NULL;
}

/* ---- all fields ---- */

static bool take_field(struct taker *t)
{
	struct partial_field *p = t->field;
	const struct wl_kind *kind = wl_kind_at(p->f->kind);
	t->kind = kind->entries;
	switch (kind->shown.form) {
	case WARD_FORM_ENTRIES: return kind->entries->is_array ? take_array(t) : take_map(t);
	case WARD_FORM_RECORDS: return ring_take(p, t->states);
	default: rows_begin(&p->rows); return take_value(t, &p->rows, p->parts, t->states->at, t->states->n);
	}
}

/* What a field is read from that threads share. Nothing, if there isn't all that the field says. */
static struct states states_shared(const struct states *states, const struct state_field *f)
{
	bool fits = state_group_valid(f, 1 + (size_t)f->n_keys + f->n_values, states->shared_size) != 0;
	return (struct states){.at = states->shared, .n = fits ? states->n_shared : 0, .is_read_only = true};
}

bool partial_take(ward_partial *p, const struct states *states, ward_names *names, struct spill_seen *const *seen)
{
	struct taker t = {.p = p, .states = states, .names = names};
	bool ok = true;
	for (size_t i = 0; ok && i < p->n; i++) {
		struct states shared;
		t.field = &p->fields[i];
		t.seen = seen ? seen[i] : NULL;
		t.states = states;
		if (t.field->f->is_shared) {
			shared = states_shared(states, t.field->f);
			t.states = &shared;
		}
		ok = take_field(&t);
		heap_free(&t.scratch);
	}
	free(t.words);
	return ok;
}

int ward_partial_merge(const ward_schema *schema, ward_names *names, const void *const *states, size_t n,
	size_t state_size, const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_merge", "out");
	*out = NULL;
	if (!schema || (n && !states))
		return wl_missing(err, "ward_partial_merge", schema ? "states" : "the schema");
	return partial_merge(schema, names, &(struct states){.at = states, .n = n}, state_size, limits, out, err);
}

int partial_merge(const ward_schema *schema, ward_names *names, const struct states *states, size_t state_size,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	struct ward_partial_limits most;
	int status;
	if (!schema)
		return wl_missing(err, "ward_partial_take", "the schema");
	if ((status = partial_limits(limits, &most, err)) ||
		((states->n || !schema->of) && (status = partial_fits(schema, state_size, err))))
		return status;
	ward_partial *p = partial_new(schema, names != NULL, limits ? most.memory : SIZE_MAX);
	if (!p || !partial_take(p, states, names, NULL)) {
		status = partial_fail(p, "the state", err);
		ward_partial_free(p);
		return status;
	}
	*out = p;
	return WARD_OK;
}
