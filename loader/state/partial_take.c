/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking a partial from the threads' states. The target shares their memory. It may fill it with anything at any
 * moment, also while we read. So each integer is read once, by one load where its alignment allows one, and nothing
 * that was read decides where the next read goes. Slots are copied first, and only the copy is looked at.
 *
 * Of a map the slots of all threads are collected and sorted by key. Those of one key, in the order of their threads,
 * are a group, which becomes a row. No hash table means nothing that hostile keys could degrade, and memory is bounded
 * by the slots there are.
 */
#define _GNU_SOURCE 1

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"
#include "loader/state/kinds/words.h"
#include "loader/symbols/names.h"

struct taker {
	const ward_partial *p;
	struct partial_field *field;
	const struct wl_entries *kind;
	const struct states *states;
	ward_names *names;
	struct heap scratch; /* what one field needs while it is taken */
	uint64_t *words;     /* of a part: room for `n_words` */
	size_t n_words;
};

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

static bool take_values(struct taker *t, struct rows *rows, const void *const *at, size_t n)
{
	const struct partial_field *p = t->field;
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		if (!take_value(t, rows, &p->parts[i], at, n))
			return false;
	return true;
}

/* ---- keys ---- */

static void take_name(
	struct taker *t, struct rows *rows, const struct state_field *part, uint64_t value, uint32_t thread)
{
	char name[1024];
	if (part->modules) {
		value = state_module_of(part->modules, value);
		if (!ward_enumeration_name(&part->modules->names, value, name, sizeof(name)))
			snprintf(name, sizeof(name), "%" PRIu64, value);
	} else if (part->scalar.is_address) {
		if (!ward_names_find_at(t->names, value, thread, 0, name, sizeof(name)))
			snprintf(name, sizeof(name), "0x%" PRIx64, value);
	} else {
		state_site_name(&t->p->schema->modules, value, name, sizeof(name));
	}
	part_put_text(rows, name, sizeof(name));
}

/* Put down a part of the key of a slot. */
static bool take_key(struct taker *t, struct rows *rows, const struct state_field *part, const struct slot_copy *slot)
{
	const struct state_int *scalar = &part->scalar;
	if (part->kind == WARD_FIELD_TEXT) {
		part_put_text(rows, (const char *)slot->bytes + scalar->offset, part->n);
		return !rows->has_failed;
	}
	uint64_t value = merge_read(slot->bytes, scalar);
	if (part_is_name(part, t->p->is_named)) {
		take_name(t, rows, part, value, slot->thread);
	} else if (part->kind == WARD_FIELD_WIDE) {
		struct state_int high = *scalar;
		high.offset += 8;
		rows_put_word(rows, words_ordered(merge_read(slot->bytes, &high), scalar->is_signed));
		rows_put_word(rows, value);
	} else if (scalar->is_address) {
		uint64_t meaning = t->states->names ? wl_names_meaning(t->states->names, slot->thread, value) : 0;
		rows_put_word(rows, meaning);
		rows_put_word(rows, value);
	} else {
		value = state_module_of(t->kind->joins_modules ? part->modules : NULL, value);
		rows_put_word(rows, words_ordered(value, scalar->is_signed));
	}
	return !rows->has_failed;
}

/* ---- maps ---- */

/* A copy of a slot, and the number of the row that has its key. */
struct slot {
	struct slot_copy copy;
	size_t key;
};
struct slots {
	struct slot *at;
	size_t n;
	struct rows keys;
	struct budget budget; /* theirs: as many as there are slots */
	const struct partial_field *p;
	bool is_named;
	bool are_words; /* keys are one word */
};

static int compare_keys(const struct slots *s, const struct slot *x, const struct slot *y)
{
	const uint64_t *a = rows_at(&s->keys, x->key), *b = rows_at(&s->keys, y->key);
	if (s->are_words)
		return (*a > *b) - (*a < *b);
	return part_compare_keys(s->p->parts, s->p->n_keys, s->is_named, a, b);
}

static int by_key_and_thread(const void *a, const void *b, void *slots)
{
	const struct slot *x = a, *y = b;
	int order = compare_keys(slots, x, y);
	if (order == 0)
		order = (x->copy.thread > y->copy.thread) - (x->copy.thread < y->copy.thread);
	return order ? order : (x->key > y->key) - (x->key < y->key);
}

static const unsigned char *slot_at(const struct state_map *map, const void *state, uint32_t s)
{
	return (const unsigned char *)state + map->slots + (size_t)s * map->stride;
}

/* Is a slot with this word in use? */
static bool is_used(const struct wl_entries *kind, uint64_t word)
{
	return word != 0 && word != kind->removed;
}

static size_t count_used(const struct taker *t)
{
	const struct state_map *map = &t->field->f->map;
	size_t total = 0;
	for (size_t i = 0; i < t->states->n; i++)
		for (uint32_t s = 0; s < map->n; s++)
			total += is_used(t->kind, merge_read(slot_at(map, t->states->at[i], s), &map->used));
	return total;
}

static bool copy_slot(struct taker *t, struct slots *slots, const unsigned char *bytes, uint32_t thread)
{
	struct slot *slot = &slots->at[slots->n++];
	*slot = (struct slot){{bytes, thread}, slots->keys.n};
	rows_begin(&slots->keys);
	for (uint32_t i = 0; i < t->field->n_keys; i++)
		if (!take_key(t, &slots->keys, &t->field->parts[i], &slot->copy))
			return false;
	return !slots->keys.has_failed;
}

/* Copy the slots that are in use. Those that come up while we read wait for the next time. */
static bool copy_slots(struct taker *t, struct slots *slots)
{
	const struct state_map *map = &t->field->f->map;
	size_t room = count_used(t);
	unsigned char *bytes = heap_take(&t->scratch, room + 1, map->stride);
	slots->at = heap_take(&t->scratch, room, sizeof(*slots->at));
	if (!bytes || !slots->at)
		return false;
	for (size_t i = 0; i < t->states->n; i++) {
		for (uint32_t s = 0; s < map->n && slots->n < room; s++) {
			memcpy(bytes, slot_at(map, t->states->at[i], s), map->stride);
			if (!is_used(t->kind, merge_read(bytes, &map->used)))
				continue;
			if (!copy_slot(t, slots, bytes, (uint32_t)i))
				return false;
			bytes += map->stride;
		}
	}
	qsort_r(slots->at, slots->n, sizeof(*slots->at), by_key_and_thread, slots);
	return true;
}

/* The least word of each thread's slots; 0 if one is free. NULL without memory. */
static uint64_t *find_floor(struct taker *t)
{
	const struct state_map *map = &t->field->f->map;
	uint64_t *floor = heap_take(&t->scratch, t->states->n, sizeof(*floor));
	for (size_t i = 0; floor && i < t->states->n; i++) {
		floor[i] = UINT64_MAX;
		for (uint32_t s = 0; s < map->n; s++) {
			uint64_t word = merge_read(slot_at(map, t->states->at[i], s), &map->used);
			floor[i] = word < floor[i] ? word : floor[i];
		}
		t->field->floor += t->kind->has_most ? floor[i] : 0;
	}
	return floor;
}

/* One row for the slots of one key. */
static bool take_group(struct taker *t, const struct slots *slots, size_t first, struct slot_group *group,
	const uint64_t *floor, const void **bases)
{
	struct partial_field *p = t->field;
	size_t key = slots->at[first].key;
	rows_begin(&p->rows);
	rows_put_word(&p->rows, group->slot->thread);
	if (t->kind->weigh) {
		t->kind->weigh(p->f, group, floor, t->states->n);
		rows_put_word(&p->rows, group->weight);
		rows_put_word(&p->rows, group->error);
	}
	rows_copy(&p->rows, rows_at(&slots->keys, key), rows_length(&slots->keys, key));
	for (size_t i = 0; i < group->n; i++)
		bases[i] = group->slot[i].bytes;
	return take_values(t, &p->rows, bases, group->n);
}

static bool take_groups(struct taker *t, const struct slots *slots)
{
	const uint64_t *floor = t->kind->weigh ? find_floor(t) : NULL;
	const void **bases = heap_take(&t->scratch, slots->n, sizeof(*bases));
	struct slot_copy *copies = heap_take(&t->scratch, slots->n, sizeof(*copies));
	if (!bases || !copies || (t->kind->weigh && !floor))
		return false;
	for (size_t s = 0; s < slots->n; s++)
		copies[s] = slots->at[s].copy;
	for (size_t s = 0, end; s < slots->n; s = end) {
		for (end = s + 1; end < slots->n && compare_keys(slots, &slots->at[s], &slots->at[end]) == 0; end++)
			;
		struct slot_group group = {.slot = &copies[s], .n = end - s};
		if (!take_group(t, slots, s, &group, floor, bases))
			return false;
	}
	return true;
}

/* What stands beside the entries. */
static void take_total(struct taker *t)
{
	struct partial_field *p = t->field;
	const struct state_map *map = &p->f->map;
	struct ward_field total = {0};
	if (t->kind->total) {
		t->kind->total(p->f, t->states, &total);
		p->events = total.value;
		p->lost = total.lost;
		return;
	}
	p->lost = map->lost.size ? merge_sum(t->states, &map->lost) : 0;
	p->evicted = map->evicted.size ? merge_sum(t->states, &map->evicted) : 0;
}

/* The value of keys without room: read where its bytes lie as if a slot were around them. */
static bool take_other(struct taker *t)
{
	struct partial_field *p = t->field;
	const struct state_map *map = &p->f->map;
	const void **bases = heap_take(&t->scratch, t->states->n, sizeof(*bases));
	for (size_t i = 0; bases && i < t->states->n; i++)
		bases[i] = (const unsigned char *)t->states->at[i] + (map->other - map->value_offset);
	rows_begin(&p->other);
	return bases && take_values(t, &p->other, bases, t->states->n);
}

static bool take_map(struct taker *t)
{
	struct slots slots = {.p = t->field, .is_named = t->p->is_named, .budget.most = SIZE_MAX};
	struct part_form form = part_form(t->field->parts, t->p->is_named);
	slots.keys.budget = &slots.budget;
	slots.are_words = t->field->n_keys == 1 && form.fixed == 1 && !form.cells;
	bool ok = copy_slots(t, &slots) && take_groups(t, &slots);
	rows_free(&slots.keys);
	if (ok)
		take_total(t);
	return ok && (!t->field->f->map.other || take_other(t));
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
			at[s] = slot_at(map, t->states->at[s], i);
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

bool partial_take(ward_partial *p, const struct states *states, ward_names *names)
{
	struct taker t = {.p = p, .states = states, .names = names};
	bool ok = true;
	for (size_t i = 0; ok && i < p->n; i++) {
		t.field = &p->fields[i];
		ok = take_field(&t);
		heap_free(&t.scratch);
	}
	free(t.words);
	return ok;
}

int ward_partial_merge(const ward_schema *schema, ward_names *names, const void *const *states, size_t n,
	size_t state_size, const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	struct ward_partial_limits most;
	int status;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_merge", "out");
	*out = NULL;
	if (!schema || (n && !states))
		return wl_missing(err, "ward_partial_merge", schema ? "states" : "the schema");
	if ((status = partial_limits(limits, &most, err)) || (status = partial_fits(schema, state_size, err)))
		return status;
	ward_partial *p = partial_new(schema, names != NULL, limits ? most.memory : SIZE_MAX);
	struct states all = {.at = states, .n = n};
	if (!p || !partial_take(p, &all, names)) {
		status = partial_fail(p, "the state", err);
		ward_partial_free(p);
		return status;
	}
	*out = p;
	return WARD_OK;
}
