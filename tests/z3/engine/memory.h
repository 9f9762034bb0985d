/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of symbolic execution: objects, and their memories on different paths. */
#ifndef WARD_Z3_MEMORY_H
#define WARD_Z3_MEMORY_H

#include "exec.h"

enum { MAX_CELLS = 2000 };

struct object {
	uint64_t size;
	unsigned n_cells;
	struct {
		uint64_t offset;
		uint8_t bytes;
	} *cell;
	term *constant; /* the scalars of a constant */
};

unsigned object_new(void);
struct object *object_at(unsigned index);
void object_cut(struct object *o, unsigned bytes); /* one more scalar at its end */
struct value pointer_to(unsigned object);

void memory_add(struct memory *m, unsigned object);
struct memory *memory_copy(const struct memory *from);
void memory_free(struct memory *m);
void memory_join(struct memory *m, term when, const struct memory *other);
void memory_copy_bytes(struct memory *m, const struct value *to, const struct value *from, uint64_t bytes);
/* The pointer that is kept in a scalar of an object for good; NULL: it leads nowhere that is known. */
void memory_point(const struct value *where, uint64_t offset, const struct value *to);
const struct value *memory_pointer(const struct value *where);
/* The word that a scalar has in which a pointer was stored, one for each place; and the pointer that it is. */
term memory_word(const struct value *pointer);
bool memory_place(term word, struct value *pointer);
void memory_no_pointers(void);
void memory_fill(struct memory *m, const struct value *to, uint8_t byte, uint64_t bytes);

#endif
