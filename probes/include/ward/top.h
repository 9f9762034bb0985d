/* SPDX-License-Identifier: MIT-0 */
/*
 * The most frequent keys. WARD_TOP(K, N) finds them among any number of keys with N counters (Space-Saving; Metwally
 * and others, 2005).
 *
 *	WARD_TOP(unsigned long, 64) callers;
 *	…
 *	ward_top_add(&st->callers, ev->caller, 1);
 *
 * How it works: a key that has a counter adds to it. A key without one takes over the smallest counter and goes on
 * from its count, which is the most that the key may have been counted before. That count is the counter's `error`.
 *
 * Accuracy: a key's true count is between count - error and count. The error is at most 1/N of the sum of all counts.
 * Every key with more than 1/N of the sum has a counter.
 *
 * Merging: the counts of a key are added. A thread without a counter for the key adds its smallest count, as error:
 * the most that it may have counted. Then the same bounds hold for the sums of all threads.
 *
 * Cost: frequent keys are found at once, at their hint. Another key takes a look at all N counters.
 */
#ifndef WARD_TOP_H
#define WARD_TOP_H

#include "ward/map.h"

struct ward_top_mark {
	char none[0];
};

#define WARD_TOP_HINTS 256

#define WARD_TOP(K, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(K), \
			"a key that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && (N) <= 1024, "a WARD_TOP has 1 to 1024 counters"); \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_TOP must have at most 64 bytes"); \
		struct ward_top_mark ward_top[0]; \
		unsigned short hint[WARD_TOP_HINTS]; /* where a key with this hash was last */ \
		struct { \
			unsigned long count; /* 0: free */ \
			unsigned long error; \
			__typeof__(K) key; \
		} slot[N]; \
	}

/* The counter that a key has, or the smallest one. A slot begins with its count. */
WARD_INLINE unsigned ward_top_slot(const struct ward_map_slots s, const void *key, unsigned hint)
{
	unsigned least = 0;
	unsigned long smallest = ~0ul;

	if (hint < s.n && *(const unsigned long *)(s.at + hint * s.stride) &&
		ward_key_equal(s.at + hint * s.stride + s.key, key, s.key_size))
		return hint;
	for (unsigned i = 0; i < s.n; i++) {
		const char *slot = s.at + i * s.stride;
		unsigned long count = *(const unsigned long *)slot;

		if (count && ward_key_equal(slot + s.key, key, s.key_size))
			return i;
		if (count < smallest) {
			smallest = count;
			least = i;
		}
	}
	return least;
}

/* Count the key n times. */
#define ward_top_add(top, k, n) \
	do { \
		__typeof__(&*(top)) ward_t = (top); \
		__typeof__(ward_t->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		unsigned short *ward_hint = &ward_t->hint[ward_map_home(ward_key_fold(&ward_k, sizeof(ward_k)), 8)]; \
		unsigned ward_i = ward_top_slot(WARD_MAP_SLOTS(ward_t), &ward_k, *ward_hint); \
		__typeof__(&ward_t->slot[0]) ward_s = &ward_t->slot[ward_i]; \
		if (!ward_s->count || !ward_key_equal(&ward_s->key, &ward_k, sizeof(ward_k))) { \
			ward_s->error = ward_s->count; \
			ward_s->key = ward_k; \
		} \
		ward_s->count += (n); \
		*ward_hint = (unsigned short)ward_i; \
	} while (0)

#endif
