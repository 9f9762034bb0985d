/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer functions: moves, extensions, the stack, exchanges, and what moves or sets by a condition. */
#include "verifier/domain/quotient.h"
#include "verifier/domain/multiples.h"
#include "step_parts.h"
#include "table.h"

#define TEXT 120

void wv_step_mov(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v;
	bool half = insn->width == 32 && insn->operand[0].kind == WV_REG && insn->operand[1].kind == WV_REG;
	/* half of a register that is set in part stays so */
	if (!half || wv_peek_operand(ctx, st, insn, 1, &v) || v.init == 0)
		v = wv_read_value(ctx, st, insn, 1); /* whole registers move host values too */
	wv_write_operand(ctx, st, insn, 0, &v);
}

/* bswap, movbe: what the bytes turned around are is not followed. */
void wv_step_reverse(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	wv_read_operand(ctx, st, insn, insn->op == WV_MOVBE);
	struct wv_val r = wv_any_of(ctx, insn->width);
	wv_write_operand(ctx, st, insn, 0, &r);
}

void wv_step_movzx(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = wv_read_operand(ctx, st, insn, 1);
	wv_write_operand(ctx, st, insn, 0, &v);
}

/* Sign extension of a value from `from` bits to `to`; non-negative values keep their identity. */
static struct wv_val sign_extend(struct wv_ctx *ctx, const struct wv_val *v, unsigned from, unsigned to)
{
	struct wv_val n = wv_as_number(ctx, v);
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

/*
 * A number has a view of its low 32 bits as signed ones, not of fewer; so constants (table.c) say what they are as
 * signed numbers.
 */
void wv_step_movsx(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	ctx->loaded_constant = false;
	struct wv_val v = wv_read_operand(ctx, st, insn, 1);
	struct wv_val wide = sign_extend(ctx, &v, insn->operand[1].width, insn->operand[0].width);
	if (ctx->loaded_constant) {
		struct wv_num loaded = wv_num_zext(&ctx->constant, insn->operand[0].width);
		if (wv_num_meet(&loaded, &wide.n))
			wide.n = loaded;
	}
	if (insn->op == WV_MOVSXD)
		wv_table_extended(ctx, &v, &wide);
	wv_write_operand(ctx, st, insn, 0, &wide);
}

/* cbw, cwde, cdqe: rax from its lower half. */
void wv_step_extend_rax(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned to = insn->width;
	struct wv_val v = wv_read_reg(ctx, st, insn, WV_RAX, to / 2), wide = sign_extend(ctx, &v, to / 2, to);
	if (insn->op == WV_CDQE)
		wv_table_extended(ctx, &v, &wide);
	wv_write_reg(ctx, st, insn, WV_RAX, to, &wide);
}

/* cwd, cdq, cqo: rdx from the sign of rax. That it is so is remembered for idiv. */
void wv_step_sign_rax(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned width = insn->width;
	struct wv_val rax = wv_read_reg(ctx, st, insn, WV_RAX, width), v = wv_as_number(ctx, &rax);
	struct wv_num wide = wv_num_sext(&v.n, width), by = wv_num_const(63),
		      sign = wv_num_shift(WV_SAR, 64, &wide, &by);
	sign = wv_num_zext(&sign, width);
	v = wv_val_number(ctx, &sign);
	wv_write_reg(ctx, st, insn, WV_RDX, width, &v);
	const struct wv_val *of = &st->reg[WV_RAX], *is = &st->reg[WV_RDX];
	bool whole = of->kind == WV_NUM && of->init == 64;
	ctx->sign = (struct wv_sign){
		.sym = whole ? is->sym : 0,
		.width = (uint8_t)width,
		.of = width == 64 ? of->sym : of->lsym,
		.of_add = width == 64 ? of->add : of->ladd,
	};
}

/*
 * As many low bits as are the probe's own of both registers are so of any sum and multiple of them. 64 or 0: the
 * address is read as any other.
 */
static unsigned own_bits(const struct wv_state *st, const struct wv_mem *m)
{
	unsigned own = 64;
	const uint8_t of[] = {m->base, m->index};
	for (unsigned i = 0; i < 2 && !m->rip_relative; i++) {
		const struct wv_val *v = of[i] != WV_NOREG ? &st->reg[of[i]] : NULL;
		unsigned init = !v || v->kind == WV_PTR ? 64 : v->kind == WV_NUM ? v->init : 0;
		own = init < own ? init : own;
	}
	return own;
}

/* How far the sum `v` of base, index and displacement is from base and index, and which sum it is, where both vary. */
static void address_relate(struct wv_state *st, const struct wv_mem *m, struct wv_val *v)
{
	static const struct wv_val none = {.kind = WV_NUM};
	const struct wv_val *base = m->base != WV_NOREG ? &st->reg[m->base] : &none,
			    *index = m->index != WV_NOREG ? &st->reg[m->index] : &none;
	struct wv_num disp = wv_num_const((uint64_t)m->disp), rest = disp;
	if (m->base != WV_NOREG)
		rest = wv_num_binary(WV_ADD, 64, &base->n, &disp);
	if (index->sym && index->kind == WV_NUM && !wv_num_is_const(&index->n)) {
		wv_state_set_distance(st, index, m->scale, v, &rest);
		if (base->kind == WV_NUM && base->sym) {
			struct wv_num scale = wv_num_const(m->scale),
				      moves = wv_num_binary(WV_IMUL, 64, &index->n, &scale);
			moves = wv_num_binary(WV_ADD, 64, &moves, &disp);
			wv_state_set_distance(st, base, 1, v, &moves);
		}
		if (m->scale == 1 && base->kind == WV_NUM && base->sym) {
			struct wv_val moved = *v;
			moved.n = wv_num_binary(WV_SUB, 64, &v->n, &disp);
			moved.add -= (uint64_t)m->disp;
			wv_state_note_sum(st, &moved, base, index, false);
			struct wv_num n = wv_num_binary(WV_ADD, 64, &moved.n, &disp);
			if (wv_num_meet(&n, &v->n))
				v->n = n;
		}
	}
}

/* Base and index, where there are some; of a sum with a displacement the multiple is the part before it. */
static void tell_sum(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn, struct wv_val *v)
{
	const struct wv_mem *m = &insn->mem;
	const struct wv_val *base = m->base != WV_NOREG ? &st->reg[m->base] : NULL,
			    *index = m->index != WV_NOREG ? &st->reg[m->index] : NULL;
	struct wv_val moved = *v;
	if (m->disp == 0)
		wv_quotient_sum(ctx, insn->width, base, index, m->scale, v);
	moved.add -= (uint64_t)m->disp;
	wv_scaled_sum(ctx, insn->width, base, index, m->scale, &moved);
}

void wv_step_lea(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	unsigned own = own_bits(st, &insn->mem);
	if (own == 8 || own == 16) {
		struct wv_val part = wv_any_of(ctx, insn->width);
		part.init = (uint8_t)own;
		wv_write_operand(ctx, st, insn, 0, &part);
		return;
	}
	struct wv_val v = wv_address(ctx, st, insn);
	if (insn->width == 64 || (v.kind == WV_NUM && v.n.umax <= UINT32_MAX))
		address_relate(st, &insn->mem, &v);
	if (insn->width == 32)
		v = wv_val_zext32(ctx, &v);
	const struct wv_mem *m = &insn->mem;
	if (!m->rip_relative && (m->disp == 0 || insn->width == 64))
		tell_sum(ctx, st, insn, &v);
	wv_write_operand(ctx, st, insn, 0, &v);
}

void wv_step_push(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = wv_read_value(ctx, st, insn, 0);
	wv_push(ctx, st, insn, &v);
}

/* The address of a memory operand is that after rsp has moved. */
void wv_step_pop(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = wv_pop(ctx, st, insn);
	wv_write_operand(ctx, st, insn, 0, &v);
}

/* mov rsp, rbp; pop rbp */
void wv_step_leave(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val frame = st->reg[WV_RBP];
	size_t before = ctx->sink->count;
	wv_write_reg(ctx, st, insn, WV_RSP, 64, &frame);
	if (ctx->sink->count != before)
		return;
	struct wv_val v = wv_pop(ctx, st, insn);
	wv_write_reg(ctx, st, insn, WV_RBP, 64, &v);
}

void wv_step_xchg(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val a = wv_read_value(ctx, st, insn, 0), b = wv_read_value(ctx, st, insn, 1);
	wv_write_operand(ctx, st, insn, 0, &b);
	wv_write_operand(ctx, st, insn, 1, &a);
}

/* edx:eax, and for rdtscp ecx */
void wv_step_rdtsc(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	static const uint8_t to[] = {WV_RAX, WV_RDX, WV_RCX};
	for (unsigned i = 0; i < (insn->op == WV_RDTSCP ? 3 : 2); i++) {
		struct wv_val v = wv_any_of(ctx, 32);
		wv_write_reg(ctx, st, insn, to[i], 32, &v);
	}
}

/* ---- conditions ---- */

/* One of two values. */
static struct wv_val either_value(struct wv_ctx *ctx, const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind != b->kind || (a->kind == WV_PTR && a->region != b->region))
		return wv_any_of(ctx, 64);
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

/*
 * What `v` is where the flags say `cond`, and if a cmov has left it as one of two values, what these are then. False:
 * they can't say so.
 */
static bool assume_value(const struct wv_state *st, enum wv_cond cond, struct wv_val *v)
{
	if (!wv_flags_assume_value(&st->flags, cond, v))
		return false;
	for (uint32_t i = 0; i < st->n_choices && i < WV_MAX_CHOICES; i++) {
		struct wv_choice c = st->choice[i];
		if (c.is.sym != v->sym || c.is.add != v->add)
			continue;
		bool a = wv_flags_assume_value(&st->flags, cond, &c.a),
		     b = wv_flags_assume_value(&st->flags, cond, &c.b);
		struct wv_num left = a && b ? wv_num_join(&c.a.n, &c.b.n) : a ? c.a.n : c.b.n;
		if ((!a && !b) || !wv_num_meet(&v->n, &left))
			return false;
	}
	return true;
}

void wv_step_cmov(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val take = wv_read_operand(ctx, st, insn, 1), keep = wv_read_operand(ctx, st, insn, 0), r;
	enum wv_cond cond = (enum wv_cond)insn->cond;
	if (!wv_flags_readable(ctx, st, insn, cond)) {
		r = either_value(ctx, &take, &keep);
	} else {
		bool may_take = assume_value(st, cond, &take);
		bool may_keep = assume_value(st, (enum wv_cond)(cond ^ 1), &keep);
		r = may_take && may_keep ? either_value(ctx, &take, &keep) : may_take ? take : keep;
		if (may_take && may_keep && r.kind == take.kind && take.kind == keep.kind)
			wv_state_note_choice(st, &r, &take, &keep);
		if (!may_take && !may_keep) /* unreachable code: anything is true of it */
			r = wv_any_of(ctx, insn->width);
	}
	wv_write_operand(ctx, st, insn, 0, &r);
}

void wv_step_setcc(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	wv_flags_readable(ctx, st, insn, (enum wv_cond)insn->cond);
	struct wv_num bit = wv_num_range(0, 1);
	struct wv_val r = wv_val_number(ctx, &bit);
	wv_write_operand(ctx, st, insn, 0, &r);
}

/* Where it goes is the caller's business, as for all branches. */
void wv_step_jmp_register(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	wv_read_operand(ctx, st, insn, 0);
}

void wv_step_jcc(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	wv_flags_readable(ctx, st, insn, (enum wv_cond)insn->cond);
}
