/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From debug information to fields: finding the state's type, and going through its members.
 *
 * The dialect's containers are plain C types; what makes them containers is their names, which compilers keep in DWARF:
 *
 *   ward_count               a typedef of an integer         added up over threads
 *   ward_min, ward_max       likewise                        the least and the largest of the threads
 *   ward_log2                { ward_count bucket[65]; }      a histogram: bucket 0 counts zeros, bucket i values of i bits
 *   { struct ward_K_mark ward_K[..]; … }                     an aggregate of the kind K (aggregates.c)
 *   any other integer                                        a value, added up as well; a ward_site is shown by the name of the site, a ward_module by that of its module (module_keys.c)
 *   an enumeration                                           the greatest of the threads; shown by its names (enumeration.c)
 *   an array of up to 256 chars                              a text, of the threads' the greatest
 *
 * Structs and short arrays of these are flattened into names like a.b and a[3]. What is none of this (pointers, floats, unions, bit-fields)
 * has no merge and is left out; in keys and records, which aren't merged, pointers are numbers, and arrays of char are texts of any length.
 *
 * The input is hostile. libdw keeps us within the sections, but sibling and type references may form cycles: `budget` bounds how many
 * DIEs are looked at in all, `depth` bounds nesting, and `room` (bytes of state, or of a slot, not yet described) keeps a small file from describing
 * more fields and slots than the state has room for.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

enum {
	MAX_DIES = 1 << 18,
	MAX_DEPTH = 8,
	MAX_TYPE_HOPS = 32, /* typedefs and qualifiers on the way to a type */
	MAX_FLAT_ARRAY = 128,
	MAX_TEXT = 256, /* a longer array of the state's is somewhere to work in */
};

static bool spend(struct walk *w)
{
	if (w->budget == 0)
		return false;
	w->budget--;
	return true;
}

bool types_first_child(struct walk *w, Dwarf_Die *parent, Dwarf_Die *child)
{
	return spend(w) && dwarf_child(parent, child) == 0;
}

bool types_next_sibling(struct walk *w, Dwarf_Die *die)
{
	return spend(w) && dwarf_siblingof(die, die) == 0;
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

/* Is an enumeration one of signed numbers? The type below says, which there needn't be. */
static bool is_signed_below(struct walk *w, Dwarf_Die *enumeration)
{
	uint64_t encoding = 0;
	Dwarf_Die die = *enumeration, next;
	for (int hop = 0; hop < MAX_TYPE_HOPS && spend(w) && referred_type(&die, &next); hop++)
		die = next;
	return dwarf_tag(&die) == DW_TAG_base_type && types_unsigned(&die, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char);
}

/* Peel typedefs and qualifiers off the type at `die`. */
static bool peel(struct walk *w, const Dwarf_Die *die, struct type *type)
{
	*type = (struct type){.die = *die};
	for (int hop = 0; hop < MAX_TYPE_HOPS && spend(w); hop++) {
		type->tag = dwarf_tag(&type->die);
		switch (type->tag) {
		case DW_TAG_typedef:
			type->is_count |= types_name_is(&type->die, "ward_count");
			type->is_log2 |= types_name_is(&type->die, "ward_log2");
			type->is_min |= types_name_is(&type->die, "ward_min");
			type->is_max |= types_name_is(&type->die, "ward_max");
			type->is_site |= types_name_is(&type->die, "ward_site");
			type->is_module |= types_name_is(&type->die, "ward_module");
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: break;
		case DW_TAG_array_type: return true;
		default:
			type->is_signed = type->tag == DW_TAG_enumeration_type && is_signed_below(w, &type->die);
			type->is_log2 |= types_name_is(&type->die, "ward_log2");
			return types_unsigned(&type->die, DW_AT_byte_size, &type->size) || type->tag == DW_TAG_pointer_type;
		}
		Dwarf_Die next;
		if (!referred_type(&type->die, &next))
			return false;
		type->die = next;
	}
	return false;
}

bool types_of(struct walk *w, Dwarf_Die *die, struct type *type)
{
	Dwarf_Die at;
	return referred_type(die, &at) && peel(w, &at, type);
}

/* Offset of a struct's member; false for bit-fields and computed places. */
bool types_member_offset(Dwarf_Die *member, uint64_t *offset)
{
	*offset = 0;
	if (dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_data_bit_offset))
		return false;
	if (!dwarf_hasattr(member, DW_AT_data_member_location))
		return true;
	return types_unsigned(member, DW_AT_data_member_location, offset) && *offset < STATE_MAX_SIZE;
}

/* The integer that a type is, at `offset`. */
bool types_as_int(const struct type *type, uint64_t offset, bool any_bits, struct state_int *out)
{
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
	if ((size != 1 && size != 2 && size != 4 && size != 8) || offset >= STATE_MAX_SIZE)
		return false;
	out->offset = (uint32_t)offset;
	out->size = (uint8_t)size;
	out->is_address = type->tag == DW_TAG_pointer_type;
	out->is_site = type->is_site;
	out->is_module = type->is_module;
	out->is_signed = type->is_signed || encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return true;
}

/* The dimensions of an array type. Returns how many, 0 if one has no known length. */
int types_dimensions(struct walk *w, const struct type *array, uint64_t *dim)
{
	Dwarf_Die parent = array->die, d;
	int n = 0;
	if (!types_first_child(w, &parent, &d))
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
	} while (types_next_sibling(w, &d));
	return n;
}

bool types_add(struct walk *w, const char *name, struct state_field *field)
{
	if (strlen(name) >= sizeof(field->name) || w->n == w->max || field->size > w->room)
		return false;
	strcpy(field->name, name);
	field->part = w->part;
	if (!state_field_valid(field, w->state_size))
		return false;
	w->room -= field->size;
	w->fields[w->n++] = *field;
	return true;
}

static bool add_int(struct walk *w, const char *name, const struct type *type, uint64_t offset)
{
	struct state_field field = {.kind = type->is_min ? WARD_FIELD_MIN : type->is_max ? WARD_FIELD_MAX : type->is_count ? WARD_FIELD_COUNT : WARD_FIELD_VALUE};
	bool is_enumeration = type->tag == DW_TAG_enumeration_type;
	if (!types_as_int(type, offset, w->plain || is_enumeration, &field.scalar))
		return false;
	if (is_enumeration) {
		field.kind = w->plain ? WARD_FIELD_VALUE : WARD_FIELD_MAX;
		field.names = types_enumeration(w, type);
	}
	field.offset = field.scalar.offset;
	field.size = field.scalar.size;
	types_add(w, name, &field);
	return true;
}

static bool is_char(const struct type *type)
{
	Dwarf_Die die = type->die;
	return type->size == 1 && types_name_is(&die, "char");
}

static void add_text_at(struct walk *w, const char *name, const struct type *element, uint64_t offset, uint64_t length)
{
	struct state_field field = {.kind = WARD_FIELD_TEXT};
	if ((!w->plain && length > MAX_TEXT) || !types_as_int(element, offset, false, &field.scalar))
		return;
	field.offset = field.scalar.offset;
	field.size = field.n = (uint32_t)length;
	types_add(w, name, &field);
}

/* An array of char is a text, or left out. */
static bool add_text(struct walk *w, const char *name, const struct type *array, uint64_t offset)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS];
	struct type element;
	Dwarf_Die die = array->die;
	if (array->tag != DW_TAG_array_type || types_dimensions(w, array, dim) != 1 || !types_of(w, &die, &element) || !is_char(&element))
		return false;
	add_text_at(w, name, &element, offset, dim[0]);
	return true;
}

static void add_members(struct walk *w, const char *name, const struct type *type, uint64_t offset, unsigned depth)
{
	Dwarf_Die parent = type->die, member;
	if (!types_first_child(w, &parent, &member))
		return;
	do {
		struct type of;
		uint64_t at;
		char full[STATE_MAX_NAME];
		if (dwarf_tag(&member) != DW_TAG_member || !types_member_offset(&member, &at) || !types_of(w, &member, &of))
			continue;
		const char *own = dwarf_diename(&member);
		if (own && !types_is_identifier(own))
			continue;
		/* members of an unnamed struct are members of the struct around it */
		int len = snprintf(full, sizeof(full), "%s%s%s", name, own && *name ? "." : "", own ? own : "");
		if (len < (int)sizeof(full))
			types_walk(w, full, &of, offset + at, depth + 1);
	} while (types_next_sibling(w, &member) && w->n < w->max);
}

static void add_elements(struct walk *w, const char *name, const struct type *array, uint64_t offset, unsigned depth)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS], total = 1;
	struct type element;
	Dwarf_Die die = array->die;
	int n = types_dimensions(w, array, dim);
	if (n == 0 || !types_of(w, &die, &element) || element.tag == DW_TAG_array_type || element.size == 0 || element.size > STATE_MAX_SIZE)
		return;
	bool texts = n > 1 && is_char(&element); /* each row is one */
	uint64_t length = texts ? dim[--n] : 0;
	for (int i = 0; i < n; i++) {
		total *= dim[i];
		if (total > MAX_FLAT_ARRAY)
			return;
	}
	for (uint64_t i = 0; i < total && w->n < w->max; i++) {
		char full[STATE_MAX_NAME];
		size_t len = (size_t)snprintf(full, sizeof(full), "%s", name);
		uint64_t rest = i, below = total;
		for (int d = 0; d < n && len < sizeof(full); d++) {
			below /= dim[d];
			len += (size_t)snprintf(full + len, sizeof(full) - len, "[%u]", (unsigned)(rest / below));
			rest %= below;
		}
		if (len < sizeof(full) && texts)
			add_text_at(w, full, &element, offset + i * length, length);
		else if (len < sizeof(full))
			types_walk(w, full, &element, offset + i * element.size, depth + 1);
	}
}

void types_walk(struct walk *w, const char *name, const struct type *type, uint64_t offset, unsigned depth)
{
	if (depth > MAX_DEPTH || offset > w->state_size)
		return;
	if (*name && (add_int(w, name, type, offset) || add_text(w, name, type, offset) || (!w->plain && aggregate_add(w, name, type, offset))))
		return;
	if (type->tag == DW_TAG_array_type)
		add_elements(w, name, type, offset, depth);
	else if (type->tag == DW_TAG_structure_type)
		add_members(w, name, type, offset, depth);
}

/* The struct that function `die` takes a pointer to as its second parameter. */
static bool second_parameter(struct walk *w, Dwarf_Die *die, struct type *out)
{
	Dwarf_Die child;
	struct type pointer;
	int n = 0;
	if (!types_first_child(w, die, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || ++n < 2)
			continue;
		return types_of(w, &child, &pointer) && pointer.tag == DW_TAG_pointer_type && types_of(w, &pointer.die, out) &&
		       out->tag == DW_TAG_structure_type;
	} while (types_next_sibling(w, &child));
	return false;
}

/* Is the DIE the type or function that we look for? If so *out is the state's struct. */
static bool matches(struct walk *w, Dwarf_Die *die, const char *type, const char *entry, struct type *out)
{
	int tag = dwarf_tag(die);
	if (*type) {
		if ((tag != DW_TAG_structure_type && tag != DW_TAG_typedef) || !types_name_is(die, type) || dwarf_hasattr(die, DW_AT_declaration))
			return false;
		return peel(w, die, out) && out->tag == DW_TAG_structure_type && out->size <= w->state_size;
	}
	return *entry && tag == DW_TAG_subprogram && types_name_is(die, entry) && second_parameter(w, die, out);
}

static bool find_state(struct walk *w, Dwarf *dbg, const char *type, const char *entry, struct type *out)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	while (spend(w) && dwarf_nextcu(dbg, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
		Dwarf_Die unit, die;
		if (dwarf_offdie(dbg, offset + header, &unit) && types_first_child(w, &unit, &die)) {
			do {
				if (matches(w, &die, type, entry, out))
					return true;
			} while (types_next_sibling(w, &die));
		}
		offset = next;
	}
	return false;
}

/* Sections that would make libdw inflate data or open files that the module names. */
static bool sections_acceptable(Elf *elf)
{
	size_t names;
	Elf_Scn *scn = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
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

size_t state_types_read(
	const void *image, size_t size, const char *type, const char *entry, uint64_t state_size, struct state_field *fields, size_t max, struct state_names *names)
{
	struct walk w = {.budget = MAX_DIES, .state_size = state_size, .room = state_size, .fields = fields, .max = max, .names = names};
	struct type state;
	if (strncmp(type, "struct ", 7) == 0)
		type += 7;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)image, size);
	if (!elf)
		return 0;
	if (elf_kind(elf) == ELF_K_ELF && sections_acceptable(elf)) {
		Dwarf *dbg = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (dbg && find_state(&w, dbg, type, entry, &state))
			types_walk(&w, "", &state, 0, 0);
		dwarf_end(dbg);
	}
	elf_end(elf);
	return w.n;
}
