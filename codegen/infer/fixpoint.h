/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract states of one function at its block heads, and the ranks of its loops. */
#ifndef WARD_INFER_FIXPOINT_H
#define WARD_INFER_FIXPOINT_H

#include "cfg.h"
#include "contract.h"
#include "join.h"
#include "packed_state.h"
#include "verifier/proof/rank.h"

/* A location that a loop moves by the same stride in every iteration, from one of `start`. */
struct counted {
	struct wv_loc loc;
	int64_t stride;
	struct wv_num start;
	uint32_t sym; /* the location's identity at the head: symbol + add */
	uint64_t add;
	bool low; /* only as long as it fits in 32 bits */
};

/* A loop moves `moving` by `stride` towards `bound` and compares the two for equality. */
struct ordered {
	struct wv_loc moving, bound;
	int64_t stride;
};

/* How a loop is ranked, and what else it counts. */
struct ranked {
	bool found;
	enum wv_view view;
	struct wv_loc loc;
	int64_t step; /* at least */
	bool number;  /* no pointer */
	bool exact;   /* always by `step` */
	uint32_t sym;
	uint64_t add;
	struct counted *counted;
	uint32_t n_counted, cap_counted;
	struct ordered ordered[WV_MAX_DISTANCES];
	uint32_t n_ordered;
};

struct analysis {
	const struct wv_module *m;
	const struct code *code;
	const struct function *f;
	struct contracts *contracts;
	struct contract *contract; /* of f */
	struct packed_state *in;   /* by block */
	struct ranked *ranks;      /* by loop */
	uint32_t *base;            /* by block: its first symbol */
	struct thresholds thresholds;
	bool guess, guessed; /* may the ranking assume that counters don't wrap (ranking.c)? did it? */
};

/*
 * Analyse under `own`, the contract of `f`, whose results are found on the way; release with fixpoint_free whatever it
 * returns. False: no memory.
 */
bool fixpoint_run(struct analysis *a, const struct wv_module *m, const struct code *code, const struct function *f,
	struct contracts *contracts, struct contract *own);
void fixpoint_free(struct analysis *a);

#endif
