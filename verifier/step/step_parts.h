/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the transfer functions share: reading and writing operands, and setting flags. Callers of wv_step don't use
 * it.
 */
#ifndef WARD_VERIFIER_STEP_PARTS_H
#define WARD_VERIFIER_STEP_PARTS_H

#include "step.h"

typedef void wv_transfer(struct wv_ctx *, struct wv_state *, const struct wv_insn *);

/* ---- values ---- */

/* Any number of so many bits. */
struct wv_val wv_any_of(struct wv_ctx *ctx, unsigned width);
/* Pointers that an operation can't follow are numbers of which nothing is known. */
struct wv_val wv_as_number(struct wv_ctx *ctx, const struct wv_val *v);

/* ---- operands ---- */

/*
 * Operand i as an operation reads it: zero-extended from its width, the probe's own. Immediates of 8 and 16 bits are
 * zero-extended too.
 */
struct wv_val wv_read_operand(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i);
/*
 * As wv_read_operand, but eight whole bytes of a register or a stack slot may be the host's: for what only moves them.
 */
struct wv_val wv_read_value(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i);
/*
 * What operand i of 32 or 64 bits holds, for operations that may take registers of which only v->init low bits are set:
 * 64, 16, 8 or 0. False: these are fewer than the operation reads. Nothing is known of memory, which is not accessed.
 */
bool wv_peek_operand(
	struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, unsigned i, struct wv_val *v);
/* `v` is zero-extended from `width`. */
void wv_write_reg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned reg, unsigned width,
	const struct wv_val *v);
/*
 * Where one operand is memory and another a register, memory must be written first: the register may be part of the
 * address.
 */
void wv_write_operand(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i, const struct wv_val *v);
/* Are the first two operands the same register, or part of one? */
bool wv_same_register(const struct wv_insn *insn);
/* V-36: the memory operand of an instruction that locks is aligned. */
void wv_check_locked(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn);
/* V-37: the sixteen bytes at `at` are aligned. */
void wv_check_aligned(struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_val *at);

/* ---- flags ---- */

void wv_set_flags(struct wv_state *st, uint8_t defined, enum wv_relation relation, unsigned width,
	const struct wv_val *a, const struct wv_val *b);
void wv_forget_flags(struct wv_state *st, uint8_t defines, uint8_t undefines);
/* V-52, and whether to go on. */
bool wv_flags_readable(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, enum wv_cond cond);

/* ---- transfer functions ---- */

/* step_move.c */
wv_transfer wv_step_mov, wv_step_movzx, wv_step_movsx, wv_step_reverse, wv_step_extend_rax, wv_step_sign_rax,
	wv_step_lea, wv_step_push, wv_step_pop, wv_step_leave, wv_step_xchg, wv_step_cmov, wv_step_setcc, wv_step_jcc,
	wv_step_jmp_register, wv_step_rdtsc;
/* step_arith.c */
wv_transfer wv_step_binary, wv_step_add_sub, wv_step_carry, wv_step_inc_dec, wv_step_neg, wv_step_not, wv_step_andn,
	wv_step_xadd, wv_step_cmpxchg, wv_step_imul, wv_step_mul, wv_step_mulx, wv_step_div;
/* import.c */
wv_transfer wv_step_slot;
/* step_string.c */
wv_transfer wv_step_string;
/* step_bits.c */
wv_transfer wv_step_shift, wv_step_shift_double, wv_step_shift_flagless, wv_step_bt, wv_step_bit_scan, wv_step_tzcnt,
	wv_step_count, wv_step_lowest, wv_step_extract, wv_step_scatter;

/* step_vector.c */
wv_transfer wv_step_vector_move, wv_step_vector_half, wv_step_vector_cross, wv_step_vector_scalar,
	wv_step_vector_binary, wv_step_vector_idiom, wv_step_vector_from, wv_step_vector_mask, wv_step_vector_extract,
	wv_step_vector_insert;

#endif
