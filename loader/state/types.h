/* SPDX-License-Identifier: Apache-2.0 */
/* Going through types in debug information. Internal to loader/state; the essay is in types.c. */
#ifndef WARD_LOADER_STATE_TYPES_H
#define WARD_LOADER_STATE_TYPES_H

#include <elfutils/libdw.h>

#include "schema.h"

enum { TYPES_MAX_DIMENSIONS = 4 };

struct walk {
	uint32_t budget;
	uint64_t state_size; /* of the state; while a slot's members are read, of a slot */
	uint64_t room;
	struct state_field *fields;
	size_t n, max;
	enum state_part part; /* what fields are added as */
	bool plain;           /* in keys and records: no aggregates */
	struct state_names *names; /* or NULL */
	Dwarf_Off enumeration[STATE_MAX_ENUMERATIONS]; /* whose names have been read */
	uint32_t n_enumerations;
};

/* A type with its typedefs and qualifiers peeled off. */
struct type {
	Dwarf_Die die;
	int tag;
	uint64_t size; /* 0 for arrays */
	bool is_count, is_log2, is_min, is_max, is_site, is_module;
	bool is_signed; /* an enumeration */
};

/* libdw's, at the cost of some of the budget. */
bool types_first_child(struct walk *w, Dwarf_Die *parent, Dwarf_Die *child);
bool types_next_sibling(struct walk *w, Dwarf_Die *die);

bool types_is_identifier(const char *name);
bool types_name_is(Dwarf_Die *die, const char *name);
bool types_of(struct walk *w, Dwarf_Die *die, struct type *type);

/* Offset of a struct's member; false for bit-fields and computed places. */
bool types_member_offset(Dwarf_Die *member, uint64_t *offset);

/* The integer that a type is, at `offset`. Pointers and enumerations are some only where any bits will do (`any_bits`). */
bool types_as_int(const struct type *type, uint64_t offset, bool any_bits, struct state_int *out);

/* enumeration.c: read the names of an enumeration's numbers, once. Returns which enumeration it is, from 1; 0: the type is none, or there is no room. */
uint32_t types_enumeration(struct walk *w, const struct type *type);

/* A number that a DIE has. */
bool types_unsigned(Dwarf_Die *die, unsigned attribute, uint64_t *value);

/* The dimensions of an array type, at most TYPES_MAX_DIMENSIONS. Returns how many, 0 if one has no known length. */
int types_dimensions(struct walk *w, const struct type *array, uint64_t *dim);

/* Add a field, if it is valid and there is room for it. */
bool types_add(struct walk *w, const char *name, struct state_field *field);

/* Add the fields of a type at `offset`, under a name; without one, those of a struct's members under theirs. */
void types_walk(struct walk *w, const char *name, const struct type *type, uint64_t offset, unsigned depth);

/* aggregates.c: add the field of an aggregate. False if the type is none. */
bool aggregate_add(struct walk *w, const char *name, const struct type *type, uint64_t offset);

#endif
