/* SPDX-License-Identifier: MIT-0 */
/*
 * The last N records. WARD_RING(T, N) keeps the last N records (a power of two) of type T that each thread has
 * pushed. T is a plain struct of integers and texts (char arrays). WARD_FLIGHT(T, N, D) is a flight recorder: it
 * records in the same way, and at a trigger it puts the last N records aside, up to D times.
 *
 *	struct slow { unsigned long time, size; char path[32]; };
 *	WARD_RING(struct slow, 256) slow;
 *	WARD_FLIGHT(struct slow, 64, 4) before_errors;
 *	…
 *	ward_ring_push(&st->slow, ((struct slow){.time = ev->time, .size = ev->arg[2]}));
 *	ward_flight_push(&st->before_errors, record);
 *	if (failed)
 *		ward_flight_trigger(&st->before_errors);
 *
 * Merging: the records of all threads in the order of their member `time`, if they have one; otherwise thread by
 * thread in the order of pushing. Overwritten records are counted. Of a recorder, the records of one dump of one
 * thread stay together, in that order. After D triggers further ones are counted as missed, and the records put aside
 * stay.
 *
 * The reader runs while probes do. A record has a number, which is zero while the record is written. The reader
 * leaves out a record whose number changed while it was copied. `ward trace --json` prints the records of a ring
 * while the trace runs, several times a second; N must be large enough for what comes in between.
 *
 * Cost: constant, a copy of the record. A trigger copies nothing: recording goes on in the next of D + 1 rings.
 */
#ifndef WARD_RING_H
#define WARD_RING_H

#include "ward/count.h"
#include "ward/key.h"

struct ward_ring_mark {
	char none[0];
};
struct ward_flight_mark {
	char none[0];
};

#define WARD_RING_SLOTS(T, N) \
	unsigned long next; /* the records pushed so far */ \
	struct { \
		unsigned long number; /* of the record, from 1; 0: none, or not complete */ \
		__typeof__(T) record; \
	} slot[N]

#define WARD_RING(T, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(T), \
			"a record that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_RING must be a power of two"); \
		struct ward_ring_mark ward_ring[0]; \
		WARD_RING_SLOTS(T, N); \
	}

#define WARD_FLIGHT(T, N, D) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(T), \
			"a record that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 24), \
			"the slots of a WARD_FLIGHT must be a power of two"); \
		_Static_assert((D) > 0 && (D) <= 1024, "a WARD_FLIGHT is dumped 1 to 1024 times"); \
		struct ward_flight_mark ward_flight[0]; \
		unsigned long dumps; /* and the ring that is recorded in */ \
		ward_count missed; \
		struct { \
			WARD_RING_SLOTS(T, N); \
		} ring[(D) + 1]; \
	}

/* Keep a record of the ring's type; braces of a compound literal want parentheses round them. */
#define ward_ring_push(ring_of_records, r) \
	do { \
		__typeof__(&*(ring_of_records)) ward_r = (ring_of_records); \
		const unsigned long ward_cap = sizeof(ward_r->slot) / sizeof(ward_r->slot[0]); \
		unsigned long ward_n = ward_r->next; \
		__typeof__(&ward_r->slot[0]) ward_s = &ward_r->slot[ward_n & (ward_cap - 1)]; \
		__atomic_store_n(&ward_s->number, 0ul, __ATOMIC_RELAXED); \
		__atomic_thread_fence(__ATOMIC_RELEASE); \
		ward_s->record = (r); \
		__atomic_store_n(&ward_s->number, ward_n + 1, __ATOMIC_RELEASE); \
		__atomic_store_n(&ward_r->next, ward_n + 1, __ATOMIC_RELEASE); \
	} while (0)

/* The ring that is recorded in. The comparison says what is so anyway, for the proof. */
#define WARD_FLIGHT_RING(f) (&(f)->ring[(f)->dumps < sizeof((f)->ring) / sizeof((f)->ring[0]) ? (f)->dumps : 0])

/* Keep a record until it is overwritten, or put aside. */
#define ward_flight_push(flight, r) \
	do { \
		__typeof__(&*(flight)) ward_f = (flight); \
		ward_ring_push(WARD_FLIGHT_RING(ward_f), r); \
	} while (0)

/* Put the last records aside. */
#define ward_flight_trigger(flight) \
	do { \
		__typeof__(&*(flight)) ward_f = (flight); \
		if (ward_f->dumps < sizeof(ward_f->ring) / sizeof(ward_f->ring[0]) - 1) \
			ward_f->dumps++; \
		else \
			ward_f->missed++; \
	} while (0)

#endif
