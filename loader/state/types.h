/* SPDX-License-Identifier: Apache-2.0 */
/* Reading types from debug information. Internal to loader/state; only the process in the sandbox does it. */
#ifndef WARD_LOADER_STATE_TYPES_H
#define WARD_LOADER_STATE_TYPES_H

#include <elfutils/libdw.h>

#include "schema.h"

enum {
	TYPES_MAX_DIMENSIONS = 4,
	TYPES_MAX_HOPS = 32, /* typedefs and qualifiers on the way to a type */
};

/* What is left to read with, and which enumerations have been read. */
struct types_reader {
	uint32_t budget;           /* DIEs */
	struct state_names *names; /* or NULL */
	Dwarf_Off enumeration[STATE_MAX_ENUMERATIONS];
	uint32_t n_enumerations;
};

/* A type without its typedefs and qualifiers. */
struct type {
	Dwarf_Die die;
	int tag;
	uint64_t size;  /* 0 for arrays */
	bool is_signed; /* an enumeration */
	unsigned n_names;
	const char *name[TYPES_MAX_HOPS]; /* of the typedefs and of the type itself; NULL where there is none */
};

/* A type, and where a value of it is: in the state, or in a slot. */
struct type_at {
	struct type type;
	uint64_t offset;
};

/* Is it an ELF file without sections that would make libdw inflate data or open files that the module names? */
bool types_sections_acceptable(Elf *elf);

/* Pay for reading a DIE. False if the budget is used up; so are the next two. */
bool types_spend(struct types_reader *r);
bool types_first_child(struct types_reader *r, Dwarf_Die *parent, Dwarf_Die *child);
bool types_next_sibling(struct types_reader *r, Dwarf_Die *die);

bool types_is_identifier(const char *name);
bool types_name_is(Dwarf_Die *die, const char *name);

/* A number that a DIE has as an attribute. */
bool types_unsigned(Dwarf_Die *die, unsigned attribute, uint64_t *value);

/* Peel typedefs and qualifiers off the type at `die`. */
bool types_peel(struct types_reader *r, const Dwarf_Die *die, struct type *type);

/* The type of a member, an element or a parameter. */
bool types_of(struct types_reader *r, Dwarf_Die *die, struct type *type);

/* Is this one of the type's names? */
bool types_is_called(const struct type *type, const char *name);

/* The address of a variable that has one all the time. */
bool types_address(Dwarf_Die *variable, uint64_t *address);

/* What a type's numbers are amounts of, by its names (ward/time.h). */
enum ward_unit types_unit(const struct type *type);

/* Offset of a struct's member; false for bit-fields and computed places. */
bool types_member_offset(Dwarf_Die *member, uint64_t *offset);

/* The integer that a type is. Pointers and enumerations are integers only where any bits will do (`any_bits`). */
bool types_as_int(const struct type_at *at, bool any_bits, struct state_int *out);

/* The number with a fraction that a type is: double, float, or an integer that has the bits of one. */
bool types_as_real(const struct type_at *at, struct state_int *out);

/* The lower half of the integer of 128 bits that a type is. */
bool types_as_wide(const struct type_at *at, struct state_int *out);

/* The integer that a member is which is a bit-field; `in`: the struct. False if it is none, or lies in no word. */
bool types_is_bit_field(Dwarf_Die *member);
bool types_bit_field(
	struct types_reader *r, const struct type_at *in, Dwarf_Die *member, struct type *type, struct state_int *out);

/* Bytes of a value of a type, also of an array; 0: none, or not known. */
uint64_t types_size(struct types_reader *r, const struct type *type);

/*
 * The dimensions of an array type, at most TYPES_MAX_DIMENSIONS. Returns how many, 0 if one has no known length, -1 if
 * there are more, or more elements than any state has.
 */
int types_dimensions(struct types_reader *r, const struct type *array, uint64_t *dim);

/*
 * Find a member of a struct by its name: any one, an integer, an array of any dimensions (its first element, and how
 * many elements there are in all), such an array of integers, or a constant. A constant is an array of no elements
 * whose type has one byte more than the number.
 */
bool types_find_member(struct types_reader *r, const struct type_at *in, const char *name, struct type_at *out);
bool types_find_int(struct types_reader *r, const struct type_at *in, const char *name, struct state_int *out);
bool types_find_array(
	struct types_reader *r, const struct type_at *in, const char *name, struct type_at *first, uint64_t *n);
bool types_find_ints(
	struct types_reader *r, const struct type_at *in, const char *name, struct state_int *first, uint32_t *n);
bool types_find_constant(struct types_reader *r, const struct type_at *in, const char *name, uint64_t *value);

/*
 * enumeration.c: read the names of an enumeration's numbers, once. Returns which enumeration it is, from 1; 0: the type
 * is none, or there is no room.
 */
uint32_t types_enumeration(struct types_reader *r, const struct type *type);

#endif
