/* SPDX-License-Identifier: Apache-2.0 */
/* When a field may be believed: what the merger relies on. */
#include <string.h>

#include "schema.h"

/* Does the integer lie within `size` bytes? */
static bool int_within(const struct state_int *i, uint64_t size)
{
	return (i->size == 1 || i->size == 2 || i->size == 4 || i->size == 8) && i->offset <= size && i->size <= size - i->offset;
}

static bool name_valid(const char *name)
{
	size_t n = strnlen(name, STATE_MAX_NAME);
	if (n == 0 || n == STATE_MAX_NAME)
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]") == n;
}

/* A file's name: printable, and nothing that a terminal or a shell makes something of. */
static bool file_valid(const char *name)
{
	size_t n = strnlen(name, STATE_MAX_NAME);
	if (n == 0 || n == STATE_MAX_NAME)
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/") == n;
}

/* n integers one after the other. */
static bool ints_within(const struct state_int *first, uint64_t n, uint64_t size)
{
	return int_within(first, size) && n <= (size - first->offset) / first->size;
}

static bool none_or_within(const struct state_int *i, uint64_t start, uint64_t end)
{
	return i->size == 0 || (int_within(i, end) && i->offset >= start);
}

/* Which integers a slot must have, by the kind. */
static bool slot_valid(const struct state_field *field)
{
	const struct state_map *map = &field->map;
	if (!int_within(&map->used, map->stride) || !none_or_within(&map->error, 0, map->stride))
		return false;
	if (map->value_offset > map->stride || map->value_size > map->stride - map->value_offset)
		return false;
	if (!none_or_within(&map->key, 0, map->stride) || !none_or_within(&map->value, 0, map->stride))
		return false;
	if (map->other && map->value.size && !none_or_within(&map->value, map->value_offset, (uint64_t)map->value_offset + map->value_size))
		return false;
	switch (field->kind) {
	case WARD_FIELD_MAP: return field->n_keys ? field->n_values != 0 : map->key.size && map->value.size;
	case WARD_FIELD_TOP: return field->n_keys && map->error.size;
	case WARD_FIELD_CHOPSTIX: return field->n_keys && map->evicted.size && map->events.size;
	case WARD_FIELD_RING: return field->n_values && map->evicted.size;
	default: return field->n_values && map->evicted.size && map->events.size && map->rings;
	}
}

static bool map_valid(const struct state_field *field)
{
	const struct state_map *map = &field->map;
	uint64_t end = (uint64_t)field->offset + field->size, more = (uint64_t)map->rings * map->ring_stride;
	if (map->n == 0 || map->stride == 0 || map->slots < field->offset || map->slots > end)
		return false;
	if (map->rings && map->ring_stride < (uint64_t)map->stride * map->n)
		return false; /* so no more slots in all than bytes of the state */
	if (more > end || map->slots > end - more || map->n > (end - more - map->slots) / map->stride)
		return false;
	if (!none_or_within(&map->lost, field->offset, end) || !none_or_within(&map->evicted, field->offset, end - more) ||
		!none_or_within(&map->events, field->offset, end))
		return false;
	if (map->other && (map->other < field->offset || map->other > end || map->value_size > end - map->other || map->other < map->value_offset))
		return false;
	return slot_valid(field);
}

bool state_field_valid(const struct state_field *field, uint64_t state_size)
{
	uint64_t end = (uint64_t)field->offset + field->size;
	if (!(field->kind == WARD_FIELD_STOP ? file_valid : name_valid)(field->name) || field->size == 0 || end > state_size)
		return false;
	switch (field->kind) {
	case WARD_FIELD_COUNT:
	case WARD_FIELD_VALUE:
	case WARD_FIELD_MIN:
	case WARD_FIELD_MAX:
		return field->scalar.offset == field->offset && field->scalar.size == field->size && int_within(&field->scalar, end);
	case WARD_FIELD_STOP:
		return field->scalar.offset == field->offset && field->scalar.size == field->size && field->size == 8 && field->reason < STATE_REASONS &&
		       int_within(&field->scalar, end);
	case WARD_FIELD_LOG2:
		return field->scalar.offset == field->offset && int_within(&field->scalar, end) &&
		       field->size == field->scalar.size * STATE_LOG2_BUCKETS;
	case WARD_FIELD_LINEAR:
		return ints_within(&field->scalar, field->n, end) && field->n >= 3 && field->n <= 1 << 20 && field->step && field->step < 1ull << 48 &&
		       field->lo > -(1ll << 48) && field->lo < 1ll << 48;
	case WARD_FIELD_QUANTILES:
		return field->precision >= 1 && field->precision <= STATE_MAX_PRECISION && field->n == (65 - field->precision) << field->precision &&
		       ints_within(&field->scalar, field->n, end);
	case WARD_FIELD_STAT:
		return int_within(&field->scalar, end) && int_within(&field->count, end) && int_within(&field->min, end) && int_within(&field->max, end);
	case WARD_FIELD_MEAN: return int_within(&field->scalar, end) && int_within(&field->count, end) && field->precision <= 16;
	case WARD_FIELD_GATE: return int_within(&field->scalar, end) && int_within(&field->count, end);
	case WARD_FIELD_DISTINCT:
		return field->scalar.size == 1 && field->n >= 16 && field->n <= 1 << 18 && (field->n & (field->n - 1)) == 0 &&
		       ints_within(&field->scalar, field->n, end);
	case WARD_FIELD_TEXT: return field->scalar.size == 1 && field->n && ints_within(&field->scalar, field->n, end);
	case WARD_FIELD_MAP:
	case WARD_FIELD_TOP:
	case WARD_FIELD_CHOPSTIX:
	case WARD_FIELD_RING:
	case WARD_FIELD_FLIGHT: return !field->part && map_valid(field);
	default: return false;
	}
}

/* A part is read in a slot; one of a value also where the map keeps one more value, so in the value's bytes. */
static bool part_valid(const struct state_field *field, const struct state_field *part, enum state_part role)
{
	const struct state_map *map = &field->map;
	uint64_t end = (uint64_t)part->offset + part->size;
	if (part->part != role || part->n_keys || part->n_values || part->kind == WARD_FIELD_STOP || !state_field_valid(part, map->stride))
		return false;
	return role == STATE_KEY || (part->offset >= map->value_offset && end <= (uint64_t)map->value_offset + map->value_size);
}

size_t state_group_valid(const struct state_field *fields, size_t n, uint64_t state_size)
{
	uint64_t keys = fields->n_keys, parts = keys + fields->n_values;
	uint64_t size = 0;
	if (fields->part != STATE_WHOLE || parts > n - 1 || !state_field_valid(fields, state_size))
		return 0;
	for (uint64_t i = 0; i < parts; i++) {
		const struct state_field *part = &fields[1 + i];
		if (!part_valid(fields, part, i < keys ? STATE_KEY : STATE_VALUE))
			return 0;
		size += part->size;
	}
	return parts && size > fields->map.stride ? 0 : (size_t)parts + 1; /* no more work than a slot's bytes */
}
