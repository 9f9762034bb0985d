/* SPDX-License-Identifier: Apache-2.0 */
/* What packing and unpacking share: the columns of a part (spec/partial.md). Internal to loader/state. */
#ifndef WARD_LOADER_STATE_PARTIAL_WIRE_H
#define WARD_LOADER_STATE_PARTIAL_WIRE_H

#include "partial.h"

/* The bit of `flags` that isn't the caller's. */
enum { PARTIAL_NAMED = 8, PARTIAL_FLAGS = WARD_PARTIAL_LAST | WARD_PARTIAL_CUT | WARD_PARTIAL_CLOCK_JUMPED };

/* A part is a column of strings; or one for each fixed word, from `first` on, and perhaps one for its cells. */
struct wire_form {
	bool is_string;
	uint32_t first, fixed;
	bool has_cells;
};

struct wire_form wire_form(const struct state_field *part, bool is_named);
uint32_t wire_columns(struct wire_form form);
/* How the fixed word i of a part is written. */
enum wl_wire wire_of(const struct state_field *part, uint32_t i);

/* Of the words beside a row's key, those that are written. */
static inline uint32_t wire_beside(const struct partial_field *p)
{
	return p->beside > ROW_WEIGHT ? p->beside - ROW_WEIGHT : 0;
}

#endif
