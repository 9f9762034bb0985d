/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the stacks that probes have taken, in memory that the target shares: what a handle stands for.
 *
 * A table is a head, buckets and an arena of words. A stack in the arena is a word with the number of its addresses and
 * how it ends, and the addresses, from the innermost function outwards. Its handle is the number of its first word,
 * with the number of the table among those of a session, and a bit that no address has. walk.S puts stacks there. The
 * constants are for assembly, too.
 */
#ifndef WARD_LOADER_STACK_TABLE_H
#define WARD_LOADER_STACK_TABLE_H

#define WL_STACK_BIT 52 /* of a handle */
#define WL_STACK_MOST 127

/*
 * Of an address: it isn't a return address, which lies behind its call. The kernel's addresses have this bit of their
 * own; there the bit below it says that it belongs to the address.
 */
#define WL_STACK_EXACT_BIT 63

/* How a stack ends; the last one is a flag beside the others. */
#define WL_STACK_WHOLE 0  /* at the thread's first function */
#define WL_STACK_CUT 1    /* there were more than wanted */
#define WL_STACK_LOST 2   /* what comes next couldn't be found */
#define WL_STACK_BY_RBP 4 /* not all code is described; there frame pointers were followed */
#define WL_STACK_OWNED 8  /* the table has stacks of many processes; two words before the addresses say whose it is */

#define WL_STACKS_USED 0
#define WL_STACKS_LOST 8
#define WL_STACKS_MARK 16
#define WL_STACKS_BUCKETS 64
#define WL_STACKS_TRIES 16 /* buckets that are looked at */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at first, but for the mark. */
struct wl_stacks {
	uint64_t used; /* words of the arena; may run past its end */
	uint64_t lost; /* stacks for which there was no room */
	uint64_t mark; /* what handles of this table have, beside the word's number; written by the tracer */
	uint64_t pad[5];
};

enum {
	WL_STACKS_N_BUCKETS = 1 << 16,
	WL_STACKS_WORDS_BITS = 20,
	WL_STACKS_WORDS = 1 << WL_STACKS_WORDS_BITS,
	WL_STACKS_TABLES = 1 << (32 - WL_STACKS_WORDS_BITS),
	WL_STACKS_SIZE = 4096 + 8 * (WL_STACKS_N_BUCKETS + WL_STACKS_WORDS) /* the head's page; not all of it is used */
};

struct wl_stack {
	unsigned how;
	size_t n;
	/* if owned: the process and, from bit 32 on, its start in ticks; the address where its first stack begins */
	uint64_t owner[2];
	uint64_t address[WL_STACK_MOST];
};

/* Is it the handle of a stack, and no address? */
static inline bool wl_is_stack(uint64_t address)
{
	return address >> 32 == (uint64_t)1 << (WL_STACK_BIT - 32);
}

/* The mark of a session's table of that number. Those that come too late share one, of which nothing is shown. */
static inline uint64_t wl_stacks_mark(uint32_t number)
{
	number = number < WL_STACKS_TABLES - 1 ? number : WL_STACKS_TABLES - 1;
	return (uint64_t)1 << WL_STACK_BIT | number << WL_STACKS_WORDS_BITS;
}

/* Map a table that a file has at this offset, to be read. NULL if that can't be done. */
const struct wl_stacks *wl_stacks_map(int fd, uint64_t offset);
void wl_stacks_unmap(const struct wl_stacks *stacks);

/* Words of the table's arena, from word `from` on, at most `most`: addresses, and what is between. Returns how many. */
size_t wl_stacks_words(const struct wl_stacks *stacks, size_t from, uint64_t *words, size_t most);

/* Put a stack there, once, in a table that only this thread writes to. Its handle; 0: there is no room. */
uint64_t wl_stacks_put(struct wl_stacks *stacks, const struct wl_stack *stack);

/* What a handle stands for. The target may have overwritten the table with anything. False: it is none. */
bool wl_stack_read(const struct wl_stacks *stacks, uint64_t handle, struct wl_stack *out);

/*
 * The stack whose first word is there (1: the first one), and *at is where the next one is. False: none has come there
 * yet.
 */
bool wl_stack_next(const struct wl_stacks *stacks, uint64_t *at, struct wl_stack *out);

#endif
#endif
