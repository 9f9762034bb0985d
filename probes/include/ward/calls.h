/* SPDX-License-Identifier: MIT-0 */
/*
 * Both ends of a call. WARD_CALLS(T, N) keeps a value of type T for each call that has begun and not yet returned:
 * for the innermost N (a power of two) of a thread.
 *
 *	WARD_CALLS(unsigned long, 64) calls;
 *	…
 *	ward_calls_enter(&st->calls, ev->sp, ev->time);              at the function's entry
 *	…
 *	if (ward_calls_leave(&st->calls, ev->sp, &began))            where it returns
 *		ward_log2_add(&st->cycles, ev->time - began);
 *
 * How it works: a call is known by its stack pointer. It is the same at both ends, and no other open call of the same
 * stack has it. So recursion is paired right, and so are several functions in one WARD_CALLS. The stack grows down. A
 * call that begins or ends above another one's stack pointer shows that the other one is over, even if longjmp or an
 * exception left it; it is forgotten then. A thread that switches between several stacks (coroutines) looks as if it
 * had left the calls that it only put aside. And what is kept here is a thread's: a fiber that begins a call on one
 * thread and returns on another may find what an earlier call left there. ev->arg and ev->elapsed of a return probe are
 * right wherever a call ends: the loader keeps them by stack, not by thread.
 *
 * What is shown: `lost` counts calls that began when N were open already. `unpaired` counts returns whose beginning
 * isn't known: of lost calls, of calls put aside, and of calls that began before the probe was there.
 *
 * Cost: constant, and one step for each call that is forgotten. Why it needs no guard: indices are masked by N - 1,
 * and the loop counts its rounds.
 */
#ifndef WARD_CALLS_H
#define WARD_CALLS_H

#include "ward/count.h"
#include "ward/key.h"

/* The slots stand in a union: what a reader of the debug information doesn't look into. */
#define WARD_CALLS(T, N) \
	struct { \
		_Static_assert(!WARD_IS_ARRAY(T), \
			"a value that is an array goes into a struct: struct name { char text[16]; }"); \
		_Static_assert((N) > 0 && ((N) & ((N) - 1)) == 0 && (N) <= (1 << 16), \
			"the depth of WARD_CALLS must be a power of two"); \
		ward_count lost, unpaired; \
		union { \
			struct { \
				unsigned int open; \
				struct { \
					unsigned long sp; \
					__typeof__(T) value; \
				} slot[N]; \
			}; \
		}; \
	}

/*
 * How many of the `open` calls are still open if one begins, or ends, at `sp`: those whose stack pointer isn't below
 * it.
 */
WARD_INLINE unsigned ward_calls_above(const char *slots, size_t stride, unsigned n, unsigned open, unsigned long sp)
{
	for (unsigned trip = 0;
		trip < n && open && *(const unsigned long *)(slots + ((open - 1) & (n - 1)) * stride) < sp; trip++)
		open--;
	return open;
}

#define WARD_CALLS_SIZE(c) ((unsigned)(sizeof((c)->slot) / sizeof((c)->slot[0])))
#define WARD_CALLS_ABOVE(c, sp) \
	ward_calls_above((const char *)(c)->slot, sizeof((c)->slot[0]), WARD_CALLS_SIZE(c), (c)->open, sp)

/* A call begins. */
#define ward_calls_enter(calls, stack_pointer, v) \
	do { \
		__typeof__(&*(calls)) ward_c = (calls); \
		unsigned long ward_sp = (stack_pointer); \
		unsigned ward_n = WARD_CALLS_ABOVE(ward_c, ward_sp + 1); \
		if (ward_n < WARD_CALLS_SIZE(ward_c)) { \
			ward_c->slot[ward_n].sp = ward_sp; \
			ward_c->slot[ward_n].value = (v); \
			ward_n++; \
		} else { \
			ward_c->lost++; \
		} \
		ward_c->open = ward_n; \
	} while (0)

/* A call returns: true, and *to is the value that it began with. */
#define ward_calls_leave(calls, stack_pointer, to) \
	({ \
		__typeof__(&*(calls)) ward_c = (calls); \
		unsigned long ward_sp = (stack_pointer); \
		unsigned ward_n = WARD_CALLS_ABOVE(ward_c, ward_sp); \
		unsigned ward_i = (ward_n - 1) & (WARD_CALLS_SIZE(ward_c) - 1); \
		bool ward_paired = ward_n && ward_c->slot[ward_i].sp == ward_sp; \
		if (ward_paired) { \
			*(to) = ward_c->slot[ward_i].value; \
			ward_n = ward_i; \
		} else { \
			ward_c->unpaired++; \
		} \
		ward_c->open = ward_n; \
		ward_paired; \
	})

#endif
