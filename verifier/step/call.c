/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. A function is checked once, under its contract: what block 0 claims of the scratch registers, windows of
 * memory that its callers lend it, and what it claims of its results. A call is then one step: the contract must hold
 * of the caller's state, and afterwards nothing is known of the scratch registers but the results and those that the
 * callee keeps (gcc's -fipa-ra counts on them; cost.c checks that nothing writes them). What the callee may write is
 * state, data, and the windows; nothing but the stack is remembered by the caller, so only windows of its own stack are
 * forgotten.
 *
 * A pointer to the caller's frame means nothing in the callee, whose offsets count from its own entry; it can only pass
 * as a window. The callee's frame lies below the caller's rsp and its return address, which is why what lies there is
 * lost (wv_state_after_call).
 */
#include <stdio.h>

#include "verifier/proof/proof.h"
#include "step.h"

/* Where a claim fails. */
static void explain(const struct wv_claim *c, const struct wv_state *st, const char *reason, char *why, size_t size)
{
	char has[120], wants[120];
	struct wv_val want = {
		.kind = c->kind == WV_CLAIM_POINTER ? WV_PTR : WV_NUM, .region = c->region, .n = c->facts->n};
	wv_val_print(&st->reg[c->loc.reg], has, sizeof has);
	wv_val_print(&want, wants, sizeof wants);
	snprintf(why, size, "%s holds %s; it wants %s%s%s", ward_register_name(c->loc.reg), has, wants,
		reason ? ": " : "", reason ? reason : "");
}

/* A window begins at the value less the claimed offset, which must be exact for the window to be in one place. */
static const char *lend(
	struct wv_ctx *ctx, const struct wv_function *callee, struct wv_state *st, const struct wv_claim *c)
{
	if (c->facts->n.umax != 0)
		return "a window is passed by its start";
	return wv_lend(ctx, st, &st->reg[c->loc.reg], &callee->lent[c->region - WV_LENT]);
}

const char *wv_call(struct wv_ctx *ctx, const struct wv_function *callee, struct wv_state *st, char *why, size_t size)
{
	const struct wv_block *entry = &callee->blocks[0];
	const char *wrong = NULL;
	for (const struct wv_claim *c = entry->claims; c < entry->claims + entry->n_claims; c++) {
		bool window = c->kind == WV_CLAIM_POINTER && c->region >= WV_LENT;
		const char *reason = window ? lend(ctx, callee, st, c) : NULL;
		if (reason || (!window && !wv_claim_holds(c, st))) {
			explain(c, st, reason, why, size);
			wrong = why;
		}
	}
	wv_state_after_call(st, callee->keeps);
	for (const struct wv_claim *c = callee->results; c < callee->results + callee->n_results; c++)
		st->reg[c->loc.reg] = wv_claimed_value(ctx, c);
	return wrong;
}

bool wv_results_hold(const struct wv_function *f, const struct wv_state *st, char *why, size_t size)
{
	for (const struct wv_claim *c = f->results; c < f->results + f->n_results; c++) {
		if (!wv_claim_holds(c, st)) {
			explain(c, st, NULL, why, size);
			return false;
		}
	}
	return true;
}
