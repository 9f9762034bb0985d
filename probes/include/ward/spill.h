/* SPDX-License-Identifier: MIT-0 */
/*
 * A hash map that hands on what it has no room for. WARD_SPILL(K, V, N, Q) is like WARD_MAP(K, V, N), but where a new
 * key finds no room, the key that was hit least recently leaves its slot: its entry, key and value, goes into a queue
 * of Q entries (a power of two) that wait for the reader. So any number of keys are counted exactly, as long as the
 * reader keeps up, and keys that are hit often stay.
 *
 *	WARD_SPILL(unsigned long, ward_count, 4096, 16384) by_block;
 *	…
 *	ward_spill_add(&st->by_block, block, 1);
 *
 * Merging: as a map's, key by key, with the entries of the queue. The reader (ward_drain of libward, `ward trace`,
 * `ward query`) keeps those that it has taken, and adds them.
 *
 * Full queues: the update of the new key goes to the value `other`, and `lost` counts it. So totals are exact in any
 * case. Without a reader, and in the kernel, that is so after Q entries.
 *
 * Cost: at most WARD_SPILL_WAYS comparisons; for a new key a copy of the entry that leaves, and clearing its value.
 * Why it needs no guard: indices are masked by N - 1 and Q - 1.
 *
 * The reader runs while probes do, and counts each event once: an entry in the queue has its number and the slot that
 * it comes from, and a slot has a number above those of the entries that left it before. The order of the stores is:
 * the entry, its number, the queue's length; then the slot is empty, cleared, and given to the new key.
 */
#ifndef WARD_SPILL_H
#define WARD_SPILL_H

#include "ward/map.h"

struct ward_spill_mark {
	char none[0];
};

#define WARD_SPILL_WAYS 8u

/* A slot's number is that of the next entry and two more: 0 is a free slot, and 1 and 2 aren't used (ward/map.h). */
#define WARD_SPILL_FIRST 3ul

#define WARD_SPILL(K, V, N, Q) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(K), \
			"a key that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert(!WARD_IS_ARRAY(V), \
			"a value that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_SPILL must be a power of two"); \
		_Static_assert((Q) > 0 && ((Q) & ((Q) - 1)) == 0 && (Q) <= (1 << 24), \
			"the queue of a WARD_SPILL must be a power of two"); \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_SPILL must have at most 64 bytes"); \
		struct ward_spill_mark ward_spill[0]; \
		unsigned long taken; /* the entries that the reader has taken; only the reader writes it */ \
		unsigned long next;  /* the entries that have left so far */ \
		ward_count lost; \
		unsigned long clock; /* hits so far */ \
		struct { \
			unsigned long used; /* the slot's number; of an entry in the queue its own, from 1 */ \
			unsigned long hit;  /* the clock, then; of an entry in the queue the slot that it was in */ \
			__typeof__(K) key; \
			__typeof__(V) value; \
		} slot[N], queue[Q]; \
		__typeof__(V) other; \
	}

/* The slot that holds the key, or the one that is to: a free one, or the one that was hit least recently. */
WARD_INLINE unsigned ward_spill_slot(const struct ward_map_slots s, const void *key)
{
	const unsigned most = s.n < WARD_SPILL_WAYS ? s.n : WARD_SPILL_WAYS;
	unsigned i = ward_map_home(ward_key_fold(key, s.key_size), (unsigned)__builtin_ctz(s.n)),
		 oldest = i & (s.n - 1);
	unsigned long least = ~0ul;

	for (unsigned trip = 0; trip < most; trip++, i++) {
		const char *slot = s.at + (i & (s.n - 1)) * s.stride;
		unsigned long used = *(const unsigned long *)slot,
			      hit = used ? *(const unsigned long *)(slot + sizeof(used)) : 0;

		if (used && ward_key_equal(slot + s.key, key, s.key_size))
			return i & (s.n - 1);
		if (hit < least) {
			least = hit;
			oldest = i & (s.n - 1);
		}
	}
	return oldest;
}

/* Put the entry of slot ward_s into the queue, and empty the slot. False if the queue is full. */
#define WARD_SPILL_OUT() \
	({ \
		const unsigned long ward_cap = sizeof(ward_m->queue) / sizeof(ward_m->queue[0]); \
		unsigned long ward_n = ward_m->next; \
		bool ward_room = ward_n - __atomic_load_n(&ward_m->taken, __ATOMIC_ACQUIRE) < ward_cap; \
		if (ward_room) { \
			__typeof__(ward_s) ward_e = &ward_m->queue[ward_n & (ward_cap - 1)]; \
			ward_e->hit = ward_i; \
			ward_e->key = ward_s->key; \
			ward_e->value = ward_s->value; \
			__atomic_store_n(&ward_e->used, ward_n + 1, __ATOMIC_RELEASE); \
			__atomic_store_n(&ward_m->next, ward_n + 1, __ATOMIC_RELEASE); \
			__atomic_store_n(&ward_s->used, 0ul, __ATOMIC_RELEASE); \
			__atomic_thread_fence(__ATOMIC_RELEASE); \
			ward_key_clear(&ward_s->value, sizeof(ward_s->value)); \
		} \
		ward_room; \
	})

/* A pointer to the value of `k`, zero at first; to `other`, if the queue is full and there is no room for the key. */
#define ward_spill_at(map, k) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		WARD_KEY_CHECK(ward_k); \
		__typeof__(&ward_m->other) ward_v = &ward_m->other; \
		unsigned ward_i = ward_spill_slot(WARD_MAP_SLOTS(ward_m), &ward_k); \
		__typeof__(&ward_m->slot[0]) ward_s = &ward_m->slot[ward_i]; \
		bool ward_held = ward_s->used && ward_key_equal(&ward_s->key, &ward_k, sizeof(ward_k)); \
		if (!ward_held && (!ward_s->used || WARD_SPILL_OUT())) { \
			ward_s->key = ward_k; \
			__atomic_store_n(&ward_s->used, ward_m->next + WARD_SPILL_FIRST, __ATOMIC_RELEASE); \
			ward_held = true; \
		} \
		if (ward_held) { \
			ward_s->hit = ++ward_m->clock; \
			ward_v = (void *)&ward_s->value; /* a V without a name makes two types for C */ \
		} else { \
			ward_m->lost++; \
		} \
		ward_v; \
	})

/* Add n to the value of `k`, an integer. */
#define ward_spill_add(map, k, n) ((void)(*ward_spill_at(map, k) += (n)))

#endif
