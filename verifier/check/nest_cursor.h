/* SPDX-License-Identifier: Apache-2.0 */
/* Cursors: numbers that several loops of a nest move one way. nest_cursor.c describes how they are checked. */
#ifndef WARD_VERIFIER_NEST_CURSOR_H
#define WARD_VERIFIER_NEST_CURSOR_H

#include "verifier/proof/proof.h"

/* Numbers within so much of zero may lead a cursor. */
#define WV_CURSOR_FAR (INT64_C(1) << 60)

/* At a block's head, v is ahead of the cursor by at least `ahead`. */
struct wv_lead {
	uint32_t cursor, ahead;
	struct wv_val v;
};

struct wv_leads {
	uint32_t n;
	struct wv_lead of[WV_MAX_LEADS + 1];
};

/* How far `v` is from a lead: of a value that is one of two, what both are. */
struct wv_num wv_lead_distance(const struct wv_state *st, const struct wv_val *lead, const struct wv_val *v);
/* What leads cursors at the head of the block, of which `st` is the state. */
void wv_leads_load(const struct wv_function *f, uint32_t block, const struct wv_state *st, struct wv_leads *leads);
/* The steps (V-06) that wv_cursors_hold takes at most. */
uint64_t wv_cursors_steps(
	const struct wv_function *f, uint32_t to, const struct wv_state *st, const struct wv_leads *leads);
/*
 * An edge from block `from`, where `leads` led, to block `to`, with `st`: does no cursor go back, and is what the
 * target claims of them true? If not, `why` (size ≥ 1) says what may be behind.
 */
bool wv_cursors_hold(const struct wv_function *f, uint32_t from, uint32_t to, const struct wv_state *st,
	const struct wv_leads *leads, char *why, size_t size);

#endif
