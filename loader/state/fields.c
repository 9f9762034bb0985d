/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From debug information to fields: go through the members of the state.
 *
 * The dialect's containers are plain C types. Compilers keep their names in the debug information, and these say what a
 * type means:
 *
 *   ward_count, ward_min …                 an integer that a kind knows by its name (kinds/)
 *   { struct ward_K_mark ward_K[0]; … }    an aggregate, which a kind knows by this first member; ward_log2 has none
 *   any other integer, a bit-field         a value, added up. A ward_site is shown by the name of the site, a
 *                                          ward_module by that of its module (module_keys.c)
 *   a ward_stack                           the greatest of the threads; shown by its functions' names
 *   an enumeration, a pointer              the greatest of the threads; shown by its name (enumeration.c)
 *   a float, a double                      the greatest of the threads; ward_float and ward_double are their bits
 *   an integer of 128 bits                 added up
 *   an array of char                       a text, of the threads' the greatest
 *   a union                                its first member
 *   a ward_pad, or an array of it          nothing: it fills a hole of a key
 *
 * Structs and short arrays of these are flattened into names like a.b and a[3]. A longer array is a field with an entry
 * for each element that isn't zero. In keys and records, which aren't merged, pointers are numbers.
 *
 * What is none of this is left out, and noted with its name and the reason (unshown.c). Only ward_pad and WARD_PRIVATE
 * are left out without a note; the latter is an unnamed union that has one member, an unnamed struct.
 *
 * A map or ring has parts: the fields of its key and value, or of its records, with their places in a slot
 * (walk_slots.c). Only a map from integers to integers needs none.
 *
 * The input is hostile. `depth` bounds nesting. `room` (the bits of the state, or of a slot, not yet described) keeps a
 * small file from describing more fields and slots than the state has room for.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "walk.h"

#include "loader/state/kinds/kind.h"

enum {
	MAX_DEPTH = 8,
	MAX_FLAT_ARRAY = 128,
};

void walk_add(struct walk *w, const char *name, struct state_field *field)
{
	if (strlen(name) >= sizeof(field->name)) {
		walk_leave_out(w, name, STATE_WHY_DEEP);
		return;
	}
	if (w->n == w->max) {
		if (!w->is_full)
			walk_leave_out(w, name, STATE_WHY_FULL);
		w->is_full = true;
		return;
	}
	strcpy(field->name, name);
	field->part = w->part;
	field->is_shared = w->is_shared;
	if (field_bits(field) > w->room || !state_field_valid(field, w->state_size)) {
		walk_leave_out(w, name, STATE_WHY_MALFORMED);
		return;
	}
	w->room -= field_bits(field);
	w->fields[w->n++] = *field;
}

/* ---- numbers and texts ---- */

/* The kind of an integer: that which knows one of its type's names. */
static enum ward_field_kind integer_kind(const struct type *type)
{
	const struct wl_kind *kind;
	for (uint32_t k = 0; (kind = wl_kind_at(k)); k++)
		if (kind->type && !kind->marks[0].read && types_is_called(type, kind->type))
			return (enum ward_field_kind)k;
	return WARD_FIELD_VALUE;
}

/* Sums of addresses, of an enumeration's numbers or of moments mean nothing: of these the greatest is shown. */
static enum ward_field_kind number_kind(const struct walk *w, const struct type *type)
{
	enum ward_field_kind kind = integer_kind(type);
	if (type->tag == DW_TAG_base_type &&
		(kind != WARD_FIELD_VALUE ||
			(types_unit(type) != WARD_UNIT_TIME && !types_is_called(type, "ward_stack"))))
		return kind;
	return w->plain ? WARD_FIELD_VALUE : WARD_FIELD_MAX;
}

static bool add_number(struct walk *w, const char *name, const struct type_at *at)
{
	struct state_field field = {0};
	if (types_as_real(at, &field.scalar)) {
		field.kind = WARD_FIELD_REAL;
	} else if (types_as_wide(at, &field.scalar)) {
		field.kind = WARD_FIELD_WIDE;
	} else if (types_as_int(at, true, &field.scalar)) {
		field.kind = number_kind(w, &at->type);
		field.names = types_enumeration(&w->r, &at->type);
		field.unit = types_unit(&at->type);
	} else {
		return false;
	}
	field.offset = field.scalar.offset;
	field.size = field.kind == WARD_FIELD_WIDE ? 16 : field.scalar.size;
	walk_add(w, name, &field);
	return true;
}

static void add_bit_field(struct walk *w, const char *name, const struct type_at *in, Dwarf_Die *member)
{
	struct state_field field = {0};
	struct type type;
	if (!types_bit_field(&w->r, in, member, &type, &field.scalar)) {
		walk_leave_out(w, name, STATE_WHY_TYPE);
		return;
	}
	field.kind = number_kind(w, &type);
	field.names = types_enumeration(&w->r, &type);
	field.offset = field.scalar.offset;
	field.size = field.scalar.size;
	walk_add(w, name, &field);
}

static bool is_char(const struct type *type)
{
	Dwarf_Die die = type->die;
	return type->size == 1 && types_name_is(&die, "char");
}

/* `first`: its first character. */
void walk_text(struct walk *w, const char *name, const struct type_at *first, uint64_t length)
{
	struct state_field field = {.kind = WARD_FIELD_TEXT};
	if (length == 0 || !types_as_int(first, false, &field.scalar))
		return;
	field.offset = field.scalar.offset;
	field.size = field.n = (uint32_t)length;
	walk_add(w, name, &field);
}

static bool add_text(struct walk *w, const char *name, const struct type_at *array)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS];
	struct type_at first = {.offset = array->offset};
	Dwarf_Die die = array->type.die;
	if (array->type.tag != DW_TAG_array_type || types_dimensions(&w->r, &array->type, dim) != 1)
		return false;
	if (!types_of(&w->r, &die, &first.type) || !is_char(&first.type))
		return false;
	walk_text(w, name, &first, dim[0]);
	return true;
}

/* ---- structs and unions ---- */

/*
 * Is it WARD_PRIVATE, an unnamed union of one unnamed struct? Beside its members a union's DIE may have their types as
 * children.
 */
static bool is_private(struct walk *w, const char *own, const struct type *type)
{
	Dwarf_Die parent = type->die, child;
	struct type only;
	int members = 0;
	if (own || type->tag != DW_TAG_union_type || !types_first_child(&w->r, &parent, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		if (++members > 1 || dwarf_diename(&child) || !types_of(&w->r, &child, &only) ||
			only.tag != DW_TAG_structure_type)
			return false;
	} while (types_next_sibling(&w->r, &child));
	return members == 1;
}

/* Members of an unnamed struct are members of the struct around it. */
static void add_member(struct walk *w, const char *name, const struct type_at *in, Dwarf_Die *member, unsigned depth)
{
	struct type_at of;
	char full[STATE_MAX_NAME];
	const char *own = dwarf_diename(member);
	if (own && !types_is_identifier(own))
		return;
	int len = snprintf(full, sizeof(full), "%s%s%s", name, own && *name ? "." : "", own ? own : "");
	if (len >= (int)sizeof(full))
		walk_leave_out(w, name, STATE_WHY_DEEP);
	else if (types_is_bit_field(member))
		add_bit_field(w, full, in, member);
	else if (!types_member_offset(member, &of.offset) || !types_of(&w->r, member, &of.type))
		walk_leave_out(w, full, STATE_WHY_TYPE);
	else if (!is_private(w, own, &of.type)) {
		of.offset += in->offset;
		walk_type(w, full, &of, depth + 1);
	}
}

/* All members of a struct, the first of a union. */
static void add_members(struct walk *w, const char *name, const struct type_at *at, unsigned depth)
{
	Dwarf_Die parent = at->type.die, member, *before = w->member;
	if (!types_first_child(&w->r, &parent, &member))
		return;
	do {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
		w->member = &member;
		add_member(w, name, at, &member, depth);
		w->member = before;
		if (at->type.tag == DW_TAG_union_type)
			return;
	} while (types_next_sibling(&w->r, &member) && !w->is_full);
}

/* ---- arrays ---- */

/* The name of element i of an array: name[1][3]. Returns its length. */
static size_t element_name(char full[STATE_MAX_NAME], const char *name, const uint64_t *dim, int n, uint64_t i)
{
	size_t len = (size_t)snprintf(full, STATE_MAX_NAME, "%s", name);
	uint64_t below = 1;
	for (int d = 0; d < n; d++)
		below *= dim[d];
	for (int d = 0; d < n && len < STATE_MAX_NAME; d++) {
		below /= dim[d];
		len += (size_t)snprintf(full + len, STATE_MAX_NAME - len, "[%u]", (unsigned)(i / below));
		i %= below;
	}
	return len;
}

/* An array as it is shown: `flat` fields, each of `each` elements. */
struct shape {
	uint64_t dim[TYPES_MAX_DIMENSIONS];
	int n;           /* dimensions that the fields' names count */
	uint64_t stride; /* of an element */
	uint64_t flat, each;
	bool texts; /* each row of char is one element */
};

/* Returns false if there are no elements, or too many dimensions. */
static bool shape_array(
	struct walk *w, const char *name, const struct type *array, struct type *element, struct shape *s)
{
	Dwarf_Die die = array->die;
	int n = types_dimensions(&w->r, array, s->dim);
	s->flat = s->each = 1;
	if (n < 0 || !types_of(&w->r, &die, element)) {
		walk_leave_out(w, name, n < 0 ? STATE_WHY_DEEP : STATE_WHY_TYPE);
		return false;
	}
	s->stride = types_size(&w->r, element);
	s->texts = n > 1 && is_char(element);
	if (s->texts)
		s->stride = s->dim[--n];
	for (int i = 0; i < n; i++)
		if (__builtin_mul_overflow(s->each, s->dim[i], &s->each) || s->each > STATE_MAX_SIZE)
			return false;
	if (n <= 0 || s->each == 0 || s->stride == 0 || s->stride > STATE_MAX_SIZE)
		return false; /* it takes no bytes */
	bool is_long = s->each > MAX_FLAT_ARRAY;
	while (s->n < n - is_long && s->flat * s->dim[s->n] <= MAX_FLAT_ARRAY) {
		s->flat *= s->dim[s->n];
		s->each /= s->dim[s->n++];
	}
	return true;
}

static void add_element(
	struct walk *w, const char *name, const struct type_at *element, const struct shape *s, unsigned depth)
{
	if (s->each > 1)
		walk_array(w, name, element, s->stride, s->each, s->texts);
	else if (s->texts)
		walk_text(w, name, element, s->stride);
	else
		walk_type(w, name, element, depth + 1);
}

static void add_elements(struct walk *w, const char *name, const struct type_at *array, unsigned depth)
{
	bool before = w->repeats;
	struct shape s = {0};
	struct type_at element;
	if (!shape_array(w, name, &array->type, &element.type, &s))
		return;
	for (uint64_t i = 0; i < s.flat && !w->is_full; i++) {
		char full[STATE_MAX_NAME];
		w->repeats = before || i > 0;
		element.offset = array->offset + i * s.each * s.stride;
		if (element_name(full, name, s.dim, s.n, i) < sizeof(full))
			add_element(w, full, &element, &s, depth);
		else
			walk_leave_out(w, name, STATE_WHY_DEEP);
	}
	w->repeats = before;
}

static bool is_pad(struct walk *w, const struct type *type)
{
	Dwarf_Die die = type->die;
	struct type element;
	return types_is_called(type, "ward_pad") ||
	       (type->tag == DW_TAG_array_type && types_of(&w->r, &die, &element) &&
		       types_is_called(&element, "ward_pad"));
}

void walk_type(struct walk *w, const char *name, const struct type_at *at, unsigned depth)
{
	if (is_pad(w, &at->type)) {
		w->pad += types_size(&w->r, &at->type) * 8;
		return;
	}
	if (depth > MAX_DEPTH || at->offset > w->state_size) {
		walk_leave_out(w, name, depth > MAX_DEPTH ? STATE_WHY_DEEP : STATE_WHY_MALFORMED);
		return;
	}
	if (*name && (add_number(w, name, at) || add_text(w, name, at) || (!w->plain && walk_aggregate(w, name, at))))
		return;
	if (at->type.tag == DW_TAG_array_type)
		add_elements(w, name, at, depth);
	else if (at->type.tag == DW_TAG_structure_type || at->type.tag == DW_TAG_union_type)
		add_members(w, name, at, depth);
	else
		walk_leave_out(w, name, STATE_WHY_TYPE);
}
