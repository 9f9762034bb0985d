/* SPDX-License-Identifier: MIT-0 */
/*
 * Records that wait for the reader. WARD_QUEUE(T, N) keeps up to N records (a power of two) of type T of each thread
 * until the reader has taken them. T is a plain struct of integers and texts (char arrays). A record is never
 * overwritten: one that finds the queue full isn't kept, and is counted as lost.
 *
 *	struct slow { unsigned long time, size; char path[32]; };
 *	WARD_QUEUE(struct slow, 1024) slow;
 *	…
 *	if (!ward_queue_push(&st->slow, ((struct slow){.time = ev->time, .size = ev->arg[2]})))
 *		st->missed += ev->arg[2];
 *
 * Merging: the records of all threads in the order of their member `time`, if they have one; otherwise thread by
 * thread in the order of pushing. Each record that was pushed is read exactly once, or was counted as lost by the push.
 *
 * The reader moves a cursor (`taken`), which a push compares with. `ward trace --json`, `--records` and `--ctf` move
 * it, and so does a stream of libward. A snapshot doesn't: without a reader the queue has the first N records. It has
 * one reader. In the kernel no reader can move the cursor.
 *
 * Cost: constant, a copy of the record. Why it needs no guard: the index is masked by N - 1, so whatever the cursor
 * says, a record goes into the queue's own slots.
 */
#ifndef WARD_QUEUE_H
#define WARD_QUEUE_H

#include "ward/ring.h"

struct ward_queue_mark {
	char none[0];
};

#define WARD_QUEUE(T, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(T), \
			"a record that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_QUEUE must be a power of two"); \
		struct ward_queue_mark ward_queue[0]; \
		unsigned long taken; /* the records that the reader has taken; only the reader writes it */ \
		ward_count lost; \
		WARD_RING_SLOTS(T, N); \
	}

/* Keep a record for the reader. False, and the record is counted as lost, if the queue is full. */
#define ward_queue_push(queue, r) \
	({ \
		__typeof__(&*(queue)) ward_q = (queue); \
		const unsigned long ward_cap = sizeof(ward_q->slot) / sizeof(ward_q->slot[0]); \
		unsigned long ward_n = ward_q->next; \
		bool ward_room = ward_n - __atomic_load_n(&ward_q->taken, __ATOMIC_ACQUIRE) < ward_cap; \
		if (ward_room) { \
			__typeof__(&ward_q->slot[0]) ward_s = &ward_q->slot[ward_n & (ward_cap - 1)]; \
			ward_s->record = (r); \
			__atomic_store_n(&ward_s->number, ward_n + 1, __ATOMIC_RELEASE); \
			__atomic_store_n(&ward_q->next, ward_n + 1, __ATOMIC_RELEASE); \
		} else { \
			ward_q->lost++; \
		} \
		ward_room; \
	})

#endif
