/*
 * The transfer functions, one per row of isa.def, by way of the table at the end.
 *
 * Each takes its operands as values (number or pointer, with identity), computes a value, writes it, and leaves in the flags what was compared. What an
 * operation can't follow becomes "any number", never nothing: a missing case costs precision, not safety. Host values (uninitialised or saved registers) may
 * be moved about whole by mov, push and pop; any other use breaks V-50.
 */
#include "step.h"

#include <string.h>

#define TEXT 120

/* ---- small things ---- */

static struct wv_val any_of(struct wv_ctx *ctx, unsigned width)
{
	struct wv_num n = width == 64 ? wv_num_any() : wv_num_range(0, (UINT64_C(1) << width) - 1);
	return wv_val_number(ctx, &n);
}

/* Pointers that an operation can't follow are numbers of which nothing is known. */
static struct wv_val as_number(struct wv_ctx *ctx, const struct wv_val *v)
{
	return v->kind == WV_NUM ? *v : any_of(ctx, 64);
}

static void set_flags(struct wv_state *st, uint8_t defined, enum wv_relation relation, unsigned width, const struct wv_val *a, const struct wv_val *b)
{
	st->flags.defined = defined;
	st->flags.relation = (uint8_t)relation;
	st->flags.width = (uint8_t)width;
	if (a)
		st->flags.a = *a;
	if (b)
		st->flags.b = *b;
}

static void forget_flags(struct wv_state *st, uint8_t defines, uint8_t undefines)
{
	st->flags.defined = (uint8_t)((st->flags.defined & ~undefines) | defines);
	st->flags.relation = WV_REL_NONE;
}

/* ---- operands ---- */

struct wv_val wv_read_reg(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, unsigned reg, unsigned width)
{
	const struct wv_val *v = &st->reg[reg];
	if (!wv_val_readable(v, width)) {
		char what[TEXT];
		wv_val_print(v, what, sizeof what);
		if (v->kind == WV_NUM)
			wv_report(ctx->sink, WARD_RULE_UNINIT_REG, insn->pc, "read-of-unset-register",
				"%u bits of %s are read; the probe has set only the low %u", width, ward_register_name(reg), v->init);
		else
			wv_report(ctx->sink, WARD_RULE_UNINIT_REG, insn->pc, "read-of-unset-register", "%s is read; it is %s",
				ward_register_name(reg), what);
		return any_of(ctx, width);
	}
	if (width == 64)
		return *v;
	if (width == 32)
		return wv_val_zext32(ctx, v);
	struct wv_val n = as_number(ctx, v);
	if (n.n.umax >> width == 0)
		return n;
	struct wv_num low = wv_num_zext(&n.n, width);
	return wv_val_number(ctx, &low);
}

/* Operand i as an operation reads it: zero-extended from its width, the probe's own. Immediates of 8 and 16 bits are zero-extended too. */
static struct wv_val read_operand(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i)
{
	const struct wv_operand *o = &insn->operand[i];
	if (o->kind == WV_IMM) {
		unsigned w = insn->width;
		return wv_val_const(ctx, w == 64 ? (uint64_t)insn->imm : (uint64_t)insn->imm & ((UINT64_C(1) << w) - 1));
	}
	if (o->kind == WV_MEM) {
		struct wv_val v = wv_load(ctx, st, insn, o->width / 8);
		if (wv_val_readable(&v, o->width))
			return v;
		char what[TEXT];
		wv_val_print(&v, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_UNINIT_MEM, insn->pc, "load-of-unset-stack", "the stack slot holds %s", what);
		return any_of(ctx, o->width);
	}
	if (o->high) {
		struct wv_val v = wv_read_reg(ctx, st, insn, o->reg, 16), n = as_number(ctx, &v);
		struct wv_num eight = wv_num_const(8), high = wv_num_shift(WV_SHR, 16, &n.n, &eight);
		return wv_val_number(ctx, &high);
	}
	return wv_read_reg(ctx, st, insn, o->reg, o->width);
}

/* `v` is zero-extended from `width`. */
static void write_reg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned reg, unsigned width, const struct wv_val *v)
{
	struct wv_val *to = &st->reg[reg];
	if (reg == WV_RSP) { /* lea rsp, [rsp+n]; the decoder lets little else through, but this is the place that decides */
		if (width == 64 && v->kind == WV_PTR && v->region == WV_STACK && wv_num_is_const(&v->n))
			wv_move_stack(ctx, st, insn, -v->n.smin);
		else
			wv_report(ctx->sink, WARD_RULE_STACK_PTR, insn->pc, "stack-pointer-unknown",
				"rsp becomes something other than the entry's value less a known constant");
		return;
	}
	ctx->written |= (uint16_t)(1u << reg);
	if (width >= 32) {
		*to = *v;
		return;
	}
	struct wv_val part = as_number(ctx, v);
	struct wv_num old = to->kind == WV_NUM ? to->n : wv_num_any(), n = wv_num_merge(&old, &part.n, width);
	uint8_t init = to->kind == WV_PTR ? 64 : to->kind == WV_NUM ? to->init : 0;
	*to = wv_val_number(ctx, &n);
	to->init = init > width ? init : (uint8_t)width;
}

static void write_operand(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *v)
{
	const struct wv_operand *o = &insn->operand[0];
	if (o->kind == WV_MEM)
		wv_store(ctx, st, insn, o->width / 8, v);
	else
		write_reg(ctx, st, insn, o->reg, o->width, v);
}

static bool same_register(const struct wv_insn *insn)
{
	return insn->operand[0].kind == WV_REG && insn->operand[1].kind == WV_REG && insn->operand[0].reg == insn->operand[1].reg &&
	       insn->operand[0].width == insn->operand[1].width && !insn->operand[0].high && !insn->operand[1].high;
}

/* V-52, and whether to go on. */
static bool flags_readable(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, enum wv_cond cond)
{
	if (wv_flags_defined(&st->flags, cond))
		return true;
	wv_report(ctx->sink, WARD_RULE_FLAGS, insn->pc, "read-of-unset-flags", "a flag is read that no instruction of this block has defined");
	return false;
}

/* ---- moves ---- */

static void step_mov(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	const struct wv_operand *from = &insn->operand[1];
	struct wv_val v;
	if (from->kind == WV_REG && from->width == 64)
		v = st->reg[from->reg]; /* whole registers move host values too */
	else if (from->kind == WV_MEM && from->width == 64)
		v = wv_load(ctx, st, insn, 8);
	else
		v = read_operand(ctx, st, insn, 1);
	write_operand(ctx, st, insn, &v);
}

static void step_movzx(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = read_operand(ctx, st, insn, 1);
	write_operand(ctx, st, insn, &v);
}

/* Sign extension of a value from `from` bits to `to`; non-negative values keep their identity. */
static struct wv_val sign_extend(struct wv_ctx *ctx, const struct wv_val *v, unsigned from, unsigned to)
{
	struct wv_val n = as_number(ctx, v);
	if (n.n.umax < UINT64_C(1) << (from - 1))
		return n;
	struct wv_num wide = wv_num_sext(&n.n, from);
	wide = wv_num_zext(&wide, to);
	struct wv_val r = wv_val_number(ctx, &wide);
	if (from == 32) {
		r.lsym = n.lsym;
		r.ladd = n.ladd;
	}
	return r;
}

static void step_movsx(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = read_operand(ctx, st, insn, 1);
	v = sign_extend(ctx, &v, insn->operand[1].width, insn->operand[0].width);
	write_operand(ctx, st, insn, &v);
}

/* cwde, cdqe: rax from its lower half. */
static void step_extend_rax(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned to = insn->op == WV_CDQE ? 64 : 32;
	struct wv_val v = wv_read_reg(ctx, st, insn, WV_RAX, to / 2);
	v = sign_extend(ctx, &v, to / 2, to);
	write_reg(ctx, st, insn, WV_RAX, to, &v);
}

/* cdq, cqo: rdx from the sign of rax. */
static void step_sign_rax(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned width = insn->op == WV_CQO ? 64 : 32;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, width), v = as_number(ctx, &rax);
	struct wv_num wide = wv_num_sext(&v.n, width), by = wv_num_const(63), sign = wv_num_shift(WV_SAR, 64, &wide, &by);
	sign = wv_num_zext(&sign, width);
	v = wv_val_number(ctx, &sign);
	write_reg(ctx, st, insn, WV_RDX, width, &v);
}

static void step_lea(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = wv_address(ctx, st, insn);
	if (insn->width == 32)
		v = wv_val_zext32(ctx, &v);
	write_operand(ctx, st, insn, &v);
}

static void step_push(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v;
	if (insn->operand[0].kind == WV_IMM)
		v = wv_val_const(ctx, (uint64_t)insn->imm);
	else
		v = st->reg[insn->operand[0].reg];
	wv_push(ctx, st, insn, &v);
}

static void step_pop(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = wv_pop(ctx, st, insn);
	write_reg(ctx, st, insn, insn->operand[0].reg, 64, &v);
}

/* ---- arithmetic ---- */

/* add and sub of 32 bits with a constant keep identities: the low one always, the full one where nothing wraps, or all does. */
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
static bool unchanged(const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b)
{
	if (insn->op == WV_XOR || a->kind != WV_NUM || b->kind != WV_NUM)
		return false;
	if (same_register(insn))
		return true;
	if (insn->op == WV_OR || !wv_num_is_const(&b->n))
		return false;
	uint64_t mask = b->n.umin;
	return (mask & (mask + 1)) == 0 && a->n.umax <= mask;
}

static struct wv_val combine(struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_val *a, const struct wv_val *b)
{
	enum wv_op op = insn->op == WV_CMP ? WV_SUB : insn->op == WV_TEST ? WV_AND : (enum wv_op)insn->op;
	if (insn->width == 64 && op == WV_ADD)
		return wv_val_add(ctx, a, b);
	if (insn->width == 64 && op == WV_SUB)
		return wv_val_sub(ctx, a, b);
	if ((op == WV_AND || op == WV_OR) && unchanged(insn, a, b))
		return *a;
	struct wv_val na = as_number(ctx, a), nb = as_number(ctx, b);
	struct wv_num n = wv_num_binary(op, insn->width, &na.n, &nb.n);
	struct wv_val r = wv_val_number(ctx, &n);
	if (insn->width == 32 && (op == WV_ADD || op == WV_SUB))
		keep_identity32(&r, op, &na, &nb);
	return r;
}

/* add, sub, and, or, xor, cmp, test */
static void step_binary(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	if ((insn->op == WV_XOR || insn->op == WV_SUB) && same_register(insn)) { /* zero, whatever the register held */
		struct wv_val zero = wv_val_const(ctx, 0);
		write_operand(ctx, st, insn, &zero);
		set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &zero, &zero);
		return;
	}
	struct wv_val a = read_operand(ctx, st, insn, 0), b = read_operand(ctx, st, insn, 1), r = combine(ctx, insn, &a, &b);
	struct wv_val zero = wv_val_const(ctx, 0);
	if (insn->op == WV_CMP || insn->op == WV_SUB)
		set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &a, &b);
	else if (insn->op == WV_ADD)
		set_flags(st, WV_ALL_FLAGS, WV_REL_ADD, insn->width, &r, &b);
	else
		set_flags(st, WV_ALL_FLAGS, WV_REL_CMP, insn->width, &r, &zero);
	if (insn->op != WV_CMP && insn->op != WV_TEST)
		write_operand(ctx, st, insn, &r);
}

/* add and sub with rsp as their destination */
static void step_add_sub(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	const struct wv_operand *to = &insn->operand[0];
	if (to->kind == WV_REG && to->reg == WV_RSP) {
		int64_t by = insn->op == WV_ADD ? insn->imm : -insn->imm;
		wv_move_stack(ctx, st, insn, (int64_t)st->depth - by);
		forget_flags(st, WV_ALL_FLAGS, 0);
		return;
	}
	step_binary(ctx, st, insn);
}

static void step_carry(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	flags_readable(ctx, st, insn, WV_B);
	struct wv_val r;
	if (insn->op == WV_SBB && same_register(insn)) {
		struct wv_num n = wv_num_any();
		n.smin = -1;
		n.smax = 0;
		n = wv_num_sync(&n) ? n : wv_num_any();
		n = wv_num_zext(&n, insn->width);
		r = wv_val_number(ctx, &n);
	} else {
		struct wv_val a = read_operand(ctx, st, insn, 0), b = read_operand(ctx, st, insn, 1);
		struct wv_val na = as_number(ctx, &a), nb = as_number(ctx, &b);
		struct wv_num carry = wv_num_range(0, 1);
		enum wv_op op = insn->op == WV_ADC ? WV_ADD : WV_SUB;
		struct wv_num n = wv_num_binary(op, insn->width, &na.n, &nb.n);
		n = wv_num_binary(op, insn->width, &n, &carry);
		r = wv_val_number(ctx, &n);
	}
	write_operand(ctx, st, insn, &r);
	set_flags(st, WV_ALL_FLAGS, WV_REL_SIGN, insn->width, &r, NULL);
}

static void step_inc_dec(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_insn as = *insn;
	as.op = insn->op == WV_INC ? WV_ADD : WV_SUB;
	struct wv_val a = read_operand(ctx, st, insn, 0), one = wv_val_const(ctx, 1), r = combine(ctx, &as, &a, &one);
	uint8_t defined = (uint8_t)(st->flags.defined | (WV_ALL_FLAGS & ~WV_CF)); /* carry is kept */
	write_operand(ctx, st, insn, &r);
	set_flags(st, defined, WV_REL_SIGN, insn->width, &r, NULL);
}

static void step_neg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = read_operand(ctx, st, insn, 0), na = as_number(ctx, &a);
	struct wv_num zero = wv_num_const(0), n = wv_num_binary(WV_SUB, insn->width, &zero, &na.n);
	struct wv_val r = wv_val_number(ctx, &n);
	write_operand(ctx, st, insn, &r);
	set_flags(st, WV_ALL_FLAGS, WV_REL_SIGN, insn->width, &r, NULL);
}

static void step_not(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = read_operand(ctx, st, insn, 0), na = as_number(ctx, &a);
	struct wv_num ones = wv_num_const(UINT64_MAX), n = wv_num_binary(WV_XOR, insn->width, &na.n, &ones);
	struct wv_val r = wv_val_number(ctx, &n);
	write_operand(ctx, st, insn, &r);
}

static void step_imul(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned first = insn->n_operands == 3 ? 1 : 0;
	struct wv_val a = read_operand(ctx, st, insn, first), b = read_operand(ctx, st, insn, first + 1);
	struct wv_val na = as_number(ctx, &a), nb = as_number(ctx, &b);
	struct wv_num n = wv_num_binary(WV_IMUL, insn->width, &na.n, &nb.n);
	struct wv_val r = wv_val_number(ctx, &n);
	write_operand(ctx, st, insn, &r);
	forget_flags(st, WV_CF | WV_OF, WV_ZF | WV_SF | WV_PF);
}

/* rdx:rax = rax * operand. The upper half lies between those of the least and the greatest product. */
static void step_mul(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, w), by = read_operand(ctx, st, insn, 0);
	struct wv_num a = as_number(ctx, &rax).n, b = as_number(ctx, &by).n;
	struct wv_num low = wv_num_binary(WV_IMUL, w, &a, &b);
	unsigned __int128 least = (unsigned __int128)a.umin * b.umin, most = (unsigned __int128)a.umax * b.umax;
	struct wv_num high = wv_num_range((uint64_t)(least >> w), (uint64_t)(most >> w));
	struct wv_val v = wv_val_number(ctx, &low);
	write_reg(ctx, st, insn, WV_RAX, w, &v);
	v = wv_val_number(ctx, &high);
	write_reg(ctx, st, insn, WV_RDX, w, &v);
	forget_flags(st, WV_CF | WV_OF, WV_ZF | WV_SF | WV_PF);
}

static void step_div(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, w), rdx = wv_read_reg(ctx, st, insn, WV_RDX, w), by = read_operand(ctx, st, insn, 0);
	struct wv_num a = as_number(ctx, &rax).n, high = as_number(ctx, &rdx).n, d = as_number(ctx, &by).n;
	struct wv_num q, r;
	char what[TEXT];
	if (wv_num_has(&d, 0)) {
		wv_val_print(&by, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_DIVIDE, insn->pc, "division-by-possible-zero", "the divisor is %s; it must be proven not to be zero", what);
	} else if (high.umax != 0) {
		wv_val_print(&rdx, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_DIVIDE, insn->pc, "quotient-may-overflow", "rdx is %s; it must be zero, so that the quotient fits", what);
	}
	if (d.umin == 0) {
		struct wv_val any = any_of(ctx, w);
		q = r = any.n;
	} else {
		q = wv_num_range(a.umin / d.umax, a.umax / d.umin);
		r = wv_num_range(0, d.umax - 1 < a.umax ? d.umax - 1 : a.umax);
	}
	struct wv_val v = wv_val_number(ctx, &q);
	write_reg(ctx, st, insn, WV_RAX, w, &v);
	v = wv_val_number(ctx, &r);
	write_reg(ctx, st, insn, WV_RDX, w, &v);
	forget_flags(st, 0, WV_ALL_FLAGS);
}

/* ---- shifts and bits ---- */

static void step_shift(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned w = insn->width;
	bool rotate = insn->op == WV_ROL || insn->op == WV_ROR;
	struct wv_val a = read_operand(ctx, st, insn, 0), count = read_operand(ctx, st, insn, 1);
	struct wv_num by = as_number(ctx, &count).n;
	if (insn->operand[1].kind == WV_IMM && ((unsigned)insn->imm & (w == 64 ? 63 : 31)) == 0) { /* nothing but the zeroed upper half */
		write_operand(ctx, st, insn, &a);
		return;
	}
	struct wv_val from = as_number(ctx, &a);
	struct wv_num n = wv_num_shift((enum wv_op)insn->op, w, &from.n, &by);
	struct wv_val r = wv_val_number(ctx, &n);
	write_operand(ctx, st, insn, &r);
	if (rotate)
		forget_flags(st, 0, WV_CF | WV_OF);
	else if (insn->operand[1].kind == WV_IMM)
		set_flags(st, WV_ZF | WV_SF | WV_PF | ((unsigned)insn->imm % (w == 64 ? 64 : 32) < w ? WV_CF : 0), WV_REL_SIGN, w, &r, NULL);
	else /* if cl is zero they are unchanged */
		forget_flags(st, 0, WV_ALL_FLAGS);
}

static void step_bswap(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 0);
	struct wv_val r = any_of(ctx, insn->width);
	write_operand(ctx, st, insn, &r);
}

static void step_bt(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	read_operand(ctx, st, insn, 0);
	read_operand(ctx, st, insn, 1);
	forget_flags(st, WV_CF, WV_SF | WV_OF | WV_PF);
}

static unsigned top_bit(uint64_t x)
{
	return x ? 63 - (unsigned)__builtin_clzll(x) : 0;
}

/* bsf, bsr. Of zero they leave the destination as it was, or anything: then it must be the probe's own, and the result is unknown. */
static void step_bit_scan(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val s = read_operand(ctx, st, insn, 1), ns = as_number(ctx, &s), r;
	if (!wv_num_has(&ns.n, 0)) {
		uint64_t least = insn->op == WV_BSR ? top_bit(ns.n.umin) : 0;
		struct wv_num n = wv_num_range(least, top_bit(ns.n.umax));
		r = wv_val_number(ctx, &n);
	} else {
		wv_read_reg(ctx, st, insn, insn->operand[0].reg, 64);
		r = any_of(ctx, 64);
	}
	write_reg(ctx, st, insn, insn->operand[0].reg, 64, &r);
	set_flags(st, (uint8_t)((st->flags.defined & ~WV_ALL_FLAGS) | WV_ZF), WV_REL_ZERO, insn->width, &ns, NULL);
}

/* ---- conditions ---- */

/* One of two values. */
static struct wv_val either(struct wv_ctx *ctx, const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind != b->kind || (a->kind == WV_PTR && a->region != b->region))
		return any_of(ctx, 64);
	struct wv_num n = wv_num_join(&a->n, &b->n);
	struct wv_val r = wv_val_number(ctx, &n);
	r.kind = a->kind;
	r.region = a->region;
	if (a->sym == b->sym && a->add == b->add) {
		r.sym = a->sym;
		r.add = a->add;
	}
	if (a->lsym == b->lsym && a->ladd == b->ladd) {
		r.lsym = a->lsym;
		r.ladd = a->ladd;
	}
	return r;
}

static void step_cmov(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val take = read_operand(ctx, st, insn, 1), keep = read_operand(ctx, st, insn, 0), r;
	enum wv_cond cond = (enum wv_cond)insn->cond;
	if (!flags_readable(ctx, st, insn, cond)) {
		r = either(ctx, &take, &keep);
	} else {
		bool may_take = wv_flags_assume_value(&st->flags, cond, &take);
		bool may_keep = wv_flags_assume_value(&st->flags, (enum wv_cond)(cond ^ 1), &keep);
		r = may_take && may_keep ? either(ctx, &take, &keep) : may_take ? take : keep;
		if (!may_take && !may_keep) /* unreachable code: anything is true of it */
			r = any_of(ctx, insn->width);
	}
	write_operand(ctx, st, insn, &r);
}

static void step_setcc(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	flags_readable(ctx, st, insn, (enum wv_cond)insn->cond);
	struct wv_num bit = wv_num_range(0, 1);
	struct wv_val r = wv_val_number(ctx, &bit);
	write_operand(ctx, st, insn, &r);
}

static void step_jcc(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	flags_readable(ctx, st, insn, (enum wv_cond)insn->cond);
}

static void step_nothing(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	(void)ctx, (void)st, (void)insn;
}

static void step_int3(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	(void)st;
	wv_report(ctx->sink, WARD_RULE_FALLOFF, insn->pc, "padding-reached", "control reaches int3, which is padding");
}

/* ---- the table ---- */

typedef void transfer(struct wv_ctx *, struct wv_state *, const struct wv_insn *);

static transfer *const table[WV_OP_COUNT] = {
	[WV_MOV] = step_mov,	   [WV_MOVZX] = step_movzx,	 [WV_MOVSX] = step_movsx,  [WV_MOVSXD] = step_movsx,
	[WV_LEA] = step_lea,	   [WV_ADD] = step_add_sub,	 [WV_SUB] = step_add_sub,  [WV_ADC] = step_carry,
	[WV_SBB] = step_carry,	   [WV_AND] = step_binary,	 [WV_OR] = step_binary,	   [WV_XOR] = step_binary,
	[WV_CMP] = step_binary,	   [WV_TEST] = step_binary,	 [WV_INC] = step_inc_dec,  [WV_DEC] = step_inc_dec,
	[WV_NEG] = step_neg,	   [WV_NOT] = step_not,		 [WV_IMUL] = step_imul,	   [WV_MUL] = step_mul,
	[WV_DIV] = step_div,	   [WV_SHL] = step_shift,	 [WV_SHR] = step_shift,	   [WV_SAR] = step_shift,
	[WV_ROL] = step_shift,	   [WV_ROR] = step_shift,	 [WV_BSWAP] = step_bswap,  [WV_BT] = step_bt,
	[WV_BSF] = step_bit_scan,  [WV_BSR] = step_bit_scan,	 [WV_CMOV] = step_cmov,	   [WV_SETCC] = step_setcc,
	[WV_JCC] = step_jcc,	   [WV_JMP] = step_nothing,	 [WV_CALL] = step_nothing, [WV_RET] = step_nothing,
	[WV_PUSH] = step_push,	   [WV_POP] = step_pop,		 [WV_CWDE] = step_extend_rax, [WV_CDQE] = step_extend_rax,
	[WV_CDQ] = step_sign_rax,  [WV_CQO] = step_sign_rax,	 [WV_NOP] = step_nothing,  [WV_ENDBR] = step_nothing,
	[WV_INT3] = step_int3,
};

void wv_step(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	if (insn->op >= WV_OP_COUNT || !table[insn->op]) {
		wv_report(ctx->sink, WARD_RULE_OPCODE, insn->pc, "no-transfer-function", "the instruction has a row but no meaning");
		return;
	}
	table[insn->op](ctx, st, insn);
}
