/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_MAP, WARD_RECENT and WARD_SPILL: a value by key. A map from integers to integers has no parts. Keys without room
 * share one value (`other`), or make room for others; their entries may wait for the reader in a queue. Of a
 * WARD_SHARED_MAP control words say which slots are in use.
 */
#include "slots.h"

enum { REMOVED = 2 }; /* the word of a slot whose key was taken out */

static bool is_extreme(const struct type *type)
{
	return types_is_called(type, "ward_min") || types_is_called(type, "ward_max");
}

/* Keys, values, and what found no room. Integers need no parts. */
static bool parts_read(
	struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	struct state_map *map = &f->map;
	if (!slots_find(r, at, "value", f, slots) || !slots->has_key || !slots->has_value)
		return false;
	types_find_int(r, at, "lost", &map->lost);
	if (types_as_int(&slots->key, true, &map->key) && types_as_int(&slots->value, false, &map->value) &&
		!is_extreme(&slots->value.type) && !types_unit(&slots->value.type) && !types_unit(&slots->key.type)) {
		f->names = types_enumeration(r, &slots->key.type);
		slots->has_key = slots->has_value = false;
	}
	return true;
}

static bool map_read(struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	struct state_map *map = &f->map;
	struct type_at other;
	if (!parts_read(r, at, f, slots) || !types_find_int(r, &slots->slot, "used", &map->used))
		return false;
	types_find_int(r, at, "evicted", &map->evicted);
	if (types_find_member(r, at, "other", &other))
		map->other = (uint32_t)other.offset;
	return true;
}

static bool shared_read(
	struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	return parts_read(r, at, f, slots) && types_find_ints(r, at, "control", &f->map.control, &f->map.buckets);
}

/* A map whose entries go into a queue, which has slots of the same type. */
static bool spill_read(
	struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	struct state_map *map = &f->map;
	struct type_at first;
	uint64_t n;
	if (!map_read(r, at, f, slots) || !types_find_array(r, at, "queue", &first, &n) ||
		first.type.size != map->stride)
		return false;
	map->queue = (uint32_t)first.offset;
	map->queued = (uint32_t)n;
	return types_find_int(r, at, "taken", &map->taken) && types_find_int(r, at, "next", &map->left) &&
	       types_find_int(r, &slots->slot, "hit", &map->origin);
}

static bool map_valid(const struct state_field *f, uint64_t end)
{
	bool has_parts = f->n_keys && f->n_values, has_none = !f->n_keys && !f->n_values;
	return slots_valid(f, end) && (has_parts || (has_none && f->map.key.size && f->map.value.size));
}

static const struct wl_entries map_entries = {.removed = REMOVED, .joins_modules = true};

const struct wl_kind wl_kind_map = {
	.shown = {.name = "map", .form = WARD_FORM_ENTRIES, .entry = "value"},
	.marks = {{"ward_map", NULL, map_read}, {"ward_spill", NULL, spill_read},
		{"ward_shared_map", NULL, shared_read}},
	.valid = map_valid,
	.entries = &map_entries,
	.text = slots_print_lost,
	.results = slots_give_lost,
};
