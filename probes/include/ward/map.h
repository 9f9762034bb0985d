/*
 * A hash map of fixed size: WARD_MAP(K, V, N) is a struct with N slots (a power of two) for keys of the integer type K and values of the
 * type V. The copies of all threads are merged key by key as V says.
 *
 *	WARD_MAP(int, ward_count, 1024) by_fd;
 *	…
 *	ward_map_add(&st->by_fd, (int)ev->arg[0], 1);
 *
 * How it works: open addressing. A key's home slot is the top bits of key * 2^64/φ (Fibonacci hashing); from there at most
 * WARD_MAP_PROBES slots are looked at in order, wrapping round, for the key or for a free slot. A slot once used stays used. When all of
 * them belong to other keys the update is counted in `lost` and nothing else happens, so it is known when N was too small.
 *
 * Why it needs no guard: the index is masked by N - 1 at each step, and the search has a trip counter of its own, unsigned and compared
 * with a constant, that bounds the loop whatever the slots hold.
 *
 * The reader runs while probes do. A new slot gets its key and value first and is marked used last.
 */
#ifndef WARD_MAP_H
#define WARD_MAP_H

#include "ward/count.h"

/* The first member of every map: its type is how a reader of the debug information finds maps. */
struct ward_map_mark {
	char none[0];
};

#define WARD_MAP(K, V, N)                                                                                                                  \
	struct {                                                                                                                           \
		_Static_assert((N) > 0 && ((N) & ((N)-1)) == 0 && (N) <= (1 << 24), "the slots of a WARD_MAP must be a power of two");     \
		_Static_assert(sizeof(K) <= 8 && (K)1 == 1, "the key of a WARD_MAP must be an integer of at most 8 bytes");                \
		struct ward_map_mark ward_map[0];                                                                                          \
		ward_count lost;                                                                                                           \
		struct {                                                                                                                   \
			unsigned int used;                                                                                                 \
			K key;                                                                                                             \
			V value;                                                                                                           \
		} slot[N];                                                                                                                 \
	}

/* The most slots that one search looks at. */
#define WARD_MAP_PROBES 32u

/* Home slot of `key` among 2^bits. Shifting twice makes bits = 0 defined. */
static inline __attribute__((always_inline)) unsigned ward_map_home(unsigned long key, unsigned bits)
{
	return (unsigned)((key * 0x9e3779b97f4a7c15ul >> 1) >> (63 - bits));
}

/* Add n to the value of `k`, which starts at zero. */
#define ward_map_add(map, k, n)                                                                                                            \
	do {                                                                                                                               \
		__typeof__(&*(map)) ward_m = (map);                                                                                        \
		__typeof__(ward_m->slot[0].key) ward_k = (k);                                                                              \
		__typeof__(ward_m->slot[0].value) ward_n = (n);                                                                            \
		const unsigned ward_cap = sizeof(ward_m->slot) / sizeof(ward_m->slot[0]);                                                  \
		const unsigned ward_max = ward_cap < WARD_MAP_PROBES ? ward_cap : WARD_MAP_PROBES;                                         \
		unsigned ward_i = ward_map_home((unsigned long)ward_k, (unsigned)__builtin_ctz(ward_cap));                                 \
		unsigned ward_trip;                                                                                                        \
		for (ward_trip = 0; ward_trip < ward_max; ward_trip++) {                                                                   \
			__typeof__(&ward_m->slot[0]) ward_s = &ward_m->slot[ward_i & (ward_cap - 1)];                                      \
			if (!ward_s->used) {                                                                                               \
				ward_s->key = ward_k;                                                                                      \
				ward_s->value = ward_n;                                                                                    \
				__atomic_store_n(&ward_s->used, 1u, __ATOMIC_RELEASE);                                                     \
				break;                                                                                                     \
			}                                                                                                                  \
			if (ward_s->key == ward_k) {                                                                                       \
				ward_s->value += ward_n;                                                                                   \
				break;                                                                                                     \
			}                                                                                                                  \
			ward_i++;                                                                                                          \
		}                                                                                                                          \
		if (ward_trip >= ward_max)                                                                                                 \
			ward_m->lost++;                                                                                                    \
	} while (0)

#endif
