/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States at rest. A state has room for hundreds of slots, and a number is told in six ways at once; what is kept
 * of a state is only what is there, and of a number only the ways that don't follow from the others. So there can
 * be one for each block, and for each way out of it.
 */
#ifndef WARD_INFER_KEPT_H
#define WARD_INFER_KEPT_H

#include "effort.h"
#include "verifier/domain/state.h"

struct packed;

struct kept {
	struct packed *p; /* NULL: nothing reaches the block, or nothing was sent */
};

/*
 * `k` becomes the state, but only what claims can say; or also what is known of it only within a block, as far as
 * joins and ranks ask for that. False: no room.
 */
bool keep(struct effort *e, struct kept *k, const struct wv_state *st);
bool keep_whole(struct effort *e, struct kept *k, const struct wv_state *st);
/* As keep_whole; *other: what was kept was not the same. */
bool keep_other(struct effort *e, struct kept *k, const struct wv_state *st, bool *other);
/* The state, with flags of which nothing is known. */
void recall(struct wv_state *to, const struct kept *k);
void forget_kept(struct effort *e, struct kept *k);
/* `to` becomes what `from` is; `from` keeps it, too. */
void share(struct effort *e, struct kept *to, const struct kept *from);
/* `from` is nothing afterwards. */
void move_kept(struct effort *e, struct kept *to, struct kept *from);
/* Of two that are there. */
bool same_kept(const struct kept *a, const struct kept *b);
uint32_t kept_distances(const struct kept *k);

/* What claims can't say is forgotten. */
void forget_unclaimed(struct wv_state *st);

#endif
