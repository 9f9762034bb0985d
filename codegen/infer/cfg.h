/* SPDX-License-Identifier: Apache-2.0 */
/* The control flow of one function: its blocks in proof order, and its loops. */
#ifndef WARD_INFER_CFG_H
#define WARD_INFER_CFG_H

#include "effort.h"
#include "verifier/file/module.h"
#include "verifier/decode/insn.h"
#include "verifier/proof/proof.h"

/*
 * The targets of jumps through tables, as far as they are known. The verifier reads them off the state at the jump.
 * But states come from interpreting the blocks, and the blocks behind a jump come from its targets. So the two are
 * found in turns (infer.c).
 */
struct cases {
	uint32_t *first; /* text offset of a jump → index + 1 of the first of its cases; 0: none */
	struct table_case {
		uint64_t to;   /* text offset */
		uint32_t next; /* index + 1 of the jump's next case; 0: none */
	} *v;
	uint32_t n, cap;
	uint32_t *noted;      /* text offset → the last list of cases in which it was, */
	uint32_t n_lists;     /* by the order in which they were looked at */
	bool exploring, grew; /* new ones may be added; one was */
};

/* Each member counts only in the build that it names. */
struct mark {
	uint32_t seen_by;  /* walked over */
	uint32_t block_by; /* a block starts here … */
	uint32_t block;    /* … with this number */
};

/* All instructions of the text that some entry can reach. */
struct code {
	const struct wv_module *m;
	struct wv_insn *insns;
	size_t n_insns, cap;
	uint32_t *at; /* text offset → index + 1 in insns; 0: none */
	/* text offset: a function starts here, so that a branch to it from another is a tail call */
	uint8_t *is_function;
	struct cases *cases;
	/*
	 * text offset: SPLIT_MAY, nothing ever falls through the branch before it (interpret.c); SPLIT, a block starts
	 * here
	 */
	uint8_t *splits;
	uint32_t *owners; /* text offset: how many functions have a block that starts here */
	/* text offset: what cfg_build has found here; shared, so that no build needs an array as large as the text */
	struct mark *marks;
	uint32_t n_builds;
	struct effort *effort;
	uint64_t nest; /* to where loops in one another count together (infer.h); 0: none do */
};

enum { SPLIT_MAY = 1, SPLIT };

/* An exit of a block: a branch, the fall into the next block, or a return, which has none. */
struct out {
	uint32_t insn; /* the branch; for a fall: the last instruction */
	uint32_t to;   /* block; for a tail call the block itself */
	uint8_t kind;  /* enum out_kind */
};
enum out_kind { OUT_TAKEN, OUT_JUMP, OUT_FALL, OUT_TAIL, OUT_CASE };

struct block {
	uint64_t addr;     /* text offset */
	uint32_t first, n; /* instructions */
	uint32_t first_out, n_outs;
};

struct loop {
	uint32_t head, end;
};

struct function {
	uint64_t entry;
	struct block *blocks; /* in proof order once cfg_order is done */
	uint32_t n_blocks, cap_blocks;
	struct out *outs;
	uint32_t n_outs, cap_outs;
	struct loop *loops; /* outermost first, by ascending head */
	uint32_t n_loops, cap_loops;
};

/*
 * Find the blocks, exits, order and loops of the function at text offset `entry`. Decodes into `code` as needed.
 * False: no memory.
 */
bool cfg_build(struct code *code, uint64_t entry, struct function *f);
void cfg_free(struct function *f);

/*
 * The jump through a table at text offset `jump` may go to `to`; those of one jump are added one after another, after
 * begin_cases. False: no memory.
 */
void begin_cases(struct cases *c, uint64_t jump);
bool add_case(struct cases *c, uint64_t jump, uint64_t to);

/* Grow an array of `size`-byte elements to hold one more. False: no memory. */
bool grow(void *array, uint32_t n, uint32_t *cap, size_t size);

#endif
