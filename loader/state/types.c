/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading types from debug information: what a type is, which members it has, where they are.
 *
 * The input is hostile. libdw keeps us within the sections. Sibling and type references may form cycles, so `budget`
 * bounds how many DIEs are read in all, and a chain of typedefs has at most TYPES_MAX_HOPS links.
 */
#include <dwarf.h>
#include <gelf.h>
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

static bool name_ends(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && strcmp(name + n - m, end) == 0;
}

enum ward_unit types_unit(const struct type *type)
{
	for (unsigned i = 0; i < type->n_names; i++) {
		const char *name = type->name[i];
		if (!name || strncmp(name, "ward_", 5) != 0)
			continue;
		if (name_ends(name, "_elapsed"))
			return WARD_UNIT_COUNTS;
		if (name_ends(name, "_ns"))
			return WARD_UNIT_NS;
		if (name_ends(name, "_time"))
			return WARD_UNIT_TIME;
	}
	return WARD_UNIT_NONE;
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
	out->is_stack = size == 8 && types_is_called(type, "ward_stack");
	out->is_address = type->tag == DW_TAG_pointer_type || out->is_stack;
	out->is_site = types_is_called(type, "ward_site");
	out->is_module = types_is_called(type, "ward_module");
	out->is_signed = type->is_signed || encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return true;
}

bool types_as_real(const struct type_at *at, struct state_int *out)
{
	const struct type *type = &at->type;
	uint64_t encoding = 0;
	Dwarf_Die die = type->die;
	if (type->tag != DW_TAG_base_type || at->offset >= STATE_MAX_SIZE ||
		!types_unsigned(&die, DW_AT_encoding, &encoding))
		return false;
	bool is_real = (encoding == DW_ATE_float && (type->size == 8 || type->size == 4)) ||
		       (type->size == 8 && types_is_called(type, "ward_double")) ||
		       (type->size == 4 && types_is_called(type, "ward_float"));
	*out = (struct state_int){.offset = (uint32_t)at->offset, .size = (uint8_t)type->size};
	return is_real;
}

bool types_as_wide(const struct type_at *at, struct state_int *out)
{
	const struct type *type = &at->type;
	uint64_t encoding = 0;
	Dwarf_Die die = type->die;
	if (type->tag != DW_TAG_base_type || type->size != 16 || at->offset >= STATE_MAX_SIZE ||
		!types_unsigned(&die, DW_AT_encoding, &encoding))
		return false;
	*out = (struct state_int){.offset = (uint32_t)at->offset, .size = 8, .is_signed = encoding == DW_ATE_signed};
	return encoding == DW_ATE_signed || encoding == DW_ATE_unsigned;
}

bool types_is_bit_field(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_bit_size);
}

/* Where a bit-field begins, in bits from the start of its struct: DWARF 5 says that, earlier versions count back. */
static bool bit_field_start(Dwarf_Die *member, const struct type *type, uint64_t bits, uint64_t *start)
{
	uint64_t back, offset = 0, size = type->size;
	if (types_unsigned(member, DW_AT_data_bit_offset, start))
		return *start < (uint64_t)STATE_MAX_SIZE * 8;
	if (!types_unsigned(member, DW_AT_bit_offset, &back) || back > 64)
		return false;
	types_unsigned(member, DW_AT_data_member_location, &offset);
	types_unsigned(member, DW_AT_byte_size, &size);
	if (offset >= STATE_MAX_SIZE || size > 8 || back + bits > size * 8)
		return false;
	*start = (offset + size) * 8 - back - bits;
	return true;
}

/* The smallest word around it: one at a multiple of its size, which is read at once; else any. */
bool types_bit_field(
	struct types_reader *r, const struct type_at *in, Dwarf_Die *member, struct type *type, struct state_int *out)
{
	uint64_t bits, start;
	struct type_at whole;
	if (!types_unsigned(member, DW_AT_bit_size, &bits) || bits == 0 || bits > 64 || !types_of(r, member, type))
		return false;
	whole = (struct type_at){*type, 0};
	if (!types_as_int(&whole, true, out) || !bit_field_start(member, type, bits, &start))
		return false;
	for (unsigned k = 0; k < 8; k++) {
		uint64_t size = 1ull << k % 4, at = k < 4 ? start / 8 / size * size : start / 8;
		if (start + bits > (at + size) * 8 || in->offset + at >= STATE_MAX_SIZE)
			continue;
		out->offset = (uint32_t)(in->offset + at);
		out->size = (uint8_t)size;
		out->bits = (uint8_t)bits;
		out->shift = (uint8_t)(start - at * 8);
		return true;
	}
	return false;
}

uint64_t types_size(struct types_reader *r, const struct type *type)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS], n = 1;
	struct type at = *type;
	for (int hop = 0; at.tag == DW_TAG_array_type; hop++) {
		int dims = types_dimensions(r, &at, dim);
		if (dims <= 0 || hop == TYPES_MAX_HOPS)
			return 0;
		for (int i = 0; i < dims; i++)
			if (__builtin_mul_overflow(n, dim[i], &n) || n > STATE_MAX_SIZE)
				return 0;
		Dwarf_Die array = at.die;
		if (!types_of(r, &array, &at))
			return 0;
	}
	if (__builtin_mul_overflow(n, at.tag == DW_TAG_pointer_type ? 8 : at.size, &n) || n > STATE_MAX_SIZE)
		return 0;
	return n;
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
			return -1;
		if (types_unsigned(&d, DW_AT_upper_bound, &dim[n]))
			dim[n]++;
		else if (!types_unsigned(&d, DW_AT_count, &dim[n]))
			return 0;
		if (dim[n] > STATE_MAX_SIZE)
			return -1;
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
	*n = dims > 0 ? 1 : 0;
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

bool types_address(Dwarf_Die *variable, uint64_t *address)
{
	Dwarf_Attribute location, place;
	Dwarf_Op *op;
	Dwarf_Addr at;
	size_t n;
	if (!dwarf_attr(variable, DW_AT_location, &location) || dwarf_getlocation(&location, &op, &n) != 0 || n != 1)
		return false;
	if (op->atom == DW_OP_addr) {
		*address = op->number;
		return true;
	}
	if (op->atom != DW_OP_addrx || dwarf_getlocation_attr(&location, op, &place) != 0 ||
		dwarf_formaddr(&place, &at) != 0)
		return false;
	*address = at;
	return true;
}

bool types_sections_acceptable(Elf *elf)
{
	size_t names;
	Elf_Scn *scn = NULL;
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || (shdr.sh_flags & SHF_COMPRESSED))
			return false;
		const char *name = elf_strptr(elf, names, shdr.sh_name);
		if (!name || strncmp(name, ".zdebug", 7) == 0 || strcmp(name, ".gnu_debugaltlink") == 0)
			return false;
	}
	return true;
}
