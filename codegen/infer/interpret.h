/* Interpreting one block with the verifier's step function, and keeping the states at block heads. */
#ifndef WARD_INFER_INTERPRET_H
#define WARD_INFER_INTERPRET_H

#include "fixpoint.h"

/* Called for each way out that some execution may take, with the state that goes there. False: stop, no memory. */
typedef bool flow_fn(void *user, uint32_t from, const struct out *out, const struct wv_state *st);

struct machine {
	struct analysis *a;
	struct wv_sink sink;
	struct wv_ctx ctx;
	struct wv_state *st, *edge;
	bool settled;    /* calls and returns count for the contracts */
	bool everything; /* also ways that can't be taken: only to reach blocks that nothing else reaches, */
	bool *reached;   /* which are those that weren't when that began */
};

/* Make `k` a copy of the state, no larger than it is, of what claims can say; or of all but slots that aren't there. False: no memory. */
bool keep(struct kept *k, const struct wv_state *st);
bool keep_whole(struct wv_state **k, const struct wv_state *st);
/* The state in `k` becomes the join of itself and `st`, where no loop starts. */
void join_kept(struct kept *k, const struct wv_state *st, uint32_t base);

/* Step over block b from the state kept at its head. False: fn said so. */
bool interpret(struct machine *k, uint32_t b, flow_fn *fn, void *user);

#endif
