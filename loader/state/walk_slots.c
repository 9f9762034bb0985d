/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates, which a kind knows by their first member or their name, and the parts that their slots have. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "walk.h"

#include "loader/state/kinds/kind.h"

/* Is the struct's first member the mark `name`? */
static bool is_marked(struct walk *w, Dwarf_Die *first, const char *name)
{
	struct type mark, element;
	char full[64];
	if (!types_name_is(first, name) || !types_of(&w->r, first, &mark))
		return false;
	snprintf(full, sizeof(full), "%s_mark", name);
	if (mark.tag == DW_TAG_array_type)
		return types_of(&w->r, &mark.die, &element) && types_name_is(&element.die, full);
	return types_name_is(&mark.die, full);
}

/* The kind's mark that a type has, or NULL. `first` is the type's first member; NULL: it has none. */
static const struct wl_mark *find_mark(
	struct walk *w, const struct wl_kind *kind, const struct type *type, Dwarf_Die *first)
{
	if (kind->type && kind->marks[0].read && types_is_called(type, kind->type))
		return &kind->marks[0];
	for (size_t i = 0; first && i < sizeof(kind->marks) / sizeof(kind->marks[0]); i++)
		if (kind->marks[i].name && is_marked(w, first, kind->marks[i].name))
			return &kind->marks[i];
	return NULL;
}

/* Which aggregate a type is. Returns its mark, and the kind; NULL: it is none. */
static const struct wl_mark *find_aggregate(struct walk *w, const struct type *type, uint32_t *kind)
{
	Dwarf_Die parent = type->die, first;
	const struct wl_kind *row;
	const struct wl_mark *mark;
	bool has_members = type->tag == DW_TAG_structure_type && types_first_child(&w->r, &parent, &first) &&
			   dwarf_tag(&first) == DW_TAG_member;
	for (*kind = 0; (row = wl_kind_at(*kind)); ++*kind)
		if ((mark = find_mark(w, row, type, has_members ? &first : NULL)))
			return mark;
	return NULL;
}

/*
 * Add the fields of a key, value or record, behind the field that they belong to. Returns how many. Members of a struct
 * go by their own names.
 */
static uint32_t add_parts(
	struct walk *w, enum state_part part, bool plain, const char *name, const struct type_at *at, uint64_t text)
{
	size_t before = w->n;
	uint32_t kind;
	bool has_members = at->type.tag == DW_TAG_structure_type || at->type.tag == DW_TAG_union_type;
	if (has_members && (plain || !find_aggregate(w, &at->type, &kind)))
		name = "";
	w->part = part;
	w->plain = plain;
	if (text)
		walk_text(w, name, at, text);
	else
		walk_type(w, name, at, 1);
	w->part = STATE_WHOLE;
	w->plain = false;
	return (uint32_t)(w->n - before);
}

/* Keys are compared byte by byte, and holes between members are bytes as well (ward/key.h). */
static void find_holes(struct walk *w, size_t first, const struct type *key, uint32_t noted, uint64_t pad)
{
	uint64_t bits = w->pad - pad;
	for (size_t i = first; i < w->n; i++)
		bits += field_bits(&w->fields[i]);
	if (w->notes && w->notes->n == noted && bits < types_size(&w->r, key) * 8)
		walk_leave_out(w, "key", STATE_WHY_HOLES);
}

/* Add both kinds of parts that a slot has. */
static void add_slot(struct walk *w, const char *name, struct state_field *field, const struct slot_types *types)
{
	char within[2 * STATE_MAX_NAME];
	bool is_array = field->kind == WARD_FIELD_ARRAY;
	bool is_record = wl_kind_at(field->kind)->shown.form == WARD_FORM_RECORDS;
	w->within = within;
	snprintf(within, sizeof(within), "%s.key", name);
	if (types->has_key) {
		size_t first = w->n;
		uint64_t pad = w->pad;
		uint32_t noted = w->notes ? w->notes->n : 0;
		field->n_keys = add_parts(w, STATE_KEY, true, "key", &types->key, 0);
		find_holes(w, first, &types->key.type, noted, pad);
	}
	snprintf(within, sizeof(within), "%s%s", name, is_array ? "[]" : is_record ? ".record" : ".value");
	if (types->has_value)
		field->n_values = add_parts(w, STATE_VALUE, types->is_plain, "value", &types->value, types->text);
	w->within = NULL;
}

/* The member that a ring's records are in order of is a moment, whatever its type is called. */
static void find_time(struct state_field *field)
{
	struct state_field *time =
		wl_kind_at(field->kind)->shown.form == WARD_FORM_RECORDS ? state_time_field(field) : NULL;
	if (time && !time->unit && time->scalar.size == 8 && !time->scalar.is_signed)
		time->unit = WARD_UNIT_TIME;
}

/* Add a field with its parts, or nothing. */
static void add_with_parts(struct walk *w, const char *name, struct state_field *field, const struct slot_types *types)
{
	size_t at = w->n;
	uint32_t noted = w->notes ? w->notes->n : 0;
	uint64_t state_size = w->state_size, room = w->room;
	if (w->part != STATE_WHOLE) {
		walk_leave_out(w, name, field->kind == WARD_FIELD_ARRAY ? STATE_WHY_ARRAY : STATE_WHY_NESTED);
		return;
	}
	if (w->n == w->max || strlen(name) >= sizeof(field->name) || field_bits(field) > room) {
		walk_add(w, name, field); /* which says why it can't be added */
		return;
	}
	strcpy(field->name, name);
	field->is_shared = w->is_shared;
	w->n++;
	w->state_size = field->map.stride;
	w->room = (uint64_t)field->map.stride * 8;
	add_slot(w, name, field, types);
	w->state_size = state_size;
	w->fields[at] = *field;
	find_time(&w->fields[at]);
	if (w->is_full || state_group_valid(&w->fields[at], w->n - at, state_size) == 0) {
		w->n = at;
		w->room = room;
		if (!w->notes || w->notes->n == noted)
			walk_leave_out(w, name, STATE_WHY_PARTS);
		return;
	}
	w->room = room - field_bits(field);
}

void walk_array(struct walk *w, const char *name, const struct type_at *first, uint64_t stride, uint64_t n, bool texts)
{
	struct state_field field = {
		.kind = WARD_FIELD_ARRAY, .offset = (uint32_t)first->offset, .size = (uint32_t)(n * stride)};
	struct slot_types slots = {.has_value = true, .value.type = first->type, .text = texts ? stride : 0};
	field.map = (struct state_map){.slots = (uint32_t)first->offset,
		.stride = (uint32_t)stride,
		.n = (uint32_t)n,
		.value_size = (uint32_t)stride};
	if (first->offset > STATE_MAX_SIZE || stride == 0 || n > STATE_MAX_SIZE / stride)
		walk_leave_out(w, name, STATE_WHY_MALFORMED);
	else if (w->plain)
		walk_leave_out(w, name, STATE_WHY_ARRAY);
	else
		add_with_parts(w, name, &field, &slots);
}

/* What an aggregate's numbers are amounts of: its own name says that, or the type of its member `unit`. */
static enum ward_unit find_unit(struct walk *w, const struct type_at *at)
{
	enum ward_unit unit = types_unit(&at->type);
	struct type_at member;
	struct type element;
	if (unit || !types_find_member(&w->r, at, "unit", &member) || member.type.tag != DW_TAG_array_type)
		return unit;
	return types_of(&w->r, &member.type.die, &element) ? types_unit(&element) : unit;
}

bool walk_aggregate(struct walk *w, const char *name, const struct type_at *at)
{
	struct state_field field = {.offset = (uint32_t)at->offset, .size = (uint32_t)at->type.size};
	struct slot_types slots = {0};
	if (at->offset > STATE_MAX_SIZE || at->type.size == 0 || at->type.size > STATE_MAX_SIZE)
		return false;
	const struct wl_mark *mark = find_aggregate(w, &at->type, &field.kind);
	if (!mark)
		return false;
	if (wl_kind_at(field.kind)->has_unit)
		field.unit = find_unit(w, at);
	if (mark->read_slots ? !mark->read_slots(&w->r, at, &field, &slots) : !mark->read(&w->r, at, &field))
		walk_leave_out(w, name, STATE_WHY_MALFORMED);
	else if (w->is_shared && !field.map.buckets)
		walk_leave_out(w, name, STATE_WHY_SHARED);
	else if (slots.has_key || slots.has_value)
		add_with_parts(w, name, &field, &slots);
	else
		walk_add(w, name, &field);
	return true;
}
