/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed states. A state has room for hundreds of slots, and gives a number in six views at once. A packed state
 * keeps only the slots that are present, and of a number only the views that don't follow from the others. So there
 * can be one for each block, and for each exit of a block.
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
 * `k` becomes the state. keep keeps only what claims can say. keep_whole also keeps what is known only within a
 * block, as far as joins and ranks use it. False: no room.
 */
bool keep(struct effort *e, struct kept *k, const struct wv_state *st);
bool keep_whole(struct effort *e, struct kept *k, const struct wv_state *st);
/* As keep_whole; *other: what was kept was not the same. */
bool keep_other(struct effort *e, struct kept *k, const struct wv_state *st, bool *other);
/* Unpack the state; nothing is known of its flags. */
void recall(struct wv_state *to, const struct kept *k);
void forget_kept(struct effort *e, struct kept *k);
/* `to` becomes what `from` is; `from` keeps it, too. */
void share(struct effort *e, struct kept *to, const struct kept *from);
/* `from` is nothing afterwards. */
void move_kept(struct effort *e, struct kept *to, struct kept *from);
/* Neither is empty. */
bool same_kept(const struct kept *a, const struct kept *b);
uint32_t kept_distances(const struct kept *k);

/* Forget what claims can't say. */
void forget_unclaimed(struct wv_state *st);

#endif
