/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enumerations: the names that debug information has for numbers.
 *
 * The names are read in the sandbox, and checked again here before anyone prints them: a name is an identifier, or
 * there is none. A number with two names keeps the first. In a set of flags, a number without a name is shown as a
 * combination of flags. An enumeration is a set of flags only if it can't be a mere list: in {A, B, C, D, E}, 7 is no
 * combination.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"

/* ---- in the sandbox ---- */

/*
 * The number of an enumerator, extended as merge_read extends it. Compilers write a number that fits into a byte as a
 * byte without a sign.
 */
static bool read_value(Dwarf_Die *enumerator, const struct type *type, uint64_t *value)
{
	unsigned unused = 64 - 8 * (unsigned)type->size;
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	if (!dwarf_attr(enumerator, DW_AT_const_value, &attr))
		return false;
	if (dwarf_whatform(&attr) == DW_FORM_sdata || dwarf_whatform(&attr) == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attr, &number) != 0)
			return false;
		*value = (uint64_t)number;
	} else if (!types_unsigned(enumerator, DW_AT_const_value, value)) {
		return false;
	}
	*value = *value << unused;
	*value = type->is_signed ? (uint64_t)((int64_t)*value >> unused) : *value >> unused;
	return true;
}

static void read_names(struct types_reader *r, const struct type *type, uint32_t of)
{
	struct state_names *names = r->names;
	Dwarf_Die parent = type->die, child;
	if (!types_first_child(r, &parent, &child))
		return;
	do {
		const char *name = dwarf_tag(&child) == DW_TAG_enumerator ? dwarf_diename(&child) : NULL;
		struct state_enumerator *e = &names->at[names->n];
		if (!types_is_identifier(name) || strlen(name) >= sizeof(e->name) ||
			!read_value(&child, type, &e->value))
			continue;
		e->of = of;
		memset(e->name, 0, sizeof(e->name));
		strcpy(e->name, name);
		names->n++;
	} while (names->n < STATE_MAX_ENUMERATORS && types_next_sibling(r, &child));
}

uint32_t types_enumeration(struct types_reader *r, const struct type *type)
{
	Dwarf_Die die = type->die;
	Dwarf_Off at = dwarf_dieoffset(&die);
	if (!r->names || type->tag != DW_TAG_enumeration_type ||
		(type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8))
		return 0;
	for (uint32_t i = 0; i < r->n_enumerations; i++)
		if (r->enumeration[i] == at)
			return i + 1;
	if (r->n_enumerations == STATE_MAX_ENUMERATIONS || r->names->n == STATE_MAX_ENUMERATORS)
		return 0;
	r->enumeration[r->n_enumerations++] = at;
	read_names(r, type, r->n_enumerations);
	return r->n_enumerations;
}

/* ---- what the sandbox said ---- */

static int by_value(const void *a, const void *b)
{
	const struct state_enumerator *x = a, *y = b;
	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Drop what is no name, and all but the first name of each number; sort by enumeration and number. */
static void sort_names(struct state_names *names)
{
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < names->n; i++) {
		struct state_enumerator *e = &names->at[i];
		if (e->of == 0 || e->of > STATE_MAX_ENUMERATIONS ||
			strnlen(e->name, sizeof(e->name)) == sizeof(e->name) || !types_is_identifier(e->name))
			continue;
		e->order = (uint32_t)i;
		names->at[n++] = *e;
	}
	qsort(names->at, n, sizeof(names->at[0]), by_value);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || names->at[kept - 1].of != names->at[i].of ||
			names->at[kept - 1].value != names->at[i].value)
			names->at[kept++] = names->at[i];
	names->n = kept;
}

static bool is_bit(uint64_t value)
{
	return value && (value & (value - 1)) == 0;
}

static bool are_flags(const struct ward_enumeration *e)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < e->n; i++)
		bits |= is_bit(e->names[i].value) ? e->names[i].value : 0;
	for (size_t i = 0; i < e->n; i++)
		if (e->names[i].value & ~bits)
			return false;
	return e->n > 1 && e->names[e->n - 1].value - e->names[0].value != e->n - 1;
}

bool state_enumerate(struct ward_schema *schema, struct state_names *names)
{
	sort_names(names);
	schema->enumerators = calloc(names->n + 1, sizeof(*schema->enumerators));
	if (!schema->enumerators)
		return false;
	for (size_t i = 0; i < names->n; i++) {
		struct ward_enumeration *e = &schema->enumerations[names->at[i].of - 1];
		schema->enumerators[i] = (struct ward_enumerator){names->at[i].value, names->at[i].name};
		if (!e->names)
			e->names = &schema->enumerators[i];
		e->n++;
	}
	for (size_t i = 0; i < STATE_MAX_ENUMERATIONS; i++)
		schema->enumerations[i].is_flags = are_flags(&schema->enumerations[i]);
	for (size_t i = 0; i < schema->n; i++) {
		uint32_t which = schema->fields[i].names;
		bool is_named = which && which <= STATE_MAX_ENUMERATIONS && schema->enumerations[which - 1].n;
		schema->fields[i].enumeration = is_named ? &schema->enumerations[which - 1] : NULL;
	}
	return true;
}

/* ---- for callers ---- */

static const char *find_name(const struct ward_enumeration *e, uint64_t value)
{
	size_t from = 0, to = e->n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (e->names[middle].value == value)
			return e->names[middle].name;
		if (e->names[middle].value < value)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

bool ward_enumeration_name(const struct ward_enumeration *e, uint64_t value, char *text, size_t size)
{
	const char *name = e ? find_name(e, value) : NULL;
	size_t at = 0;
	if (name) {
		snprintf(text, size, "%s", name);
		return true;
	}
	if (!e || !e->is_flags || !value)
		return false;
	for (uint64_t rest = value; rest; rest &= rest - 1)
		if (!find_name(e, rest & -rest))
			return false;
	for (uint64_t rest = value; rest && at < size; rest &= rest - 1)
		at += (size_t)snprintf(
			text + at, size - at, "%s%s", rest == value ? "" : "|", find_name(e, rest & -rest));
	return true;
}
