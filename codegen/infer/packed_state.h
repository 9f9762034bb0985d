/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed states. A state has room for hundreds of slots, and gives a number in six views at once. A packed state
 * keeps only the slots that are present, and of a number only the views that don't follow from the others. So there
 * can be one for each block, and for each exit of a block.
 */
#ifndef WARD_INFER_PACKED_STATE_H
#define WARD_INFER_PACKED_STATE_H

#include "effort.h"
#include "verifier/domain/state.h"

struct packed;

struct packed_state {
	struct packed *p; /* NULL: nothing reaches the block, or nothing was sent */
};

/*
 * `k` becomes the state. pack_claimed keeps only what claims can say. pack_state also keeps what is known only within a
 * block, as far as joins and ranks use it. False: no room.
 */
bool pack_claimed(struct effort *e, struct packed_state *k, const struct wv_state *st);
bool pack_state(struct effort *e, struct packed_state *k, const struct wv_state *st);
/* As pack_state; *other: what was kept was not the same. */
bool pack_changed(struct effort *e, struct packed_state *k, const struct wv_state *st, bool *other);
/* Unpack the state; nothing is known of its flags. */
void unpack_state(struct wv_state *to, const struct packed_state *k);
void packed_free(struct effort *e, struct packed_state *k);
/* `to` becomes what `from` is; `from` keeps it, too. */
void packed_share(struct effort *e, struct packed_state *to, const struct packed_state *from);
/* `from` is nothing afterwards. */
void packed_move(struct effort *e, struct packed_state *to, struct packed_state *from);
/* Neither is empty. */
bool packed_is_same(const struct packed_state *a, const struct packed_state *b);
uint32_t packed_distances(const struct packed_state *k);

/* Forget what claims can't say. */
void forget_unclaimed(struct wv_state *st);

#endif
