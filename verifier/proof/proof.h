/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proof of a module, parsed. spec/proof.md is the format. The verifier believes nothing in it before
 * verifier/check has checked it.
 */
#ifndef WARD_VERIFIER_PROOF_H
#define WARD_VERIFIER_PROOF_H

#include "verifier/domain/state.h"

/*
 * Which measure of its ranking location a loop moves: the number in one of its views, its length in bits, or how many
 * of its bits are ones.
 */
enum wv_view { WV_U64, WV_S64, WV_U32, WV_S32, WV_LENGTH, WV_ONES };

/* Where a claim is about: a register (slot 0) or a stack slot. */
struct wv_loc {
	uint8_t reg;
	uint16_t slot; /* n ≥ 1, or 0 */
};

enum wv_claim_kind { WV_CLAIM_UNINIT, WV_CLAIM_SAVED, WV_CLAIM_NUMBER, WV_CLAIM_POINTER, WV_CLAIM_BYTES };

/* Bits of a claim's `which`, in the order of their bodies. */
enum {
	WV_FACT_U64 = 1,
	WV_FACT_S64 = 2,
	WV_FACT_U32 = 4,
	WV_FACT_S32 = 8,
	WV_FACT_BITS = 16,
	WV_FACT_WIDTH = 32,
	WV_FACT_GROUP = 64,
	WV_FACT_GHOST = 128,
	WV_FACT_MOD = 256,
	WV_FACT_LEAD = 512,
	WV_ALL_FACTS = 1023
};

/* What is claimed of a number (or of an offset). */
struct wv_facts {
	struct wv_num n;
	uint64_t add;   /* WV_FACT_GROUP: to what the group has in common; WV_FACT_GHOST: to the ghost */
	uint32_t of;    /* the group, or the ghost of the function */
	uint16_t which; /* facts given */
	uint8_t cursor; /* WV_FACT_LEAD: the cursor of the function that the location is ahead of, */
	uint32_t ahead; /* by at least so much */
	uint8_t width;  /* 64, or of a number: 8 or 16 low bits (registers), or 4 low bytes given as 32 (slots) */
};

struct wv_claim {
	struct wv_loc loc;
	uint8_t kind;   /* enum wv_claim_kind */
	uint8_t region; /* pointer: region; saved: register */
	uint8_t mask;   /* bytes */
	/* of a number or pointer; a claim of another kind points to facts that say nothing */
	const struct wv_facts *facts;
};

/* How far apart two locations are: b - scale * a is one of facts->n. */
struct wv_distance_claim {
	struct wv_loc a, b;
	int32_t scale;
	bool mixed; /* a is a number and b a pointer; else both are numbers or, at scale 1, pointers into one region */
	const struct wv_facts *facts;
};

struct wv_loop {
	uint32_t head, end; /* blocks head … end - 1 of the function */
	uint32_t parent;    /* enclosing loop, or WV_NO_LOOP */
	uint8_t view;       /* enum wv_view */
	struct wv_loc rank;
	int64_t step; /* each back edge moves the ranking location at least this far, in this direction */
	/* of the function: the ranking location's, then those of the counted locations */
	uint32_t first_ghost, n_ghosts;
	/*
	 * the claim of the ranking location at the head: its facts are the range that the location moves in; NULL if
	 * no claim bounds it
	 */
	const struct wv_claim *claim;
	/*
	 * the most back edges that control can take for each entry to the loop, while the location moves by at least
	 * the claimed step within this range
	 */
	uint64_t back_edges;
	/* Filled in by the check: */
	/*
	 * cost before the loop, of its longest path from the head to a back edge, and of its longest path from the
	 * head out
	 */
	uint64_t entry, iteration, leaving;
	/*
	 * The cursor of the function that the loop's ranking location moves, counted from 1; 0: none. `alone`: each
	 * back edge moves it by a step of its own, beside what the loops within this one move it.
	 */
	uint32_t cursor;
	bool alone;
	uint32_t first_cursor, n_cursors; /* those that the loop owns */
	/* Filled in by the check: what the back edges of the loops within it cost that share its cursor */
	uint64_t inner;
};

/*
 * A cursor: a number that some loops of a nest have in common and move in one direction only. It begins, far behind all
 * values, where control enters the loop that owns it. At the head of each loop that shares it, it becomes the value
 * of that loop's ranking location, which must not be behind it.
 */
struct wv_nest_cursor {
	uint32_t owner; /* a loop of the function */
	bool down;      /* its direction */
	int64_t lo, hi; /* what it is at the heads of the loops that share it */
	/* Filled in by the check: what the back edges of those loops cost, for each entry to the owner */
	uint64_t spent;
};

/*
 * A value that stays the same during one iteration: what a location held when control was last at the loop's head.
 * Ghost i has symbol i + 1. A counted location's value there is start + stride * k in iteration k.
 */
struct wv_ghost {
	struct wv_loc loc;
	int64_t stride; /* 0: the ranking location, of which only the range is claimed */
	uint32_t loop;
};

/*
 * One cache line: there are many blocks, and the check visits them in the order of addresses and in that of the
 * proof.
 */
struct wv_block {
	uint32_t addr; /* offset in the text */
	uint32_t depth;
	uint32_t function;
	uint32_t loop;                            /* innermost, of the function; or WV_NO_LOOP */
	uint16_t n_claims, n_groups, n_distances; /* groups 0 … n_groups - 1 are claimed */
	uint16_t xmm;                             /* xmm registers that are claimed to be the probe's own */
	const struct wv_claim *claims;
	const struct wv_distance_claim *distances;
	/* Filled in by the check: */
	uint64_t cost; /* most instructions before this block, within its innermost loop's iteration */
	uint32_t first_event, n_events;
	uint32_t jump;      /* the last jump through a table that leads here (wv_check.n_jumps) */
	bool seen, reached; /* the sweep has visited it; control can reach it */
	/* Of the proof again, where there is room for it: how many of the claims are ahead of a cursor */
	uint8_t n_leads;
};

struct wv_function {
	uint64_t entry; /* offset in the text */
	/* The contract: block 0's claims say what callers must have in registers. */
	struct wv_window lent[WV_MAX_LENT]; /* windows that callers pass; an unused one has size 0 */
	/* scratch registers (from bit 16 on xmm registers) that neither the function nor any callee ever writes */
	uint32_t keeps;
	uint32_t n_results;
	const struct wv_claim *results; /* claims of rax and rdx that hold at every return */
	uint32_t n_loops, n_blocks, n_ghosts, n_cursors;
	struct wv_loop *loops;
	struct wv_nest_cursor *cursors;
	struct wv_block *blocks;
	struct wv_ghost *ghosts;
	/* Filled in by the check: */
	uint32_t stub; /* if it is the stub of an import: the import's number, plus one */
	uint32_t stack_bytes;
	uint32_t written;
	uint16_t event_fields;
	bool writes_state, aligned;
	uint64_t imports; /* mask of the module's imports, by number */
	uint32_t needs;
	uint64_t cost;
};

enum {
	WV_NO_LOOP = 0xffffffff,
	WV_MAX_NESTING = 32,
	WV_MAX_COUNTED = 32,
	WV_MAX_CURSORS = 255,
	WV_MAX_LEADS = 8,
	WV_MAX_CLAIMS = WV_NREG + WV_MAX_SLOTS
};

_Static_assert(WV_MAX_CLAIMS <= UINT16_MAX, "a block's numbers of claims and groups have 16 bits");

struct wv_proof {
	uint8_t version;
	uint32_t n_functions;
	uint32_t n_blocks; /* of all functions */
	struct wv_function *functions;
	struct wv_block *blocks;
	struct wv_loop *loops;
	struct wv_ghost *ghosts;
	struct wv_nest_cursor *cursors;
	struct wv_claim *claims;
	struct wv_distance_claim *distances;
	struct wv_facts *facts;
};

/* Bytes of memory that wv_proof_parse needs at most for this module's proof. */
size_t wv_proof_arena(const struct wv_module *m);
/* Parse into memory of that size (aligned to 16). False: V-04 or V-05 was reported. */
bool wv_proof_parse(struct wv_proof *p, const struct wv_module *m, void *arena, struct wv_sink *sink);

/*
 * Reads claims one after another and decodes each once. A value's facts are claimed at each block that the value
 * lives through, so claims with the same encoding as a recent one share its facts. `facts` has room for those of all
 * claims to be read.
 */
enum { WV_RECENT_FACTS = 512 };

struct wv_claim_reader {
	struct wv_facts *facts;
	uint32_t n_facts;
	struct {
		struct wv_bytes encoded;
		const struct wv_facts *facts;
	} recent[WV_RECENT_FACTS];
};

/* `facts` has room for the empty first facts, and at most one more for each claim. */
void wv_claim_reader_init(struct wv_claim_reader *r, struct wv_facts *facts);
/* False at the end, or at bad bytes. */
bool wv_claim_read(struct wv_claim_reader *r, struct wv_bytes *rest, struct wv_claim *claim);
bool wv_distance_read(struct wv_claim_reader *r, struct wv_bytes *rest, struct wv_distance_claim *claim);

/* ---- calls, call.c ---- */

/*
 * Call `callee` in state `st`: its contract must hold of the registers, and it gets its windows; afterwards only its
 * results are known. NULL, or what is wrong with the call, written to `why`.
 */
const char *wv_call(struct wv_ctx *ctx, const struct wv_function *callee, struct wv_state *st, char *why, size_t size);
/* Do the results hold in the state of a return? */
bool wv_results_hold(const struct wv_function *f, const struct wv_state *st, char *why, size_t size);

/* Does loop l (of f) enclose block b? */
static inline bool wv_loop_has(const struct wv_function *f, uint32_t l, uint32_t b)
{
	return b >= f->loops[l].head && b < f->loops[l].end;
}

/* ---- claims and states, claims.c ---- */

/* The state that the block's claims describe. */
void wv_claims_load(struct wv_ctx *ctx, const struct wv_function *f, uint32_t block, struct wv_state *st);
/*
 * Is `st`, which reaches the block, contained in its claims? `back`: along a back edge to the loop that the block
 * heads. If not, `why` (size ≥ 1) says which claim fails and what is there.
 */
bool wv_claims_contain(
	const struct wv_function *f, uint32_t block, const struct wv_state *st, bool back, char *why, size_t size);
/* Does one claim without identity hold of a register? */
bool wv_claim_holds(const struct wv_claim *c, const struct wv_state *st);
/* A value of which just the claim is known. */
struct wv_val wv_claimed_value(struct wv_ctx *ctx, const struct wv_claim *c);
/* Fill in the loop's claim and the number of its back edges, from the claims of its head. */
void wv_rank_loop(const struct wv_function *f, struct wv_loop *l);

#endif
