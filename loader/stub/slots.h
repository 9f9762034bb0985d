/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a target's threads: the layout of the memory that the target and the tracer share.
 *
 *   low region (below 2 GiB in the target)       one shared file, "ward-state"
 *     gate page    private, wiped on fork    ┌─ 0           tallies: one of 256 bytes for each row
 *     table        private: rows of 256 bytes│  table_size  states: max_threads of state_stride bytes
 *     tallies ───────────────────────────────┘
 *     record  of the code file (recovery_record.c)
 *   elsewhere
 *     states  shared with the tracer
 *     stacks  private: STACK_SIZE for each thread
 *     cells   private: what is kept of open calls, all threads' (call_frames.S); only if something is
 *     walk    private: unwind tables, and a cache of their rules (walk.S); only if probes take stacks
 *     stacks that were taken, shared with the tracer, at the end of that file; only then
 *
 * A thread is identified by the word at fs:0. Every Linux C library makes that the address of the thread's own
 * control block. Bits 12 and up of it choose the row where the thread's slot is looked for. The Go runtime has no
 * such word, without cgo. So where functions of Go are probed, the base of the segment fs identifies the thread, and
 * its bits 10 and up choose the row, because what it points to is smaller. The dispatcher finds a slot that is
 * elsewhere (a collision) by linear probing, off the hot path. A row that is claimed by `owner` stays that owner's
 * when the thread has ended: a new thread that gets the same control block continues with it, which additive state
 * allows. But when all states are in use, a new thread takes the state of one that has ended (dispatch.S).
 *
 * `key` equals `owner` while the thread is outside probes, and is something else while it is inside one. It also
 * stays something else when a signal handler has left the probe for good; then the thread gets another row, or this
 * one again (dispatch.S). Row 0 belongs to no thread. Of a row the tracer reads only its tally, which has the same
 * offset in another table; the tally of row 0 is for all threads. The target can overwrite everything here at any
 * time, so the tracer trusts none of it.
 *
 * The gate is a word with two parts. Its first byte belongs to the tracer: 1 if probes are to run, else 0. It is 0
 * for good once a thread was about to deny itself Ward's memory. The second byte has flags that code in the target
 * sets (forbidden_calls.c) when the program is about to forbid a thread what stubs do. They stay until the process
 * ends, as the prohibition does. So one compare lets stubs through if the gate is open and has no flags; in all other
 * cases they look closer, off the hot path.
 *
 * Where the base of fs can be foreign (foreign_base.c), stubs read the base, off the hot path, and take the row by
 * one atomic exchange, since several threads may have the same base. The key is then the base itself. A C library's
 * control block begins with that address, so the row is the same on both paths.
 *
 * Rows are private memory, because a signal handler can fork at any instruction of a stub. The child continues in its
 * copy of the row, whose marks are its own, and can neither mark nor release its parent's. It finishes the probe that
 * it is in, or was about to enter, and runs no other one: the gate is closed to it.
 */
#ifndef WARD_LOADER_SLOTS_H
#define WARD_LOADER_SLOTS_H

#include "dispatch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_row {
	uint64_t key;
	uint64_t owner;
	uint64_t state; /* address in the target */
	uint64_t stack; /* top of the slot's own stack, in the target */
	uint64_t keep;  /* its struct wl_keep, at the lower end of that stack */
	/* of row 0: not 0 once stacks were seen to be put back where others had been meanwhile (call_frames.S) */
	uint64_t copies;
	uint64_t thrown;    /* of the call that is being kept: as in struct wl_call */
	uint64_t known;     /* WL_KNOWN and others; of row 0 not that, but recovery_record.c's */
	uint64_t event[16]; /* struct ward_event */
	/* of row 0: the row that was checked last when a state of an ended thread was needed; */
	uint64_t hand;
	uint64_t rest; /* and when that may be wanted again, by the time stamp counter */
	/* a run of probes that events came within, and how many of these were dropped (dispatch.S) */
	uint64_t run, within;
	uint64_t pad[4];
};

/*
 * Of the gate: its first byte; and flags (dispatch.h), which say what may kill the target:
 *
 *	WL_NO_TIME   to read the time stamp counter: PR_SET_TSC, strict seccomp
 *	WL_NO_CALLS  to make system calls: seccomp, PR_SET_SYSCALL_USER_DISPATCH
 *	WL_FOREIGN   to believe that a control block is at fs:0
 *	WL_SHUT      to write to memory of ours: pkey_set. The gate is closed then, for good
 */
enum { WL_GATE_OPEN = 1 };

/*
 * Row 0 has key and owner WL_NOBODY: it matches no thread, not even one whose word at fs:0 is zero, and can't be
 * claimed.
 */

/*
 * What the tracer reads. Rows and tallies have the same offset in a page. A processor that first compares the low
 * bits of addresses would mistake the marking of a row for the later increment of its tally, and wait. So no word
 * that is written has the same position in both.
 */
struct wl_tally {
	uint64_t pad[24]; /* where the row has its fields */
	uint64_t events;  /* probe runs */
	/* events that came while the row's thread was inside a probe; of row 0, those of threads that got no row */
	uint64_t dropped;
	uint64_t states; /* of row 0: states handed out; may run past max_threads */
	/* of row 0: the gate was closed by code in the target (forbidden_calls.c), and no event has been seen since */
	uint64_t shut;
	uint64_t pad2[4];
};

enum {
	WL_ROW_SIZE = 256,
	WL_MAX_THREADS = 65535,
	WL_DEFAULT_THREADS = 1024,
	WL_STACK_SIZE = 65536, /* a signal handler may run on it */
	WL_PAGE = 4096,
};

_Static_assert(offsetof(struct wl_tally, events) >= offsetof(struct wl_row, hand),
	"what is written of a row and of its tally is apart");
_Static_assert(
	sizeof(struct wl_row) == WL_ROW_SIZE && sizeof(struct wl_tally) == WL_ROW_SIZE, "the stub scales rows by 256");

/* The plan, made by the tracer. */
struct wl_slots {
	uint32_t rows; /* a power of two */
	bool by_base;  /* threads are known by the base of fs */
	/* they are while the gate has WL_FOREIGN, as that may not be what the C library has made it (foreign_base.h) */
	bool foreign;
	bool no_block; /* and it isn't known that a control block is there */
	bool reclaims; /* states of threads that have ended are given out again */
	/*
	 * offset in the control block of the thread's id, which the kernel clears when the thread has ended; 0:
	 * unknown
	 */
	uint32_t id_at;
	uint32_t max_threads;
	uint64_t state_stride;
	uint64_t gate; /* addresses in the target; the gate, the table, the tallies and the record below 2 GiB */
	uint64_t table;
	uint64_t tallies;
	uint64_t states;
	uint64_t stacks;
	uint64_t cells;
	uint64_t
		walk; /* what walks of stacks use: a cache, and the unwind tables (unwind_tables.h); 0: there is none */
	uint64_t interned;                                         /* struct wl_stacks */
	uint64_t table_size, states_size, stacks_size, cells_size; /* the tallies are as large as the table */
};

/* Is that key a mark (dispatch.S)? */
static inline bool wl_is_mark(uint64_t key)
{
	return key >> 63;
}

/* Rounded up to whole pages. */
static inline uint64_t wl_pages(uint64_t v)
{
	return (v + WL_PAGE - 1) & ~(uint64_t)(WL_PAGE - 1);
}

/* Sizes for so many threads with so much state each; addresses are left zero. */
void wl_slots_plan(struct wl_slots *s, uint32_t max_threads, uint32_t state_size);

#endif
