/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of two files, compared. Each compilation unit describes the types that it uses, so that the state of two probe
 * functions may be two descriptions: of one struct in a header, or of two that only share their name. They are one type
 * if the merge of the threads' copies sees no difference: the same members, at the same places, of the same kinds. Of
 * typedefs only the dialect's own say something (ward_count is added up, of ward_min the least is taken); a pointer is
 * a pointer to something of that name.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "type_equal.h"

enum { MAX_HOPS = 32, MAX_DEPTH = 16, MAX_NAME = 4096, BYTES_PER_STEP = 16, LAST_CHILD = 64 };

struct comparison {
	char *member; /* the way to where we are */
	const char *why;
	int depth;
	size_t *effort; /* that is left */
};

static bool comparison_spend(struct comparison *c, size_t steps)
{
	*c->effort -= steps < *c->effort ? steps : *c->effort;
	return *c->effort;
}

static bool comparison_differ(struct comparison *c, const char *why)
{
	c->why = why;
	return false;
}

static bool is_named_alike(const char *a, const char *b)
{
	return strncmp(a ? a : "", b ? b : "", MAX_NAME) == 0;
}

/*
 * What a DIE's type is below typedefs and qualifiers; `kind` is the dialect's typedef on the way, if there is one.
 * False: void, or nothing that can be followed.
 */
static bool bare_type(Dwarf_Die *die, Dwarf_Die *type, const char **kind)
{
	Dwarf_Attribute attr;

	*type = *die;
	for (int i = 0; i < MAX_HOPS; i++) {
		int tag;

		if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attr), type))
			return false;
		tag = dwarf_tag(type);
		if (tag == DW_TAG_typedef && !*kind && dwarf_diename(type) &&
			strncmp(dwarf_diename(type), "ward_", 5) == 0)
			*kind = dwarf_diename(type);
		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
			tag != DW_TAG_restrict_type)
			return true;
	}
	return false;
}

static uint64_t die_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &value) == 0 ? value : 0;
}

/* The next child. What lies below this one is gone over to find it; below the last, nobody says how much that was. */
static bool child_next(struct comparison *c, Dwarf_Die *die)
{
	bool parent = dwarf_haschildren(die) == 1;
	Dwarf_Off from = dwarf_dieoffset(die);
	bool there = dwarf_siblingof(die, die) == 0;

	return comparison_spend(c, there    ? 1 + (dwarf_dieoffset(die) - from) / BYTES_PER_STEP
				   : parent ? LAST_CHILD
					    : 1) &&
	       there;
}

/* The next child of one of some tags, from this DIE on. */
static bool child_find(struct comparison *c, Dwarf_Die *die, bool there, int tag)
{
	while (there && dwarf_tag(die) != tag)
		there = child_next(c, die);
	return there;
}

static bool types_compare(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b);

static bool compare_referred(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	const char *kind_a = NULL, *kind_b = NULL;
	Dwarf_Die type_a, type_b;
	bool known_a = bare_type(a, &type_a, &kind_a), known_b = bare_type(b, &type_b, &kind_b);

	if (!known_a || !known_b)
		return known_a == known_b || comparison_differ(c, "is of other types");
	if (!is_named_alike(kind_a, kind_b))
		return comparison_differ(c, "is merged otherwise");
	return types_compare(c, &type_a, &type_b);
}

/* A pointer's own merge looks at nothing behind it. */
static bool compare_pointers(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	const char *kind = NULL;
	Dwarf_Die to_a, to_b;
	bool known_a = bare_type(a, &to_a, &kind), known_b = bare_type(b, &to_b, &kind);

	if (known_a != known_b || (known_a && (dwarf_tag(&to_a) != dwarf_tag(&to_b) ||
						      !is_named_alike(dwarf_diename(&to_a), dwarf_diename(&to_b)))))
		return comparison_differ(c, "points to other types");
	return true;
}

static bool compare_arrays(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Die x, y;
	bool more_a = child_find(c, &x, dwarf_child(a, &x) == 0, DW_TAG_subrange_type),
	     more_b = child_find(c, &y, dwarf_child(b, &y) == 0, DW_TAG_subrange_type);

	while (more_a && more_b && comparison_spend(c, 1)) {
		if (die_number(&x, DW_AT_count) != die_number(&y, DW_AT_count) ||
			die_number(&x, DW_AT_upper_bound) != die_number(&y, DW_AT_upper_bound))
			return comparison_differ(c, "has other lengths");
		more_a = child_find(c, &x, child_next(c, &x), DW_TAG_subrange_type);
		more_b = child_find(c, &y, child_next(c, &y), DW_TAG_subrange_type);
	}
	if (more_a != more_b)
		return comparison_differ(c, "has other lengths");
	return compare_referred(c, a, b);
}

static bool compare_member(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	static const unsigned places[] = {
		DW_AT_data_member_location, DW_AT_data_bit_offset, DW_AT_bit_offset, DW_AT_bit_size};
	const char *name = dwarf_diename(a);
	size_t n = strlen(c->member);

	if (!is_named_alike(name, dwarf_diename(b)))
		return comparison_differ(c, "has other members");
	if (name)
		snprintf(c->member + n, CG_MEMBER_PATH - n, "%s%s", n ? "." : "", name);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (die_number(a, places[i]) != die_number(b, places[i]))
			return comparison_differ(c, "is at other places");
	if (!compare_referred(c, a, b))
		return false;
	c->member[n] = '\0';
	return true;
}

static bool compare_members(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Die x, y;
	bool more_a = child_find(c, &x, dwarf_child(a, &x) == 0, DW_TAG_member),
	     more_b = child_find(c, &y, dwarf_child(b, &y) == 0, DW_TAG_member);

	while (more_a && more_b && comparison_spend(c, 1)) {
		if (!compare_member(c, &x, &y))
			return false;
		more_a = child_find(c, &x, child_next(c, &x), DW_TAG_member);
		more_b = child_find(c, &y, child_next(c, &y), DW_TAG_member);
	}
	return more_a == more_b || comparison_differ(c, "has other members");
}

static bool compare_bare(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	int tag = dwarf_tag(a);

	if (tag != dwarf_tag(b) || die_number(a, DW_AT_encoding) != die_number(b, DW_AT_encoding))
		return comparison_differ(c, "is of other types");
	if (tag == DW_TAG_pointer_type)
		return compare_pointers(c, a, b);
	if (tag == DW_TAG_array_type)
		return compare_arrays(c, a, b);
	if (tag != DW_TAG_structure_type && tag != DW_TAG_union_type)
		return die_number(a, DW_AT_byte_size) == die_number(b, DW_AT_byte_size) ||
		       comparison_differ(c, "is of other sizes");
	if (!is_named_alike(dwarf_diename(a), dwarf_diename(b)))
		return comparison_differ(c, "is of other types");
	return compare_members(c, a, b) && (die_number(a, DW_AT_byte_size) == die_number(b, DW_AT_byte_size) ||
						   comparison_differ(c, "is of other sizes"));
}

static bool types_compare(struct comparison *c, Dwarf_Die *a, Dwarf_Die *b)
{
	bool same;

	if (dwarf_dieoffset(a) == dwarf_dieoffset(b) || c->depth == MAX_DEPTH || !comparison_spend(c, 1))
		return true;
	c->depth++;
	same = compare_bare(c, a, b);
	c->depth--;
	return same;
}

bool cg_same_type(Dwarf_Die *a, Dwarf_Die *b, size_t *effort, char member[CG_MEMBER_PATH], const char **why)
{
	struct comparison c = {.member = member, .why = "", .effort = effort};
	bool same;

	member[0] = '\0';
	same = types_compare(&c, a, b) || *effort == 0; /* what is too much to look at is taken for the same */
	*why = c.why;
	return same;
}
