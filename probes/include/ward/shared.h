/* SPDX-License-Identifier: MIT-0 */
/*
 * State that all threads of a process share, in the kernel all processors, beside the state that each has of its own:
 *
 *	WARD_SHARED(
 *		ward_shared_count open;
 *		WARD_SHARED_MAP(unsigned long, unsigned long, 4096) begun;
 *	);
 *	…
 *	ward_shared.open++;
 *	ward_shared_map_put(&ward_shared.begun, ev->arg[0], ev->time);
 *
 * So what one thread begins another one can end. Results show the members as shared.open and shared.begun.
 *
 * A ward_shared_count is atomic: each ++, -- and += counts, whatever other threads do meanwhile. Each costs some five
 * nanoseconds. What can be counted by thread belongs in the state, which costs nothing of the kind.
 *
 * WARD_SHARED_MAP(K, V, N) has N slots (a power of two). K is an integer or a plain struct (ward/key.h), V too.
 *
 *	ward_shared_map_put(map, k, v)   the value of k is v from now on
 *	ward_shared_map_get(map, k, to)  copies the value of k to *to; false if the map doesn't hold k
 *	ward_shared_map_pop(map, k, to)  the same, and takes the entry out: of several threads that try, one gets it
 *	ward_shared_map_remove(map, k)   takes the entry out
 *	ward_shared_map_add(map, k, n)   adds n to the value of k, an integer; what isn't there counts as 0
 *
 * put and add are false if there is no room for the key, and `lost` counts them.
 *
 * A key to which something was added keeps its slot: pop takes what was added so far, and leaves 0, which get and pop
 * take for no entry. So add counts by keys of which there aren't more than slots, and put and pop are for keys that
 * come and go.
 *
 * How it works: the slots are in buckets of sixteen. A key's hash says which bucket it is in; it may have any slot
 * there. Two bits of the bucket's control word say what each slot is: free, claimed by one thread that fills it, used,
 * or a counter. The upper half of the word is a version. All changes of what slots are go through compare-and-exchange
 * of this word, and count the version up. So whoever exchanges it knows that nothing has changed in the bucket since it
 * read the word: that there is no second slot of a key, and that a slot still holds what was read there. (A version
 * comes again after 2^32 changes of one bucket. A thread would have to be held up for minutes between two instructions,
 * and exactly so long, to take the one for the other.)
 *
 * No thread waits for another one, wherever that one stands: it holds nothing but the slot that it fills. An exchange
 * fails only if another thread's has succeeded. After WARD_SHARED_TRIES failures the operation is given up, and counted
 * in `lost`: that takes as many others, in one bucket, each in the few nanoseconds between reading the word and
 * exchanging it. Adding to a counter that is there can't fail.
 *
 * A full bucket has no room for another key, so a map is best four times as large as what it is to hold.
 *
 * Merging: the maps of several processes key by key, the values of one key by +.
 */
#ifndef WARD_SHARED_H
#define WARD_SHARED_H

#include "ward/count.h"
#include "ward/key.h"
#include "ward/map.h"

/* Of several files of one module each may have it: it is one variable. */
#ifndef __WARD_KERNEL__
#define WARD_SHARED(...) \
	struct ward_shared { \
		__VA_ARGS__ \
	}; \
	__attribute__((weak, used, aligned(64))) struct ward_shared ward_shared
#else
/*
 * The kernel has no place for a module's variables. There it is a part of the state that is the same memory for all
 * processors; the compiler knows where. The variable is only a description of it.
 */
#define WARD_SHARED(...) \
	struct ward_shared_members { \
		__VA_ARGS__ \
	}; \
	__attribute__((weak)) struct ward_shared_members ward_shared_members
#define ward_shared (*(struct ward_shared_members *)ward_shared_place(sizeof(struct ward_shared_members)))
void *ward_shared_place(unsigned long size) __attribute__((const));
#endif

typedef _Atomic ward_count ward_shared_count;

/* The first member of every such map, by which readers of the debug information find it. */
struct ward_shared_map_mark {
	char none[0];
};

enum ward_shared_use { WARD_SHARED_FREE, WARD_SHARED_CLAIMED, WARD_SHARED_USED, WARD_SHARED_COUNTER };

#define WARD_SHARED_BUCKET(N) ((N) < 16 ? (N) : 16)

#define WARD_SHARED_MAP(K, V, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(K), \
			"a key that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert(!WARD_IS_ARRAY(V), \
			"a value that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_SHARED_MAP must be a power of two"); \
		_Static_assert(sizeof(K) <= WARD_KEY_MAX, "the key of a WARD_SHARED_MAP must have at most 64 bytes"); \
		struct ward_shared_map_mark ward_shared_map[0]; \
		ward_shared_count lost; \
		unsigned long control[(N) / WARD_SHARED_BUCKET(N)]; \
		struct { \
			__typeof__(K) key; \
			__typeof__(V) value; \
		} slot[N]; \
	}

/*
 * How often an operation tries. What counts the tries has eight bytes: where registers are short it lies on the stack,
 * and of four bytes there, in the upper half of eight, the verifier doesn't know the value.
 */
#define WARD_SHARED_TRIES 64u

/* The lower bit of each slot in a control word, and what the version is counted up by. */
#define WARD_SHARED_LOW 0x55555555u
#define WARD_SHARED_VERSION (1ul << 32)

/* The parts of a map: where they are, and constants. */
struct ward_shared_slots {
	unsigned long *control;
	char *at;
	size_t stride, key, key_size, value, value_size;
	unsigned n;
};

#define WARD_SHARED_SLOTS(m) \
	((struct ward_shared_slots){ \
		.control = (m)->control, \
		.at = (char *)(m)->slot, \
		.stride = sizeof((m)->slot[0]), \
		.key = (size_t)((char *)&(m)->slot[0].key - (char *)&(m)->slot[0]), \
		.key_size = sizeof((m)->slot[0].key), \
		.value = (size_t)((char *)&(m)->slot[0].value - (char *)&(m)->slot[0]), \
		.value_size = sizeof((m)->slot[0].value), \
		.n = sizeof((m)->slot) / sizeof((m)->slot[0]), \
	})

/* The first slot of the key's bucket. */
WARD_INLINE unsigned ward_shared_home(const struct ward_shared_slots s, const void *key)
{
	unsigned home = ward_map_home(ward_key_fold(key, s.key_size), (unsigned)__builtin_ctz(s.n));

	return home & (s.n - WARD_SHARED_BUCKET(s.n));
}

WARD_INLINE unsigned long *ward_shared_control(const struct ward_shared_slots s, unsigned home)
{
	return s.control + home / WARD_SHARED_BUCKET(s.n);
}

/* A small map's bucket is the whole of it. */
WARD_INLINE char *ward_shared_slot(const struct ward_shared_slots s, unsigned home, unsigned i)
{
	return s.at + (home + (i & (WARD_SHARED_BUCKET(s.n) - 1))) * s.stride;
}

/* What a slot of the bucket is. */
WARD_INLINE unsigned ward_shared_use(unsigned long control, unsigned i)
{
	return (unsigned)(control >> 2 * i) & 3;
}

/* The control word when a slot becomes something else. */
WARD_INLINE unsigned long ward_shared_change(unsigned long control, unsigned i, unsigned from, unsigned to)
{
	return control + ((unsigned long)to << 2 * i) - ((unsigned long)from << 2 * i) + WARD_SHARED_VERSION;
}

WARD_INLINE unsigned long ward_shared_look(unsigned long *control)
{
	return __atomic_load_n(control, __ATOMIC_ACQUIRE);
}

/* Exchange the control word, if it is *now still. Else false, and *now is what it is. */
WARD_INLINE bool ward_shared_exchange(unsigned long *control, unsigned long *now, unsigned long next)
{
	return __atomic_compare_exchange_n(control, now, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Is the control word *now still? Then so is all that was read from the bucket's slots. */
WARD_INLINE bool ward_shared_same(unsigned long *control, unsigned long *now)
{
	unsigned long was = *now;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*now = ward_shared_look(control);
	return *now == was;
}

/* A claimed slot of ours is free again. */
WARD_INLINE void ward_shared_release(unsigned long *control, unsigned own)
{
	__atomic_fetch_add(
		control, ward_shared_change(0, own, WARD_SHARED_CLAIMED, WARD_SHARED_FREE), __ATOMIC_RELEASE);
}

/* Find the slot of the bucket that holds the key. What it says holds as long as the control word is the same. */
WARD_INLINE bool ward_shared_find(
	const struct ward_shared_slots s, unsigned home, unsigned long control, const void *key, unsigned *found)
{
	const unsigned most = WARD_SHARED_BUCKET(s.n);
	unsigned mask = (unsigned)(control >> 1) & (WARD_SHARED_LOW >> (32 - 2 * most));

	for (unsigned trip = 0; trip < most && mask; trip++, mask &= mask - 1) {
		unsigned i = (unsigned)__builtin_ctz(mask) / 2;

		if (ward_key_equal(ward_shared_slot(s, home, i) + s.key, key, s.key_size)) {
			*found = i;
			return true;
		}
	}
	return false;
}

/* Put v into an integer of `size` bytes, and return what was there. Other sizes have no counters. */
WARD_INLINE unsigned long ward_shared_swap(void *at, size_t size, unsigned long v)
{
	switch (size) {
	case 8: return __atomic_exchange_n((unsigned long *)at, v, __ATOMIC_RELAXED);
	case 4: return __atomic_exchange_n((unsigned int *)at, (unsigned int)v, __ATOMIC_RELAXED);
	case 2: return __atomic_exchange_n((unsigned short *)at, (unsigned short)v, __ATOMIC_RELAXED);
	case 1: return __atomic_exchange_n((unsigned char *)at, (unsigned char)v, __ATOMIC_RELAXED);
	default: return 0;
	}
}

WARD_INLINE bool ward_shared_may_count(size_t size)
{
	return size == 8 || size == 4 || size == 2 || size == 1;
}

/* What became of a key that was to be entered. */
enum ward_shared_outcome {
	WARD_SHARED_NO_ROOM,
	WARD_SHARED_ENTERED,
	WARD_SHARED_COUNTS, /* there is a counter of the key, in the slot that *found says */
};

/*
 * Enter a key with a value, as a counter or not. A slot is claimed, filled, and made known by the exchange that also
 * frees the slot which the key had: so at each moment the key has one value. Only in a full bucket the old one is
 * gone a little before the new one comes.
 */
WARD_INLINE enum ward_shared_outcome ward_shared_enter(
	const struct ward_shared_slots s, const void *key, const void *value, bool counts, unsigned *found)
{
	const unsigned home = ward_shared_home(s, key), use = counts ? WARD_SHARED_COUNTER : WARD_SHARED_USED,
		       all = WARD_SHARED_LOW >> (32 - 2 * WARD_SHARED_BUCKET(s.n));
	unsigned long *control = ward_shared_control(s, home), now = ward_shared_look(control), next;
	unsigned own = 0, old = 0, free;
	bool claimed = false, there;

	for (unsigned long trip = 0; trip < WARD_SHARED_TRIES; trip++) {
		there = ward_shared_find(s, home, now, key, &old);
		*found = home + old;
		if (there && ward_shared_may_count(s.value_size) &&
			(ward_shared_use(now, old) == WARD_SHARED_COUNTER ||
				(counts && ward_shared_exchange(control, &now,
						   ward_shared_change(
							   now, old, WARD_SHARED_USED, WARD_SHARED_COUNTER))))) {
			if (claimed)
				ward_shared_release(control, own);
			return WARD_SHARED_COUNTS;
		}
		if (there && counts)
			continue;
		if (!claimed) {
			free = ~(unsigned)(now | now >> 1) & all;
			if (!free && !there)
				break;
			own = free ? (unsigned)__builtin_ctz(free) / 2 : old;
			next = ward_shared_change(
				now, own, free ? WARD_SHARED_FREE : WARD_SHARED_USED, WARD_SHARED_CLAIMED);
			if (!ward_shared_exchange(control, &now, next))
				continue;
			now = next;
			claimed = true;
			there = there && free;
			__builtin_memcpy(ward_shared_slot(s, home, own) + s.key, key, s.key_size);
			__builtin_memcpy(ward_shared_slot(s, home, own) + s.value, value, s.value_size);
		}
		next = ward_shared_change(now, own, WARD_SHARED_CLAIMED, use);
		if (there)
			next = ward_shared_change(next, old, WARD_SHARED_USED, WARD_SHARED_FREE);
		if (ward_shared_exchange(control, &now, next))
			return WARD_SHARED_ENTERED;
	}
	if (claimed)
		ward_shared_release(control, own);
	return WARD_SHARED_NO_ROOM;
}

/* What a look for a key came to. */
enum ward_shared_sight { WARD_SHARED_ABSENT, WARD_SHARED_PRESENT, WARD_SHARED_UNCLEAR };

/* Copy the value of a key to `to`, and take the entry out, if `take`. */
WARD_INLINE enum ward_shared_sight ward_shared_read(
	const struct ward_shared_slots s, const void *key, void *to, bool take)
{
	const unsigned home = ward_shared_home(s, key);
	unsigned long *control = ward_shared_control(s, home), now = ward_shared_look(control), count;
	unsigned i = 0;

	for (unsigned long trip = 0; trip < WARD_SHARED_TRIES; trip++) {
		if (!ward_shared_find(s, home, now, key, &i)) {
			if (ward_shared_same(control, &now))
				return WARD_SHARED_ABSENT;
			continue;
		}
		char *value = ward_shared_slot(s, home, i) + s.value;

		if (take && ward_shared_may_count(s.value_size) && ward_shared_use(now, i) == WARD_SHARED_COUNTER) {
			count = ward_shared_swap(value, s.value_size, 0);
			__builtin_memcpy(to, &count, s.value_size < sizeof(count) ? s.value_size : sizeof(count));
			return count ? WARD_SHARED_PRESENT : WARD_SHARED_ABSENT;
		}
		__builtin_memcpy(to, value, s.value_size);
		if (!take && ward_shared_may_count(s.value_size) && ward_shared_use(now, i) == WARD_SHARED_COUNTER)
			return ward_key_word(to, s.value_size, 0) ? WARD_SHARED_PRESENT : WARD_SHARED_ABSENT;
		if (take ? ward_shared_exchange(
				   control, &now, ward_shared_change(now, i, WARD_SHARED_USED, WARD_SHARED_FREE))
			 : ward_shared_same(control, &now))
			return WARD_SHARED_PRESENT;
	}
	return WARD_SHARED_UNCLEAR;
}

#define ward_shared_map_put(map, k, v) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		__typeof__(ward_m->slot[0].value) ward_v = (v); \
		WARD_KEY_CHECK(ward_k); \
		unsigned ward_s; \
		enum ward_shared_outcome ward_o = \
			ward_shared_enter(WARD_SHARED_SLOTS(ward_m), &ward_k, &ward_v, false, &ward_s); \
		if (ward_o == WARD_SHARED_COUNTS) \
			ward_shared_swap(&ward_m->slot[ward_s].value, sizeof(ward_v), \
				ward_key_word(&ward_v, sizeof(ward_v), 0)); \
		else if (ward_o == WARD_SHARED_NO_ROOM) \
			ward_m->lost++; \
		ward_o != WARD_SHARED_NO_ROOM; \
	})

#define ward_shared_map_add(map, k, number) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		__typeof__(ward_m->slot[0].value) ward_v = (number); \
		WARD_KEY_CHECK(ward_k); \
		unsigned ward_s; \
		enum ward_shared_outcome ward_o = \
			ward_shared_enter(WARD_SHARED_SLOTS(ward_m), &ward_k, &ward_v, true, &ward_s); \
		if (ward_o == WARD_SHARED_COUNTS) \
			(void)__atomic_fetch_add(&ward_m->slot[ward_s].value, ward_v, __ATOMIC_RELAXED); \
		else if (ward_o == WARD_SHARED_NO_ROOM) \
			ward_m->lost++; \
		ward_o != WARD_SHARED_NO_ROOM; \
	})

#define ward_shared_map_get(map, k, to) WARD_SHARED_READ(map, k, *(to) = ward_v, false)
#define ward_shared_map_pop(map, k, to) WARD_SHARED_READ(map, k, *(to) = ward_v, true)
#define ward_shared_map_remove(map, k) WARD_SHARED_READ(map, k, (void)ward_v, true)

/* `then`: what is done with the value, ward_v. */
#define WARD_SHARED_READ(map, k, then, take) \
	({ \
		__typeof__(&*(map)) ward_m = (map); \
		__typeof__(ward_m->slot[0].key) ward_k = (k); \
		__typeof__(ward_m->slot[0].value) ward_v; \
		WARD_KEY_CHECK(ward_k); \
		enum ward_shared_sight ward_o = ward_shared_read(WARD_SHARED_SLOTS(ward_m), &ward_k, &ward_v, take); \
		if (ward_o == WARD_SHARED_PRESENT) \
			then; \
		else if (ward_o == WARD_SHARED_UNCLEAR) \
			ward_m->lost++; \
		ward_o == WARD_SHARED_PRESENT; \
	})

#endif
