/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contracts: what the callers of a function pass in the scratch registers, and what the function returns. Two passes
 * over the call graph find them: the pass from callers to callees collects what is passed, and the pass from callees
 * to callers finds what is returned.
 */
#ifndef WARD_INFER_CONTRACT_H
#define WARD_INFER_CONTRACT_H

#include "join.h"

struct contract {
	uint64_t entry; /* text offset */
	bool called, is_entry;
	struct wv_val in[WV_NREG]; /* joined over the calls; WV_UNINIT: nothing */
	struct wv_window lent[WV_MAX_LENT];
	uint32_t n_lent;
	/* scratch registers that neither the function nor its callees write; from bit 16 on, xmm registers */
	uint32_t keeps;
	bool returns;         /* some return has been seen */
	struct wv_val out[2]; /* rax, rdx */
};

/* The registers that a call may change; from bit 16 on, xmm registers. */
static const uint32_t contract_scratch = 1u << WV_RAX | 1u << WV_RCX | 1u << WV_RDX | 1u << WV_RSI | 1u << WV_RDI |
					 1u << WV_R8 | 1u << WV_R9 | 1u << WV_R10 | 1u << WV_R11 | 0xffff0000;

struct contracts {
	struct contract *v;
	uint32_t n, cap;
	uint32_t *at; /* text offset → index + 1 in v; 0: none */
	size_t text;
	bool collecting; /* first pass: calls widen contracts */
};

struct contract *contract_at(const struct contracts *cs, uint64_t entry);

/*
 * A call in state `st`: adds what is passed to the contract (first pass), then applies the call's effect to the
 * state.
 */
void contract_call(struct wv_ctx *ctx, struct contracts *cs, uint64_t callee, struct wv_state *st);
/* A return in state `st`. */
void contract_return(struct contract *c, const struct wv_state *st);
/* The state at the function's entry. */
void contract_enter(struct wv_ctx *ctx, const struct contract *c, struct wv_state *st);

#endif
