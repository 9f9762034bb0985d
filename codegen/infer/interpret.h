/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreting one block with the verifier's step function. */
#ifndef WARD_INFER_INTERPRET_H
#define WARD_INFER_INTERPRET_H

#include "fixpoint.h"

/* Called for each exit that some execution may take, with the state that goes there. False: stop. */
typedef bool flow_fn(void *user, uint32_t from, const struct out *out, const struct wv_state *st);

struct machine {
	struct analysis *a;
	struct wv_sink sink;
	struct wv_ctx ctx;
	struct wv_state *st, *edge;
	bool settled;    /* calls and returns count for the contracts */
	bool everything; /* also exits that can't be taken: only to reach blocks that nothing else reaches, */
	bool *reached;   /* which are those that weren't when that began */
};

/* Step over block b from the state kept at its head. False: `fn` stopped it, or it took too long. */
bool interpret(struct machine *k, uint32_t b, flow_fn *fn, void *user);

#endif
