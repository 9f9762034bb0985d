/* SPDX-License-Identifier: MIT-0 */
/*
 * A histogram by powers of two. Bucket 0 counts zeros; bucket i ≥ 1 counts the values 2^(i-1) … 2^i - 1. The copies
 * of all threads are added bucket by bucket.
 *
 * Why it needs no guard: 63 - clz is what the bsr instruction gives, at most 63 for a source that isn't zero (hence v
 * | 1), and a comparison adds 0 or 1. So the verifier sees an index in [0, 64] of 65 buckets.
 */
#ifndef WARD_LOG2_H
#define WARD_LOG2_H

#include "ward/count.h"
#include "ward/key.h"

typedef struct ward_log2 {
	ward_count bucket[65];
} ward_log2;

/* The bucket that counts `value`. */
WARD_INLINE unsigned ward_log2_bucket(unsigned long value)
{
	return (unsigned)(value != 0) + (63u - (unsigned)__builtin_clzl(value | 1));
}

/* Count `value`, n times. */
WARD_INLINE void ward_log2_add_n(ward_log2 *log2, unsigned long value, unsigned long n)
{
	log2->bucket[ward_log2_bucket(value)] += n;
}

/* Count `value` once. */
WARD_INLINE void ward_log2_add(ward_log2 *log2, unsigned long value)
{
	ward_log2_add_n(log2, value, 1);
}

#endif
