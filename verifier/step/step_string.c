/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfer functions: rep stos and rep movs.
 *
 * They go upwards, since the direction flag is clear: an entry's facts demand that of its caller, and no instruction
 * of the table sets the flag. They move rdi, and for movs rsi, by one element for each repetition; rcx counts the
 * repetitions and ends at zero. The check treats the block as one access, as long as the greatest count can make it.
 * Repetitions count as instructions do, or else a short loop could take long (V-63).
 */
#include "step_parts.h"

enum { MOST_REPEATS = 1 << 16 };

/* How many bytes, at least and at most; false, and V-63, if there is no bound. */
static bool block_size(struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_val *count, struct wv_num *bytes)
{
	struct wv_num n = wv_as_number(ctx, count).n, each = wv_num_const(insn->width / 8);
	if (n.umax > MOST_REPEATS) {
		char what[120];
		wv_val_print(count, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_COST, insn->pc, "repeats-too-often",
			"rcx, the number of repetitions, is %s; at most %d is allowed", what, MOST_REPEATS);
		return false;
	}
	ctx->repeats += n.umax;
	*bytes = wv_num_binary(WV_IMUL, 64, &n, &each);
	return true;
}

/* A pointer moved past the block. */
static void pointer_pass(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned reg,
	const struct wv_val *at, const struct wv_num *bytes)
{
	struct wv_val by = wv_val_number(ctx, bytes), to = wv_val_add(ctx, at, &by);
	wv_write_reg(ctx, st, insn, reg, 64, &to);
}

void wv_step_string(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	bool moves = insn->op == WV_MOVS;
	struct wv_val count = wv_read_reg(ctx, st, insn, WV_RCX, 64), to = wv_read_reg(ctx, st, insn, WV_RDI, 64),
		      from = to;
	struct wv_num bytes = wv_num_any();
	if (moves)
		from = wv_read_reg(ctx, st, insn, WV_RSI, 64);
	else
		wv_read_reg(ctx, st, insn, WV_RAX, insn->width);
	ctx->needs |= WARD_NEED_DF_CLEAR;
	wv_note_alignment(ctx, &to, insn->width / 8);
	if (moves)
		wv_note_alignment(ctx, &from, insn->width / 8);
	if (block_size(ctx, insn, &count, &bytes) && bytes.umax > 0) {
		if (moves)
			wv_load_block(ctx, st, insn, &from, (unsigned)bytes.umax);
		wv_store_block(ctx, st, insn, &to, (unsigned)bytes.umax, wv_num_is_const(&bytes));
	}
	pointer_pass(ctx, st, insn, WV_RDI, &to, &bytes);
	if (moves)
		pointer_pass(ctx, st, insn, WV_RSI, &from, &bytes);
	struct wv_val zero = wv_val_const(ctx, 0);
	wv_write_reg(ctx, st, insn, WV_RCX, 64, &zero);
}
