/*
 * How much an inference may do. The analysis of a function is no linear thing: blocks are interpreted again until loops settle, and a block's state may have hundreds of places on the stack.
 * So all of it is counted, and where a module asks for more than a fixed multiple of its size the inference gives up, the same way on every machine. What compilers make of probes takes a small part of that.
 */
#ifndef WARD_INFER_EFFORT_H
#define WARD_INFER_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state.h"

/* A unit is about ten nanoseconds. */
enum {
	FREE_UNITS = 60000000,
	UNITS_PER_BYTE = 700,    /* of the module's file */
	FREE_KEPT = 6 << 20,
	KEPT_PER_BYTE = 320,
	KEPT_PER_PROOF = 32, /* for each byte of the proof, once it is read */
	UNITS_PER_INSN = 30,     /* to step over one, */
	UNITS_PER_STATE = 20,    /* and to handle a state, and one for each of its slots */
};

struct effort {
	uint64_t units; /* that are left */
	size_t kept;    /* bytes that may still be kept of states, and of claims */
	bool too_long, too_large;
};

static inline struct effort effort_for(size_t file_size)
{
	return (struct effort){.units = FREE_UNITS + UNITS_PER_BYTE * (uint64_t)file_size, .kept = FREE_KEPT + KEPT_PER_BYTE * file_size};
}

/* False: that is more than there is. */
static inline bool spend(struct effort *e, uint64_t units)
{
	e->too_long |= units > e->units;
	e->units = e->too_long ? 0 : e->units - units;
	return !e->too_long;
}

/* What it is to step over an instruction. At a branch the state is copied, and what the condition says is spread over it. */
static inline uint64_t effort_of(const struct wv_state *st, const struct wv_insn *i)
{
	bool moves = i->op == WV_JCC || i->op == WV_CALL || i->op == WV_JMP;
	return UNITS_PER_INSN + st->n_slots / 4 + (moves ? 2 * UNITS_PER_STATE + 4 * st->n_slots : 0);
}

static inline bool take_room(struct effort *e, size_t bytes)
{
	if (bytes > e->kept) {
		e->too_large = true;
		return false;
	}
	e->kept -= bytes;
	return true;
}

static inline void give_room(struct effort *e, size_t bytes)
{
	e->kept += bytes;
}

#endif
