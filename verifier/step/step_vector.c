/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfer functions: xmm registers.
 *
 * They move and compute the bytes of xmm registers as integers, but don't follow the values. For each half the state
 * knows whether it is the probe's own (state.h). What comes back from an xmm register to a general register, or
 * through memory, is any number. So no pointer and no saved register can pass through: a pointer comes back as a
 * number, and a host value can't get in, since every read is of something that the probe has set (V-50, V-51). The
 * parts of the destination that a row doesn't write stay as they were.
 *
 * Memory of sixteen bytes must be aligned, or the processor would fault (V-37). The moves whose names say "unaligned"
 * are the exception.
 */
#include "step_parts.h"

enum { LOWER = 1, UPPER = 2, WHOLE = 3 };

static void read_halves(
	struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, unsigned xmm, unsigned halves)
{
	unsigned set = (st->half[0] >> xmm & 1 ? LOWER : 0) | (st->half[1] >> xmm & 1 ? UPPER : 0),
		 unset = halves & ~set;
	if (unset)
		wv_report(ctx->sink, WARD_RULE_UNINIT_REG, insn->pc, "read-of-unset-register",
			"%sxmm%u is read; the probe has not set it",
			unset == WHOLE   ? ""
			: unset == UPPER ? "the upper half of "
					 : "the lower half of ",
			xmm);
}

/* These halves are the probe's own now. */
static void write_halves(struct wv_ctx *ctx, struct wv_state *st, unsigned xmm, unsigned halves)
{
	uint16_t bit = (uint16_t)(1u << xmm);
	ctx->written |= (uint32_t)bit << WV_NREG;
	if (halves & LOWER)
		st->half[0] |= bit;
	if (halves & UPPER)
		st->half[1] |= bit;
}

static bool may_be_unaligned(unsigned op)
{
	return op == WV_MOVUPS || op == WV_MOVUPD || op == WV_MOVDQU;
}

/* The address of the memory operand, aligned if it must be. */
static struct wv_val address_of(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val at = wv_address(ctx, st, insn);
	if (insn->width == 128 && !may_be_unaligned(insn->op))
		wv_check_aligned(ctx, insn, &at);
	else
		wv_note_alignment(ctx, &at, insn->width / 8);
	return at;
}

static void vector_load(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val at = address_of(ctx, st, insn);
	wv_load_block(ctx, st, insn, &at, insn->width / 8);
}

static void vector_store(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val at = address_of(ctx, st, insn);
	wv_store_bytes(ctx, st, insn, &at, insn->width / 8);
}

/* Operand i, an xmm register, of which these halves are wanted, or memory, or what is always readable. */
static void read_operand(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i, unsigned halves)
{
	switch (insn->operand[i].kind) {
	case WV_XMM: read_halves(ctx, st, insn, insn->operand[i].reg, halves); break;
	case WV_MEM: vector_load(ctx, st, insn); break;
	case WV_REG: wv_read_reg(ctx, st, insn, insn->operand[i].reg, insn->operand[i].width); break;
	default: break;
	}
}

static void write_number(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned bits)
{
	struct wv_val v = wv_any_of(ctx, bits);
	wv_write_reg(ctx, st, insn, insn->operand[0].reg, insn->operand[0].width, &v);
}

/* All sixteen bytes. */
void wv_step_vector_move(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 1, WHOLE);
	if (insn->operand[0].kind == WV_MEM)
		vector_store(ctx, st, insn);
	else
		write_halves(ctx, st, insn->operand[0].reg, WHOLE);
}

/* One half, from and to memory. */
void wv_step_vector_half(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned half = insn->op == WV_MOVLPS || insn->op == WV_MOVLPD ? LOWER : UPPER;
	read_operand(ctx, st, insn, 1, half);
	if (insn->operand[0].kind == WV_MEM)
		vector_store(ctx, st, insn);
	else
		write_halves(ctx, st, insn->operand[0].reg, half);
}

/* One half, from and to the other. */
void wv_step_vector_cross(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	bool down = insn->op == WV_MOVHLPS;
	read_halves(ctx, st, insn, insn->operand[1].reg, down ? UPPER : LOWER);
	write_halves(ctx, st, insn->operand[0].reg, down ? LOWER : UPPER);
}

/*
 * Four or eight bytes. The rest of the destination is zeroed, save that movss and movsd between registers keep it; four
 * bytes in a half that was not set don't make it so.
 */
void wv_step_vector_scalar(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	const struct wv_operand *to = &insn->operand[0];
	bool keeps = (insn->op == WV_MOVSS || insn->op == WV_MOVSDX) && insn->operand[1].kind == WV_XMM;
	read_operand(ctx, st, insn, 1, LOWER);
	if (to->kind == WV_MEM)
		vector_store(ctx, st, insn);
	else if (to->kind == WV_REG)
		write_number(ctx, st, insn, insn->width);
	else
		write_halves(ctx, st, to->reg, !keeps ? WHOLE : insn->op == WV_MOVSDX ? LOWER : 0);
}

/* Both operands are read, the first is written. */
void wv_step_vector_binary(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 0, WHOLE);
	read_operand(ctx, st, insn, 1, WHOLE);
	write_halves(ctx, st, insn->operand[0].reg, WHOLE);
}

/* As binary; of a register with itself the result is all zeros or all ones, whatever the register held. */
void wv_step_vector_idiom(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	if (insn->operand[1].kind == WV_XMM && insn->operand[1].reg == insn->operand[0].reg)
		write_halves(ctx, st, insn->operand[0].reg, WHOLE);
	else
		wv_step_vector_binary(ctx, st, insn);
}

/* Only the second operand is read. */
void wv_step_vector_from(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 1, WHOLE);
	write_halves(ctx, st, insn->operand[0].reg, WHOLE);
}

/* One bit of each element. */
void wv_step_vector_mask(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 1, WHOLE);
	write_number(ctx, st, insn, insn->op == WV_PMOVMSKB ? 16 : insn->op == WV_MOVMSKPS ? 4 : 2);
}

/* The sixteen bits that the immediate's lower three bits name. */
void wv_step_vector_extract(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 1, insn->imm & 4 ? UPPER : LOWER);
	write_number(ctx, st, insn, 16);
}

/* The other halves' bits, and the rest of this half's, are what they were. */
void wv_step_vector_insert(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 1, 0);
	write_halves(ctx, st, insn->operand[0].reg, 0);
}
