/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the operands of an instruction as values, writes them back, and leaves the flags.
 *
 * Partial writes need care. To read a part of a register, that part must be the probe's own. Writing 32 bits zeroes
 * the upper half; writing 8 or 16 keeps the rest, whether that is the host's or the probe's. ah, ch, dh and bh are
 * bits 8 to 15 of the first four registers.
 */
#include "step_parts.h"

#define TEXT 120

struct wv_val wv_any_of(struct wv_ctx *ctx, unsigned width)
{
	struct wv_num n = width == 64 ? wv_num_any() : wv_num_range(0, (UINT64_C(1) << width) - 1);
	return wv_val_number(ctx, &n);
}

struct wv_val wv_as_number(struct wv_ctx *ctx, const struct wv_val *v)
{
	return v->kind == WV_NUM ? *v : wv_any_of(ctx, 64);
}

void wv_set_flags(struct wv_state *st, uint8_t defined, enum wv_relation relation, unsigned width,
	const struct wv_val *a, const struct wv_val *b)
{
	st->flags.defined = defined;
	st->flags.relation = (uint8_t)relation;
	st->flags.width = (uint8_t)width;
	if (a)
		st->flags.a = *a;
	if (b)
		st->flags.b = *b;
}

void wv_forget_flags(struct wv_state *st, uint8_t defines, uint8_t undefines)
{
	st->flags.defined = (uint8_t)((st->flags.defined & ~undefines) | defines);
	st->flags.relation = WV_REL_NONE;
}

struct wv_val wv_read_reg(
	struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, unsigned reg, unsigned width)
{
	const struct wv_val *v = &st->reg[reg];
	if (!wv_val_readable(v, width)) {
		char what[TEXT];
		wv_val_print(v, what, sizeof what);
		if (v->kind == WV_NUM)
			wv_report(ctx->sink, WARD_RULE_UNINIT_REG, insn->pc, "read-of-unset-register",
				"%s is read, its low %u bits; the probe has set only the low %u",
				ward_register_name(reg), width, v->init);
		else
			wv_report(ctx->sink, WARD_RULE_UNINIT_REG, insn->pc, "read-of-unset-register",
				"%s is read, and holds %s", ward_register_name(reg), what);
		return wv_any_of(ctx, width);
	}
	if (width == 64)
		return *v;
	if (width == 32)
		return wv_val_zext32(ctx, v);
	struct wv_val n = wv_as_number(ctx, v);
	if (n.n.umax >> width == 0)
		return n;
	struct wv_num low = wv_num_zext(&n.n, width);
	return wv_val_number(ctx, &low);
}

/* Of 8 or 16 low bits; read again, they are the same. */
static struct wv_val read_part(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_operand *o)
{
	const struct wv_val *of = &st->reg[o->reg];
	struct wv_val v = wv_read_reg(ctx, st, insn, o->reg, o->width);
	struct wv_part *part = &st->part;
	if (of->kind != WV_NUM || v.sym == of->sym) /* all of it */
		return v;
	if (part->sym != of->sym || part->add != of->add || part->width != o->width)
		*part = (struct wv_part){of->sym, of->add, o->width, v};
	else if (wv_num_meet(&v.n, &part->is.n))
		part->is.n = v.n;
	return part->is;
}

struct wv_val wv_read_operand(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i)
{
	const struct wv_operand *o = &insn->operand[i];
	if (o->kind == WV_IMM) {
		unsigned w = insn->width;
		return wv_val_const(
			ctx, w == 64 ? (uint64_t)insn->imm : (uint64_t)insn->imm & ((UINT64_C(1) << w) - 1));
	}
	if (o->kind == WV_MEM) {
		struct wv_val v = wv_load(ctx, st, insn, o->width / 8);
		if (wv_val_readable(&v, o->width))
			return v;
		char what[TEXT];
		wv_val_print(&v, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_UNINIT_MEM, insn->pc, "load-of-unset-stack",
			"what is read from the stack is %s", what);
		return wv_any_of(ctx, o->width);
	}
	if (o->high) {
		struct wv_val v = wv_read_reg(ctx, st, insn, o->reg, 16), n = wv_as_number(ctx, &v);
		struct wv_num eight = wv_num_const(8), high = wv_num_shift(WV_SHR, 16, &n.n, &eight);
		return wv_val_number(ctx, &high);
	}
	return o->width < 32 ? read_part(ctx, st, insn, o) : wv_read_reg(ctx, st, insn, o->reg, o->width);
}

bool wv_peek_operand(
	struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, unsigned i, struct wv_val *v)
{
	const struct wv_operand *o = &insn->operand[i];
	*v = wv_any_of(ctx, insn->width);
	if (o->kind == WV_IMM)
		*v = wv_val_const(ctx, insn->width == 64 ? (uint64_t)insn->imm : (uint32_t)insn->imm);
	if (o->kind != WV_REG)
		return true;
	const struct wv_val *is = &st->reg[o->reg];
	if (is->kind == WV_NUM)
		v->n = wv_num_zext(&is->n, o->width);
	v->init = is->kind == WV_NUM ? is->init : is->kind == WV_PTR ? 64 : 0;
	return wv_val_readable(is, o->width);
}

void wv_write_reg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned reg, unsigned width,
	const struct wv_val *v)
{
	struct wv_val *to = &st->reg[reg];
	/* lea rsp, [rsp+n]; the decoder lets little else through, but this is the place that decides */
	if (reg == WV_RSP) {
		if (width == 64 && v->kind == WV_PTR && v->region == WV_STACK && wv_num_is_const(&v->n))
			wv_move_stack(ctx, st, insn, v->n.smin < -INT64_MAX ? INT64_MAX : -v->n.smin);
		else
			wv_report(ctx->sink, WARD_RULE_STACK_PTR, insn->pc, "stack-pointer-unknown",
				"rsp is set to something else than its value at the entry less a known constant");
		return;
	}
	ctx->written |= (uint16_t)(1u << reg);
	if (width >= 32) {
		*to = *v;
		return;
	}
	struct wv_val part = wv_as_number(ctx, v);
	struct wv_num old = to->kind == WV_NUM ? to->n : wv_num_any(), n = wv_num_merge(&old, &part.n, width);
	uint8_t init = to->kind == WV_PTR ? 64 : to->kind == WV_NUM ? to->init : 0;
	*to = wv_val_number(ctx, &n);
	to->init = init > width ? init : (uint8_t)width;
}

/* Bits 8 to 15. The bits below them stay the host's, if they were. */
static void write_high(struct wv_ctx *ctx, struct wv_state *st, unsigned reg, const struct wv_val *v)
{
	struct wv_val *to = &st->reg[reg], part = wv_as_number(ctx, v);
	struct wv_num old = to->kind == WV_NUM ? to->n : wv_num_any(), rest = wv_num_const(~UINT64_C(0xff00)),
		      eight = wv_num_const(8);
	struct wv_num kept = wv_num_binary(WV_AND, 64, &old, &rest), low = wv_num_zext(&part.n, 8),
		      put = wv_num_shift(WV_SHL, 64, &low, &eight);
	struct wv_num n = wv_num_binary(WV_OR, 64, &kept, &put);
	uint8_t init = to->kind == WV_PTR ? 64 : to->kind == WV_NUM ? to->init : 0;
	ctx->written |= (uint16_t)(1u << reg);
	if (init) {
		*to = wv_val_number(ctx, &n);
		to->init = init > 16 ? init : 16;
	} else { /* nothing can be kept of a register whose low byte was never set */
		*to = wv_val_uninit();
	}
}

void wv_write_operand(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i, const struct wv_val *v)
{
	const struct wv_operand *o = &insn->operand[i];
	if (o->kind == WV_MEM)
		wv_store(ctx, st, insn, o->width / 8, v);
	else if (o->high)
		write_high(ctx, st, o->reg, v);
	else
		wv_write_reg(ctx, st, insn, o->reg, o->width, v);
}

struct wv_val wv_read_value(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned i)
{
	const struct wv_operand *o = &insn->operand[i];
	if (o->kind == WV_REG && o->width == 64)
		return st->reg[o->reg];
	if (o->kind == WV_MEM && o->width == 64)
		return wv_load(ctx, st, insn, 8);
	return wv_read_operand(ctx, st, insn, i);
}

/*
 * What an offset is modulo 2, 4, 8 or 16, in *rem. Base addresses of state, rodata and data are multiples of 64, that
 * of the event is one of 8, that of the stack is 8 more than one of 16 where that counts, else a multiple of 8
 * (spec/policy.md).
 */
static bool remainder_of(const struct wv_num *n, uint64_t modulus, uint64_t *rem)
{
	uint64_t below = modulus - 1;
	if ((n->known & below) == below) {
		*rem = n->bits & below;
		return true;
	}
	*rem = n->rem % modulus;
	return n->mod > 1 && n->mod % modulus == 0;
}

/* The alignment of events and windows is not known. */
void wv_check_aligned(struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_val *at)
{
	uint64_t rem;
	if (at->kind != WV_PTR) /* no access is proven anyway */
		return;
	bool based =
		at->region == WV_STATE || at->region == WV_RODATA || at->region == WV_DATA || at->region == WV_STACK;
	bool known = remainder_of(&at->n, 16, &rem);
	if (at->region == WV_STACK)
		ctx->aligned = true;
	if (based && known && rem == (at->region == WV_STACK ? 8 : 0))
		return;
	char what[TEXT];
	wv_val_print(at, what, sizeof what);
	wv_report(ctx->sink, WARD_RULE_ALIGNED, insn->pc, "vector-access-misaligned",
		"an access at %s%s; the instruction faults unless its address is a multiple of 16", what,
		at->region == WV_STACK ? ", and rsp is 8 more than a multiple of 16 at the entry"
		: based                ? ", which itself begins at a multiple of 64"
				       : ", of whose alignment nothing is known");
}

/* The alignment of windows is not known. */
void wv_check_locked(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn)
{
	uint64_t rem;
	struct wv_sink silent = {0}; /* what is wrong with the address itself the access will say */
	struct wv_ctx aside = *ctx;
	aside.sink = &silent;
	struct wv_val at = wv_address(&aside, st, insn);
	if (at.kind != WV_PTR) /* no access is proven anyway */
		return;
	if (at.region == WV_STACK)
		ctx->needs |= WARD_NEED_RSP_ALIGNED;
	if (at.region < WV_LENT && remainder_of(&at.n, insn->width / 8, &rem) && rem == 0)
		return;
	char what[TEXT];
	wv_val_print(&at, what, sizeof what);
	wv_report(ctx->sink, WARD_RULE_LOCKED, insn->pc, "locked-access-misaligned",
		"a locked access of %u bytes at %s; its address must be a multiple of %u", insn->width / 8, what,
		insn->width / 8);
}

/*
 * Of windows nothing is known, and sixteen bytes of the stack or the event may lie on either side of a multiple of 16.
 */
void wv_note_alignment(struct wv_ctx *ctx, const struct wv_val *at, unsigned bytes)
{
	bool enough = at->region < WV_LENT && (bytes <= 8 || (at->region != WV_STACK && at->region != WV_EVENT));
	uint64_t rem;
	if (bytes == 1 || at->kind != WV_PTR) /* no access is proven of what is no pointer */
		return;
	if (enough && remainder_of(&at->n, bytes, &rem) && rem == 0)
		return;
	ctx->needs |= WARD_NEED_AC_CLEAR;
}

bool wv_same_register(const struct wv_insn *insn)
{
	return insn->operand[0].kind == WV_REG && insn->operand[1].kind == WV_REG &&
	       insn->operand[0].reg == insn->operand[1].reg && insn->operand[0].width == insn->operand[1].width &&
	       insn->operand[0].high == insn->operand[1].high;
}

bool wv_flags_readable(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, enum wv_cond cond)
{
	if (wv_flags_defined(&st->flags, cond))
		return true;
	char names[80];
	wv_flags_print(wv_flags_read(cond) & (unsigned)~st->flags.defined, names, sizeof names);
	wv_report(ctx->sink, WARD_RULE_FLAGS, insn->pc, "read-of-unset-flags",
		"the flags that are read (%s) were set by no instruction of this block", names);
	return false;
}
