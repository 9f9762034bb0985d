/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A concrete machine inside an abstract state, and the test whether it still is.
 *
 * A world is one abstract state with two concrete machines in it, which differ only in what belongs to the host:
 * uninitialised registers and stack bytes, saved registers, the upper part of a partly set register. Two machines
 * show more than one: whatever the abstract state calls the probe's own must be the same in both, or the host's data
 * has leaked into it.
 */
#ifndef WARD_TESTS_MACHINE_H
#define WARD_TESTS_MACHINE_H

#include "draw.h"
#include "native.h"
#include "verifier/domain/state.h"
#include "verifier/step/step.h"

enum { WORLD_SYMBOLS = 4096, STACK_ROOM = 1024 }; /* STACK_ROOM: bytes of stack that a probe may use */

struct machine {
	struct native_regs regs;
	uint64_t entry[16]; /* registers at the probe's entry */
	uint8_t region[NATIVE_REGIONS][NATIVE_REGION_BYTES];
};

/* The number that a symbol stands for, learnt from the first location that is seen to hold it. */
struct symbol {
	bool known, low_known;
	uint64_t value;
	uint32_t low;
};

struct world {
	struct draw *draw;
	struct native *native;
	struct wv_module module;
	struct wv_sink sink;
	struct wv_ctx ctx;
	struct wv_state *state;
	struct machine machine[2];
	uint8_t start[NATIVE_REGIONS][NATIVE_REGION_BYTES]; /* machine 0's memory before the first step */
	/* addresses of the regions; of the stack: the entry's rsp */
	uint64_t base[NATIVE_REGIONS];
	struct symbol symbol[WORLD_SYMBOLS];
	/* registers that instructions like to name, so that they have to do with each other */
	uint8_t favourite[3];
	const char *wrong; /* why the machine is not in the state */
	int where;         /* location: register 0–15, slots from 16 */
};

/* Draw a world. `world->state` must point to a state. */
void world_draw(struct world *w);

/* Bytes of a region; 0 for the stack. */
uint64_t world_region_size(const struct world *w, unsigned region);

/* Give a register, or a stack slot, a number of its own that both machines hold. */
void world_set_number(struct world *w, unsigned reg, uint64_t value, const struct wv_num *n);
void world_set_slot(struct world *w, uint32_t slot, uint64_t value, const struct wv_num *n);
/* Write eight bytes to both machines' stacks, at the entry's rsp plus `offset`. */
void world_poke(struct world *w, int64_t offset, uint64_t value);

/* Run the placed instruction on machine i: what the processor makes of registers and memory. */
enum native_outcome world_run(struct world *w, int i);

/*
 * Are both machines inside the abstract state, and equal wherever that claims the probe's own? Otherwise `wrong` says
 * why.
 */
bool world_holds(struct world *w, const struct wv_state *st);

/* Has a machine's memory changed outside of what the probe may write? */
bool world_escaped(struct world *w);

#endif
