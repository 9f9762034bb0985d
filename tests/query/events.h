/* SPDX-License-Identifier: Apache-2.0 */
/* The events of the traced program and of the reference: the same numbers for the same seed. */
#ifndef WARD_TESTS_QUERY_EVENTS_H
#define WARD_TESTS_QUERY_EVENTS_H

#include <stdint.h>

struct numbers {
	uint64_t arg[6], ret;
};

static inline uint64_t next_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1d;
}

/* Small ones, ones around the borders of widths, and any. */
static inline uint64_t any_number(uint64_t *state)
{
	uint64_t how = next_number(state) >> 33, bits = how / 8 % 64;

	switch (how % 8) {
	case 0:
	case 1:
	case 2: return next_number(state) >> 58;
	case 3: return -(next_number(state) >> 60);
	case 4: return (UINT64_C(1) << bits) + (next_number(state) >> 62) - 2;
	case 5: return next_number(state) >> 48;
	default: return next_number(state) >> bits;
	}
}

static inline struct numbers next_event(uint64_t *state)
{
	struct numbers e;

	for (int i = 0; i < 6; i++)
		e.arg[i] = any_number(state);
	e.ret = any_number(state);
	return e;
}

static inline uint64_t first_state(uint64_t seed)
{
	return seed * 0x9e3779b97f4a7c15 | 1;
}

#endif
