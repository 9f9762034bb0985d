/* SPDX-License-Identifier: Apache-2.0 */
/* When the description of a field may be believed: what the merger relies on. The kinds have the rest (kinds/). */
#include <string.h>

#include "schema.h"

#include "loader/state/kinds/kind.h"

bool state_name_valid(const char *name)
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

bool state_field_valid(const struct state_field *field, uint64_t state_size)
{
	const struct wl_kind *kind = wl_kind_at(field->kind);
	uint64_t end = (uint64_t)field->offset + field->size;
	if (!kind || field->size == 0 || end > state_size)
		return false;
	if (field->scalar.bits && field->size != field->scalar.size)
		return false; /* a bit-field is one integer */
	if (field->map.queued && field->kind != WARD_FIELD_MAP)
		return false; /* who drains maps goes by that alone */
	if (field->unit > WARD_UNIT_TIME || (field->unit && !kind->has_unit))
		return false;
	bool is_map = kind->shown.form == WARD_FORM_ENTRIES, is_ring = kind->shown.form == WARD_FORM_RECORDS;
	if (!(kind->shown.form == WARD_FORM_STOP ? file_valid : state_name_valid)(field->name))
		return false;
	if ((field->n_keys && !is_map) || (field->n_values && !is_map && !is_ring) ||
		(field->part && (is_map || is_ring)))
		return false;
	return kind->valid(field, end);
}

/* A part is read in a slot; one of a value also where the map keeps one more value, so in the value's bytes. */
static bool part_valid(const struct state_field *field, const struct state_field *part, enum state_part role)
{
	const struct state_map *map = &field->map;
	uint64_t end = (uint64_t)part->offset + part->size;
	if (part->part != role || part->n_keys || part->n_values || !state_field_valid(part, map->stride))
		return false;
	if (wl_kind_at(part->kind)->shown.form == WARD_FORM_STOP)
		return false;
	return role == STATE_KEY ||
	       (part->offset >= map->value_offset && end <= (uint64_t)map->value_offset + map->value_size);
}

size_t state_group_valid(const struct state_field *fields, size_t n, uint64_t state_size)
{
	uint64_t keys = fields->n_keys, parts = keys + fields->n_values;
	uint64_t bits = 0;
	if (fields->part != STATE_WHOLE || parts > n - 1 || !state_field_valid(fields, state_size))
		return 0;
	for (uint64_t i = 0; i < parts; i++) {
		const struct state_field *part = &fields[1 + i];
		if (!part_valid(fields, part, i < keys ? STATE_KEY : STATE_VALUE))
			return 0;
		bits += field_bits(part);
	}
	return parts && bits > (uint64_t)fields->map.stride * 8
		       ? 0
		       : (size_t)parts + 1; /* no more work than a slot's bytes */
}
