/* The abstract states of one function at its block heads, and the ranks of its loops. */
#ifndef WARD_INFER_FIXPOINT_H
#define WARD_INFER_FIXPOINT_H

#include "cfg.h"
#include "join.h"
#include "rank.h"

/* A state kept no larger than it is. */
struct kept {
	struct wv_state *st; /* only st->n_slots slots are there; NULL: nothing reaches the block */
};

/* How a loop is ranked. */
struct ranked {
	bool found;
	enum wv_view view;
	struct wv_loc loc;
	uint32_t sym; /* the location's identity at the head: symbol + add */
	uint64_t add;
};

struct analysis {
	const struct wv_module *m;
	const struct code *code;
	const struct function *f;
	struct kept *in;       /* by block */
	struct ranked *ranks;  /* by loop */
	uint32_t *base;        /* by block: its first symbol */
	struct thresholds thresholds;
};

/* Analyse; release with fixpoint_free whatever it returns. False: no memory. */
bool fixpoint_run(struct analysis *a, const struct wv_module *m, const struct code *code, const struct function *f);
void fixpoint_free(struct analysis *a);

#endif
