/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer functions: addition and subtraction, logic, products and quotients. */
#include <stdio.h>

#include "verifier/domain/quotient.h"
#include "verifier/domain/multiples.h"
#include "step_parts.h"
#include "verifier/domain/mul_div.h"

#define TEXT 120

/*
 * add and sub of 32 bits with a constant keep identities: the low one always, the full one where nothing wraps, or all
 * does.
 */
static void keep_identity32(struct wv_val *r, enum wv_op op, const struct wv_val *a, const struct wv_val *b)
{
	if (!wv_num_is_const(&b->n))
		return;
	uint32_t by = op == WV_ADD ? (uint32_t)b->n.umin : 0 - (uint32_t)b->n.umin;
	r->lsym = a->lsym;
	r->ladd = a->ladd + by;
	if (a->n.umax > UINT32_MAX)
		return;
	bool none = a->n.umax + by <= UINT32_MAX, all = a->n.umin + by > UINT32_MAX;
	if (none || all) {
		r->sym = a->sym;
		r->add = a->add + by - (all ? UINT64_C(1) << 32 : 0);
	}
}

/* and with a mask of ones that covers all values, or, and of a register with itself: the operand as it was. */
static bool is_unchanged(const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind != WV_NUM || b->kind != WV_NUM)
		return false;
	if (wv_same_register(insn))
		return true;
	if (insn->op == WV_OR || !wv_num_is_const(&b->n))
		return false;
	uint64_t mask = b->n.umin;
	return (mask & (mask + 1)) == 0 && a->n.umax <= mask;
}

/*
 * What a sum or a difference of two variables is, beyond its number: how far it is from each of them, and for binary
 * search which sum it is part of. At 32 bits it is so where nothing wraps.
 */
static void sum_relate(struct wv_state *st, const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b,
	struct wv_val *r)
{
	if (insn->width < 32 || wv_num_is_const(&a->n) || wv_num_is_const(&b->n))
		return;
	if (a->kind == WV_PTR && b->kind == WV_NUM && r->kind == WV_PTR && insn->op == WV_ADD)
		wv_state_set_distance(st, a, 1, r, &b->n);
	if (a->kind != WV_NUM || b->kind != WV_NUM)
		return;
	bool fits = insn->width == 64;
	if (insn->op == WV_ADD) {
		fits = fits || (a->n.umax <= UINT32_MAX && b->n.umax <= UINT32_MAX - a->n.umax);
		if (fits) {
			wv_state_set_distance(st, a, 1, r, &b->n);
			wv_state_set_distance(st, b, 1, r, &a->n);
			wv_state_note_sum(st, r, a, b, false);
		}
	} else if (insn->op == WV_SUB) {
		struct wv_num d = wv_state_distance(st, b, 1, a);
		fits = fits || (a->n.umax <= UINT32_MAX && b->n.umax <= UINT32_MAX && d.umax <= UINT32_MAX);
		struct wv_num n = r->n;
		if (fits && wv_num_meet(&n, &d))
			r->n = n;
		struct wv_val sum = *a;
		wv_state_note_sum(st, &sum, b, r, !fits);
	}
}

static struct wv_val values_combine(
	struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b)
{
	enum wv_op op = insn->op == WV_CMP ? WV_SUB : insn->op == WV_TEST ? WV_AND : (enum wv_op)insn->op;
	if (insn->width == 64 && op == WV_ADD)
		return wv_val_add(ctx, a, b);
	if (insn->width == 64 && op == WV_SUB)
		return wv_val_sub(ctx, a, b);
	if ((op == WV_AND || op == WV_OR) && is_unchanged(insn, a, b))
		return *a;
	struct wv_val na = wv_as_number(ctx, a), nb = wv_as_number(ctx, b);
	struct wv_num n = wv_num_binary(op, insn->width, &na.n, &nb.n);
	struct wv_val r = wv_val_number(ctx, &n);
	if (insn->width == 32 && (op == WV_ADD || op == WV_SUB))
		keep_identity32(&r, op, &na, &nb);
	return r;
}

/* ---- registers that are set in part ---- */

/* All bits of a number from `from` on, within `width`, are known to be `bits`. */
static bool known_above(const struct wv_val *v, unsigned from, unsigned width, bool bits)
{
	uint64_t above = (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1) & ~((UINT64_C(1) << from) - 1);
	return ((bits ? v->n.bits : v->n.known & ~v->n.bits) & above) == above;
}

/*
 * How many low bits of the result are the probe's own. Low bits depend on the operands' low bits alone, so it is as
 * many as of both; but what a bit known to be zero does in `and`, or one in `or`, hangs on no other.
 */
static unsigned own_bits(const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b)
{
	unsigned least = a->init < b->init ? a->init : b->init;
	const struct wv_val *whole = a->init < b->init ? b : a;
	if (whole->init == 64 && (insn->op == WV_AND || insn->op == WV_OR) &&
		known_above(whole, least, insn->width, insn->op == WV_OR))
		return 64;
	return least;
}

/* An operand, not in memory, of which all that is read is the probe's own. */
static bool is_set(const struct wv_state *st, const struct wv_insn *insn, unsigned i)
{
	const struct wv_operand *o = &insn->operand[i];
	return o->kind != WV_REG || wv_val_readable(&st->reg[o->reg], o->width);
}

/*
 * add, sub, and, or, xor of 32 or 64 bits where a register is set in part, or not at all. The flags would depend on
 * the host's bits, unless the result is the probe's own and they describe only the result (and, or). False: nothing
 * was done; the ordinary function does the operation or reports it.
 */
static bool step_partly_set(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	bool alters = insn->op != WV_CMP && insn->op != WV_TEST;
	struct wv_val a, b;
	if (!alters || insn->width < 32 || insn->operand[0].kind != WV_REG || insn->operand[1].kind == WV_MEM)
		return false;
	if (is_set(st, insn, 0) && is_set(st, insn, 1)) /* as nearly always */
		return false;
	bool set_a = wv_peek_operand(ctx, st, insn, 0, &a), set_b = wv_peek_operand(ctx, st, insn, 1, &b);
	unsigned own = set_a && set_b ? 64 : own_bits(insn, &a, &b);
	if ((set_a && set_b) || own == 0)
		return false;
	struct wv_num n = wv_num_binary((enum wv_op)insn->op, insn->width, &a.n, &b.n);
	struct wv_val r = wv_val_number(ctx, &n), zero = wv_val_const(ctx, 0);
	r.init = (uint8_t)own;
	wv_write_operand(ctx, st, insn, 0, &r);
	if (own == 64)
		wv_set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &r, &zero);
	else
		wv_forget_flags(st, 0, WV_ALL_FLAGS);
	return true;
}

/* x & (x - 1) is x without its lowest one; x & -8 is x without its low three bits. */
static void relate_and(struct wv_ctx *ctx, struct wv_state *st, unsigned width, const struct wv_val *a,
	const struct wv_val *b, const struct wv_val *r)
{
	/* of a pointer it is the offset that is known, and the mask is the address */
	if (a->kind != WV_NUM || b->kind != WV_NUM)
		return;
	uint64_t off = ~b->n.umin & (UINT64_MAX >> (64 - width));
	if (wv_num_is_const(&b->n) && (off & (off + 1)) == 0)
		wv_quotient_rounded(ctx, width, a, off, r);
	if (a->sym != b->sym)
		return;
	if (b->add == a->add - 1 && a->n.umin > 0)
		wv_state_note_less(st, r, a, true);
	else if (a->add == b->add - 1 && b->n.umin > 0)
		wv_state_note_less(st, r, b, true);
}

/* A number that is compared with an exact pointer is this pointer plus something. */
static void promote_compared(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, struct wv_val *a, struct wv_val *b)
{
	struct wv_val *n = b->kind == WV_PTR ? a : b, *base = n == a ? b : a;
	const struct wv_operand *o = &insn->operand[n == a ? 0 : 1];
	if (insn->width != 64 || o->kind != WV_REG)
		return;
	struct wv_val d = wv_any_of(ctx, 64);
	wv_state_promote(st, n, base, &d);
	if (st->reg[o->reg].kind == WV_PTR)
		*n = st->reg[o->reg];
}

/*
 * gcc's fence, `lock or qword [rsp], 0`. The value at rsp, a slot of the frame or the return address, is written back
 * unchanged, at once, and rsp is a multiple of 8. So nothing changes but the flags, which may depend on a value that
 * isn't the probe's.
 */
static bool is_fence(const struct wv_insn *insn)
{
	return insn->op == WV_OR && insn->lock && insn->operand[1].kind == WV_IMM && insn->imm == 0 &&
	       insn->mem.base == WV_RSP && insn->mem.index == WV_NOREG && insn->mem.disp == 0;
}

/* add, sub, and, or, xor, cmp, test */
void wv_step_binary(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	/* zero, whatever the register held */
	if ((insn->op == WV_XOR || insn->op == WV_SUB) && wv_same_register(insn)) {
		struct wv_val zero = wv_val_const(ctx, 0);
		wv_write_operand(ctx, st, insn, 0, &zero);
		wv_set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &zero, &zero);
		return;
	}
	if (is_fence(insn)) {
		wv_forget_flags(st, 0, WV_ALL_FLAGS);
		return;
	}
	if (step_partly_set(ctx, st, insn))
		return;
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), b = wv_read_operand(ctx, st, insn, 1);
	if (insn->op == WV_CMP && a.kind != b.kind)
		promote_compared(ctx, st, insn, &a, &b);
	if (insn->op == WV_CMP || insn->op == WV_SUB)
		wv_set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &a, &b);
	if (insn->op == WV_CMP)
		return;
	struct wv_val r = values_combine(ctx, insn, &a, &b);
	if (insn->op == WV_ADD) {
		wv_quotient_sum(ctx, insn->width, &a, &b, 1, &r);
		wv_scaled_sum(ctx, insn->width, &a, &b, 1, &r);
	} else if (insn->op == WV_SUB) {
		wv_quotient_difference(ctx, insn->width, &a, &b, &r);
		wv_scaled_difference(ctx, insn->width, &a, &b, &r);
	}
	if (insn->op == WV_ADD || insn->op == WV_SUB)
		sum_relate(st, insn, &a, &b, &r);
	if (insn->op == WV_SUB && insn->width == 64)
		wv_state_promote(st, &a, &b, &r);
	if (insn->op == WV_OR && insn->width >= 32 && a.kind == WV_NUM && b.kind == WV_NUM && !wv_same_register(insn)) {
		wv_state_note_bound(st, &r, &a, 0);
		wv_state_note_bound(st, &r, &b, 0);
	}
	if (insn->op == WV_AND && insn->width >= 32)
		relate_and(ctx, st, insn->width, &a, &b, &r);
	if (insn->op == WV_ADD) {
		wv_set_flags(st, WV_ALL_FLAGS, WV_REL_ADD, insn->width, &r, &b);
	} else if (insn->op != WV_SUB) {
		struct wv_val zero = wv_val_const(ctx, 0);
		wv_set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &r, &zero);
	}
	if (insn->op != WV_TEST)
		wv_write_operand(ctx, st, insn, 0, &r);
}

/* add and sub with rsp as their destination */
void wv_step_add_sub(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	const struct wv_operand *to = &insn->operand[0];
	if (to->kind == WV_REG && to->reg == WV_RSP) {
		int64_t by = insn->op == WV_ADD ? insn->imm : -insn->imm;
		wv_move_stack(ctx, st, insn, (int64_t)st->depth - by);
		wv_forget_flags(st, WV_ALL_FLAGS, 0);
		return;
	}
	wv_step_binary(ctx, st, insn);
}

/*
 * adc, sbb where the carry is known: what follows from it for the operands is known too (cmp n, 1; adc n, 0 is the
 * greater of n and 1). False: it can't be.
 */
static bool with_carry(const struct wv_flags *flags, const struct wv_insn *insn, unsigned carry, struct wv_val a,
	struct wv_val b, struct wv_num *n)
{
	enum wv_cond cond = carry ? WV_B : WV_AE;
	struct wv_num bit = wv_num_const(carry);
	if (wv_flags_defined(flags, cond) &&
		(!wv_flags_assume_value(flags, cond, &a) || !wv_flags_assume_value(flags, cond, &b)))
		return false;
	enum wv_op op = insn->op == WV_ADC ? WV_ADD : WV_SUB;
	*n = wv_num_binary(op, insn->width, &a.n, &b.n);
	*n = wv_num_binary(op, insn->width, n, &bit);
	return true;
}

/* With either carry that may be. */
static struct wv_num carry_sum(
	const struct wv_flags *flags, const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b)
{
	struct wv_num clear, set = wv_num_any(); /* which is true of unreachable code too, where neither may be */
	bool may_clear = with_carry(flags, insn, 0, *a, *b, &clear), may_set = with_carry(flags, insn, 1, *a, *b, &set);
	return may_clear && may_set ? wv_num_join(&clear, &set) : may_clear ? clear : set;
}

void wv_step_carry(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	wv_flags_readable(ctx, st, insn, WV_B);
	struct wv_val r;
	if (insn->op == WV_SBB && wv_same_register(insn)) {
		struct wv_num n = wv_num_any();
		n.smin = -1;
		n.smax = 0;
		n = wv_num_sync(&n) ? n : wv_num_any();
		n = wv_num_zext(&n, insn->width);
		r = wv_val_number(ctx, &n);
	} else {
		struct wv_val a = wv_read_operand(ctx, st, insn, 0), b = wv_read_operand(ctx, st, insn, 1);
		struct wv_val na = wv_as_number(ctx, &a), nb = wv_as_number(ctx, &b);
		struct wv_num n = carry_sum(&st->flags, insn, &na, &nb);
		r = wv_val_number(ctx, &n);
		if (insn->op == WV_ADC &&
			(insn->width == 64 || (insn->width == 32 && na.n.umax + nb.n.umax < UINT32_MAX))) {
			struct wv_val zero = wv_val_const(ctx, 0);
			struct wv_num more = carry_sum(&st->flags, insn, &zero, &nb);
			wv_state_set_distance(st, &na, 1, &r, &more);
		}
	}
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, WV_ALL_FLAGS, WV_REL_SIGN, insn->width, &r, NULL);
}

void wv_step_inc_dec(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_insn as = *insn;
	as.op = insn->op == WV_INC ? WV_ADD : WV_SUB;
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), one = wv_val_const(ctx, 1),
		      r = values_combine(ctx, &as, &a, &one);
	uint8_t defined = (uint8_t)(st->flags.defined | (WV_ALL_FLAGS & ~WV_CF)); /* carry is kept */
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, defined, WV_REL_SIGN, insn->width, &r, NULL);
}

void wv_step_neg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), na = wv_as_number(ctx, &a);
	struct wv_num zero = wv_num_const(0), n = wv_num_binary(WV_SUB, insn->width, &zero, &na.n);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, WV_ALL_FLAGS, WV_REL_SIGN, insn->width, &r, NULL);
}

void wv_step_not(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), na = wv_as_number(ctx, &a);
	struct wv_num ones = wv_num_const(UINT64_MAX), n = wv_num_binary(WV_XOR, insn->width, &na.n, &ones);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_write_operand(ctx, st, insn, 0, &r);
}

/* The second source, not inverted, is the mask. */
void wv_step_andn(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = wv_read_operand(ctx, st, insn, 1), b = wv_read_operand(ctx, st, insn, 2);
	struct wv_num na = wv_as_number(ctx, &a).n, nb = wv_as_number(ctx, &b).n, ones = wv_num_const(UINT64_MAX);
	na = wv_num_binary(WV_XOR, insn->width, &na, &ones);
	na = wv_num_binary(WV_AND, insn->width, &na, &nb);
	struct wv_val r = wv_val_number(ctx, &na), zero = wv_val_const(ctx, 0);
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, WV_ALL_FLAGS & ~WV_PF, WV_REL_CMP, insn->width, &r, &zero);
}

/*
 * Of registers the second is written first: of a register with itself the sum stays. Memory is written while its
 * address still holds.
 */
void wv_step_xadd(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_insn as = *insn;
	as.op = WV_ADD;
	struct wv_val a = wv_read_operand(ctx, st, insn, 0), b = wv_read_operand(ctx, st, insn, 1),
		      r = values_combine(ctx, &as, &a, &b);
	bool memory = insn->operand[0].kind == WV_MEM;
	if (memory)
		wv_write_operand(ctx, st, insn, 0, &r);
	wv_write_operand(ctx, st, insn, 1, &a);
	if (!memory)
		wv_write_operand(ctx, st, insn, 0, &r);
	wv_set_flags(st, WV_ALL_FLAGS, WV_REL_ADD, insn->width, &r, &b);
}

/*
 * Either the destination becomes the source, or rax becomes the destination. The manual doesn't say whether a 32-bit
 * register that keeps its value loses its upper half, so nothing is known of that half afterwards. All of the
 * register is the probe's own, since 32 bits of it could be read.
 */
void wv_step_cmpxchg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width, written = w == 32 ? 64 : w;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, w), a = wv_read_operand(ctx, st, insn, 0);
	wv_read_operand(ctx, st, insn, 1);
	struct wv_val any = wv_any_of(ctx, insn->operand[0].kind == WV_MEM ? w : written);
	if (insn->operand[0].kind == WV_MEM || w < 32)
		wv_write_operand(ctx, st, insn, 0, &any);
	else
		wv_write_reg(ctx, st, insn, insn->operand[0].reg, written, &any);
	any = wv_any_of(ctx, written);
	wv_write_reg(ctx, st, insn, WV_RAX, written, &any);
	wv_set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, w, &rax, &a);
}

/* ---- products and quotients ---- */

void wv_step_imul(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned first = insn->n_operands == 3 ? 1 : 0;
	struct wv_val a = wv_read_operand(ctx, st, insn, first), b = wv_read_operand(ctx, st, insn, first + 1);
	struct wv_val na = wv_as_number(ctx, &a), nb = wv_as_number(ctx, &b);
	struct wv_num n = wv_num_binary(WV_IMUL, insn->width, &na.n, &nb.n);
	struct wv_val r = wv_val_number(ctx, &n);
	wv_quotient_product(ctx, insn->width, &na, &nb, &r, NULL);
	wv_write_operand(ctx, st, insn, 0, &r);
	wv_forget_flags(st, WV_CF | WV_OF, WV_ZF | WV_SF | WV_PF);
}

/* rdx:rax, or at 8 bits ah:al, from two halves */
static void write_halves(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_num *high,
	const struct wv_num *low)
{
	struct wv_val h = wv_val_number(ctx, high), l = wv_val_number(ctx, low);
	if (insn->width == 8) {
		struct wv_num eight = wv_num_const(8), n = wv_num_shift(WV_SHL, 64, high, &eight);
		n = wv_num_binary(WV_OR, 64, &n, low);
		l = wv_val_number(ctx, &n);
		wv_write_reg(ctx, st, insn, WV_RAX, 16, &l);
		return;
	}
	wv_write_reg(ctx, st, insn, WV_RAX, insn->width, &l);
	wv_write_reg(ctx, st, insn, WV_RDX, insn->width, &h);
}

/* mul, and imul of one operand */
void wv_step_mul(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, w), by = wv_read_operand(ctx, st, insn, 0);
	struct wv_val a = wv_as_number(ctx, &rax), b = wv_as_number(ctx, &by);
	struct wv_num low, high;
	wv_num_product(w, insn->op == WV_IMUL1, &a.n, &b.n, &low, &high);
	write_halves(ctx, st, insn, &high, &low);
	if (insn->op == WV_MUL)
		wv_quotient_product(ctx, w, &a, &b, &st->reg[WV_RAX], &st->reg[WV_RDX]);
	wv_forget_flags(st, WV_CF | WV_OF, WV_ZF | WV_SF | WV_PF);
}

/* The lower half first: if both destinations are one register, the upper half stays. */
void wv_step_mulx(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	struct wv_val rdx = wv_read_reg(ctx, st, insn, WV_RDX, w), by = wv_read_operand(ctx, st, insn, 2);
	struct wv_val a = wv_as_number(ctx, &rdx), b = wv_as_number(ctx, &by);
	struct wv_num low, high;
	wv_num_product(w, false, &a.n, &b.n, &low, &high);
	struct wv_val l = wv_val_number(ctx, &low), h = wv_val_number(ctx, &high);
	wv_quotient_product(ctx, w, &a, &b, &l, &h);
	wv_write_operand(ctx, st, insn, 1, &l);
	wv_write_operand(ctx, st, insn, 0, &h);
}

/* V-53. `dividend`: what to say of it. */
static void divide_by(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_dividend *n,
	const char *dividend)
{
	struct wv_val by = wv_read_operand(ctx, st, insn, 0);
	struct wv_num d = wv_as_number(ctx, &by).n, q, r;
	char what[TEXT];
	wv_val_print(&by, what, sizeof what);
	switch (wv_num_divide(insn->width, insn->op == WV_IDIV, n, &d, &q, &r)) {
	case WV_DIVIDES: break;
	case WV_DIVIDES_BY_ZERO:
		wv_report(ctx->sink, WARD_RULE_DIVIDE, insn->pc, "division-by-possible-zero",
			"the divisor is %s; it must not be zero", what);
		break;
	case WV_DIVIDES_TOO_BIG:
		wv_report(ctx->sink, WARD_RULE_DIVIDE, insn->pc, "quotient-may-overflow",
			"%s and the divisor is %s; the quotient must fit into %u bits", dividend, what, insn->width);
		break;
	}
	write_halves(ctx, st, insn, &r, &q);
	wv_forget_flags(st, 0, WV_ALL_FLAGS);
}

/* Has rdx been made from the sign of what rax holds? */
static bool is_sign(const struct wv_ctx *ctx, const struct wv_state *st, unsigned width)
{
	const struct wv_sign *s = &ctx->sign;
	const struct wv_val *of = &st->reg[WV_RAX], *is = &st->reg[WV_RDX];
	if (!s->sym || s->width != width || is->kind != WV_NUM || is->sym != s->sym || is->add != 0 ||
		of->kind != WV_NUM)
		return false;
	return width == 64 ? of->sym == s->of && of->add == s->of_add
			   : of->lsym == s->of && of->ladd == (uint32_t)s->of_add;
}

/* div and idiv: of rdx:rax, at 8 bits of ax */
void wv_step_div(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, w == 8 ? 16 : w);
	struct wv_num low = wv_as_number(ctx, &rax).n;
	struct wv_dividend n;
	char dividend[TEXT + 32], what[TEXT];
	if (w == 8) {
		n = wv_dividend_narrow(16, &low);
		wv_val_print(&rax, what, sizeof what);
		snprintf(dividend, sizeof dividend, "ax is %s", what);
	} else {
		struct wv_val rdx = wv_read_reg(ctx, st, insn, WV_RDX, w);
		struct wv_num high = wv_as_number(ctx, &rdx).n;
		bool sign = insn->op == WV_IDIV && is_sign(ctx, st, w);
		n = sign ? wv_dividend_narrow(w, &low) : wv_dividend_of(w, &high, &low);
		wv_val_print(sign ? &rax : &rdx, what, sizeof what);
		snprintf(dividend, sizeof dividend, sign ? "rdx is the sign of rax, which is %s," : "rdx is %s", what);
	}
	divide_by(ctx, st, insn, &n, dividend);
}
