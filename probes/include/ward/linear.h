/* SPDX-License-Identifier: MIT-0 */
/*
 * A histogram with buckets of one width. WARD_LINEAR(LO, STEP, N) has N buckets: the values LO … LO + STEP - 1, the
 * next STEP values, and so on. One more bucket counts the values below, and one those above. LO may be negative. All
 * three are constants.
 *
 *	WARD_LINEAR(0, 10, 50) percent;
 *	…
 *	ward_linear_add(&st->percent, load);
 *
 * Merging: bucket by bucket. Accuracy: exact counts. Cost: constant, a multiplication or a shift.
 */
#ifndef WARD_LINEAR_H
#define WARD_LINEAR_H

#include "ward/count.h"
#include "ward/key.h"

struct ward_linear_mark {
	char none[0];
};

/* Constants that the reader must know are sizes of types: n has the size n + 1, and takes no room. */
#define WARD_CONSTANT(n) \
	struct { \
		char bytes[(n) + 1]; \
	}
#define WARD_CONSTANT_OF(member) (sizeof((member)[0]) - 1)

#define WARD_LINEAR(LO, STEP, N) WARD_LINEAR_OF(unsigned long, LO, STEP, N)

/* Of amounts of a unit, ward_elapsed or ward_ns (ward/time.h). */
#define WARD_LINEAR_OF(UNIT, LO, STEP, N) \
	struct { \
		_Static_assert((STEP) > 0 && (STEP) < 1l << 48, "the step of a WARD_LINEAR must be 1 to 2^48"); \
		_Static_assert( \
			(LO) > -(1l << 48) && (LO) < 1l << 48, "a WARD_LINEAR must start between -2^48 and 2^48"); \
		_Static_assert((N) > 0 && (N) <= 1 << 12, "a WARD_LINEAR has 1 to 4096 buckets"); \
		struct ward_linear_mark ward_linear[0]; \
		UNIT unit[0]; \
		WARD_CONSTANT((LO) > 0 ? (LO) : 0) lo[0]; \
		WARD_CONSTANT((LO) < 0 ? -(LO) : 0) minus[0]; \
		WARD_CONSTANT(STEP) step[0]; \
		ward_count bucket[(N) + 2]; /* below, the N, above */ \
	}

/* Count `v`, an integer of any kind that fits into a long. */
#define ward_linear_add(linear, v) ward_linear_add_n(linear, v, 1)

/* Count it n times. */
#define ward_linear_add_n(linear, v, n) \
	do { \
		__typeof__(&*(linear)) ward_l = (linear); \
		const long ward_lo = (long)WARD_CONSTANT_OF(ward_l->lo) - (long)WARD_CONSTANT_OF(ward_l->minus); \
		const unsigned long ward_above = sizeof(ward_l->bucket) / sizeof(ward_l->bucket[0]) - 1; \
		long ward_v = (v); \
		unsigned long ward_i = \
			((unsigned long)ward_v - (unsigned long)ward_lo) / WARD_CONSTANT_OF(ward_l->step) + 1; \
		if (ward_i > ward_above) \
			ward_i = ward_above; \
		ward_l->bucket[ward_v < ward_lo ? 0 : ward_i] += (n); \
	} while (0)

#endif
