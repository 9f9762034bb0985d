/* SPDX-License-Identifier: Apache-2.0 */
/* Settings in the debug information: variables of a file whose type is an integer, const and volatile. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "types.h"

enum { MAX_DIES = 1 << 18 };

/* Is a type const volatile, in any order and through typedefs? *type is what remains. */
static bool is_const_volatile(struct types_reader *r, Dwarf_Die *variable, struct type *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die die, next;
	bool is_const = false, is_volatile = false;
	if (!dwarf_attr(variable, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &die))
		return false;
	for (int hops = 0; hops < TYPES_MAX_HOPS && types_spend(r); hops++) {
		int tag = dwarf_tag(&die);
		is_const |= tag == DW_TAG_const_type;
		is_volatile |= tag == DW_TAG_volatile_type;
		if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_typedef)
			return is_const && is_volatile && types_peel(r, &die, type);
		if (!dwarf_attr(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &next))
			return false;
		die = next;
	}
	return false;
}

static bool read_setting(struct types_reader *r, Dwarf_Die *die, struct state_setting *to)
{
	struct type_at at = {0};
	struct state_int number;
	Dwarf_Word encoding = 0;
	Dwarf_Attribute attribute;
	const char *name = dwarf_diename(die);
	if (!name || strlen(name) >= sizeof(to->name) || !is_const_volatile(r, die, &at.type) ||
		!types_as_int(&at, true, &number) || at.type.tag == DW_TAG_pointer_type ||
		!types_address(die, &to->address))
		return false;
	if (dwarf_attr(&at.type.die, DW_AT_encoding, &attribute))
		dwarf_formudata(&attribute, &encoding);
	memset(to->name, 0, sizeof(to->name));
	snprintf(to->name, sizeof(to->name), "%s", name);
	to->size = number.size;
	to->is_signed = number.is_signed;
	to->is_bool = encoding == DW_ATE_boolean;
	return true;
}

static size_t read_unit(struct types_reader *r, Dwarf_Die *unit, struct state_setting *settings, size_t n, size_t max)
{
	Dwarf_Die die;
	if (!types_first_child(r, unit, &die))
		return n;
	do {
		if (n < max && dwarf_tag(&die) == DW_TAG_variable && read_setting(r, &die, &settings[n]))
			n++;
	} while (n < max && types_next_sibling(r, &die));
	return n;
}

size_t state_settings_read(const void *image, size_t size, struct state_setting *settings, size_t max)
{
	struct types_reader r = {.budget = MAX_DIES};
	Dwarf_Off offset = 0, next;
	size_t header, n = 0;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)image, size);
	Dwarf *dbg = elf && types_sections_acceptable(elf) ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	while (dbg && n < max && types_spend(&r) && dwarf_nextcu(dbg, offset, &next, &header, NULL, NULL, NULL) == 0 &&
		next > offset) {
		Dwarf_Die unit;
		if (dwarf_offdie(dbg, offset + header, &unit))
			n = read_unit(&r, &unit, settings, n, max);
		offset = next;
	}
	dwarf_end(dbg);
	elf_end(elf);
	return n;
}
