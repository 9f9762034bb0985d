/* Joining abstract states where ways meet, and widening them where they would grow for ever. */
#ifndef WARD_INFER_JOIN_H
#define WARD_INFER_JOIN_H

#include "state.h"

/* Bounds that widening stops at: constants of the code and their neighbours, ascending. */
struct thresholds {
	uint64_t *v;
	uint32_t n, cap;
};

/*
 * *into becomes the join of itself and `from`. Identities are found again by partition: locations that were related in both states are related in the join. A location
 * whose identity is the same in both keeps it; others get symbols from `base` on, by location, so that equal joins give equal names. Returns whether *into
 * changed.
 */
bool state_join(struct wv_state *into, const struct wv_state *from, uint32_t base);

/* Move each bound of `into` that is looser than in `before` out to the next threshold. */
void state_widen(struct wv_state *into, const struct wv_state *before, const struct thresholds *t);

enum { JOIN_SYMBOLS = WV_NREG + WV_MAX_SLOTS }; /* how many symbols a join may take from its base on */

#endif
