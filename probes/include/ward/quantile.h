/* SPDX-License-Identifier: MIT-0 */
/*
 * Quantiles. WARD_QUANTILES(K) gives the median, or the 99th percentile, of numbers to within a relative error of
 * 1/2^(K+1).
 *
 *	WARD_QUANTILES(5) sizes;
 *	…
 *	ward_quantiles_add(&st->sizes, ev->arg[2]);
 *
 * How it works: a histogram. Numbers below 2^K have a bucket each. Those from 2^e up to 2^(e+1) share 2^K buckets of
 * 2^(e-K) numbers. The reader shows the middle of a bucket, which is off by at most half of its width. The width is
 * at most 1/2^K of the number: K = 3: 6.25 %, 5: 1.6 %, 7: 0.4 %. The rank is exact: the quantile q of n numbers is
 * the number with ⌈qn⌉ numbers up to it. The least and the largest number are exact, and no quantile is shown outside
 * of them.
 *
 * Merging: bucket by bucket, so it is as exact with several threads as with one.
 *
 * Memory: (65 - K) × 2^K × 8 bytes: K = 3: 4 KiB, 5: 15 KiB, 7: 58 KiB. Cost: constant.
 */
#ifndef WARD_QUANTILE_H
#define WARD_QUANTILE_H

#include "ward/count.h"
#include "ward/linear.h"
#include "ward/stat.h"

struct ward_quantiles_mark {
	char none[0];
};

#define WARD_QUANTILES(K) WARD_QUANTILES_OF(unsigned long, K)

/* Of amounts of a unit, ward_elapsed or ward_ns (ward/time.h). */
#define WARD_QUANTILES_OF(UNIT, K) \
	struct { \
		_Static_assert((K) >= 1 && (K) <= 10, "the precision of WARD_QUANTILES is 1 to 10 bits"); \
		struct ward_quantiles_mark ward_quantiles[0]; \
		UNIT unit[0]; \
		WARD_CONSTANT(K) precision[0]; \
		ward_count bucket[65 - (K)][1 << (K)]; \
		ward_min least; \
		ward_max most; \
	}

/* Count `v`. 63 - clz is what the bsr instruction gives; of v >> K it is at most 63 - K, which is the proof. */
#define ward_quantiles_add(quantiles, v) \
	do { \
		__typeof__(&*(quantiles)) ward_q = (quantiles); \
		const unsigned ward_k = WARD_CONSTANT_OF(ward_q->precision); \
		unsigned long ward_v = (v); \
		ward_min_add(&ward_q->least, ward_v); \
		ward_max_add(&ward_q->most, ward_v); \
		unsigned ward_shift = 63 - (unsigned)__builtin_clzl(ward_v >> ward_k | 1); \
		ward_q->bucket[ward_shift + (ward_v >> ward_k != 0)][ward_v >> ward_shift & ((1ul << ward_k) - 1)]++; \
	} while (0)

#endif
