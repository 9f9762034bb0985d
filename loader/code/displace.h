/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging whether the first instructions of a function can move elsewhere, and moving them. displace.c describes how.
 */
#ifndef WARD_LOADER_DISPLACE_H
#define WARD_LOADER_DISPLACE_H

#include "loader/base/asm.h"

enum {
	WL_JUMP_SIZE = 5,
	WL_SHORT_SIZE = 2,
	WL_DISPLACED_MAX = 5 + 14, /* four bytes and the longest instruction */
	WL_DISPLACED_INSNS = 5,
	WL_PRESERVED = 1 << RBX | 1 << RBP | 0xf000, /* registers that are the same at both ends of a call */
	WL_DISPLACED_EMITTED_MAX = 160, /* bytes that wl_displaced_emit may need, the jump back included, events not */
};

/* A function's code. */
struct wl_function {
	uint64_t addr;
	const uint8_t *code;
	size_t size;      /* of the function */
	size_t available; /* bytes at `code`, at least `size`: what follows may be padding */
	bool next_known;  /* another function begins at addr + next */
	uint64_t next;
	uint64_t frames; /* the unwind tables of its file (unwind.h), or 0 */
	bool go;         /* made by the Go compiler */
	/* Of another attachment's patch there (original.c): */
	/* bytes at the beginning that it has displaced behind an event: no exit of ours can be among them */
	size_t taken;
	size_t joined; /* our patch of the entry takes what begins before this, so that exits can be among it */
};

/*
 * How a site is patched: five bytes at `addr` become a jump or a call to a stub; or two bytes there a jump to five
 * bytes of padding, the cave, which become a jump to the stub.
 */
struct wl_displaced {
	uint64_t addr;
	bool is_call;         /* a call that is redirected to the stub; nothing is displaced */
	bool by_slot;         /* it goes through memory, call *slot(%rip): its patch changes the slot's address */
	uint64_t call_target; /* or the address of the slot */
	uint32_t depth;       /* bytes pushed since the function's entry */
	uint16_t changed;     /* bits of registers that have been saved and changed since; */
	uint8_t saved_at[16]; /* and how far below the return address, each of WL_PRESERVED */
	uint8_t bytes[WL_DISPLACED_MAX]; /* of the function, as its file has them */
	/* as they are before the patch is made, with another attachment's jump (original.c) */
	uint8_t below[WL_DISPLACED_MAX];
	/* where that continues: the last instruction begins there. `behind`: after all of them. 0: nowhere */
	uint64_t onward;
	uint8_t n_back; /* from the copies of so many instructions a thread may be moved back */
	uint8_t len;    /* of the displaced instructions */
	uint8_t n_insns;
	uint8_t exits; /* bit i: by instruction i the function is left; of a point: the event is before it */
	bool is_point;
	bool behind; /* the entry's event is behind the displaced instructions, not before them */
	/*
	 * the first of them has four bytes, and the jump's fifth must equal the byte that is there: a thread may
	 * continue with the second
	 */
	bool keeps;
	bool lacks_room; /* the function is shorter than a jump: the patch can only be a short one, to a cave */
	uint64_t cave;   /* 0: none */
	uint8_t cave_bytes[WL_JUMP_SIZE];
	uint8_t at[WL_DISPLACED_INSNS]; /* offset of each instruction in bytes */
	/* offset of its copy from the copy's start; filled by wl_displaced_emit */
	uint16_t moved_to[WL_DISPLACED_INSNS];
};

extern const char wl_too_short[];

/*
 * Decide how to patch the function. Returns NULL and fills *d, or a static string: why it can't be. If it then lacks
 * room, it has no cave yet; without one the reason is wl_too_short.
 */
const char *wl_displace(const struct wl_function *f, struct wl_displaced *d);

/*
 * Emits what happens right before the function is left, or behind what is displaced; every register is then as the
 * function has it, flags are dead. `tail`: it is left by a jump.
 */
typedef void wl_exit_fn(void *arg, struct wl_code *c, bool tail);

/*
 * Emit the displaced instructions at their new place and the jump back, or the jump to the call's target. `at_exit`, if
 * not NULL, is called before each exit; and `behind`, behind them all. Returns NULL, or why it can't be.
 */
const char *wl_displaced_emit(
	struct wl_code *c, struct wl_displaced *d, wl_exit_fn *at_exit, wl_exit_fn *behind, void *arg);

#endif
