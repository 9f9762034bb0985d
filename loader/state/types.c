/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading types from debug information: what a type is, which members it has, where they are.
 *
 * The input is hostile. libdw keeps us within the sections. Sibling and type references may form cycles, so `budget`
 * bounds how many DIEs are read in all, and a chain of typedefs has at most TYPES_MAX_HOPS links.
 */
#include <dwarf.h>
#include <string.h>

#include "types.h"

bool types_spend(struct types_reader *r)
{
	if (r->budget == 0)
		return false;
	r->budget--;
	return true;
}

bool types_first_child(struct types_reader *r, Dwarf_Die *parent, Dwarf_Die *child)
{
	return types_spend(r) && dwarf_child(parent, child) == 0;
}

bool types_next_sibling(struct types_reader *r, Dwarf_Die *die)
{
	return types_spend(r) && dwarf_siblingof(die, die) == 0;
}

bool types_is_identifier(const char *s)
{
	if (!s || !*s || (*s >= '0' && *s <= '9'))
		return false;
	for (; *s; s++)
		if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')))
			return false;
	return true;
}

bool types_name_is(Dwarf_Die *die, const char *name)
{
	const char *s = dwarf_diename(die);
	return s && strcmp(s, name) == 0;
}

bool types_unsigned(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

static bool referred_type(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

/* Is an enumeration one of signed numbers? Its underlying type says so, if it has one. */
static bool is_signed_below(struct types_reader *r, Dwarf_Die *enumeration)
{
	uint64_t encoding = 0;
	Dwarf_Die die = *enumeration, next;
	for (int hop = 0; hop < TYPES_MAX_HOPS && types_spend(r) && referred_type(&die, &next); hop++)
		die = next;
	return dwarf_tag(&die) == DW_TAG_base_type && types_unsigned(&die, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char);
}

bool types_peel(struct types_reader *r, const Dwarf_Die *die, struct type *type)
{
	*type = (struct type){.die = *die};
	for (int hop = 0; hop < TYPES_MAX_HOPS && types_spend(r); hop++) {
		type->tag = dwarf_tag(&type->die);
		switch (type->tag) {
		case DW_TAG_typedef: type->name[type->n_names++] = dwarf_diename(&type->die); break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: break;
		case DW_TAG_array_type: return true;
		default:
			type->name[type->n_names++] = dwarf_diename(&type->die);
			type->is_signed = type->tag == DW_TAG_enumeration_type && is_signed_below(r, &type->die);
			return types_unsigned(&type->die, DW_AT_byte_size, &type->size) ||
			       type->tag == DW_TAG_pointer_type;
		}
		Dwarf_Die next;
		if (!referred_type(&type->die, &next))
			return false;
		type->die = next;
	}
	return false;
}

bool types_is_called(const struct type *type, const char *name)
{
	for (unsigned i = 0; i < type->n_names; i++)
		if (type->name[i] && strcmp(type->name[i], name) == 0)
			return true;
	return false;
}

bool types_of(struct types_reader *r, Dwarf_Die *die, struct type *type)
{
	Dwarf_Die at;
	return referred_type(die, &at) && types_peel(r, &at, type);
}

bool types_member_offset(Dwarf_Die *member, uint64_t *offset)
{
	*offset = 0;
	if (dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_data_bit_offset))
		return false;
	if (!dwarf_hasattr(member, DW_AT_data_member_location))
		return true;
	return types_unsigned(member, DW_AT_data_member_location, offset) && *offset < STATE_MAX_SIZE;
}

bool types_as_int(const struct type_at *at, bool any_bits, struct state_int *out)
{
	const struct type *type = &at->type;
	uint64_t encoding = 0, size = type->size;
	Dwarf_Die die = type->die;
	if (type->tag == DW_TAG_base_type) {
		if (!types_unsigned(&die, DW_AT_encoding, &encoding))
			return false;
		if (encoding != DW_ATE_signed && encoding != DW_ATE_signed_char && encoding != DW_ATE_unsigned &&
			encoding != DW_ATE_unsigned_char && encoding != DW_ATE_boolean)
			return false;
	} else if (type->tag == DW_TAG_pointer_type && any_bits) {
		size = 8;
	} else if (type->tag != DW_TAG_enumeration_type || !any_bits) {
		return false;
	}
	if ((size != 1 && size != 2 && size != 4 && size != 8) || at->offset >= STATE_MAX_SIZE)
		return false;
	out->offset = (uint32_t)at->offset;
	out->size = (uint8_t)size;
	out->is_address = type->tag == DW_TAG_pointer_type;
	out->is_site = types_is_called(type, "ward_site");
	out->is_module = types_is_called(type, "ward_module");
	out->is_signed = type->is_signed || encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return true;
}

int types_dimensions(struct types_reader *r, const struct type *array, uint64_t *dim)
{
	Dwarf_Die parent = array->die, d;
	int n = 0;
	if (!types_first_child(r, &parent, &d))
		return 0;
	do {
		if (dwarf_tag(&d) != DW_TAG_subrange_type)
			continue;
		if (n == TYPES_MAX_DIMENSIONS)
			return 0;
		if (types_unsigned(&d, DW_AT_upper_bound, &dim[n]))
			dim[n]++;
		else if (!types_unsigned(&d, DW_AT_count, &dim[n]))
			return 0;
		if (dim[n] > STATE_MAX_SIZE)
			return 0;
		n++;
	} while (types_next_sibling(r, &d));
	return n;
}

bool types_find_member(struct types_reader *r, const struct type_at *in, const char *name, struct type_at *out)
{
	Dwarf_Die parent = in->type.die, member;
	if (in->type.tag != DW_TAG_structure_type || !types_first_child(r, &parent, &member))
		return false;
	do {
		if (dwarf_tag(&member) != DW_TAG_member || !types_name_is(&member, name))
			continue;
		if (!types_member_offset(&member, &out->offset) || !types_of(r, &member, &out->type))
			return false;
		out->offset += in->offset;
		return out->offset < STATE_MAX_SIZE;
	} while (types_next_sibling(r, &member));
	return false;
}

bool types_find_int(struct types_reader *r, const struct type_at *in, const char *name, struct state_int *out)
{
	struct type_at member;
	return types_find_member(r, in, name, &member) && types_as_int(&member, false, out);
}

bool types_find_array(
	struct types_reader *r, const struct type_at *in, const char *name, struct type_at *first, uint64_t *n)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS];
	struct type_at array;
	int dims;
	if (!types_find_member(r, in, name, &array) || array.type.tag != DW_TAG_array_type)
		return false;
	dims = types_dimensions(r, &array.type, dim);
	*n = dims ? 1 : 0;
	for (int i = 0; i < dims; i++)
		if (__builtin_mul_overflow(*n, dim[i], n) || *n > STATE_MAX_SIZE)
			return false;
	first->offset = array.offset;
	return *n && types_of(r, &array.type.die, &first->type);
}

bool types_find_ints(
	struct types_reader *r, const struct type_at *in, const char *name, struct state_int *first, uint32_t *n)
{
	struct type_at element;
	uint64_t elements;
	if (!types_find_array(r, in, name, &element, &elements) || !types_as_int(&element, false, first))
		return false;
	*n = (uint32_t)elements;
	return true;
}

bool types_find_constant(struct types_reader *r, const struct type_at *in, const char *name, uint64_t *value)
{
	struct type_at array;
	struct type element;
	if (!types_find_member(r, in, name, &array) || array.type.tag != DW_TAG_array_type)
		return false;
	if (!types_of(r, &array.type.die, &element) || element.size == 0)
		return false;
	*value = element.size - 1;
	return true;
}
