/* SPDX-License-Identifier: Apache-2.0 */
/* Do integers lie within the first `size` bytes of what holds them? All comparisons are safe from overflow. */
#ifndef WARD_LOADER_STATE_BOUNDS_H
#define WARD_LOADER_STATE_BOUNDS_H

#include "schema.h"

static inline bool int_within(const struct state_int *i, uint64_t size)
{
	return (i->size == 1 || i->size == 2 || i->size == 4 || i->size == 8) && i->offset <= size &&
	       i->size <= size - i->offset && i->shift < 8 * i->size && i->bits <= 8 * i->size - i->shift;
}

/* n integers, one after the other. */
static inline bool ints_within(const struct state_int *first, uint64_t n, uint64_t size)
{
	return int_within(first, size) && n <= (size - first->offset) / first->size;
}

/* How much of the state a field takes, in bits: bit-fields share their bytes. */
static inline uint64_t field_bits(const struct state_field *f)
{
	return f->scalar.bits ? f->scalar.bits : (uint64_t)f->size * 8;
}

/* An integer that need not be there; if it is, it lies at `start` or behind. */
static inline bool none_or_within(const struct state_int *i, uint64_t start, uint64_t end)
{
	return i->size == 0 || (int_within(i, end) && i->offset >= start);
}

#endif
