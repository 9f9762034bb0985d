/* SPDX-License-Identifier: Apache-2.0 */
/* Which of ev->arg[] a parameter is. places.c describes how. */
#ifndef WARD_LOADER_TYPES_PLACES_H
#define WARD_LOADER_TYPES_PLACES_H

#include "table.h"

enum { PLACE_UNKNOWN = -1, PLACE_NOWHERE = -2 };

/* What is known of one parameter beside its type. */
struct place_hint {
	int32_t at; /* the argument that its register is, as debug information says of the entry; or one of these */
	bool is_constant; /* the compiler gave it one value, and passes it no more */
};

struct place_call {
	bool is_c;       /* a structure is passed as in C: by its size alone */
	bool is_changed; /* the compiler may pass arguments otherwise than the ABI does */
};

/* The parameters of the function from `first` on, n of them, with their hints (NULL: nothing is known). */
void places_find(struct table *t, uint32_t first, uint32_t n, uint32_t returns, struct place_call call,
	const struct place_hint *hints);

#endif
