/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WARD_QUERY_EMIT_H
#define WARD_QUERY_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query;

/* Is this part of the key the same for all events, and so no part of the probe's key? (R6) */
bool key_is_constant(const struct query *q, size_t i);
/* Is this column of a record the same for all events? */
bool column_is_constant(const struct query *q, size_t i);
/* R11: is a part of the key smaller than 64 bits, or are groups an array? Of how many; 0: they are a map. */
bool keys_are_small(const struct query *q);
uint64_t plan_array(const struct query *q);
/* Slots of its map, and of the queue of what the map hands on; 0: it hands nothing on. */
uint64_t plan_slots(const struct query *q);
uint64_t plan_queue(const struct query *q);

#endif
