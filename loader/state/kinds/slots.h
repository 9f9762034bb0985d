/* SPDX-License-Identifier: Apache-2.0 */
/* What maps and rings have in common: slots with parts. */
#ifndef WARD_LOADER_STATE_KINDS_SLOTS_H
#define WARD_LOADER_STATE_KINDS_SLOTS_H

#include "results.h"

/* Find the array `slot` of a struct, with the members `key` and `value` of a slot, by these names; fills f->map. */
bool slots_find(struct types_reader *r, const struct type_at *in, const char *value, struct state_field *f,
	struct slot_types *types);

/* Do the slots, and what stands beside them in the field, lie before `end`? */
bool slots_valid(const struct state_field *f, uint64_t end);

/* Of a map: what found no room, and what made room for others. */
void slots_print_lost(const struct ward_field *f, char *text, size_t size);
void slots_give_lost(const struct ward_field *f, ward_result_fn *fn, void *user);

#endif
