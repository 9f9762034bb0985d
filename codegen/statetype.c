/* The type of the state: what the second parameter of the probe functions points to, by the debug information of the linked file. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum { MAX_TYPEDEFS = 32, MAX_NESTING = 8 };

struct found {
	int64_t size;
	const char *type;
	const char *entry;
};

/* The type that a DIE refers to, without const, volatile and typedefs; `name` receives the last typedef's name. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type, const char **name)
{
	Dwarf_Attribute attr;
	int i;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type))
		return false;
	for (i = 0; i < MAX_TYPEDEFS; i++) {
		int tag = dwarf_tag(type);

		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type)
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
	if (n != 2 || !type_of(&child, &pointer, NULL) || dwarf_tag(&pointer) != DW_TAG_pointer_type || !type_of(&pointer, &type, &alias))
		return false;
	if (dwarf_tag(&type) != DW_TAG_structure_type && dwarf_tag(&type) != DW_TAG_union_type)
		return false;
	size = dwarf_bytesize(&type);
	if (size < 0)
		return false; /* declared only */
	tag_name = dwarf_diename(&type);
	found->size = size;
	found->type = tag_name ? tag_name : alias ? alias : "";
	return true;
}

/* Look at one function of the debug information: is it an entry, and does it agree with those before? */
static int look(struct cg_image *im, Dwarf_Die *die, struct found *found)
{
	struct found this = { 0 };
	Dwarf_Addr low;
	size_t i;

	if (dwarf_lowpc(die, &low))
		return 0;
	for (i = 0; i < im->n_entries && im->entries[i].addr != low; i++)
		;
	if (i == im->n_entries || !state_of(die, &this))
		return 0;
	this.entry = im->entries[i].name;
	if (!found->entry) {
		*found = this;
		return 0;
	}
	if (this.size == found->size && strcmp(this.type, found->type) == 0)
		return 0;
	return cg_error(im->report, "all probe functions of a module share one state; put what they need into one struct",
		"'%s' has the state '%s' of %lld bytes, '%s' the state '%s' of %lld bytes", found->entry, found->type, (long long)found->size,
		this.entry, this.type, (long long)this.size);
}

/* Functions stand directly below a unit, or in namespaces. */
static int walk(struct cg_image *im, Dwarf_Die *unit, struct found *found)
{
	Dwarf_Die stack[MAX_NESTING];
	int depth = 0, bad = 0;

	if (dwarf_child(unit, &stack[0]))
		return 0;
	while (depth >= 0) {
		Dwarf_Die *die = &stack[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_subprogram)
			bad |= look(im, die, found);
		if (tag == DW_TAG_namespace && depth + 1 < MAX_NESTING && dwarf_child(die, &stack[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth >= 0 && dwarf_siblingof(&stack[depth], &stack[depth]) != 0)
			depth--;
	}
	return bad;
}

int cg_state_type(struct cg_image *im, const void *file, size_t file_size, int64_t *size, char **type)
{
	struct found found = { 0 };
	Elf *elf = elf_memory((char *)file, file_size); /* opened for reading: libelf does not write to it */
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	int bad = 0;

	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		bad |= walk(im, &die, &found);
	if (!bad && found.entry) {
		*size = found.size;
		*type = strdup(found.type);
		if (!*type)
			bad = cg_error(im->report, NULL, "out of memory");
	}
	if (dwarf)
		dwarf_end(dwarf);
	if (elf)
		elf_end(elf);
	return bad;
}
