/* SPDX-License-Identifier: Apache-2.0 */
/* Find the type of a state in the debug information, and go through its members. */
#include <dwarf.h>
#include <string.h>

#include "walk.h"

enum { MAX_DIES = 1 << 18 };

static bool is_aggregate(const struct type *type)
{
	return type->tag == DW_TAG_structure_type || type->tag == DW_TAG_union_type;
}

/* The struct or union that function `die` takes a pointer to as its second parameter. */
static bool second_parameter(struct types_reader *r, Dwarf_Die *die, struct type *out)
{
	Dwarf_Die child;
	struct type pointer;
	int n = 0;
	if (!types_first_child(r, die, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || ++n < 2)
			continue;
		return types_of(r, &child, &pointer) && pointer.tag == DW_TAG_pointer_type &&
		       types_of(r, &pointer.die, out) && is_aggregate(out);
	} while (types_next_sibling(r, &child));
	return false;
}

/* Is the DIE the type or function that we look for? If so *out is the state's type. */
static bool die_matches(struct types_reader *r, Dwarf_Die *die, const char *type, const char *entry,
	uint64_t state_size, struct type *out)
{
	int tag = dwarf_tag(die);
	if (*type) {
		if ((tag != DW_TAG_structure_type && tag != DW_TAG_union_type && tag != DW_TAG_typedef) ||
			!types_name_is(die, type) || dwarf_hasattr(die, DW_AT_declaration))
			return false;
		return types_peel(r, die, out) && is_aggregate(out) && out->size <= state_size;
	}
	return *entry && tag == DW_TAG_subprogram && types_name_is(die, entry) && second_parameter(r, die, out);
}

static bool find_state(struct walk *w, Dwarf *dbg, const char *type, const char *entry, struct type *out)
{
	struct types_reader *r = &w->r;
	Dwarf_Off offset = 0, next;
	size_t header;
	while (types_spend(r) && dwarf_nextcu(dbg, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
		Dwarf_Die unit, die;
		if (dwarf_offdie(dbg, offset + header, &unit) && types_first_child(r, &unit, &die)) {
			do {
				if (die_matches(r, &die, type, entry, w->state_size, out))
					return true;
			} while (types_next_sibling(r, &die));
		}
		offset = next;
	}
	return false;
}

/* Is the DIE the variable that threads share (ward/shared.h)? Then *at is where in the data it is. */
static bool is_shared_variable(
	struct types_reader *r, Dwarf_Die *die, const struct state_data *data, struct type_at *at)
{
	uint64_t address = data->address;
	if (dwarf_tag(die) != DW_TAG_variable ||
		!types_name_is(die, data->is_part ? "ward_shared_members" : "ward_shared") ||
		(!data->is_part && !types_address(die, &address)) || !types_of(r, die, &at->type) ||
		!is_aggregate(&at->type))
		return false;
	at->offset = address - data->address;
	return address >= data->address && at->offset <= data->size && at->type.size <= data->size - at->offset;
}

static bool find_shared(struct types_reader *r, Dwarf *dbg, const struct state_data *data, struct type_at *at)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	while (types_spend(r) && dwarf_nextcu(dbg, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
		Dwarf_Die unit, die;
		if (dwarf_offdie(dbg, offset + header, &unit) && types_first_child(r, &unit, &die)) {
			do {
				if (is_shared_variable(r, &die, data, at))
					return true;
			} while (types_next_sibling(r, &die));
		}
		offset = next;
	}
	return false;
}

/* Behind the fields of the state come those that threads share. */
static void walk_shared(struct walk *w, Dwarf *dbg, const struct state_data *data)
{
	struct type_at at = {0};
	if (!data || !data->size || data->size > STATE_MAX_SIZE || !find_shared(&w->r, dbg, data, &at))
		return;
	w->state_size = data->size;
	w->room = data->size * 8;
	w->is_shared = true;
	walk_type(w, "shared", &at, 0);
}

size_t state_types_read(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	const struct state_data *data, struct state_field *fields, size_t max, struct state_notes *notes)
{
	struct walk w = {
		.r = {.budget = MAX_DIES, .names = notes ? &notes->names : NULL},
		.state_size = state_size,
		.room = state_size * 8,
		.fields = fields,
		.max = max,
		.notes = notes,
	};
	struct type_at state = {.offset = 0};
	if (strncmp(type, "struct ", 7) == 0)
		type += 7;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)image, size);
	if (!elf)
		return 0;
	if (types_sections_acceptable(elf)) {
		Dwarf *dbg = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (dbg && find_state(&w, dbg, type, entry, &state.type)) {
			if (notes)
				notes->is_described = true;
			walk_type(&w, "", &state, 0);
		}
		if (dbg)
			walk_shared(&w, dbg, data);
		dwarf_end(dbg);
	}
	elf_end(elf);
	return w.n;
}
