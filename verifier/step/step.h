/* SPDX-License-Identifier: Apache-2.0 */
/* The transfer functions: what one instruction does to the abstract state, and which rules it breaks. */
#ifndef WARD_VERIFIER_STEP_H
#define WARD_VERIFIER_STEP_H

#include "verifier/domain/state.h"

/*
 * Step `st` over one instruction. Violations go to ctx->sink; after one, `st` is still a state that the check can go
 * on from. A jump or call through a slot leaves what its import leaves. Other jumps, jcc, ret and call change no
 * value here: sweep.c follows their edges and applies what a call leaves.
 */
void wv_step(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn);

/* ---- memory, mem.c ---- */

/* The value of a memory operand's address. */
struct wv_val wv_address(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn);
/*
 * Load `bytes` from a memory operand: the value, zero-extended; eight bytes of a stack slot as they were stored, host
 * values included.
 */
struct wv_val wv_load(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned bytes);
void wv_store(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned bytes, const struct wv_val *v);
/*
 * Blocks of bytes at the address `at`. The store has unknown contents that are the probe's own; `exact` says that it
 * writes all of them at a known place, and then they are set afterwards. wv_load_block is the load.
 */
void wv_store_block(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at,
	unsigned bytes, bool exact);
/*
 * A store of `bytes` (at most 16) of an xmm register at the address `at`: they are the probe's own, and nothing more
 * is known of them. An exact store may overwrite a saved register, as one from a general register may; the saved
 * register is then lost.
 */
void wv_store_bytes(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes);
void wv_load_block(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes);
/*
 * push and pop: exact stack accesses of eight bytes at entry rsp - depth. Popping unset bytes leaves the value
 * uninitialised.
 */
void wv_push(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *v);
struct wv_val wv_pop(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn);
/* Move rsp to entry - depth, with the checks of V-40 and V-41. */
void wv_move_stack(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, int64_t depth);

/*
 * Note whether an access of `bytes` (a power of two, at most 16) at a value may have an address that is no multiple
 * of `bytes`: with alignment checks on, it would fault. operand.c
 */
void wv_note_alignment(struct wv_ctx *ctx, const struct wv_val *at, unsigned bytes);

/*
 * Pass a callee the window that starts at `at`; what the window covers of the stack is forgotten. NULL, or why not.
 */
uint64_t wv_region_size(const struct wv_ctx *ctx, enum wv_region region);
const char *wv_lend(struct wv_ctx *ctx, struct wv_state *st, const struct wv_val *at, const struct wv_window *w);

/*
 * Pass an import a buffer at `at`, of any of the lengths `length`. The import reads it, or writes all of it. What a
 * written buffer covers of the stack is forgotten; the bytes that are certainly written are set afterwards. Returns
 * NULL, or why not, with a stable code in *reason; *reason is NULL if the import would read a slot (V-72).
 */
const char *wv_borrow(struct wv_ctx *ctx, struct wv_state *st, const struct wv_val *at, const struct wv_num *length,
	bool writes, const char **reason);

/* ---- imports, import.c ---- */

/*
 * A call of the module's import `number` at `pc`; `return_address` bytes of return addresses are pushed between `st`
 * and it.
 */
void wv_import_call(struct wv_ctx *ctx, struct wv_state *st, uint64_t pc, unsigned number, uint32_t return_address);

/* Is the value the probe's own in its low `width` bits? */
static inline bool wv_val_readable(const struct wv_val *v, unsigned width)
{
	return v->kind == WV_PTR || (v->kind == WV_NUM && v->init >= width);
}
/* Register `reg` as it is read by an operation at `width` bits, zero-extended: V-50 if it is not the probe's own. */
struct wv_val wv_read_reg(
	struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, unsigned reg, unsigned width);

#endif
