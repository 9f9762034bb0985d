/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls.
 *
 * A function is checked once, under its contract: what block 0 claims of the scratch registers, windows of memory
 * that its callers pass, and what the function claims of its results. A call is then one step. The contract must hold
 * of the caller's state. Afterwards nothing is known of the scratch registers but the results and those that the
 * callee keeps (gcc's -fipa-ra relies on them; cost.c checks that the callee doesn't write them). The callee may
 * write state, data and the windows. The caller's state remembers nothing of memory but the stack, so only windows in
 * the caller's own stack are forgotten.
 *
 * A pointer to the caller's frame means nothing in the callee, whose offsets count from its own entry; the caller can
 * only pass it as a window. The callee's frame lies below the caller's rsp and the return address, so what the caller
 * had there is lost (wv_state_after_call).
 */
#include <stdio.h>

#include "verifier/proof/proof.h"
#include "step.h"

/* Where a claim fails. */
static void claim_explain(
	const struct wv_claim *c, const struct wv_state *st, const char *reason, char *why, size_t size)
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
static const char *window_lend(
	struct wv_ctx *ctx, const struct wv_function *callee, struct wv_state *st, const struct wv_claim *c)
{
	if (c->facts->n.umax != 0)
		return "the caller must pass the window's start";
	return wv_lend(ctx, st, &st->reg[c->loc.reg], &callee->lent[c->region - WV_LENT]);
}

const char *wv_call(struct wv_ctx *ctx, const struct wv_function *callee, struct wv_state *st, char *why, size_t size)
{
	const struct wv_block *entry = &callee->blocks[0];
	const char *wrong = NULL;
	for (const struct wv_claim *c = entry->claims; c < entry->claims + entry->n_claims; c++) {
		bool window = c->kind == WV_CLAIM_POINTER && c->region >= WV_LENT;
		const char *reason = window ? window_lend(ctx, callee, st, c) : NULL;
		if (reason || (!window && !wv_claim_holds(c, st))) {
			claim_explain(c, st, reason, why, size);
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
			claim_explain(c, st, NULL, why, size);
			return false;
		}
	}
	return true;
}
