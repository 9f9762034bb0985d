/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much work an inference may do. The analysis of a function isn't linear: blocks are interpreted again until
 * loops settle, and a block's state may have hundreds of places on the stack. So all work is counted. When a module
 * needs more than a fixed multiple of its size, the inference gives up, at the same point on every machine. What
 * compilers make of probes needs a small part of that.
 */
#ifndef WARD_INFER_EFFORT_H
#define WARD_INFER_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A unit is about seventy of the processor's instructions. */
enum {
	FREE_UNITS = 24000000,
	UNITS_PER_BYTE = 350,   /* of the module's file */
	FREE_PRUNING = 8000000, /* the same for leaving out claims that nothing needs */
	PRUNING_PER_BYTE = 250,
	FREE_MEMORY = 6 << 20,
	MEMORY_PER_BYTE = 320,
	MEMORY_PER_PROOF = 40, /* for each byte of the proof, once it is read */
	UNITS_PER_INSN = 30,   /* to step over one, besides the verifier's steps (V-06), */
	UNITS_PER_BRANCH = 40, /* for a branch more than for others, */
	UNITS_PER_STATE = 20,  /* and to handle a state, */
	SLOTS_PER_UNIT = 2,    /* which may have many slots */
};

/* Of the verifier's steps of work. */
static inline uint64_t units_of(uint64_t steps)
{
	return steps + steps / 2;
}

struct effort {
	uint64_t units; /* that are left */
	size_t memory;  /* bytes that may still be kept of states, and of claims */
	bool too_long, too_large;
};

static inline struct effort effort_for(size_t file_size)
{
	return (struct effort){.units = FREE_UNITS + UNITS_PER_BYTE * (uint64_t)file_size,
		.memory = FREE_MEMORY + MEMORY_PER_BYTE * file_size};
}

/* Spend `units`. False: fewer are left. */
static inline bool effort_spend(struct effort *e, uint64_t units)
{
	e->too_long |= units > e->units;
	e->units = e->too_long ? 0 : e->units - units;
	return !e->too_long;
}

static inline bool take_room(struct effort *e, size_t bytes)
{
	if (bytes > e->memory) {
		e->too_large = true;
		return false;
	}
	e->memory -= bytes;
	return true;
}

static inline void give_room(struct effort *e, size_t bytes)
{
	e->memory += bytes;
}

#endif
