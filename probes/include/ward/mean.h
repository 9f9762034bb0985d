/* SPDX-License-Identifier: MIT-0 */
/*
 * Moving averages, and predicates on them: is this number far from the usual ones?
 *
 *	WARD_EWMA(4) usual;
 *	WARD_WINDOW(64) last;
 *	…
 *	if (ward_ewma_above(&st->usual, size, 300))
 *		st->outliers++;
 *	ward_ewma_add(&st->usual, size);
 *
 * WARD_EWMA(K) is the exponentially weighted average. Each number moves it by 1/2^K of the distance to the number;
 * the first number sets it. It is kept in fixed point, less than 1 below the exact average. Numbers above 2^(63-K)
 * count as that. WARD_WINDOW(N) is the average of the last N numbers (a power of two), exact if their sum is below
 * 2^64.
 *
 * Merging: each thread's average says what is usual in that thread. The reader shows the weighted mean of these
 * averages. The weight is how many numbers an average stands for: the numbers in the window, or for EWMA the numbers
 * seen, at most 2^(K+1), which is as many as an EWMA remembers.
 *
 * Cost: constant.
 */
#ifndef WARD_MEAN_H
#define WARD_MEAN_H

#include "ward/count.h"
#include "ward/linear.h"

struct ward_ewma_mark {
	char none[0];
};
struct ward_window_mark {
	char none[0];
};

#define WARD_EWMA(K) WARD_EWMA_OF(unsigned long, K)

/* Of amounts of a unit, ward_elapsed or ward_ns (ward/time.h). */
#define WARD_EWMA_OF(UNIT, K) \
	struct { \
		_Static_assert((K) > 0 && (K) <= 16, "the weight of a WARD_EWMA must be 1/2 to 1/2^16: 1 to 16"); \
		struct ward_ewma_mark ward_ewma[0]; \
		UNIT unit[0]; \
		WARD_CONSTANT(K) shift[0]; \
		ward_count count; \
		unsigned long scaled; /* the average times 2^K */ \
	}

#define WARD_WINDOW(N) WARD_WINDOW_OF(unsigned long, N)

/* Of amounts of a unit, ward_elapsed or ward_ns (ward/time.h). */
#define WARD_WINDOW_OF(UNIT, N) \
	struct { \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 20), \
			"the length of a WARD_WINDOW must be a power of two"); \
		struct ward_window_mark ward_window[0]; \
		UNIT unit[0]; \
		ward_count count;  /* of all numbers */ \
		unsigned long sum; /* of the last N */ \
		unsigned long last[N]; \
	}

#define ward_ewma_add(ewma, v) \
	do { \
		__typeof__(&*(ewma)) ward_e = (ewma); \
		const unsigned ward_shift = WARD_CONSTANT_OF(ward_e->shift); \
		unsigned long ward_v = (v); \
		if (ward_v > 1ul << (63 - ward_shift)) \
			ward_v = 1ul << (63 - ward_shift); \
		if (ward_e->count++) \
			ward_e->scaled += ward_v - (ward_e->scaled >> ward_shift); \
		else \
			ward_e->scaled = ward_v << ward_shift; \
	} while (0)

/* The average, rounded down; 0 of no numbers. */
#define ward_ewma_value(ewma) ((ewma)->scaled >> WARD_CONSTANT_OF((ewma)->shift))

#define ward_window_add(window, v) \
	do { \
		__typeof__(&*(window)) ward_w = (window); \
		unsigned long ward_v = (v); \
		__typeof__(&ward_w->last[0]) ward_p = \
			&ward_w->last[ward_w->count++ & (sizeof(ward_w->last) / sizeof(ward_w->last[0]) - 1)]; \
		ward_w->sum += ward_v - *ward_p; \
		*ward_p = ward_v; \
	} while (0)

/* Is `value` more than `percent` of num / den, times `n` numbers? By products, as exact as 128 bits are. */
WARD_INLINE bool ward_mean_above(unsigned long value, unsigned long percent, unsigned long sum, unsigned long n)
{
	return n && (unsigned __int128)value * 100 * n > (unsigned __int128)sum * percent;
}

WARD_INLINE bool ward_mean_below(unsigned long value, unsigned long percent, unsigned long sum, unsigned long n)
{
	return n && (unsigned __int128)value * 100 * n < (unsigned __int128)sum * percent;
}

/*
 * Is the number more, less than so many percent of the average of those before it? Never, if there are none. percent ×
 * 2^K must be below 2^57.
 */
#define ward_ewma_above(ewma, v, percent) \
	ward_mean_above(v, percent, (ewma)->scaled, (ewma)->count ? 1ul << WARD_CONSTANT_OF((ewma)->shift) : 0)
#define ward_ewma_below(ewma, v, percent) \
	ward_mean_below(v, percent, (ewma)->scaled, (ewma)->count ? 1ul << WARD_CONSTANT_OF((ewma)->shift) : 0)

/* How many numbers are in the window. */
#define ward_window_length(window) \
	((window)->count < sizeof((window)->last) / sizeof((window)->last[0]) \
			? (window)->count \
			: sizeof((window)->last) / sizeof((window)->last[0]))
#define ward_window_above(window, v, percent) ward_mean_above(v, percent, (window)->sum, ward_window_length(window))
#define ward_window_below(window, v, percent) ward_mean_below(v, percent, (window)->sum, ward_window_length(window))

#endif
