/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of the state: what the second parameter of the probe functions points to, by the debug information of the
 * linked file.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "type_equal.h"

enum { MAX_TYPEDEFS = 32, MAX_NESTING = 8, MAX_NAME = 4096, EFFORT = 1 << 16, BYTES_PER_STEP = 16 };

/* What was found of one entry. */
struct found {
	int64_t size;
	const char *type; /* NULL: nothing */
	Dwarf_Die die, function;
};

enum { PLACE = 80 };

/* The type that a DIE refers to, without const, volatile and typedefs; `name` receives the last typedef's name. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type, const char **name)
{
	Dwarf_Attribute attr;
	int i;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type))
		return false;
	for (i = 0; i < MAX_TYPEDEFS; i++) {
		int tag = dwarf_tag(type);

		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
			tag != DW_TAG_restrict_type)
			return true;
		if (tag == DW_TAG_typedef && name)
			*name = dwarf_diename(type);
		if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attr), type))
			return false;
	}
	return false;
}

/* The second parameter of a function, if it points to a struct of known size. */
static bool state_of(Dwarf_Die *function, struct found *found)
{
	Dwarf_Die child, pointer, type;
	const char *alias = NULL, *tag_name;
	int n = 0;
	int64_t size;

	if (dwarf_child(function, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && ++n == 2)
			break;
	} while (dwarf_siblingof(&child, &child) == 0);
	if (n != 2 || !type_of(&child, &pointer, NULL) || dwarf_tag(&pointer) != DW_TAG_pointer_type ||
		!type_of(&pointer, &type, &alias))
		return false;
	if (dwarf_tag(&type) != DW_TAG_structure_type && dwarf_tag(&type) != DW_TAG_union_type)
		return false;
	size = dwarf_bytesize(&type);
	if (size < 0)
		return false; /* declared only */
	tag_name = dwarf_diename(&type);
	found->size = size;
	found->type = tag_name ? tag_name : alias ? alias : "";
	found->die = type;
	return true;
}

/*
 * The function's file and line, " (probe.c:7)", or "". The file's name without its directories: it is one of those that
 * the user gave.
 */
static const char *place_of(struct found *found, char place[PLACE])
{
	const char *file = dwarf_decl_file(&found->function), *slash = file ? strrchr(file, '/') : NULL;
	int line;

	place[0] = '\0';
	if (file && dwarf_decl_line(&found->function, &line) == 0)
		snprintf(place, PLACE, " (%.60s:%d)", slash ? slash + 1 : file, line);
	return place;
}

/* One function of the debug information: is it an entry? Two names may have one address. */
static void entry_find(const struct cg_image *im, Dwarf_Die *die, struct found *found)
{
	struct found this = {0};
	Dwarf_Addr low;
	size_t i;

	if (dwarf_lowpc(die, &low) || !state_of(die, &this))
		return;
	this.function = *die;
	for (i = 0; i < im->n_entries; i++)
		if (im->entries[i].addr == low)
			found[i] = this;
}

/* Functions stand directly below a unit, or in namespaces. */
static void unit_walk(const struct cg_image *im, Dwarf_Die *unit, struct found *found)
{
	Dwarf_Die stack[MAX_NESTING];
	int depth = 0;

	if (dwarf_child(unit, &stack[0]))
		return;
	while (depth >= 0) {
		Dwarf_Die *die = &stack[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_subprogram)
			entry_find(im, die, found);
		if (tag == DW_TAG_namespace && depth + 1 < MAX_NESTING && dwarf_child(die, &stack[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth >= 0 && dwarf_siblingof(&stack[depth], &stack[depth]) != 0)
			depth--;
	}
}

/* Do two entries have one state? Each source file has its own description of it. */
static bool states_agree(const struct cg_image *im, struct found *found, size_t a, size_t b, size_t *effort)
{
	static const char hint[] = "all probe functions of a module share one state; put what they need into one "
				   "struct, in a header if they are of several files";
	char member[CG_MEMBER_PATH], place[2][PLACE];
	const char *why;

	if (found[a].size != found[b].size || strncmp(found[a].type, found[b].type, MAX_NAME) != 0)
		return !cg_error(im->report, hint,
			"'%s'%s has the state '%s' of %lld bytes, '%s'%s the state '%s' of %lld bytes",
			im->entries[a].name, place_of(&found[a], place[0]), found[a].type, (long long)found[a].size,
			im->entries[b].name, place_of(&found[b], place[1]), found[b].type, (long long)found[b].size);
	if (cg_same_type(&found[a].die, &found[b].die, effort, member, &why))
		return true;
	return !cg_error(im->report, hint, "'%s'%s and '%s'%s have different states '%s': %s%s%s %s",
		im->entries[a].name, place_of(&found[a], place[0]), im->entries[b].name, place_of(&found[b], place[1]),
		found[a].type, *member ? "'" : "", *member ? member : "it", *member ? "'" : "", why);
}

/*
 * All entries of which something is known must agree. Returns the first such entry's number, n_entries if there is
 * none, -1 after an error.
 */
static long agree_all(const struct cg_image *im, size_t file_size, struct found *found)
{
	size_t effort = EFFORT + file_size / BYTES_PER_STEP;
	size_t first = im->n_entries, i;
	bool ok = true;

	for (i = 0; i < im->n_entries && !cg_said_enough(im->report); i++) {
		if (!found[i].type)
			continue;
		if (first == im->n_entries)
			first = i;
		else
			ok &= states_agree(im, found, first, i, &effort);
	}
	return ok ? (long)first : -1;
}

int cg_state_type(struct cg_image *im, const void *file, size_t file_size, int64_t *size, char **type)
{
	if (!cg_debug_is_plain(im))
		return cg_error(im->report, "compile without -g, or strip the debug information",
			"its debug information is not well-formed, or takes far more to read than it has bytes");
	struct found *found = calloc(im->n_entries + 1, sizeof(*found));
	Elf *elf = elf_memory((char *)file, file_size); /* opened for reading: libelf does not write to it */
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	long first = -1;

	while (found && dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		unit_walk(im, &die, found);
	if (found)
		first = agree_all(im, file_size, found);
	if (first >= 0 && (size_t)first < im->n_entries) {
		*size = found[first].size;
		*type = strndup(found[first].type, MAX_NAME);
	}
	free(found);
	if (dwarf)
		dwarf_end(dwarf);
	if (elf)
		elf_end(elf);
	return first < 0 ? 1 : 0;
}
