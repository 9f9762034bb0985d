/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging maps: all kinds with entries, whose rows say what the words of a slot mean (kinds/kind.h).
 *
 * Maps from integers to integers are collected as pairs. Any other map's slots are copied and sorted by key, part by
 * part. The slots of one key, in the order of their threads, are a group. Each part of the value is merged over the
 * group, as a field is over states. Groups are ordered by their weight, and the heaviest are listed.
 */
#define _GNU_SOURCE 1

#include <stdlib.h>
#include <string.h>

#include "merge.h"

#include "loader/state/kinds/kind.h"
#include "loader/symbols/names.h"

/* An integer key and its value, as one thread has them. */
struct pair {
	uint64_t meaning; /* of an address; 0: the key is a number */
	uint64_t key, value;
	uint32_t thread;
};

static int compare_pairs(const struct pair *x, const struct pair *y)
{
	if (x->meaning != y->meaning)
		return x->meaning < y->meaning ? -1 : 1;
	return x->meaning ? 0 : (x->key > y->key) - (x->key < y->key);
}

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = compare_pairs(x, y);
	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_value(const void *a, const void *b)
{
	const struct ward_map_entry *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
				: (x->thread > y->thread) - (x->thread < y->thread);
}

/* One entry for equal keys, with the sum of their values. Returns how many. */
static size_t fold_pairs(struct pair *pairs, size_t n, struct ward_map_entry *out)
{
	size_t entries = 0;
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_key);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || compare_pairs(&pairs[i - 1], &pairs[i]) != 0)
			out[entries++] = (struct ward_map_entry){.key = pairs[i].key, .thread = pairs[i].thread};
		out[entries - 1].value += pairs[i].value;
	}
	return entries;
}

static const unsigned char *slot_at(const struct state_map *map, const void *state, uint32_t s)
{
	return (const unsigned char *)state + map->slots + (size_t)s * map->stride;
}

static const struct wl_entries *entries_of(const struct state_field *f)
{
	return wl_kind_at(f->kind)->entries;
}

/* Is a slot with this word in use? */
static bool is_used(const struct wl_entries *kind, uint64_t word)
{
	return word != 0 && word != kind->removed;
}

static size_t count_used(const struct state_field *f, const struct states *states)
{
	const struct wl_entries *kind = entries_of(f);
	size_t total = 0;
	for (size_t t = 0; t < states->n; t++)
		for (uint32_t s = 0; s < f->map.n; s++)
			total += is_used(kind, merge_read(slot_at(&f->map, states->at[t], s), &f->map.used));
	return total;
}

/* What stands beside the entries. */
static void merge_total(const struct state_field *f, const struct states *states, struct ward_field *out)
{
	const struct wl_entries *kind = entries_of(f);
	if (kind->total) {
		kind->total(f, states, out);
		return;
	}
	out->lost = f->map.lost.size ? merge_sum(states, &f->map.lost) : 0;
	out->evicted = f->map.evicted.size ? merge_sum(states, &f->map.evicted) : 0;
}

/* ---- from integers to integers ---- */

/* What a key of this member means in a thread; 0: it is a number. */
static uint64_t meaning_of(const struct states *states, const struct state_int *key, uint32_t thread, uint64_t value)
{
	return states->names && key->is_address ? wl_names_meaning(states->names, thread, value) : 0;
}

/* The pairs in all slots, at most `room`: those that come up while we read wait for the next time. */
static size_t collect_pairs(const struct state_field *f, const struct states *states, struct pair *at, size_t room)
{
	const struct wl_entries *kind = entries_of(f);
	const struct state_map *map = &f->map;
	size_t n = 0;
	for (size_t t = 0; t < states->n; t++) {
		for (uint32_t s = 0; s < map->n && n < room; s++) {
			const unsigned char *slot = slot_at(map, states->at[t], s);
			if (!is_used(kind, merge_read(slot, &map->used)))
				continue;
			uint64_t key = merge_read(slot, &map->key);
			at[n++] = (struct pair){meaning_of(states, &map->key, (uint32_t)t, key),
				state_module_of(f->modules, key), merge_read(slot, &map->value), (uint32_t)t};
		}
	}
	return n;
}

static bool fill_pairs(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	struct heap scratch = {0};
	size_t room = count_used(f, states);
	struct pair *pairs = heap_take(&scratch, room, sizeof(*pairs));
	struct ward_map_entry *at = heap_take(heap, room, sizeof(*at));
	bool ok = pairs && at;
	if (ok) {
		out->n = fold_pairs(pairs, collect_pairs(f, states, pairs, room), at);
		qsort(at, out->n, sizeof(*at), by_value);
		out->entries = at;
	}
	heap_free(&scratch);
	return ok;
}

static bool merge_pairs(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	const struct state_map *map = &f->map;
	if (!fill_pairs(f, states, out, heap))
		return false;
	merge_total(f, states, out);
	if (map->other && out->lost) {
		struct state_int other = map->value;
		struct ward_map_entry *more = heap_take(heap, 1, sizeof(*more));
		if (!more)
			return false;
		other.offset += map->other - map->value_offset;
		more->value = merge_sum(states, &other);
		out->other = more;
	}
	return true;
}

/* ---- with parts ---- */

struct groups {
	const struct state_field *f;
	const struct states *states;
	const struct wl_entries *kind;
	struct slot_copy *slots;
	size_t n_slots;
	struct slot_group *at;
	size_t n;
	const void **bases; /* room for the slots of one group */
};

/* Two addresses by what they mean in their threads, or as numbers. */
static int compare_addresses(
	const struct groups *g, const struct state_int *scalar, const struct slot_copy *a, const struct slot_copy *b)
{
	struct pair x = {.key = merge_read(a->bytes, scalar)}, y = {.key = merge_read(b->bytes, scalar)};
	x.meaning = meaning_of(g->states, scalar, a->thread, x.key);
	y.meaning = meaning_of(g->states, scalar, b->thread, y.key);
	return compare_pairs(&x, &y);
}

/* Compare two slots' keys. */
static int compare_keys(const struct groups *g, const struct slot_copy *x_slot, const struct slot_copy *y_slot)
{
	const struct state_field *f = g->f;
	const unsigned char *a = x_slot->bytes, *b = y_slot->bytes;
	for (uint32_t i = 1; i <= f->n_keys; i++) {
		const struct state_int *scalar = &f[i].scalar;
		int order = 0;
		if (f[i].kind == WARD_FIELD_TEXT) {
			order = strncmp((const char *)a + scalar->offset, (const char *)b + scalar->offset, f[i].n);
		} else if (f[i].kind == WARD_FIELD_WIDE) {
			order = memcmp(a + scalar->offset, b + scalar->offset, f[i].size);
		} else if (scalar->is_address) {
			order = compare_addresses(g, scalar, x_slot, y_slot);
		} else {
			const struct state_modules *modules = entries_of(f)->joins_modules ? f[i].modules : NULL;
			uint64_t x = state_module_of(modules, merge_read(a, scalar));
			uint64_t y = state_module_of(modules, merge_read(b, scalar));
			order = merge_less(y, x, scalar->is_signed) - merge_less(x, y, scalar->is_signed);
		}
		if (order)
			return order;
	}
	return 0;
}

static int by_key_and_thread(const void *a, const void *b, void *groups)
{
	const struct slot_copy *x = a, *y = b;
	int order = compare_keys(groups, x, y);
	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static bool copy_slots(struct groups *g, const struct states *states, struct heap *heap)
{
	const struct state_map *map = &g->f->map;
	size_t room = count_used(g->f, states);
	unsigned char *bytes = heap_take(heap, room, map->stride);
	g->slots = heap_take(heap, room, sizeof(*g->slots));
	if (!bytes || !g->slots)
		return false;
	for (size_t t = 0; t < states->n; t++) {
		for (uint32_t s = 0; s < map->n && g->n_slots < room; s++) {
			memcpy(bytes, slot_at(map, states->at[t], s), map->stride);
			if (!is_used(g->kind, merge_read(bytes, &map->used)))
				continue;
			g->slots[g->n_slots++] = (struct slot_copy){bytes, (uint32_t)t};
			bytes += map->stride;
		}
	}
	qsort_r(g->slots, g->n_slots, sizeof(*g->slots), by_key_and_thread, g);
	return true;
}

/* The least word of each thread's slots; 0 if one is free. NULL without memory. */
static uint64_t *find_floor(const struct state_field *f, const struct states *states, struct heap *heap)
{
	uint64_t *floor = heap_take(heap, states->n, sizeof(*floor));
	for (size_t t = 0; floor && t < states->n; t++) {
		floor[t] = UINT64_MAX;
		for (uint32_t s = 0; s < f->map.n; s++) {
			uint64_t word = merge_read(slot_at(&f->map, states->at[t], s), &f->map.used);
			floor[t] = word < floor[t] ? word : floor[t];
		}
	}
	return floor;
}

/* What a merged field is ordered by: how much it has counted. */
static uint64_t weight_of(const struct ward_field *field)
{
	const struct wl_kind *kind = wl_kind_at(field->kind);
	return kind->weight ? kind->weight(field) : field->value;
}

/* A part of the value, merged over the slots of a group. */
static bool merge_value(const struct groups *g, const struct slot_group *group, const struct state_field *part,
	struct ward_field *out, struct heap *heap)
{
	for (size_t i = 0; i < group->n; i++)
		g->bases[i] = group->slot[i].bytes;
	return merge_part(part, &(struct states){g->bases, group->n, NULL}, out, heap);
}

static bool weigh_value(const struct groups *g, struct slot_group *group)
{
	struct heap scratch = {0};
	struct ward_field field;
	bool ok = merge_value(g, group, &g->f[1 + g->f->n_keys], &field, &scratch);
	if (ok)
		group->weight = weight_of(&field);
	heap_free(&scratch);
	return ok;
}

/* One group for each key. */
static bool make_groups(struct groups *g, const struct states *states, struct heap *heap)
{
	const uint64_t *floor = g->kind->weigh ? find_floor(g->f, states, heap) : NULL;
	g->at = heap_take(heap, g->n_slots, sizeof(*g->at));
	g->bases = heap_take(heap, g->n_slots, sizeof(*g->bases));
	if (!g->at || !g->bases || (g->kind->weigh && !floor))
		return false;
	for (size_t s = 0, end; s < g->n_slots; s = end) {
		struct slot_group *group = &g->at[g->n++];
		for (end = s + 1; end < g->n_slots && compare_keys(g, &g->slots[s], &g->slots[end]) == 0; end++)
			;
		*group = (struct slot_group){.slot = &g->slots[s], .n = end - s};
		if (g->kind->weigh)
			g->kind->weigh(g->f, group, floor, states->n);
		else if (!weigh_value(g, group))
			return false;
	}
	return true;
}

static int by_weight(const void *a, const void *b)
{
	const struct slot_group *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static bool fill_entry(
	const struct groups *g, const struct slot_group *group, struct ward_map_entry *entry, struct heap *heap)
{
	const struct state_field *f = g->f;
	struct ward_field *fields = heap_take(heap, (size_t)f->n_keys + f->n_values, sizeof(*fields));
	const void *first = group->slot->bytes;
	bool ok = fields != NULL;
	for (uint32_t i = 0; ok && i < f->n_keys; i++)
		ok = merge_part(&f[1 + i], &(struct states){&first, 1, NULL}, &fields[i], heap);
	for (uint32_t i = f->n_keys; ok && i < f->n_keys + f->n_values; i++)
		ok = merge_value(g, group, &f[1 + i], &fields[i], heap);
	if (!ok)
		return false;
	*entry = (struct ward_map_entry){
		.keys = fields, .value = group->weight, .error = group->error, .thread = group->slot->thread};
	if (f->n_values)
		entry->values = fields + f->n_keys;
	if (f->n_keys == 1)
		entry->key = fields[0].value;
	return true;
}

/* The value of keys without room: read where its bytes lie as if a slot were around them. */
static bool fill_other(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	struct ward_field *fields = heap_take(heap, f->n_values, sizeof(*fields));
	struct ward_map_entry *other = heap_take(heap, 1, sizeof(*other));
	const void **bases = heap_take(heap, states->n, sizeof(*bases));
	bool ok = fields && other && bases;
	for (size_t t = 0; ok && t < states->n; t++)
		bases[t] = (const unsigned char *)states->at[t] + (f->map.other - f->map.value_offset);
	for (uint32_t i = 0; ok && i < f->n_values; i++)
		ok = merge_part(&f[1 + f->n_keys + i], &(struct states){bases, states->n, NULL}, &fields[i], heap);
	if (ok) {
		other->values = fields;
		other->value = weight_of(&fields[0]);
		out->other = other;
	}
	return ok;
}

/* The heaviest groups are the entries. */
static bool fill_entries(struct groups *g, struct ward_field *out, struct heap *heap)
{
	uint32_t slots = g->f->map.n;
	size_t most = g->kind->has_most && slots < STATE_MAX_ENTRIES ? slots : STATE_MAX_ENTRIES;
	struct ward_map_entry *entries = heap_take(heap, g->n < most ? g->n : most, sizeof(*entries));
	bool ok = entries != NULL;
	if (ok && g->n)
		qsort(g->at, g->n, sizeof(*g->at), by_weight);
	for (; ok && out->n < g->n && out->n < most; out->n++)
		ok = fill_entry(g, &g->at[out->n], &entries[out->n], heap);
	out->entries = entries;
	out->unlisted = g->kind->has_most ? 0 : g->n - out->n;
	return ok;
}

bool merge_map(const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	struct groups g = {.f = f, .states = states, .kind = entries_of(f)};
	struct heap scratch = {0};
	if (g.kind->is_array)
		return merge_array(f, states, out, heap);
	if (f->n_keys == 0)
		return merge_pairs(f, states, out, heap);
	bool ok = copy_slots(&g, states, &scratch) && make_groups(&g, states, &scratch) && fill_entries(&g, out, heap);
	heap_free(&scratch);
	if (!ok)
		return false;
	merge_total(f, states, out);
	return !f->map.other || !out->lost || fill_other(f, states, out, heap);
}
