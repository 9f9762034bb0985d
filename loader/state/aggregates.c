/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From debug information to fields: the aggregates of probes/include/ward.
 *
 * Each is a struct whose first member is an array of no elements of the type struct ward_K_mark, which says that it
 * is of the kind K. Its other members are found in the debug information by their names. Constants of an aggregate (a
 * histogram's step) are the sizes of types: n + 1 bytes stand for n.
 *
 * A map or ring has parts: the fields of its key and value, or of its records, with their places in a slot. Only a
 * map from integers to integers needs none.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

/* The member of a struct: its type, and its offset from where the struct's is counted from. */
static bool find(struct walk *w, const struct type *type, const char *name, uint64_t base, uint64_t *offset, struct type *of)
{
	Dwarf_Die parent = type->die, member;
	if (type->tag != DW_TAG_structure_type || !types_first_child(w, &parent, &member))
		return false;
	do {
		if (dwarf_tag(&member) != DW_TAG_member || !types_name_is(&member, name))
			continue;
		if (!types_member_offset(&member, offset) || !types_of(w, &member, of))
			return false;
		*offset += base;
		return *offset < STATE_MAX_SIZE;
	} while (types_next_sibling(w, &member));
	return false;
}

static bool find_int(struct walk *w, const struct type *type, const char *name, uint64_t base, struct state_int *out)
{
	struct type of;
	uint64_t at;
	return find(w, type, name, base, &at, &of) && types_as_int(&of, at, false, out);
}

/* An array of any dimensions: how many elements in all, and of what type. */
static bool find_array(struct walk *w, const struct type *type, const char *name, uint64_t base, uint64_t *offset, uint64_t *n, struct type *element)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS];
	struct type array;
	int dims;
	if (!find(w, type, name, base, offset, &array) || array.tag != DW_TAG_array_type)
		return false;
	dims = types_dimensions(w, &array, dim);
	*n = dims ? 1 : 0;
	for (int i = 0; i < dims; i++)
		if (__builtin_mul_overflow(*n, dim[i], n) || *n > STATE_MAX_SIZE)
			return false;
	return *n && types_of(w, &array.die, element);
}

static bool find_ints(struct walk *w, const struct type *type, const char *name, uint64_t base, struct state_int *first, uint32_t *n)
{
	struct type element;
	uint64_t at, elements;
	if (!find_array(w, type, name, base, &at, &elements, &element) || !types_as_int(&element, at, false, first))
		return false;
	*n = (uint32_t)elements;
	return true;
}

/* A constant: the array has no elements, so its type alone is asked. */
static bool find_constant(struct walk *w, const struct type *type, const char *name, uint64_t *value)
{
	struct type array, element;
	uint64_t at;
	if (!find(w, type, name, 0, &at, &array) || array.tag != DW_TAG_array_type || !types_of(w, &array.die, &element) || element.size == 0)
		return false;
	*value = element.size - 1;
	return true;
}

static bool read_log2(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	if (!find_ints(w, type, "bucket", offset, &field->scalar, &field->n) || field->n != STATE_LOG2_BUCKETS)
		return false;
	field->offset = field->scalar.offset;
	field->size = field->scalar.size * STATE_LOG2_BUCKETS;
	return true;
}

static bool read_stat(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	return find_int(w, type, "count", offset, &field->count) && find_int(w, type, "sum", offset, &field->scalar) &&
	       find_int(w, type, "min", offset, &field->min) && find_int(w, type, "max", offset, &field->max);
}

static bool read_linear(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	uint64_t lo, minus;
	if (!find_constant(w, type, "lo", &lo) || !find_constant(w, type, "minus", &minus) || !find_constant(w, type, "step", &field->step))
		return false;
	field->lo = (int64_t)(lo - minus);
	return find_ints(w, type, "bucket", offset, &field->scalar, &field->n);
}

static bool read_quantiles(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	uint64_t precision;
	if (!find_constant(w, type, "precision", &precision) || precision > STATE_MAX_PRECISION)
		return false;
	field->precision = (uint32_t)precision;
	return find_ints(w, type, "bucket", offset, &field->scalar, &field->n);
}

static bool read_ewma(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	uint64_t shift;
	if (!find_constant(w, type, "shift", &shift) || shift == 0 || shift > 16)
		return false;
	field->precision = (uint32_t)shift;
	return find_int(w, type, "count", offset, &field->count) && find_int(w, type, "scaled", offset, &field->scalar);
}

static bool read_window(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	struct state_int last;
	return find_ints(w, type, "last", offset, &last, &field->n) && find_int(w, type, "count", offset, &field->count) &&
	       find_int(w, type, "sum", offset, &field->scalar);
}

static bool read_gate(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	return find_int(w, type, "passed", offset, &field->scalar) && find_int(w, type, "refused", offset, &field->count);
}

static bool read_hll(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field)
{
	return find_ints(w, type, "reg", offset, &field->scalar, &field->n);
}

/* Where the slots are, and the types of their members; those that there are. */
struct slot_types {
	struct type slot, key, value;
	uint64_t key_offset, value_offset;
	bool has_key, has_value;
};

static bool find_slots(struct walk *w, const struct type *type, uint64_t base, const char *value, struct state_map *map, struct slot_types *types)
{
	uint64_t at, n;
	*types = (struct slot_types){0};
	if (!find_array(w, type, "slot", base, &at, &n, &types->slot) || types->slot.size == 0 || types->slot.size > STATE_MAX_SIZE)
		return false;
	map->slots = (uint32_t)at;
	map->stride = (uint32_t)types->slot.size;
	map->n = (uint32_t)n;
	types->has_key = find(w, &types->slot, "key", 0, &types->key_offset, &types->key);
	types->has_value = find(w, &types->slot, value, 0, &types->value_offset, &types->value);
	if (types->has_value) {
		map->value_offset = (uint32_t)types->value_offset;
		map->value_size = (uint32_t)(types->value.size <= map->stride ? types->value.size : 0);
	}
	return true;
}

static const struct kind *kind_of(struct walk *w, const struct type *type);

/* The fields of a key, value or record, behind the field that they belong to. Returns how many. Members of a struct go by their own names. */
static uint32_t add_parts(struct walk *w, enum state_part part, bool plain, const char *name, const struct type *type, uint64_t offset)
{
	size_t before = w->n;
	if (type->tag == DW_TAG_structure_type && (plain || !kind_of(w, type)))
		name = "";
	w->part = part;
	w->plain = plain;
	types_walk(w, name, type, offset, 1);
	w->part = STATE_WHOLE;
	w->plain = false;
	return (uint32_t)(w->n - before);
}

/* Add a field with its parts, or nothing. */
static bool add_with_parts(struct walk *w, const char *name, struct state_field *field, const struct slot_types *types, bool plain_value)
{
	size_t at = w->n;
	uint64_t state_size = w->state_size, room = w->room;
	if (w->part != STATE_WHOLE || w->n == w->max || strlen(name) >= sizeof(field->name) || field->size > room)
		return false;
	strcpy(field->name, name);
	w->n++;
	w->state_size = w->room = field->map.stride;
	if (types->has_key)
		field->n_keys = add_parts(w, STATE_KEY, true, "key", &types->key, types->key_offset);
	if (types->has_value)
		field->n_values = add_parts(w, STATE_VALUE, plain_value, "value", &types->value, types->value_offset);
	w->state_size = state_size;
	w->fields[at] = *field;
	if (state_group_valid(&w->fields[at], w->n - at, state_size) == 0) {
		w->n = at;
		w->room = room;
		return false;
	}
	w->room = room - field->size;
	return true;
}

static void add_map(struct walk *w, const char *name, const struct type *type, uint64_t offset, struct state_field *field)
{
	struct state_map *map = &field->map;
	struct slot_types types;
	struct type other;
	uint64_t at;
	if (!find_slots(w, type, offset, "value", map, &types) || !types.has_key || !types.has_value || !find_int(w, &types.slot, "used", 0, &map->used))
		return;
	find_int(w, type, "lost", offset, &map->lost);
	find_int(w, type, "evicted", offset, &map->evicted);
	if (find(w, type, "other", offset, &at, &other))
		map->other = (uint32_t)at;
	if (types_as_int(&types.key, types.key_offset, true, &map->key) && types_as_int(&types.value, types.value_offset, false, &map->value) &&
		!types.value.is_min && !types.value.is_max) {
		field->names = types_enumeration(w, &types.key);
		types_add(w, name, field);
	} else {
		add_with_parts(w, name, field, &types, false);
	}
}

static void add_top(struct walk *w, const char *name, const struct type *type, uint64_t offset, struct state_field *field)
{
	struct slot_types types;
	if (find_slots(w, type, offset, "value", &field->map, &types) && find_int(w, &types.slot, "count", 0, &field->map.used) &&
		find_int(w, &types.slot, "error", 0, &field->map.error))
		add_with_parts(w, name, field, &types, true);
}

static void add_chopstix(struct walk *w, const char *name, const struct type *type, uint64_t offset, struct state_field *field)
{
	struct slot_types types;
	if (find_slots(w, type, offset, "value", &field->map, &types) && find_int(w, &types.slot, "count", 0, &field->map.used) &&
		find_int(w, type, "samples", offset, &field->map.evicted) && find_int(w, type, "events", offset, &field->map.events))
		add_with_parts(w, name, field, &types, true);
}

static void add_ring(struct walk *w, const char *name, const struct type *type, uint64_t offset, struct state_field *field)
{
	struct slot_types types;
	if (find_slots(w, type, offset, "record", &field->map, &types) && find_int(w, &types.slot, "number", 0, &field->map.used) &&
		find_int(w, type, "next", offset, &field->map.evicted))
		add_with_parts(w, name, field, &types, true);
}

static void add_flight(struct walk *w, const char *name, const struct type *type, uint64_t offset, struct state_field *field)
{
	struct slot_types types;
	struct type ring;
	uint64_t at, rings;
	if (!find_array(w, type, "ring", offset, &at, &rings, &ring) || ring.size == 0 || ring.size > STATE_MAX_SIZE)
		return;
	field->map.rings = (uint32_t)(rings - 1);
	field->map.ring_stride = (uint32_t)ring.size;
	if (find_slots(w, &ring, at, "record", &field->map, &types) && find_int(w, &types.slot, "number", 0, &field->map.used) &&
		find_int(w, &ring, "next", at, &field->map.evicted) && find_int(w, type, "dumps", offset, &field->map.events) &&
		find_int(w, type, "missed", offset, &field->map.lost))
		add_with_parts(w, name, field, &types, true);
}

/* The kinds, by the names of their marks. Those without parts are read and then added; the others add themselves. */
static const struct kind {
	const char *mark;
	enum ward_field_kind kind;
	bool (*read)(struct walk *w, const struct type *type, uint64_t offset, struct state_field *field);
	void (*add)(struct walk *w, const char *name, const struct type *type, uint64_t offset, struct state_field *field);
} kinds[] = {
	{"ward_log2", WARD_FIELD_LOG2, read_log2, NULL},
	{"ward_stat", WARD_FIELD_STAT, read_stat, NULL},
	{"ward_linear", WARD_FIELD_LINEAR, read_linear, NULL},
	{"ward_quantiles", WARD_FIELD_QUANTILES, read_quantiles, NULL},
	{"ward_ewma", WARD_FIELD_MEAN, read_ewma, NULL},
	{"ward_window", WARD_FIELD_MEAN, read_window, NULL},
	{"ward_gate", WARD_FIELD_GATE, read_gate, NULL},
	{"ward_hll", WARD_FIELD_DISTINCT, read_hll, NULL},
	{"ward_map", WARD_FIELD_MAP, NULL, add_map},
	{"ward_top", WARD_FIELD_TOP, NULL, add_top},
	{"ward_chopstix", WARD_FIELD_CHOPSTIX, NULL, add_chopstix},
	{"ward_ring", WARD_FIELD_RING, NULL, add_ring},
	{"ward_flight", WARD_FIELD_FLIGHT, NULL, add_flight},
};

/* Is the struct's first member the mark `name`? */
static bool is_marked(struct walk *w, Dwarf_Die *first, const char *name)
{
	struct type mark, element;
	char full[64];
	if (!types_name_is(first, name) || !types_of(w, first, &mark))
		return false;
	snprintf(full, sizeof(full), "%s_mark", name);
	if (mark.tag == DW_TAG_array_type)
		return types_of(w, &mark.die, &element) && types_name_is(&element.die, full);
	return types_name_is(&mark.die, full);
}

static const struct kind *kind_of(struct walk *w, const struct type *type)
{
	Dwarf_Die parent = type->die, first;
	if (type->is_log2)
		return &kinds[0];
	if (type->tag != DW_TAG_structure_type)
		return NULL;
	if (!types_first_child(w, &parent, &first) || dwarf_tag(&first) != DW_TAG_member)
		return NULL;
	for (size_t i = 1; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_marked(w, &first, kinds[i].mark))
			return &kinds[i];
	return NULL;
}

bool aggregate_add(struct walk *w, const char *name, const struct type *type, uint64_t offset)
{
	if (offset > STATE_MAX_SIZE || type->size == 0 || type->size > STATE_MAX_SIZE)
		return false;
	const struct kind *kind = kind_of(w, type);
	if (!kind)
		return false;
	struct state_field field = {.kind = kind->kind, .offset = (uint32_t)offset, .size = (uint32_t)type->size};
	if (kind->add)
		kind->add(w, name, type, offset, &field);
	else if (kind->read(w, type, offset, &field))
		types_add(w, name, &field);
	return true;
}
