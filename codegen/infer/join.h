/* SPDX-License-Identifier: Apache-2.0 */
/* Joins abstract states where edges meet, and widens those that would grow for ever. */
#ifndef WARD_INFER_JOIN_H
#define WARD_INFER_JOIN_H

#include "effort.h"
#include "verifier/domain/state.h"

/* Bounds that widening stops at: constants of the code and their neighbours, ascending. */
struct thresholds {
	uint64_t *v;
	uint32_t n, cap;
};

enum { JOIN_SYMBOLS = WV_NREG + WV_MAX_SLOTS }; /* how many symbols a join may take from its base on */

struct location_set {
	uint64_t bits[(JOIN_SYMBOLS + 63) / 64];
};

/*
 * At a loop's head: the locations whose identity the loop changes, as found so far. A location that the loop doesn't
 * change keeps the identity that it has outside, so that its value is known to be the same before, in and after the
 * loop.
 */
struct head_join {
	struct location_set *changed;
	bool fresh; /* the head may learn of more distances than it has */
	/* `from` comes along a back edge: a location that it changes is marked. Otherwise it comes from outside. */
	bool back;
	bool marked; /* one was that wasn't before */
};

/*
 * *into becomes the join of itself and `from`. Identities are found again by partition: locations that were related
 * in both states are related in the join. A location with the same identity in both keeps it; the others get symbols
 * from `base` on, by location, so that equal joins give equal names. `head` is NULL where no loop starts. Low
 * identities become those of the full ones, as a claim would give them. Returns whether *into changed in more than
 * its distances.
 */
bool state_join(struct effort *effort, struct wv_state *into, const struct wv_state *from, uint32_t base,
	struct head_join *head);

/* Are the distances that both states know the same? */
bool distances_equal(const struct wv_state *a, const struct wv_state *b);
/* Forget the distances of `into` that have grown since `before`. */
void widen_distances(struct wv_state *into, const struct wv_state *before);
/* Move each bound of `into` that is looser than in `before` out to the next threshold. */
void state_widen(struct wv_state *into, const struct wv_state *before, const struct thresholds *t);

/* The register, not rsp, that holds a symbol (plus some constant); WV_NREG if none does. */
uint8_t holder_of(const struct wv_state *st, uint32_t sym);

/* May a distance between two values be claimed at this scale? See ends_of in the verifier's claims.c. */
bool distance_claimable(const struct wv_val *a, int32_t scale, const struct wv_val *b);
/* Does a distance say more than the two values do? */
bool distance_matters(const struct wv_val *a, int32_t scale, const struct wv_val *b, const struct wv_num *d);

/*
 * A fact about two symbols holds for all registers that hold these symbols; the verifier gives two registers that a
 * loop counts names of their own. Call `fn` for each pair of registers for which the fact can be claimed and matters,
 * until `fn` returns false; returns what it returned.
 */
typedef bool distance_fn(void *user, const struct wv_state *st, uint8_t x, int32_t scale, uint8_t y);
bool each_distance(const struct wv_state *st, const struct wv_distance *f, distance_fn *fn, void *user);
/* Drop facts that can't be claimed or don't matter, and those beyond what a block's claims can hold. */
void trim_distances(struct wv_state *st);

#endif
