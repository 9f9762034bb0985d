/* SPDX-License-Identifier: Apache-2.0 */
/* The walk through a state's members. Internal to loader/state; only the process in the sandbox does it. */
#ifndef WARD_LOADER_STATE_WALK_H
#define WARD_LOADER_STATE_WALK_H

#include "types.h"

/* Where the fields go, and where the walk is. */
struct walk {
	struct types_reader r;
	uint64_t state_size; /* of the state; while a slot's members are read, of a slot */
	uint64_t room;       /* bits of it that no field has described yet */
	struct state_field *fields;
	size_t n, max;
	struct state_notes *notes; /* or NULL */
	enum state_part part;      /* what fields are added as */
	bool plain;                /* in keys and records: no aggregates */
	bool is_shared;            /* in what threads share */
	bool repeats;              /* in an element of an array that isn't the first: what is left out has been noted */
	bool is_full;              /* there is no room for one more field */
	uint64_t pad;              /* bits of ward_pad so far */
	const char *within;        /* what the parts are parts of: "map.key"; NULL for members of the state */
	Dwarf_Die *member;         /* the innermost member that is being read; or NULL */
};

/* fields.c: add the fields of a type under a name; without one, those of a struct's members under theirs. */
void walk_type(struct walk *w, const char *name, const struct type_at *at, unsigned depth);

/* Add a field, if it is valid and there is room for it. Else it is left out. */
void walk_add(struct walk *w, const char *name, struct state_field *field);

/* walk_slots.c: add the field of an aggregate. False if the type is none. */
bool walk_aggregate(struct walk *w, const char *name, const struct type_at *at);

/* A long array, whose elements are `stride` bytes long: texts of that length, if `texts`. */
void walk_array(struct walk *w, const char *name, const struct type_at *first, uint64_t stride, uint64_t n, bool texts);

/* fields.c: a text of `length` characters. */
void walk_text(struct walk *w, const char *name, const struct type_at *first, uint64_t length);

/* unshown.c: note that no field shows a member. */
void walk_leave_out(struct walk *w, const char *name, enum state_why why);

#endif
