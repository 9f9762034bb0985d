/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of maps and rings: an array of structs, each with a word that says whether it is in use, and a key, a value
 * or a record.
 */
#include <inttypes.h>

#include "slots.h"

bool slots_find(struct types_reader *r, const struct type_at *in, const char *value, struct state_field *f,
	struct slot_types *types)
{
	struct state_map *map = &f->map;
	struct type_at first;
	uint64_t n;
	*types = (struct slot_types){0};
	if (!types_find_array(r, in, "slot", &first, &n))
		return false;
	types->slot.type = first.type; /* what is in it is counted from its start */
	if (first.type.size == 0 || first.type.size > STATE_MAX_SIZE)
		return false;
	map->slots = (uint32_t)first.offset;
	map->stride = (uint32_t)first.type.size;
	map->n = (uint32_t)n;
	types->has_key = types_find_member(r, &types->slot, "key", &types->key);
	types->has_value = types_find_member(r, &types->slot, value, &types->value);
	if (types->has_value) {
		map->value_offset = (uint32_t)types->value.offset;
		uint64_t size = types_size(r, &types->value.type);
		map->value_size = (uint32_t)(size <= map->stride ? size : 0);
	}
	return true;
}

/* What lies in a slot. */
static bool members_valid(const struct state_map *map)
{
	uint64_t value = map->value_offset;
	if (map->buckets ? map->used.size != 0 : !int_within(&map->used, map->stride))
		return false;
	if (!none_or_within(&map->error, 0, map->stride))
		return false;
	if (map->value_offset > map->stride || map->value_size > map->stride - map->value_offset)
		return false;
	if (!none_or_within(&map->key, 0, map->stride) || !none_or_within(&map->value, 0, map->stride))
		return false;
	return !map->other || !map->value.size || none_or_within(&map->value, value, value + map->value_size);
}

/* The reader's cursor is the one thing that is written: it is an aligned word. */
static bool cursor_valid(const struct state_int *taken, uint64_t start, uint64_t end)
{
	return taken->size == 0 ||
	       (taken->size == 8 && !taken->bits && taken->offset % 8 == 0 && none_or_within(taken, start, end));
}

/* Control words, each of a bucket of slots: two bits for each, so no more than sixteen. */
static bool buckets_valid(const struct state_map *map, uint64_t start, uint64_t end)
{
	const struct state_int *control = &map->control;
	return control->size == 8 && !control->bits && none_or_within(control, start, end) &&
	       map->buckets <= (end - control->offset) / 8 && map->n % map->buckets == 0 &&
	       map->n / map->buckets <= STATE_MAX_BUCKET && !map->queued && !map->rings && !map->other;
}

/* Entries that wait for the reader. */
static bool queue_valid(const struct state_map *map, uint64_t start, uint64_t end)
{
	return map->taken.size && map->left.size && none_or_within(&map->left, start, end) && map->origin.size &&
	       none_or_within(&map->origin, 0, map->stride) && map->queue >= start && map->queue <= end &&
	       map->queued <= (end - map->queue) / map->stride;
}

bool slots_valid(const struct state_field *f, uint64_t end)
{
	const struct state_map *map = &f->map;
	uint64_t more = (uint64_t)map->rings * map->ring_stride;
	if (map->n == 0 || map->stride == 0 || map->slots < f->offset || map->slots > end)
		return false;
	if (map->rings && map->ring_stride < (uint64_t)map->stride * map->n)
		return false; /* so no more slots in all than bytes of the state */
	if (more > end || map->slots > end - more || map->n > (end - more - map->slots) / map->stride)
		return false;
	if (!none_or_within(&map->lost, f->offset, end) || !none_or_within(&map->evicted, f->offset, end - more) ||
		!none_or_within(&map->events, f->offset, end) || !cursor_valid(&map->taken, f->offset, end))
		return false;
	if (map->buckets && !buckets_valid(map, f->offset, end))
		return false;
	if (map->queued && !queue_valid(map, f->offset, end))
		return false;
	if (map->other && (map->other < f->offset || map->other > end || map->value_size > end - map->other ||
				  map->other < map->value_offset))
		return false;
	return members_valid(map);
}

void slots_print_lost(const struct ward_field *f, char *text, size_t size)
{
	if (f->lost)
		print_line(text, size, "%" PRIu64 " lost: the map was full", f->lost);
	if (f->evicted)
		print_line(text, size, "%" PRIu64 " made room for others", f->evicted);
}

void slots_give_lost(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "lost", f->lost, false);
	if (f->evicted)
		result_number(fn, user, "evicted", f->evicted, false);
}
