/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatcher: what a stub calls if the row at hand isn't the thread's. dispatch.S has the code, which dispatch.c
 * copies into the target behind a struct wl_dispatch: trusted code.
 *
 * The constants are for assembly, too.
 */
#ifndef WARD_LOADER_DISPATCH_H
#define WARD_LOADER_DISPATCH_H

/* Of a row (slots.h). */
#define WL_ROW_KEY 0
#define WL_ROW_OWNER 8
#define WL_ROW_STATE 16
#define WL_ROW_STACK 24
#define WL_ROW_KEEP 32
#define WL_ROW_COPIES 40
#define WL_ROW_THROWN 48
#define WL_ROW_KNOWN 56
#define WL_ROW_EVENT 64
#define WL_ROW_HAND 192
#define WL_ROW_REST 200
#define WL_ROW_RUN 208
#define WL_ROW_WITHIN 216

/* Words of its event. */
#define WL_EVENT_CALLER 7
#define WL_EVENT_ELAPSED 11
#define WL_EVENT_SITE 12
#define WL_EVENT_SP 13

/* Of a tally. */
#define WL_TALLY_EVENTS 192
#define WL_TALLY_DROPPED 200
#define WL_TALLY_STATES 208

/*
 * A key that no thread has at fs:0: the thread is about to get a state. Keys with bit 63 are marks: another thread
 * checks whether this one has ended.
 */
#define WL_TAKING 1
/* Owners that aren't threads: of row 0; and of a row that was given up, which any thread may claim. */
#define WL_NOBODY 0x4000000000000000 /* no address, so no base either */
#define WL_GONE 2

/*
 * What is known of a row's thread: its control block begins with its own address, as the ABI requires; and its id is
 * where it is expected.
 */
#define WL_KNOWN_SELF 1
#define WL_KNOWN_ID 2
#define WL_KNOWN 4 /* it has been checked */

/* No control block is below. */
#define WL_LEAST_BASE 4096

/* Where the gate's flags are, and what they mean (slots.h). */
#define WL_GATE_FLAGS 1
#define WL_NO_TIME 1
#define WL_NO_CALLS 2
#define WL_FOREIGN 4
#define WL_SHUT 8

#define WL_STACK_SHIFT 16

/* Of struct wl_dispatch. */
#define WL_DISPATCH_SIZE 80

#ifndef __ASSEMBLER__

#include "loader/base/asm.h"

#include <stddef.h>

struct wl_slots;

struct wl_dispatch {
	uint64_t table, tallies, states, stride, stacks;
	uint32_t mask, most; /* the last row's offset; states */
	uint32_t id_at;      /* as struct wl_slots has it */
	uint32_t reclaims;
	uint32_t gate;
	/* with these flags of the gate it isn't known that a control block of the C library is at fs:0 */
	uint32_t doubt;
	uint32_t has_base; /* the processor can read the base of fs (rdfsbase) */
	uint32_t pad[3];
};

/* Emit the dispatcher, one for each area of stubs, and return its address. */
uint64_t wl_dispatcher(struct wl_code *c, const struct wl_slots *slots);

/* How many bytes that takes. */
size_t wl_dispatcher_size(void);

#endif
#endif
