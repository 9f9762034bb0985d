/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer functions: shifts, rotates, single bits, and counting them. */
#include "verifier/domain/bit_count.h"
#include "verifier/domain/quotient.h"
#include "verifier/domain/multiples.h"
#include "step_parts.h"

/*
 * Shifts by a constant: to the left a multiple, unless bits are lost; to the right at most as far below what it was as
 * the greatest, since x - (x >> n) grows with x.
 */
static void shift_relate(
	struct wv_state *st, const struct wv_insn *insn, const struct wv_val *from, const struct wv_val *r)
{
	unsigned by = (unsigned)insn->imm & (insn->width == 64 ? 63 : 31);
	if (insn->operand[1].kind != WV_IMM || insn->width < 32 || wv_num_is_const(&from->n))
		return;
	if (insn->op == WV_SHL && by <= 4 && (insn->width == 64 || from->n.umax <= UINT32_MAX >> by)) {
		struct wv_num zero = wv_num_const(0);
		wv_state_set_distance(st, from, 1 << by, r, &zero);
	} else if (insn->op == WV_SHR) {
		struct wv_num rest =
			wv_num_range(from->n.umin - (from->n.umin >> by), from->n.umax - (from->n.umax >> by));
		wv_state_set_distance(st, r, 1, from, &rest);
		wv_state_note_bound(st, r, from, by);
		if (from->n.umin > 0) /* by is not 0 */
			wv_state_note_less(st, r, from, false);
	}
}

void wv_step_shift(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	bool carry = insn->op == WV_RCL || insn->op == WV_RCR,
	     rotate = carry || insn->op == WV_ROL || insn->op == WV_ROR;
	if (carry)
		wv_flags_readable(ctx, st, insn, WV_B);
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), count = wv_read_operand(ctx, st, insn, 1);
	struct wv_num by = wv_as_number(ctx, &count).n;
	/* nothing but the zeroed upper half */
	if (insn->operand[1].kind == WV_IMM && ((unsigned)insn->imm & (w == 64 ? 63 : 31)) == 0) {
		wv_write_operand(ctx, st, insn, 0, &a);
		return;
	}
	struct wv_val from = wv_as_number(ctx, &a);
	struct wv_num n = wv_num_shift((enum wv_op)insn->op, w, &from.n, &by);
	struct wv_val r = wv_val_number(ctx, &n);
	shift_relate(st, insn, &from, &r);
	if (insn->operand[1].kind == WV_IMM && insn->op == WV_SHR && w >= 32)
		wv_quotient_right(ctx, &from, (unsigned)insn->imm & (w - 1), &r);
	if (insn->operand[1].kind == WV_IMM && insn->op == WV_SHL && w >= 32) {
		wv_quotient_left(ctx, w, &from, (unsigned)insn->imm & (w - 1), &r);
		wv_scaled_left(ctx, w, &from, (unsigned)insn->imm & (w - 1), &r);
	}
	wv_write_operand(ctx, st, insn, 0, &r);
	if (rotate)
		wv_forget_flags(st, 0, WV_CF | WV_OF);
	else if (insn->operand[1].kind == WV_IMM)
		wv_set_flags(st, WV_ZF | WV_SF | WV_PF | ((unsigned)insn->imm % (w == 64 ? 64 : 32) < w ? WV_CF : 0),
			WV_REL_SIGN, w, &r, NULL);
	else /* if cl is zero they are unchanged */
		wv_forget_flags(st, 0, WV_ALL_FLAGS);
}

/* shld, shrd: not followed. By cl the count may be zero, and then nothing is written but perhaps the upper half. */
void wv_step_shift_double(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	for (unsigned i = 0; i < 3; i++)
		wv_read_operand(ctx, st, insn, i);
	struct wv_val r = wv_any_of(ctx, insn->width);
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_forget_flags(st, 0, WV_ALL_FLAGS);
}

/* sarx, shlx, shrx, rorx */
void wv_step_shift_flagless(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	static const uint8_t as[WV_OP_COUNT] = {
		[WV_SARX] = WV_SAR, [WV_SHLX] = WV_SHL, [WV_SHRX] = WV_SHR, [WV_RORX] = WV_ROR};
	struct wv_val a = wv_read_operand(ctx, st, insn, 1), count = wv_read_operand(ctx, st, insn, 2);
	struct wv_num from = wv_as_number(ctx, &a).n, by = wv_as_number(ctx, &count).n;
	struct wv_num n = wv_num_shift((enum wv_op)as[insn->op], insn->width, &from, &by);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_write_operand(ctx, st, insn, 0, &r);
}

/*
 * bt, bts, btr, btc. A bit of memory is named by a constant, which is taken modulo the width: nothing beside the
 * operand is accessed.
 */
void wv_step_bt(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), index = wv_read_operand(ctx, st, insn, 1);
	struct wv_num from = wv_as_number(ctx, &a).n, n = wv_as_number(ctx, &index).n, ones = wv_num_const(UINT64_MAX);
	n = wv_num_bit(insn->width, &n);
	if (insn->op == WV_BTR)
		n = wv_num_binary(WV_XOR, insn->width, &n, &ones);
	if (insn->op != WV_BT) {
		n = wv_num_binary(insn->op == WV_BTS   ? WV_OR
				  : insn->op == WV_BTR ? WV_AND
						       : WV_XOR,
			insn->width, &from, &n);
		struct wv_val r = wv_val_number(ctx, &n);
		wv_write_operand(ctx, st, insn, 0, &r);
	}
	wv_forget_flags(st, WV_CF, WV_ZF | WV_SF | WV_OF | WV_PF);
}

/*
 * The destination of a scan of zero stays as it was, or becomes anything: then it must be the probe's own, and the
 * result is unknown.
 */
static struct wv_val scan_of_zero(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned written = insn->width == 16 ? 16 : 64;
	wv_read_reg(ctx, st, insn, insn->operand[0].reg, written);
	struct wv_val r = wv_any_of(ctx, written);
	wv_write_reg(ctx, st, insn, insn->operand[0].reg, written, &r);
	return r;
}

/* bsf, bsr */
void wv_step_bit_scan(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val s = wv_read_operand(ctx, st, insn, 1), ns = wv_as_number(ctx, &s);
	if (!wv_num_has(&ns.n, 0)) {
		struct wv_num n =
			insn->op == WV_BSR ? wv_num_top(insn->width, &ns.n) : wv_num_tzcnt(insn->width, &ns.n);
		struct wv_val r = wv_val_number(ctx, &n);
		wv_write_operand(ctx, st, insn, 0, &r);
	} else {
		scan_of_zero(ctx, st, insn);
	}
	wv_set_flags(st, WV_ZF, WV_REL_ZERO, insn->width, &ns, NULL);
}

/*
 * Some processors run it as bsf, unless the note restricts the module to others. Of a number that isn't zero both
 * give the same.
 */
void wv_step_tzcnt(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val s = wv_read_operand(ctx, st, insn, 1), ns = wv_as_number(ctx, &s), r;
	bool certain = ctx->module->features & WARD_FEATURE_BMI1;
	if (certain || !wv_num_has(&ns.n, 0)) {
		struct wv_num n = wv_num_tzcnt(insn->width, &ns.n);
		r = wv_val_number(ctx, &n);
		wv_write_operand(ctx, st, insn, 0, &r);
	} else {
		r = scan_of_zero(ctx, st, insn);
	}
	if (certain)
		wv_set_flags(st, WV_CF | WV_ZF, WV_REL_ZERO, insn->width, &r, NULL);
	else
		wv_forget_flags(st, 0, WV_ALL_FLAGS);
}

/* popcnt, lzcnt */
void wv_step_count(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	bool all = insn->op == WV_POPCNT;
	struct wv_val s = wv_read_operand(ctx, st, insn, 1);
	struct wv_num from = wv_as_number(ctx, &s).n,
		      n = all ? wv_num_popcnt(insn->width, &from) : wv_num_lzcnt(insn->width, &from);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, all ? WV_ALL_FLAGS : WV_CF | WV_ZF, WV_REL_ZERO, insn->width, &r, NULL);
}

/* blsi, blsmsk, blsr */
void wv_step_lowest(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val s = wv_read_operand(ctx, st, insn, 1);
	struct wv_num from = wv_as_number(ctx, &s).n, n = wv_num_lowest((enum wv_op)insn->op, insn->width, &from);
	struct wv_val r = wv_val_number(ctx, &n);
	if (insn->op == WV_BLSR && s.kind == WV_NUM && from.umin > 0)
		wv_state_note_less(st, &r, &s, true);
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, WV_ALL_FLAGS & ~WV_PF, WV_REL_SIGN, insn->width, &r, NULL);
}

/* bzhi, bextr */
void wv_step_extract(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	bool bzhi = insn->op == WV_BZHI;
	struct wv_val s = wv_read_operand(ctx, st, insn, 1), which = wv_read_operand(ctx, st, insn, 2);
	struct wv_num from = wv_as_number(ctx, &s).n, by = wv_as_number(ctx, &which).n;
	struct wv_num n = bzhi ? wv_num_bzhi(insn->width, &from, &by) : wv_num_bextr(insn->width, &from, &by);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_write_operand(ctx, st, insn, 0, &r);
	if (bzhi)
		wv_set_flags(st, WV_ALL_FLAGS & ~WV_PF, WV_REL_SIGN, insn->width, &r, NULL);
	else
		wv_set_flags(st, WV_CF | WV_ZF | WV_OF, WV_REL_ZERO, insn->width, &r, NULL);
}

/* pdep, pext */
void wv_step_scatter(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	wv_read_operand(ctx, st, insn, 1);
	struct wv_val m = wv_read_operand(ctx, st, insn, 2);
	struct wv_num mask = wv_as_number(ctx, &m).n,
		      n = insn->op == WV_PDEP ? wv_num_pdep(insn->width, &mask) : wv_num_pext(insn->width, &mask);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_write_operand(ctx, st, insn, 0, &r);
}
