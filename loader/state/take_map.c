/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking a map. The slots of all threads are copied and sorted by key. Those of one key, in the order of their
 * threads, are a group, which becomes a row. No hash table means nothing that hostile keys could degrade, and memory
 * is bounded by the slots there are.
 *
 * A map may hand entries on to a queue (ward/spill.h) while we read. An entry is then in its slot, or in the queue, or
 * for a moment in both, and each must count once. So the queue is read after the slots, and what is in it counts. A
 * copy of a slot counts unless an entry that came from this slot is as new: that is the same entry, as it was when it
 * left. The last entry is looked at even if it was taken before, as its slot may not be empty yet.
 */
#define _GNU_SOURCE 1

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "take.h"

#include "loader/state/kinds/words.h"
#include "loader/symbols/names.h"

/* ---- keys ---- */

static void take_name(
	struct taker *t, struct rows *rows, const struct state_field *part, uint64_t value, uint32_t thread)
{
	char name[16384];
	size_t size = part_form(part, true).cells * 8, n = 0;
	if (size > sizeof(name))
		size = sizeof(name);
	if (part->modules) {
		value = state_module_of(part->modules, value);
		if (!ward_enumeration_name(&part->modules->names, value, name, size))
			snprintf(name, size, "%" PRIu64, value);
	} else if (part->scalar.is_address) { /* its place comes before its name (partial_fold.c) */
		if (wl_names_place(t->names, value, thread, name, 80))
			n = strlen(name);
		name[n++] = PART_PLACE_END;
		if (!ward_names_find_at(t->names, value, thread, 0, name + n, size - n))
			snprintf(name + n, size - n, "0x%" PRIx64, value);
	} else {
		state_site_name(&t->p->schema->modules, value, name, size);
	}
	part_put_text(rows, name, size);
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

/* ---- copies of slots ---- */

struct slots {
	struct slot *at;
	size_t n, room;
	size_t chunk;         /* for how many there is to be room at a time */
	unsigned char *bytes; /* for the next copies */
	size_t left;          /* how many there is room for */
	uint32_t *place;      /* of a map that hands on: by slot of one thread, the copy's place in `at`, and one */
	struct rows keys;
	struct budget budget; /* theirs: as many as there are slots */
	const struct partial_field *p;
	bool are_words; /* keys are one word */
};

enum { CHUNK = 64, MOST_CHUNK = 1 << 20, BUCKET_TRIES = 10000 };

/* Room for one more copy; it is there until the next one is added. NULL without memory. */
static unsigned char *slots_room(struct taker *t, struct slots *slots)
{
	if (slots->n == slots->room) {
		struct slot *at = reallocarray(slots->at, slots->room * 2 + slots->chunk, sizeof(*at));
		if (!at)
			return NULL;
		slots->at = at;
		slots->room = slots->room * 2 + slots->chunk;
	}
	if (!slots->left) {
		slots->bytes = heap_take(&t->scratch, slots->chunk, t->field->f->map.stride);
		slots->left = slots->bytes ? slots->chunk : 0;
	}
	return slots->bytes;
}

/* The bytes that there was room for are a copy. */
static void slots_add(struct taker *t, struct slots *slots, uint32_t thread)
{
	slots->at[slots->n++] = (struct slot){.copy = {slots->bytes, thread}};
	slots->bytes += t->field->f->map.stride;
	slots->left--;
}

/* The last copies are none, so that there are n. */
static void slots_drop(struct taker *t, struct slots *slots, size_t n)
{
	const unsigned char *first = n < slots->n ? slots->at[n].copy.bytes : NULL;
	if (first && first + (slots->n - n) * t->field->f->map.stride == slots->bytes) { /* in one chunk */
		slots->left += slots->n - n;
		slots->bytes -= (slots->n - n) * t->field->f->map.stride;
	}
	slots->n = n;
}

/* Is a slot with this word in use? */
static bool is_used(const struct wl_entries *kind, uint64_t word)
{
	return word != 0 && word != kind->removed;
}

/* Copy a slot, if it is in use. One that hands on must be the same one all the time. */
static bool copy_slot(const struct taker *t, const unsigned char *slot, unsigned char *to)
{
	const struct state_map *map = &t->field->f->map;
	uint64_t word = merge_read(slot, &map->used);
	if (!is_used(t->kind, word))
		return false;
	memcpy(to, slot, map->stride);
	if (!map->queued)
		return is_used(t->kind, merge_read(to, &map->used));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return merge_read(slot, &map->used) == word && merge_read(to, &map->used) == word;
}

uint64_t spill_look(const struct state_map *map, const unsigned char *state, struct spill_seen *seen, uint64_t *from)
{
	uint64_t left = merge_read(state, &map->left);
	uint64_t taken = seen && seen->is_known ? seen->taken : merge_read(state, &map->taken);
	if (taken > left)
		taken = left; /* which no honest target says, nor the next */
	if (left - taken > map->queued)
		taken = left - map->queued;
	if (seen)
		*seen = (struct spill_seen){taken, true};
	*from = taken;
	return left;
}

bool spill_copy(const struct state_map *map, const unsigned char *state, uint64_t number, unsigned char *to)
{
	const unsigned char *slot = state + map->queue + (size_t)((number - 1) % map->queued) * map->stride;
	memcpy(to, slot, map->stride);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return merge_read(to, &map->used) == number && merge_read(slot, &map->used) == number;
}

/* A slot's number is two above that of the first entry that can have left it since. */
static void drop_older(const struct state_map *map, struct slots *slots, const unsigned char *entry, uint64_t number)
{
	uint64_t origin = merge_read(entry, &map->origin);
	if (origin >= map->n || !slots->place[origin])
		return;
	struct slot *slot = &slots->at[slots->place[origin] - 1];
	if (slot->copy.bytes && number + 2 >= merge_read(slot->copy.bytes, &map->used))
		slot->copy.bytes = NULL;
}

/* Copy the entries in a thread's queue. */
static bool copy_queue(struct taker *t, struct slots *slots, uint32_t thread)
{
	const struct state_map *map = &t->field->f->map;
	const unsigned char *state = t->states->at[thread];
	uint64_t from, left = spill_look(map, state, t->seen ? &t->seen[thread] : NULL, &from);
	for (uint64_t number = from < left ? from + 1 : left; number && number <= left; number++) {
		unsigned char *entry = slots_room(t, slots);
		if (!entry)
			return false;
		if (!spill_copy(map, state, number, entry))
			continue;
		drop_older(map, slots, entry, number);
		if (number > from)
			slots_add(t, slots, thread);
	}
	return true;
}

/*
 * Copy the slots of a bucket that are in use, if they are there together: the control word is the same before and
 * afterwards, as each change of a slot that is in use is one of the word. Only of a bucket that never rests nothing is
 * copied.
 */
static bool copy_bucket(struct taker *t, struct slots *slots, uint32_t thread, uint32_t bucket)
{
	const struct state_map *map = &t->field->f->map;
	const unsigned char *state = t->states->at[thread];
	struct state_int control = map->control;
	uint32_t each = map->n / map->buckets;
	control.offset += bucket * 8;
	for (int tries = 0; tries < BUCKET_TRIES; tries++) {
		uint64_t word = merge_read(state, &control);
		size_t n = slots->n;
		for (uint32_t i = 0; i < each; i++) {
			if (!(word >> (2 * i + 1) & 1))
				continue;
			unsigned char *bytes = slots_room(t, slots);
			if (!bytes)
				return false;
			memcpy(bytes, take_slot_at(map, state, bucket * each + i), map->stride);
			slots_add(t, slots, t->field->f->is_shared ? WARD_ANY_THREAD : thread);
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (merge_read(state, &control) == word)
			return true;
		slots_drop(t, slots, n);
	}
	return true;
}

static bool copy_buckets(struct taker *t, struct slots *slots, uint32_t thread)
{
	for (uint32_t b = 0; b < t->field->f->map.buckets; b++)
		if (!copy_bucket(t, slots, thread, b))
			return false;
	return true;
}

/* How many slots are in use by now; more may come up while they are copied. */
static size_t count_used(const struct taker *t)
{
	const struct state_map *map = &t->field->f->map;
	size_t n = 0;
	if (map->buckets) /* it is no worse than that */
		return CHUNK;
	for (size_t i = 0; i < t->states->n; i++)
		for (uint32_t s = 0; s < map->n; s++)
			n += is_used(t->kind, merge_read(take_slot_at(map, t->states->at[i], s), &map->used));
	return n;
}

static bool copy_state(struct taker *t, struct slots *slots, uint32_t thread)
{
	const struct state_map *map = &t->field->f->map;
	if (map->buckets)
		return copy_buckets(t, slots, thread);
	for (uint32_t s = 0; s < map->n; s++) {
		unsigned char *bytes = slots_room(t, slots);
		if (!bytes)
			return false;
		bool copied = copy_slot(t, take_slot_at(map, t->states->at[thread], s), bytes);
		if (slots->place)
			slots->place[s] = copied ? (uint32_t)slots->n + 1 : 0;
		if (copied)
			slots_add(t, slots, thread);
	}
	return !map->queued || copy_queue(t, slots, thread);
}

static bool copy_states(struct taker *t, struct slots *slots)
{
	const struct state_map *map = &t->field->f->map;
	size_t n = count_used(t);
	slots->chunk = n < CHUNK ? CHUNK : n < MOST_CHUNK ? n + CHUNK : MOST_CHUNK;
	n = 0;
	if (map->queued && !(slots->place = heap_take(&t->scratch, map->n, sizeof(*slots->place))))
		return false;
	for (size_t i = 0; i < t->states->n; i++)
		if (!copy_state(t, slots, (uint32_t)i))
			return false;
	for (size_t i = 0; i < slots->n; i++)
		if (slots->at[i].copy.bytes)
			slots->at[n++] = slots->at[i];
	slots->n = n;
	return true;
}

/* ---- groups ---- */

static int compare_keys(const struct slots *s, const struct slot *x, const struct slot *y)
{
	if (s->are_words)
		return (x->word > y->word) - (x->word < y->word);
	return part_compare_keys(s->p, rows_at(&s->keys, x->key), rows_at(&s->keys, y->key));
}

static int by_key_and_thread(const void *a, const void *b, void *slots)
{
	const struct slot *x = a, *y = b;
	int order = compare_keys(slots, x, y);
	if (order == 0)
		order = (x->copy.thread > y->copy.thread) - (x->copy.thread < y->copy.thread);
	return order ? order : (x->key > y->key) - (x->key < y->key);
}

static bool sort_slots(struct taker *t, struct slots *slots)
{
	for (size_t i = 0; i < slots->n; i++) {
		struct slot *slot = &slots->at[i];
		slot->key = slots->keys.n;
		rows_begin(&slots->keys);
		for (uint32_t k = 0; k < t->field->n_keys; k++)
			if (!take_key(t, &slots->keys, &t->field->parts[k], &slot->copy))
				return false;
		slot->word = slots->are_words ? *rows_at(&slots->keys, slot->key) : 0;
	}
	if (slots->keys.has_failed)
		return false;
	if (slots->are_words)
		return take_sort_words(slots->at, slots->n);
	if (slots->n)
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
			uint64_t word = merge_read(take_slot_at(map, t->states->at[i], s), &map->used);
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

/* What rows of keys are made in. */
static struct slots slots_new(const struct taker *t)
{
	struct part_form form = part_form(t->field->parts, t->p->is_named);
	return (struct slots){.p = t->field,
		.budget.most = SIZE_MAX,
		.are_words = t->field->n_keys == 1 && form.fixed == 1 && !form.cells};
}

bool take_map(struct taker *t)
{
	struct slots slots = slots_new(t);
	slots.keys.budget = &slots.budget;
	bool ok = copy_states(t, &slots) && sort_slots(t, &slots) && take_groups(t, &slots);
	rows_free(&slots.keys);
	free(slots.at);
	if (ok)
		take_total(t);
	return ok && (!t->field->f->map.other || take_other(t));
}

bool take_spilled(struct taker *t, const struct spilled *spilled)
{
	struct slots slots = slots_new(t);
	slots.keys.budget = &slots.budget;
	slots.at = reallocarray(NULL, spilled->n + 1, sizeof(*slots.at));
	for (; slots.at && slots.n < spilled->n; slots.n++)
		slots.at[slots.n] = (struct slot){
			.copy = {spilled->bytes + slots.n * t->field->f->map.stride, spilled->threads[slots.n]}};
	bool ok = slots.at && sort_slots(t, &slots) && take_groups(t, &slots);
	rows_free(&slots.keys);
	free(slots.at);
	return ok;
}
