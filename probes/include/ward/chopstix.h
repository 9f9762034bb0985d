/* SPDX-License-Identifier: MIT-0 */
/*
 * Samples of all keys, most of the rare ones: the logarithmic counter sketch of Chopstix (Bhatia and others, 2008).
 * WARD_CHOPSTIX(K, C, S) counts keys in 2 × C small counters (C a power of two). It takes a sample of a key when its
 * count is a power of two: 1, 2, 4, 8 … So a key that comes once is seen as surely as one that comes a million times,
 * which has only 20 samples. The last S samples are kept (a power of two).
 *
 *	WARD_CHOPSTIX(unsigned long, 4096, 1024) callers;
 *	…
 *	if (ward_chopstix_add(&st->callers, ev->caller))
 *		ward_ring_push(&st->details, …);
 *
 * How it works: a key has one counter in each of two rows, chosen by two hashes. Other keys may share either of them.
 * Its count is the smaller of the two, and only the smaller is increased.
 *
 * Accuracy: the count of a key is never too small. It is too large only if the key shares both counters with others.
 * With m keys that is a fraction of about (m/C)² of them; their samples may come too seldom, too. The count at a
 * key's last sample is more than half of its count.
 *
 * Merging: of a key's samples in a thread the one with the largest count is taken, and these are added over the
 * threads. So the result is more than half of the count and, shared counters apart, at most the count, provided that
 * the sample wasn't overwritten. `lost` counts overwritten samples.
 *
 * Cost: constant.
 */
#ifndef WARD_CHOPSTIX_H
#define WARD_CHOPSTIX_H

#include "ward/map.h"

struct ward_chopstix_mark {
	char none[0];
};

#define WARD_CHOPSTIX(K, C, S) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(K), \
			"a key that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((C) > 1 && ((C) & ((C) - 1)) == 0 && (C) <= (1 << 24), \
			"the counters of a WARD_CHOPSTIX must be a power of two"); \
		_Static_assert((S) > 0 && ((S) & ((S) - 1)) == 0 && (S) <= (1 << 20), \
			"the samples of a WARD_CHOPSTIX must be a power of two"); \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_CHOPSTIX must have at most 64 bytes"); \
		struct ward_chopstix_mark ward_chopstix[0]; \
		ward_count events, samples; \
		unsigned int row[2][C]; \
		struct { \
			unsigned long count; /* of the key, then; 0: no sample */ \
			__typeof__(K) key; \
		} slot[S]; \
	}

/* Count once in both rows. Returns the count of the key; 0 if it is too large for the counters. */
WARD_INLINE unsigned ward_chopstix_count(unsigned *first, unsigned *second)
{
	unsigned a = *first, b = *second, count = a < b ? a : b;

	if (count + 1 == 0)
		return 0;
	if (a == count)
		*first = count + 1;
	if (b == count)
		*second = count + 1;
	return count + 1;
}

/* Count the key. Returns its count if this event is a sample, else 0. */
#define ward_chopstix_add(sketch, k) \
	({ \
		__typeof__(&*(sketch)) ward_c = (sketch); \
		__typeof__(ward_c->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		const unsigned ward_bits = \
			(unsigned)__builtin_ctz(sizeof(ward_c->row[0]) / sizeof(ward_c->row[0][0])); \
		const unsigned long ward_cap = sizeof(ward_c->slot) / sizeof(ward_c->slot[0]); \
		unsigned long ward_hash = ward_key_hash(&ward_k, sizeof(ward_k)); \
		unsigned ward_n = ward_chopstix_count(&ward_c->row[0][ward_hash >> (64 - ward_bits)], \
			&ward_c->row[1][ward_hash & ((1ul << ward_bits) - 1)]); \
		ward_c->events++; \
		if (ward_n & (ward_n - 1)) { \
			ward_n = 0; \
		} else if (ward_n) { \
			__typeof__(&ward_c->slot[0]) ward_s = &ward_c->slot[ward_c->samples++ & (ward_cap - 1)]; \
			ward_s->key = ward_k; \
			ward_s->count = ward_n; \
		} \
		ward_n; \
	})

#endif
