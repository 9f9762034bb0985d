/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types get their numbers when something refers to them, and are read in the order of their numbers. So the nearest
 * ones to the parameters are read first, cycles need no care, and the work is bounded by the table's room. A type is
 * known by where its description is, without typedefs and qualifiers.
 */
#include "dwarf_types.h"

#include <string.h>

bool types_step(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die at;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &at))
		return false;
	*die = at;
	return true;
}

bool types_is_c(Dwarf_Die *die)
{
	enum { C17 = 0x2c }; /* not known to all versions of dwarf.h */
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case C17: return true;
	default: return false;
	}
}

static bool is_transparent(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_immutable_type;
}

static uint32_t *slot_of(struct type_reader *r, const void *address)
{
	uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
	uint32_t n = sizeof(r->slots) / sizeof(r->slots[0]), i = (uint32_t)(hash >> 32) % n;

	while (r->slots[i] && r->dies[r->slots[i]].addr != address)
		i = (i + 1) % n;
	return &r->slots[i];
}

static uint64_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	return dwarf_attr_integrate(die, attribute, &attr) && dwarf_formudata(&attr, &word) == 0 ? word : 0;
}

static bool is_set(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	bool value;

	return dwarf_attr(die, attribute, &attr) && dwarf_formflag(&attr, &value) == 0 && value;
}

static void set_integer(Dwarf_Die *die, struct table_type *type)
{
	const char *name = dwarf_diename(die);
	uint64_t encoding = number_of(die, DW_AT_encoding);

	switch (encoding) {
	case DW_ATE_boolean: type->kind = WARD_TYPE_BOOL; break;
	case DW_ATE_float: type->kind = WARD_TYPE_REAL; break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_ASCII:
		type->kind = type->size <= 8 ? WARD_TYPE_INT : WARD_TYPE_OTHER;
		type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		type->is_char = type->size == 1 && name && strcmp(name, "char") == 0;
		break;
	default: type->kind = WARD_TYPE_OTHER;
	}
}

/* What its own description says, without what it leads to. */
static void set_kind(Dwarf_Die *die, struct table_type *type)
{
	type->size = number_of(die, DW_AT_byte_size);
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type: set_integer(die, type); break;
	case DW_TAG_enumeration_type: type->kind = WARD_TYPE_ENUMERATION; break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->kind = WARD_TYPE_POINTER;
		type->size = 8;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		type->kind = WARD_TYPE_STRUCTURE;
		type->is_union = dwarf_tag(die) == DW_TAG_union_type;
		type->is_incomplete = is_set(die, DW_AT_declaration);
		break;
	case DW_TAG_array_type: type->kind = WARD_TYPE_ARRAY; break;
	default: type->kind = WARD_TYPE_OTHER;
	}
}

/* `die` has no typedefs and qualifiers; `name` is what it is called, or NULL. */
static uint32_t number_new(struct type_reader *r, Dwarf_Die *die, const char *name)
{
	uint32_t *slot = slot_of(r, die->addr), number, text;
	struct table_type *type;

	if (*slot)
		return *slot;
	type = table_add(r->table, LIST_TYPES);
	if (!type)
		return 0;
	number = r->table->lists[LIST_TYPES].n - 1;
	set_kind(die, type);
	text = table_text(r->table, name);
	table_type(r->table, number)->name = text;
	r->dies[number] = *die;
	*slot = number;
	return number;
}

uint32_t types_number(struct type_reader *r, Dwarf_Die *of)
{
	Dwarf_Die die = *of;
	const char *name = NULL;

	for (int hop = 0; hop < TYPE_HOPS; hop++) {
		if (!types_step(&die))
			return 0;
		name = dwarf_diename(&die) ? dwarf_diename(&die) : name;
		if (!is_transparent(dwarf_tag(&die)))
			return number_new(r, &die, name);
	}
	return 0;
}

/* What a pointer leads to, an array is of: without a type, void. */
static uint32_t number_below(struct type_reader *r, Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	struct table_type *type;

	for (int hop = 0; hop < TYPE_HOPS; hop++) {
		if (!types_step(&at)) {
			type = table_add(r->table, LIST_TYPES);
			if (type)
				type->kind = WARD_TYPE_VOID;
			return type ? r->table->lists[LIST_TYPES].n - 1 : 0;
		}
		if (!is_transparent(dwarf_tag(&at)))
			return types_number(r, die);
	}
	return 0;
}

/* ---- what a type consists of ---- */

static void read_enumerators(struct type_reader *r, uint32_t number)
{
	Dwarf_Die die = r->dies[number], child, below = die;
	uint32_t n = 0, first = r->table->lists[LIST_ENUMERATORS].n;
	bool is_signed = false;

	for (int hop = 0; hop < TYPE_HOPS && types_step(&below); hop++)
		;
	is_signed = number_of(&below, DW_AT_encoding) == DW_ATE_signed ||
		    number_of(&below, DW_AT_encoding) == DW_ATE_signed_char;
	if (dwarf_child(&die, &child) != 0)
		return;
	do {
		const char *name = dwarf_diename(&child);
		struct table_enumerator *e;
		Dwarf_Attribute attr;
		Dwarf_Sword value;
		uint32_t text;

		if (dwarf_tag(&child) != DW_TAG_enumerator || !name || !dwarf_attr(&child, DW_AT_const_value, &attr) ||
			dwarf_formsdata(&attr, &value) != 0)
			continue;
		text = table_text(r->table, name);
		e = text ? table_add(r->table, LIST_ENUMERATORS) : NULL;
		if (!e)
			break;
		*e = (struct table_enumerator){(uint64_t)value, text, 0};
		is_signed |= value < 0;
		n++;
	} while (dwarf_siblingof(&child, &child) == 0);
	table_type(r->table, number)->is_signed = is_signed;
	table_type(r->table, number)->first = first;
	table_type(r->table, number)->n = n;
}

/* Where a member is, in bytes, or a bit-field in bits. False: at a place that is computed, or nowhere. */
static bool member_offset(Dwarf_Die *member, uint64_t size, struct table_member *m)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset = 0, back, own;

	if (dwarf_attr(member, DW_AT_data_bit_offset, &attr)) {
		if (dwarf_formudata(&attr, &offset) != 0)
			return false;
		m->offset = m->bits ? offset : offset / 8;
		return m->bits || offset % 8 == 0;
	}
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &offset) != 0)
		return false;
	m->offset = offset;
	if (!m->bits)
		return true;
	/* as before DWARF 5: counted from the other end of a word of that size */
	own = number_of(member, DW_AT_byte_size);
	own = own ? own : size;
	if (!dwarf_attr(member, DW_AT_bit_offset, &attr) || dwarf_formudata(&attr, &back) != 0 || own > 8 ||
		back > 64 || back + m->bits > own * 8 || offset > UINT32_MAX)
		return false;
	m->offset = (offset + own) * 8 - back - m->bits;
	return true;
}

/* The types of members get their numbers, but aren't read yet: so members of one structure are one behind the other. */
static void read_members(struct type_reader *r, uint32_t number)
{
	Dwarf_Die die = r->dies[number], child;
	uint32_t n = 0, first = r->table->lists[LIST_MEMBERS].n;

	if (dwarf_child(&die, &child) != 0)
		return;
	do {
		struct table_member member = {.unused = 0}, *m;
		int tag = dwarf_tag(&child);
		bool is_base = tag == DW_TAG_inheritance;

		if ((tag != DW_TAG_member && !is_base) || is_set(&child, DW_AT_external) ||
			(is_base && number_of(&child, DW_AT_virtuality)))
			continue;
		member.bits = (uint32_t)number_of(&child, DW_AT_bit_size);
		member.type = types_number(r, &child);
		if (member.bits > 64 || !member_offset(&child, table_type(r->table, member.type)->size, &member))
			continue;
		member.name = is_base ? 0 : table_text(r->table, dwarf_diename(&child));
		m = table_add(r->table, LIST_MEMBERS);
		if (!m)
			break;
		*m = member;
		n++;
	} while (dwarf_siblingof(&child, &child) == 0);
	table_type(r->table, number)->first = first;
	table_type(r->table, number)->n = n;
}

/* All dimensions at once. */
static void read_array(struct type_reader *r, uint32_t number)
{
	Dwarf_Die die = r->dies[number], child;
	uint64_t n = 1, dimension;
	uint32_t of = types_number(r, &die);

	table_type(r->table, number)->of = of;
	if (dwarf_child(&die, &child) != 0)
		return;
	do {
		Dwarf_Attribute attr;

		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		dimension = number_of(&child, DW_AT_count);
		if (!dimension && dwarf_attr(&child, DW_AT_upper_bound, &attr))
			dimension = number_of(&child, DW_AT_upper_bound) + 1;
		if (__builtin_mul_overflow(n, dimension, &n) || n > UINT32_MAX)
			n = 0;
	} while (dwarf_siblingof(&child, &child) == 0);
	table_type(r->table, number)->n = (uint32_t)n;
	if (!__builtin_mul_overflow(n, table_type(r->table, of)->size, &n))
		table_type(r->table, number)->size = n;
}

void types_read(struct type_reader *r)
{
	for (r->read = r->read ? r->read : 1; r->read < r->table->lists[LIST_TYPES].n; r->read++) {
		uint32_t i = r->read;

		switch (table_type(r->table, i)->kind) {
		case WARD_TYPE_ENUMERATION: read_enumerators(r, i); break;
		case WARD_TYPE_STRUCTURE: read_members(r, i); break;
		case WARD_TYPE_ARRAY: read_array(r, i); break;
		case WARD_TYPE_POINTER: {
			uint32_t of = number_below(r, &r->dies[i]);

			table_type(r->table, i)->of = of;
			break;
		}
		default: break;
		}
	}
}
