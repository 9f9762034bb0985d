/*
 * A hash map of fixed size: WARD_MAP(K, V, N) is a struct with N slots (a power of two) for keys of the type K, an integer or a plain struct
 * (ward/key.h), and values of the type V: a count, or any other aggregate of these headers, or a struct of them.
 *
 *	WARD_MAP(int, ward_count, 1024) by_fd;
 *	WARD_MAP(struct place, ward_log2, 256) sizes;
 *	…
 *	ward_map_add(&st->by_fd, (int)ev->arg[0], 1);
 *	ward_log2_add(ward_map_at(&st->sizes, place), ev->arg[2]);
 *
 * Merging: the copies of all threads key by key, values of one key as V merges.
 *
 * What it refuses it counts: a key for which there is no room shares the value `other` with all such keys, and `lost` says how many updates went there, so it is known
 * when N was too small. WARD_RECENT (ward/recent.h) makes room instead.
 *
 * How it works: open addressing. A key's home slot is the top bits of key * 2^64/φ (Fibonacci hashing); from there at most
 * WARD_MAP_PROBES slots are looked at in order, wrapping round, for the key or for a free slot. A slot once used isn't free again: one whose key was
 * removed (ward_map_remove) is passed over by searches, and taken for a new key.
 *
 * Cost: constant; a key at home takes one comparison, none more than WARD_MAP_PROBES.
 *
 * Why it needs no guard: the index is masked by N - 1 at each step, and the search has a trip counter of its own, unsigned and compared
 * with a constant, that bounds the loop whatever the slots hold.
 *
 * The reader runs while probes do. A new slot gets its key first, its value is zero, and it is marked used last.
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

#define WARD_MAP(K, V, N)                                                                                                                  \
	struct {                                                                                                                           \
		_Static_assert((N) > 0 && ((N) & ((N)-1)) == 0 && (N) <= (1 << 24), "the slots of a WARD_MAP must be a power of two");     \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_MAP must have at most 64 bytes");                             \
		struct ward_map_mark ward_map[0];                                                                                          \
		ward_count lost;                                                                                                           \
		struct {                                                                                                                   \
			unsigned int used;                                                                                                 \
			K key;                                                                                                             \
			V value;                                                                                                           \
		} slot[N];                                                                                                                 \
		V other;                                                                                                                   \
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

#define WARD_MAP_SLOTS(m)                                                                                                                  \
	((struct ward_map_slots){                                                                                                          \
		.at = (char *)(m)->slot,                                                                                                   \
		.stride = sizeof((m)->slot[0]),                                                                                            \
		.key = (size_t)((char *)&(m)->slot[0].key - (char *)&(m)->slot[0]),                                                        \
		.key_size = sizeof((m)->slot[0].key),                                                                                      \
		.n = sizeof((m)->slot) / sizeof((m)->slot[0]),                                                                             \
	})

/* The slot that holds the key; if none does and `insert`, a new one. s.n if there is none. Looking for a new one is apart, as most keys have come before. */
WARD_INLINE unsigned ward_map_slot(const struct ward_map_slots s, const void *key, bool insert)
{
	const unsigned most = s.n < WARD_MAP_PROBES ? s.n : WARD_MAP_PROBES;
	const unsigned home = ward_map_home(ward_key_fold(key, s.key_size), (unsigned)__builtin_ctz(s.n));
	unsigned i = home;

	for (unsigned trip = 0; trip < most; trip++, i++) {
		const char *slot = s.at + (i & (s.n - 1)) * s.stride;

		if (*(const unsigned *)slot == WARD_MAP_FREE)
			break;
		if (ward_key_equal(slot + s.key, key, s.key_size) && *(const unsigned *)slot == WARD_MAP_USED)
			return i & (s.n - 1);
	}
	i = home;
	for (unsigned trip = 0; insert && trip < most; trip++, i++) {
		char *slot = s.at + (i & (s.n - 1)) * s.stride;

		if (*(const unsigned *)slot == WARD_MAP_USED)
			continue;
		__builtin_memcpy(slot + s.key, key, s.key_size);
		__atomic_store_n((unsigned *)slot, (unsigned)WARD_MAP_USED, __ATOMIC_RELEASE);
		return i & (s.n - 1);
	}
	return s.n;
}

/* A pointer to the value of `k`, zero at first; to `other`, if there is no room for the key. */
#define ward_map_at(map, k)                                                                                                                \
	({                                                                                                                                 \
		__typeof__(&*(map)) ward_m = (map);                                                                                        \
		__typeof__(ward_m->slot[0].key) ward_k = (k);                                                                              \
		unsigned ward_s = ward_map_slot(WARD_MAP_SLOTS(ward_m), &ward_k, true);                                                    \
		if (ward_s >= sizeof(ward_m->slot) / sizeof(ward_m->slot[0]))                                                              \
			ward_m->lost++;                                                                                                    \
		ward_s < sizeof(ward_m->slot) / sizeof(ward_m->slot[0]) ? &ward_m->slot[ward_s].value : &ward_m->other;                    \
	})

/* Add n to the value of `k`, an integer. */
#define ward_map_add(map, k, n) ((void)(*ward_map_at(map, k) += (n)))

/* Copy the value of `k` to *to. False, and nothing copied, if the map doesn't hold the key. */
#define ward_map_get(map, k, to)                                                                                                           \
	({                                                                                                                                 \
		__typeof__(&*(map)) ward_m = (map);                                                                                        \
		__typeof__(ward_m->slot[0].key) ward_k = (k);                                                                              \
		unsigned ward_s = ward_map_slot(WARD_MAP_SLOTS(ward_m), &ward_k, false);                                                   \
		bool ward_found = ward_s < sizeof(ward_m->slot) / sizeof(ward_m->slot[0]);                                                 \
		if (ward_found)                                                                                                            \
			*(to) = ward_m->slot[ward_s].value;                                                                                \
		ward_found;                                                                                                                \
	})

/* Forget `k` and its value. False if the map doesn't hold the key. */
#define ward_map_remove(map, k)                                                                                                            \
	({                                                                                                                                 \
		__typeof__(&*(map)) ward_m = (map);                                                                                        \
		__typeof__(ward_m->slot[0].key) ward_k = (k);                                                                              \
		unsigned ward_s = ward_map_slot(WARD_MAP_SLOTS(ward_m), &ward_k, false);                                                   \
		bool ward_found = ward_s < sizeof(ward_m->slot) / sizeof(ward_m->slot[0]);                                                 \
		if (ward_found) {                                                                                                          \
			__atomic_store_n(&ward_m->slot[ward_s].used, (unsigned)WARD_MAP_GONE, __ATOMIC_RELEASE);                           \
			ward_key_clear(&ward_m->slot[ward_s].value, sizeof(ward_m->slot[0].value));                                        \
		}                                                                                                                          \
		ward_found;                                                                                                                \
	})

#endif
