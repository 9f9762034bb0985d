/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stubs keep of a call from its entry to its return. call_frames.S has the code, which call_frames.c copies into
 * the target behind a struct wl_calls: trusted code.
 *
 * The constants are for assembly, too.
 */
#ifndef WARD_LOADER_CALL_FRAMES_H
#define WARD_LOADER_CALL_FRAMES_H

/* Of a cell (struct wl_call). */
#define WL_CALL_SP 0
#define WL_CALL_OWNER 8
#define WL_CALL_OPEN 16
#define WL_CALL_SITE 24
#define WL_CALL_FLAGS 28
#define WL_CALL_TIME 32
#define WL_CALL_REGS 40
#define WL_CALL_ARG 48
#define WL_CALL_THROWN 96
#define WL_CALL_CALLER 104
#define WL_CALL_AT 112

#define WL_CALL_SIZE 128
#define WL_CALL_GROUP 1024 /* bytes of the cells among which one of a given address is */

/*
 * Of `open`: no call is open, and none of the same address in another cell; no call is. Everything else is a return
 * address.
 */
#define WL_CALL_CLOSED 0
#define WL_CALL_LOOK 1

/* Of `flags`: */
#define WL_CALL_SHARED 1 /* another call at the same address may still be open: the registers decide */
#define WL_CALL_LATER 2  /* another one began after it */
/* another one was open before it, and a jump or an exception is assumed to have left that one */
#define WL_CALL_GUESSED 4
#define WL_CALL_LEFT 8     /* a jump or an exception went past it */
#define WL_CALL_UNKNOWN 16 /* it counts several calls that can't be distinguished; their number is in `time` */

/* Of what an owner has (struct wl_keep). */
#define WL_KEEP_HAND 0
#define WL_KEEP_NEXT 8
#define WL_KEEP_RAISED 16
#define WL_KEEP_LIST 128

#define WL_RAISED 4   /* how many exceptions in flight are remembered */
#define WL_LISTED 512 /* cells of one owner */

/* Which parts are wanted. */
#define WL_WANTS_TWO 1
#define WL_WANTS_FOUR 2
#define WL_WANTS_THROWN 4
#define WL_WANTS_TIME 8

/* Of struct wl_calls. */
#define WL_CALLS_SIZE 64

#ifndef __ASSEMBLER__

#include "loader/base/asm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_slots;

/*
 * A cell: what is kept of one call. While it has an owner, only that owner's thread changes it. An unused cell has
 * zeros there.
 */
struct wl_call {
	uint64_t sp;    /* where the return address lies: which call it is */
	uint64_t owner; /* address of its struct wl_keep */
	uint64_t open;  /* the return address, while it is */
	uint32_t site, flags;
	uint64_t time;
	uint64_t regs; /* of the registers that are the same at both ends */
	uint64_t arg[6];
	uint64_t thrown; /* what runs the probes if an exception leaves the function: code of its site; 0: nothing */
	uint64_t caller; /* kept only with that */
	uint64_t at;     /* where the owner has it listed */
	uint64_t pad;
};

/* At the lower end of a slot's own stack. */
struct wl_keep {
	uint64_t hand, next; /* of the list, and of the exceptions */
	struct {
		uint64_t exception, sp;
	} raised[WL_RAISED];
	uint64_t walk_owner, walk_from, walk_to; /* walk.h */
	uint64_t pad[3];
	uint64_t list[WL_LISTED]; /* addresses of which it has cells */
	uint8_t walk_page[4096];  /* walk.h */
};

struct wl_calls {
	uint64_t table, tallies, cells, factor;
	uint32_t pages; /* of cells, less one, times their size */
	uint32_t wants;
	uint64_t stacks, stacks_size;
	uint64_t pad;
};

/*
 * Addresses of what stubs call. Each takes the row in r10 and a stack pointer in r11, and leaves all registers as
 * they are but r11 and the flags.
 */
struct wl_calls_at {
	uint64_t enter;  /* a call begins. The site is in the row's event, and `thrown` in the row */
	uint64_t leave;  /* it returns. ZF is set if it is known: what is wanted of it is in the event then */
	uint64_t over;   /* it returns, and nothing is wanted of it */
	uint64_t missed; /* one of both, for which the thread had no row: r10 means nothing */
	uint64_t raised; /* an exception (rdi) is raised */
	uint64_t caught; /* it (rdi) has been caught. ZF is set if it has left a call that has probes for that, the
			    innermost first: what is wanted of it is in the event then, and r11 is what runs them */
	uint64_t jumps;  /* longjmp is called with rdi; `ends` is what there is instead if the thread ends */
	/* the same of a jump for which the thread had no row, as it leads out of a probe: r10 is that probe's */
	uint64_t jumped;
	uint64_t ends;
};

/*
 * Emit them, one set for each area of stubs. `fields` are those that probes read, `throws`: some are for exceptions.
 */
struct wl_calls_at wl_calls_emit(struct wl_code *c, const struct wl_slots *slots, unsigned fields, bool throws);

/* How many bytes that takes. */
size_t wl_calls_size(void);

/* How many bytes of cells there are for so many threads: a power of two of pages. */
uint64_t wl_cells_size(uint32_t max_threads);

#endif
#endif
