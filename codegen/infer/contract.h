/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contracts: what the callers of a function pass in the scratch registers, and what the function returns. Two passes
 * over the call graph find them: the pass from callers to callees collects what is passed, and the pass from callees
 * to callers finds what is returned. Both are done again with what the functions turned out to access of their windows.
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
	uint64_t touched[WV_MAX_LENT]; /* bytes of each window that the function and its callees may access */
	uint32_t most[WV_NREG]; /* of the window that a register passes, as far as is known: bytes needed; 0: all */
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
	bool first;      /* nothing is known yet of what functions access: nothing counts as lost to a window */
	bool changed;    /* some function needs more or less of its windows than was known */
};

struct contract *contract_at(const struct contracts *cs, uint64_t entry);

/*
 * A call in state `st`: adds what is passed to the contract (first pass), then applies the call's effect to the
 * state.
 */
void contract_call(struct wv_ctx *ctx, struct contracts *cs, uint64_t callee, struct wv_state *st);
/* Pointers into the function's own windows that it passes on: the callee accesses their bytes. */
void contract_pass_on(struct contract *own, const struct contract *callee, const struct wv_state *st);
/* The function accesses bytes at an address in one of its windows. */
void contract_touch(struct contract *own, const struct wv_val *at, uint64_t bytes);
/*
 * The function was analysed: its windows need be no larger than what it accesses. What is beyond is then not lost to a
 * caller, whose frame may have what it keeps behind the variable that it passes. Returns whether that is news.
 */
bool contract_trim(struct contract *c, bool first);
/* A return in state `st`. */
void contract_return(struct contract *c, const struct wv_state *st);
/* The state at the function's entry. */
void contract_enter(struct wv_ctx *ctx, const struct contract *c, struct wv_state *st);

#endif
