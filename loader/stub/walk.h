/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The import that takes a thread's stack: what it needs in a target, and what it leaves there. walk.S has the code,
 * which imports.S contains: trusted code.
 *
 * The constants are for assembly, too.
 */
#ifndef WARD_LOADER_WALK_H
#define WARD_LOADER_WALK_H

#include "loader/symbols/stack_table.h"

/*
 * What a stub leaves for it at the upper end of a slot's own stack, by distance from there. Where the stack is
 * (WL_WALK_AT) is 0 if that isn't known.
 */
#define WL_WALK_RSP 8    /* the target's, in the stub */
#define WL_WALK_OWNER 16 /* of the row */
#define WL_WALK_RBP 24
#define WL_WALK_AT 32 /* at a function's entry or return where the return address is; at a tracepoint rsp */
#define WL_WALK_IP 40 /* the function; or the tracepoint, with bit WL_STACK_EXACT_BIT */

/*
 * In struct wl_keep (call_frames.h): the part of the thread's own stack that is known to be there, and whose it is; and
 * room for a copy of a page.
 */
#define WL_KEEP_OWNER 80
#define WL_KEEP_FROM 88
#define WL_KEEP_TO 96
#define WL_KEEP_PAGE 4224

/* Of struct wl_walk. */
#define WL_WALK_SIZE 64

/* Of a directory, and an entry of it. */
#define WL_DIR_N 0
#define WL_DIR_GENERATION 4
#define WL_DIR_ENTRIES 16
#define WL_DIR_START 0
#define WL_DIR_END 8
#define WL_DIR_ROWS 16
#define WL_DIR_N_ROWS 24
#define WL_DIR_SKEW 28
#define WL_DIR_SHIFT 5 /* its size */

/* Where the address of the directory is, in the gate's page. */
#define WL_GATE_DIRECTORY 64

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include "loader/base/asm.h"

/* Filled in in the copy of the code. */
struct wl_walk {
	uint64_t directory; /* where the address of the directory is */
	uint64_t cache;
	uint64_t stacks;     /* the table */
	uint64_t stack_top;  /* of the first thread's stack; 0: unknown */
	uint32_t cache_mask; /* of an entry's distance from its beginning, in bytes */
	uint32_t bucket_mask;
	uint64_t arena; /* words */
	uint64_t pad[2];
};

/*
 * Which code is described by which rows. The target reads it while it runs; so a directory is written once, and
 * another one takes its place when code comes or goes.
 */
struct wl_directory_entry {
	uint64_t start, end; /* a mapping */
	uint64_t rows;       /* address of struct wl_unwind_row */
	uint32_t n_rows;
	uint32_t skew; /* what the rows count from, below `start` */
};

struct wl_directory {
	uint32_t n, generation;
	uint64_t pad;
	struct wl_directory_entry v[];
};

/* Remembers rules by address. Two words that aren't of one writer don't fit each other, so it needs no lock. */
enum { WL_WALK_CACHE_ENTRY = 16, WL_WALK_CACHE_SIZE = WL_WALK_CACHE_ENTRY << 14 };

/* Fill in the copy of the imports' code at `at`. */
void wl_walk_fill(uint8_t *imports, const struct wl_walk *walk);

#endif
#endif
