/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A type as C writes it. A declaration is made from its name outwards: pointers come before what is there, arrays and
 * functions behind it, and the type that is left comes first of all.
 */
#include "dwarf_types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 300 };

/* Put text before what is there; false: it doesn't fit. */
static bool put_before(char *inner, const char *text)
{
	size_t n = strlen(text), m = strlen(inner);

	if (n + m >= MOST)
		return false;
	memmove(inner + n, inner, m + 1);
	memcpy(inner, text, n);
	return true;
}

static bool put_behind(char *inner, const char *text)
{
	size_t n = strlen(inner);

	if (n + strlen(text) >= MOST)
		return false;
	strcpy(inner + n, text);
	return true;
}

/* An array of pointers, and a pointer to an array. */
static bool put_suffix(char *inner, const char *suffix)
{
	bool pointer = *inner == '*' || *inner == '&';

	return (!pointer || (put_before(inner, "(") && put_behind(inner, ")"))) && put_behind(inner, suffix);
}

/* A qualifier of a pointer is behind its star; any other one before the type. */
static bool put_qualifier(Dwarf_Die *qualified, char *inner, char *prefix, const char *word)
{
	Dwarf_Die below = *qualified;

	if (types_step(&below) && dwarf_tag(&below) == DW_TAG_pointer_type)
		return (!*inner || put_before(inner, " ")) && put_before(inner, word);
	return put_behind(prefix, word) && put_behind(prefix, " ");
}

static const char *tag_of(Dwarf_Die *type)
{
	if (!types_is_c(type))
		return "";
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type: return "struct ";
	case DW_TAG_union_type: return "union ";
	case DW_TAG_enumeration_type: return "enum ";
	default: return "";
	}
}

/* Step from `die` to what it is of, with what that is put into inner. False: it is the type that is left. */
static bool put_step(Dwarf_Die *die, char *inner, char *prefix, bool *fits)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_pointer_type: *fits = put_before(inner, "*"); return true;
	case DW_TAG_reference_type: *fits = put_before(inner, "&"); return true;
	case DW_TAG_rvalue_reference_type: *fits = put_before(inner, "&&"); return true;
	case DW_TAG_array_type: *fits = put_suffix(inner, "[]"); return true;
	case DW_TAG_subroutine_type: *fits = put_suffix(inner, "()"); return true;
	case DW_TAG_const_type: *fits = put_qualifier(die, inner, prefix, "const"); return true;
	case DW_TAG_volatile_type: *fits = put_qualifier(die, inner, prefix, "volatile"); return true;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type: return true;
	default: return false;
	}
}

void types_declare(Dwarf_Die *of, const char *name, char *text, size_t size)
{
	char inner[MOST] = "", prefix[MOST] = "";
	Dwarf_Die die = *of;
	const char *last = NULL;
	bool fits = put_behind(inner, name ? name : "");

	for (int hop = 0; fits && hop < TYPE_HOPS; hop++) {
		if (!types_step(&die)) {
			last = "void";
			break;
		}
		if (put_step(&die, inner, prefix, &fits))
			continue;
		last = dwarf_diename(&die) ? dwarf_diename(&die) : "{...}";
		fits = put_behind(prefix, tag_of(&die));
		break;
	}
	if (!fits || !last)
		snprintf(text, size, "... %s", name ? name : "");
	else
		snprintf(text, size, "%s%s%s%s", prefix, last, *inner ? " " : "", inner);
}
