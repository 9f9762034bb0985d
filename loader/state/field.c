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

static bool map_valid(const struct state_field *field)
{
	const struct state_map *map = &field->map;
	uint64_t end = (uint64_t)field->offset + field->size;
	if (map->n == 0 || map->stride == 0 || map->slots < field->offset || map->slots > end)
		return false;
	if (map->n > (end - map->slots) / map->stride)
		return false;
	if (map->lost.size && (!int_within(&map->lost, end) || map->lost.offset < field->offset))
		return false;
	return int_within(&map->used, map->stride) && int_within(&map->key, map->stride) && int_within(&map->value, map->stride);
}

bool state_field_valid(const struct state_field *field, uint64_t state_size)
{
	uint64_t end = (uint64_t)field->offset + field->size;
	if (!(field->kind == WARD_FIELD_STOP ? file_valid : name_valid)(field->name) || field->size == 0 || end > state_size)
		return false;
	switch (field->kind) {
	case WARD_FIELD_COUNT:
	case WARD_FIELD_VALUE:
		return field->scalar.offset == field->offset && field->scalar.size == field->size && int_within(&field->scalar, end);
	case WARD_FIELD_STOP:
		return field->scalar.offset == field->offset && field->scalar.size == field->size && field->size == 8 && field->reason < STATE_REASONS &&
		       int_within(&field->scalar, end);
	case WARD_FIELD_LOG2:
		return field->scalar.offset == field->offset && int_within(&field->scalar, end) &&
		       field->size == field->scalar.size * STATE_LOG2_BUCKETS;
	case WARD_FIELD_MAP: return map_valid(field);
	default: return false;
	}
}
