/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From debug information to fields: find the state's type, and go through its members.
 *
 * The dialect's containers are plain C types. Compilers keep their names in the debug information, and these say what a
 * type means:
 *
 *   ward_count, ward_min …                 an integer that a kind knows by its name (kinds/)
 *   { struct ward_K_mark ward_K[0]; … }    an aggregate, which a kind knows by this first member; ward_log2 has none
 *   any other integer                      a value, added up. A ward_site is shown by the name of the site, a
 *                                          ward_module by that of its module (module_keys.c)
 *   an enumeration                         the greatest of the threads; shown by its names (enumeration.c)
 *   an array of up to 256 chars            a text, of the threads' the greatest
 *
 * Structs and short arrays of these are flattened into names like a.b and a[3]. What is none of this (pointers, floats,
 * unions, bit-fields) has no merge and is left out. In keys and records, which aren't merged, pointers are numbers, and
 * arrays of char are texts of any length.
 *
 * A map or ring has parts: the fields of its key and value, or of its records, with their places in a slot. Only a map
 * from integers to integers needs none.
 *
 * The input is hostile. `depth` bounds nesting. `room` (bytes of state, or of a slot, not yet described) keeps a small
 * file from describing more fields and slots than the state has room for.
 */
#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

#include "loader/state/kinds/kind.h"

enum {
	MAX_DIES = 1 << 18,
	MAX_DEPTH = 8,
	MAX_FLAT_ARRAY = 128,
	MAX_TEXT = 256, /* a longer array of the state's is somewhere to work in */
};

/* Where the fields go. */
struct walk {
	struct types_reader r;
	uint64_t state_size; /* of the state; while a slot's members are read, of a slot */
	uint64_t room;
	struct state_field *fields;
	size_t n, max;
	enum state_part part; /* what fields are added as */
	bool plain;           /* in keys and records: no aggregates */
};

static void walk_type(struct walk *w, const char *name, const struct type_at *at, unsigned depth);

/* Add a field, if it is valid and there is room for it. */
static bool add_field(struct walk *w, const char *name, struct state_field *field)
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

/* ---- integers and texts ---- */

/* The kind of an integer: that which knows one of its type's names. */
static enum ward_field_kind integer_kind(const struct type *type)
{
	const struct wl_kind *kind;
	for (uint32_t k = 0; (kind = wl_kind_at(k)); k++)
		if (kind->type && !kind->marks[0].read && types_is_called(type, kind->type))
			return (enum ward_field_kind)k;
	return WARD_FIELD_VALUE;
}

static bool add_int(struct walk *w, const char *name, const struct type_at *at)
{
	struct state_field field = {0};
	bool is_enumeration = at->type.tag == DW_TAG_enumeration_type;
	if (!types_as_int(at, w->plain || is_enumeration, &field.scalar))
		return false;
	if (is_enumeration) {
		field.kind = w->plain ? WARD_FIELD_VALUE : WARD_FIELD_MAX;
		field.names = types_enumeration(&w->r, &at->type);
	} else {
		field.kind = integer_kind(&at->type);
	}
	field.offset = field.scalar.offset;
	field.size = field.scalar.size;
	add_field(w, name, &field);
	return true;
}

static bool is_char(const struct type *type)
{
	Dwarf_Die die = type->die;
	return type->size == 1 && types_name_is(&die, "char");
}

/* `first`: its first character. */
static void add_text_of(struct walk *w, const char *name, const struct type_at *first, uint64_t length)
{
	struct state_field field = {.kind = WARD_FIELD_TEXT};
	if ((!w->plain && length > MAX_TEXT) || !types_as_int(first, false, &field.scalar))
		return;
	field.offset = field.scalar.offset;
	field.size = field.n = (uint32_t)length;
	add_field(w, name, &field);
}

/* An array of char is a text, or left out. */
static bool add_text(struct walk *w, const char *name, const struct type_at *array)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS];
	struct type_at first = {.offset = array->offset};
	Dwarf_Die die = array->type.die;
	if (array->type.tag != DW_TAG_array_type || types_dimensions(&w->r, &array->type, dim) != 1)
		return false;
	if (!types_of(&w->r, &die, &first.type) || !is_char(&first.type))
		return false;
	add_text_of(w, name, &first, dim[0]);
	return true;
}

/* ---- aggregates ---- */

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
static uint32_t add_parts(struct walk *w, enum state_part part, bool plain, const char *name, const struct type_at *at)
{
	size_t before = w->n;
	uint32_t kind;
	if (at->type.tag == DW_TAG_structure_type && (plain || !find_aggregate(w, &at->type, &kind)))
		name = "";
	w->part = part;
	w->plain = plain;
	walk_type(w, name, at, 1);
	w->part = STATE_WHOLE;
	w->plain = false;
	return (uint32_t)(w->n - before);
}

/* Add a field with its parts, or nothing. */
static void add_with_parts(struct walk *w, const char *name, struct state_field *field, const struct slot_types *types)
{
	size_t at = w->n;
	uint64_t state_size = w->state_size, room = w->room;
	if (w->part != STATE_WHOLE || w->n == w->max || strlen(name) >= sizeof(field->name) || field->size > room)
		return;
	strcpy(field->name, name);
	w->n++;
	w->state_size = w->room = field->map.stride;
	if (types->has_key)
		field->n_keys = add_parts(w, STATE_KEY, true, "key", &types->key);
	if (types->has_value)
		field->n_values = add_parts(w, STATE_VALUE, types->is_plain, "value", &types->value);
	w->state_size = state_size;
	w->fields[at] = *field;
	if (state_group_valid(&w->fields[at], w->n - at, state_size) == 0) {
		w->n = at;
		w->room = room;
		return;
	}
	w->room = room - field->size;
}

/* Add the field of an aggregate. False if the type is none. */
static bool add_aggregate(struct walk *w, const char *name, const struct type_at *at)
{
	struct state_field field = {.offset = (uint32_t)at->offset, .size = (uint32_t)at->type.size};
	struct slot_types slots = {0};
	if (at->offset > STATE_MAX_SIZE || at->type.size == 0 || at->type.size > STATE_MAX_SIZE)
		return false;
	const struct wl_mark *mark = find_aggregate(w, &at->type, &field.kind);
	if (!mark)
		return false;
	if (mark->read_slots ? !mark->read_slots(&w->r, at, &field, &slots) : !mark->read(&w->r, at, &field))
		return true;
	if (slots.has_key || slots.has_value)
		add_with_parts(w, name, &field, &slots);
	else
		add_field(w, name, &field);
	return true;
}

/* ---- the walk ---- */

static void add_members(struct walk *w, const char *name, const struct type_at *at, unsigned depth)
{
	Dwarf_Die parent = at->type.die, member;
	if (!types_first_child(&w->r, &parent, &member))
		return;
	do {
		struct type_at of;
		char full[STATE_MAX_NAME];
		if (dwarf_tag(&member) != DW_TAG_member || !types_member_offset(&member, &of.offset) ||
			!types_of(&w->r, &member, &of.type))
			continue;
		const char *own = dwarf_diename(&member);
		if (own && !types_is_identifier(own))
			continue;
		/* members of an unnamed struct are members of the struct around it */
		int len = snprintf(full, sizeof(full), "%s%s%s", name, own && *name ? "." : "", own ? own : "");
		of.offset += at->offset;
		if (len < (int)sizeof(full))
			walk_type(w, full, &of, depth + 1);
	} while (types_next_sibling(&w->r, &member) && w->n < w->max);
}

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

static void add_elements(struct walk *w, const char *name, const struct type_at *array, unsigned depth)
{
	uint64_t dim[TYPES_MAX_DIMENSIONS], total = 1;
	struct type_at element;
	struct type *type = &element.type;
	Dwarf_Die die = array->type.die;
	int n = types_dimensions(&w->r, &array->type, dim);
	if (n == 0 || !types_of(&w->r, &die, type))
		return;
	if (type->tag == DW_TAG_array_type || type->size == 0 || type->size > STATE_MAX_SIZE)
		return;
	bool texts = n > 1 && is_char(type); /* each row is one */
	uint64_t length = texts ? dim[--n] : 0;
	for (int i = 0; i < n; i++) {
		total *= dim[i];
		if (total > MAX_FLAT_ARRAY)
			return;
	}
	for (uint64_t i = 0; i < total && w->n < w->max; i++) {
		char full[STATE_MAX_NAME];
		if (element_name(full, name, dim, n, i) >= sizeof(full))
			continue;
		element.offset = array->offset + i * (texts ? length : type->size);
		if (texts)
			add_text_of(w, full, &element, length);
		else
			walk_type(w, full, &element, depth + 1);
	}
}

/* Add the fields of a type under a name; without one, those of a struct's members under theirs. */
static void walk_type(struct walk *w, const char *name, const struct type_at *at, unsigned depth)
{
	if (depth > MAX_DEPTH || at->offset > w->state_size)
		return;
	if (*name && (add_int(w, name, at) || add_text(w, name, at) || (!w->plain && add_aggregate(w, name, at))))
		return;
	if (at->type.tag == DW_TAG_array_type)
		add_elements(w, name, at, depth);
	else if (at->type.tag == DW_TAG_structure_type)
		add_members(w, name, at, depth);
}

/* ---- the state's type ---- */

/* The struct that function `die` takes a pointer to as its second parameter. */
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
		       types_of(r, &pointer.die, out) && out->tag == DW_TAG_structure_type;
	} while (types_next_sibling(r, &child));
	return false;
}

/* Is the DIE the type or function that we look for? If so *out is the state's struct. */
static bool die_matches(struct types_reader *r, Dwarf_Die *die, const char *type, const char *entry,
	uint64_t state_size, struct type *out)
{
	int tag = dwarf_tag(die);
	if (*type) {
		if ((tag != DW_TAG_structure_type && tag != DW_TAG_typedef) || !types_name_is(die, type) ||
			dwarf_hasattr(die, DW_AT_declaration))
			return false;
		return types_peel(r, die, out) && out->tag == DW_TAG_structure_type && out->size <= state_size;
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

size_t state_types_read(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	struct state_field *fields, size_t max, struct state_names *names)
{
	struct walk w = {
		.r = {.budget = MAX_DIES, .names = names},
		.state_size = state_size,
		.room = state_size,
		.fields = fields,
		.max = max,
	};
	struct type_at state = {.offset = 0};
	if (strncmp(type, "struct ", 7) == 0)
		type += 7;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)image, size);
	if (!elf)
		return 0;
	if (elf_kind(elf) == ELF_K_ELF && sections_acceptable(elf)) {
		Dwarf *dbg = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (dbg && find_state(&w, dbg, type, entry, &state.type))
			walk_type(&w, "", &state, 0);
		dwarf_end(dbg);
	}
	elf_end(elf);
	return w.n;
}
