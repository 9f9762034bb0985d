/* SPDX-License-Identifier: MIT-0 */
/*
 * A hash map that makes room. WARD_RECENT(K, V, N) is like WARD_MAP(K, V, N), but where a new key finds no room, the
 * key that was hit least recently loses its slot, with its value. So the map holds the keys that matter now.
 *
 *	WARD_RECENT(struct connection, ward_count, 4096) now;
 *	…
 *	ward_recent_add(&st->now, connection, 1);
 *
 * A key may be in any of the WARD_RECENT_WAYS slots that follow its home slot, and one of those makes room. So a key
 * may lose its slot although N / 2 other keys were hit before it, if its neighbours are busy. With N slots the last N
 * / 4 keys or so are nearly always there.
 *
 * Merging: as a map's. `evicted` counts how often a key lost its slot.
 *
 * Cost: at most WARD_RECENT_WAYS comparisons, and clearing the value of a slot that is taken over.
 */
#ifndef WARD_RECENT_H
#define WARD_RECENT_H

#include "ward/map.h"

#define WARD_RECENT(K, V, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(K), \
			"a key that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert(!WARD_IS_ARRAY(V), \
			"a value that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_RECENT must be a power of two"); \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_RECENT must have at most 64 bytes"); \
		struct ward_map_mark ward_map[0]; \
		ward_count evicted; \
		unsigned long clock; /* hits so far */ \
		struct { \
			unsigned int used; \
			unsigned long hit; /* the clock, then; 0 in a free slot */ \
			__typeof__(K) key; \
			__typeof__(V) value; \
		} slot[N]; \
	}

#define WARD_RECENT_WAYS 8u

/*
 * The slot that holds the key, or the one that is to: the first free one, or the one that was hit least recently. hit
 * lies 8 bytes into a slot.
 */
WARD_INLINE unsigned ward_recent_slot(const struct ward_map_slots s, const void *key)
{
	const unsigned most = s.n < WARD_RECENT_WAYS ? s.n : WARD_RECENT_WAYS;
	unsigned i = ward_map_home(ward_key_fold(key, s.key_size), (unsigned)__builtin_ctz(s.n)),
		 oldest = i & (s.n - 1);
	unsigned long least = ~0ul;

	for (unsigned trip = 0; trip < most; trip++, i++) {
		const char *slot = s.at + (i & (s.n - 1)) * s.stride;
		unsigned long hit = *(const unsigned long *)(slot + 8);

		if (*(const unsigned *)slot && ward_key_equal(slot + s.key, key, s.key_size))
			return i & (s.n - 1);
		if (hit < least) {
			least = hit;
			oldest = i & (s.n - 1);
		}
	}
	return oldest;
}

/* A pointer to the value of `k`, zero at first. */
#define ward_recent_at(map, k) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		unsigned ward_i = ward_recent_slot(WARD_MAP_SLOTS(ward_m), &ward_k); \
		__typeof__(&ward_m->slot[0]) ward_s = &ward_m->slot[ward_i]; \
		if (!ward_s->used || !ward_key_equal(&ward_s->key, &ward_k, sizeof(ward_k))) { \
			if (ward_s->used) { \
				ward_m->evicted++; \
				__atomic_store_n(&ward_s->used, (unsigned)WARD_MAP_FREE, __ATOMIC_RELEASE); \
				ward_key_clear(&ward_s->value, sizeof(ward_s->value)); \
			} \
			ward_s->key = ward_k; \
			__atomic_store_n(&ward_s->used, (unsigned)WARD_MAP_USED, __ATOMIC_RELEASE); \
		} \
		ward_s->hit = ++ward_m->clock; \
		&ward_s->value; \
	})

/* Add n to the value of `k`, an integer. */
#define ward_recent_add(map, k, n) ((void)(*ward_recent_at(map, k) += (n)))

#endif
