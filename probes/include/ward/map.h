/* SPDX-License-Identifier: MIT-0 */
/*
 * A hash map of fixed size. WARD_MAP(K, V, N) has N slots (a power of two) for keys of type K and values of type V. K
 * is an integer or a plain struct (ward/key.h). V is a count, any other aggregate of these headers, or a struct of
 * them.
 *
 *	WARD_MAP(int, ward_count, 1024) by_fd;
 *	WARD_MAP(struct place, ward_log2, 256) sizes;
 *	…
 *	ward_map_add(&st->by_fd, (int)ev->arg[0], 1);
 *	ward_log2_add(ward_map_at(&st->sizes, place), ev->arg[2]);
 *
 * Merging: the copies of all threads key by key; the values of one key merge as V does.
 *
 * Full maps: keys without room share the value `other`, and `lost` counts the updates that went there. So you see
 * when N was too small. WARD_RECENT (ward/recent.h) makes room instead.
 *
 * How it works: open addressing. A key's home slot is the top bits of key * 2^64/φ (Fibonacci hashing). From there at
 * most WARD_MAP_PROBES slots are searched in order, wrapping round, for the key or a free slot. A search passes over
 * a slot whose key was removed (ward_map_remove); a new key takes such a slot if there is no free one.
 *
 * Cost: constant. A key in its home slot takes one comparison, none takes more than WARD_MAP_PROBES.
 *
 * Why it needs no guard: each step masks the index by N - 1. The search has a trip counter of its own, unsigned and
 * compared with a constant, which bounds the loop whatever the slots hold.
 *
 * The reader runs while probes do. So a new slot gets its key first, its value is zero, and it is marked as used
 * last.
 */
#ifndef WARD_MAP_H
#define WARD_MAP_H

#include "ward/count.h"
#include "ward/key.h"

/* The first member of every map: its type is how a reader of the debug information finds maps. */
struct ward_map_mark {
	char none[0];
};

/* What a slot is. */
enum ward_map_use { WARD_MAP_FREE, WARD_MAP_USED, WARD_MAP_GONE };

#define WARD_MAP(K, V, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(K), \
			"a key that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert(!WARD_IS_ARRAY(V), \
			"a value that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_MAP must be a power of two"); \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_MAP must have at most 64 bytes"); \
		struct ward_map_mark ward_map[0]; \
		ward_count lost; \
		struct { \
			unsigned int used; \
			__typeof__(K) key; \
			__typeof__(V) value; \
		} slot[N]; \
		__typeof__(V) other; \
	}

/* The most slots that one search looks at. */
#define WARD_MAP_PROBES 32u

/* Home slot of `key` among 2^bits. Shifting twice makes bits = 0 defined. */
WARD_INLINE unsigned ward_map_home(unsigned long key, unsigned bits)
{
	return (unsigned)((key * WARD_GOLDEN >> 1) >> (63 - bits));
}

/* The slots of a map: where they are, and constants. */
struct ward_map_slots {
	char *at;
	size_t stride, key, key_size;
	unsigned n;
};

#define WARD_MAP_SLOTS(m) \
	((struct ward_map_slots){ \
		.at = (char *)(m)->slot, \
		.stride = sizeof((m)->slot[0]), \
		.key = (size_t)((char *)&(m)->slot[0].key - (char *)&(m)->slot[0]), \
		.key_size = sizeof((m)->slot[0].key), \
		.n = sizeof((m)->slot) / sizeof((m)->slot[0]), \
	})

/* Give a slot to a key: `used` last, for the reader. */
WARD_INLINE void ward_map_take(const struct ward_map_slots s, char *slot, const void *key)
{
	__builtin_memcpy(slot + s.key, key, s.key_size);
	__atomic_store_n((unsigned *)slot, (unsigned)WARD_MAP_USED, __ATOMIC_RELEASE);
}

/*
 * Find the slot that holds the key; if none does and `insert`, a new one: the free one that ends the search, or else
 * one whose key is gone. False if there is none.
 */
WARD_INLINE bool ward_map_find(const struct ward_map_slots s, const void *key, bool insert, unsigned *found)
{
	const unsigned most = s.n < WARD_MAP_PROBES ? s.n : WARD_MAP_PROBES;
	unsigned i = ward_map_home(ward_key_fold(key, s.key_size), (unsigned)__builtin_ctz(s.n));

	for (unsigned trip = 0; trip < most; trip++, i = (i + 1) & (s.n - 1)) {
		char *slot = s.at + i * s.stride;

		if (*(unsigned *)slot == WARD_MAP_FREE) {
			if (insert)
				ward_map_take(s, slot, key);
			*found = i;
			return insert;
		}
		if (ward_key_equal(slot + s.key, key, s.key_size) && *(unsigned *)slot == WARD_MAP_USED) {
			*found = i;
			return true;
		}
	}
	for (unsigned trip = 0; insert && trip < most; trip++) {
		char *slot = s.at + (i = (i - 1) & (s.n - 1)) * s.stride;

		if (*(unsigned *)slot == WARD_MAP_GONE) {
			ward_map_take(s, slot, key);
			*found = i;
			return true;
		}
	}
	return false;
}

/*
 * The key of slot i is gone. Searches need to pass it only on their way to later slots: if the next one is free there
 * are none, and this one is free as well, and so are those before it that are passed for the same reason.
 */
WARD_INLINE void ward_map_leave(const struct ward_map_slots s, unsigned i)
{
	unsigned *next = (unsigned *)(s.at + ((i + 1) & (s.n - 1)) * s.stride),
		 *this = (unsigned *)(s.at + (i & (s.n - 1)) * s.stride);

	__atomic_store_n(this, (unsigned)WARD_MAP_GONE, __ATOMIC_RELEASE);
	if (*next != WARD_MAP_FREE)
		return;
	for (unsigned trip = 0; trip < WARD_MAP_PROBES && *this == WARD_MAP_GONE; trip++) {
		*this = WARD_MAP_FREE;
		i--;
		this = (unsigned *)(s.at + (i & (s.n - 1)) * s.stride);
	}
}

/* A pointer to the value of `k`, zero at first; to `other`, if there is no room for the key. */
#define ward_map_at(map, k) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		__typeof__(&ward_m->other) ward_v = &ward_m->other; \
		unsigned ward_s; \
		if (ward_map_find(WARD_MAP_SLOTS(ward_m), &ward_k, true, &ward_s)) \
			ward_v = (void *)&ward_m->slot[ward_s].value; /* a V without a name makes two types for C */ \
		else \
			ward_m->lost++; \
		ward_v; \
	})

/* Add n to the value of `k`, an integer. */
#define ward_map_add(map, k, n) ((void)(*ward_map_at(map, k) += (n)))

/* Copy the value of `k` to *to. False, and nothing copied, if the map doesn't hold the key. */
#define ward_map_get(map, k, to) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		unsigned ward_s; \
		bool ward_found = ward_map_find(WARD_MAP_SLOTS(ward_m), &ward_k, false, &ward_s); \
		if (ward_found) \
			*(to) = ward_m->slot[ward_s].value; \
		ward_found; \
	})

/* Copy the value of `k` to *to, and forget both. False, and nothing copied, if the map doesn't hold the key. */
#define ward_map_pop(map, k, to) WARD_MAP_FORGET(map, k, *(to) = ward_m->slot[ward_s].value)

/* Forget `k` and its value. False if the map doesn't hold the key. */
#define ward_map_remove(map, k) WARD_MAP_FORGET(map, k, (void)0)

/* `first`: what is done with the value, ward_m->slot[ward_s].value. */
#define WARD_MAP_FORGET(map, k, first) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		unsigned ward_s; \
		bool ward_found = ward_map_find(WARD_MAP_SLOTS(ward_m), &ward_k, false, &ward_s); \
		if (ward_found) { \
			first; \
			ward_map_leave(WARD_MAP_SLOTS(ward_m), ward_s); \
			ward_key_clear(&ward_m->slot[ward_s].value, sizeof(ward_m->slot[0].value)); \
		} \
		ward_found; \
	})

#endif
