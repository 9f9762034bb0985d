/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What transfer functions note in passing (transfer.c): distances, sums, bounds, choices, products and quotients, all
 * of which must be true; and what the functions that note them promise.
 */
#include <stddef.h>

#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "transfer_parts.h"

/* ---- what is told ---- */

static struct held told_value(const struct called *c, unsigned i, const char *name)
{
	struct held h = value_held(c, i);
	claim(name, implies(c->guard, and_(valid(&h.n), member(&h.n, h.x))));
	return h;
}

static term times(term scale, term x)
{
	uint64_t known;
	term t = op2(Z3_mk_bvmul, sext(scale, 64), x);
	for (unsigned k = 1; k <= 4 && !is_number(scale, &known); k++) /* the scales that there are */
		t = ite(eq(scale, bits(32, 1u << k)), shl(x, bits(64, k)), t);
	return t;
}

/* void wv_state_set_distance(st, a, scale, b, d) */
static void call_set_distance(const struct called *c)
{
	struct held a = value_held(c, 1), b = value_held(c, 3);
	struct number d = number_at(c, 4);
	term scale = c->args[2].part[0], apart = difference_of(b.x, times(scale, a.x)), x = about(&d),
	     none = bits(32, 0);
	term named = and_(not_(eq(a.sym, none)), not_(eq(b.sym, none)));
	claim("a scale", implies(c->guard, not_(eq(scale, none))));
	claim("how far apart", implies(and_(c->guard, named), eq(x, apart)));
	claim("a distance", implies(and_(c->guard, named), and_(valid(&d), member(&d, x))));
}

/* struct wv_num wv_state_distance(st, a, scale, b) */
static void call_distance(const struct called *c)
{
	struct held a = told_value(c, 2, "a value for a callee"), b = told_value(c, 4, "a value for a callee");
	answer_number(c, 0, difference_of(b.x, times(c->args[3].part[0], a.x)), and_(valid(&a.n), valid(&b.n)),
		and_(member(&a.n, a.x), member(&b.n, b.x)));
}

/* void wv_state_note_sum(st, sum, x, y, low) */
static void call_note_sum(const struct called *c)
{
	struct held sum = told_value(c, 1, "a sum"), x = told_value(c, 2, "an addend"),
		    y = told_value(c, 3, "an addend");
	struct value n = field_of(&c->args[1], offsetof(struct wv_val, n));
	term z = sum_of(x.x, y.x), none = bits(32, 0), is_low = returned_true(&c->args[4]);
	struct called as = {&n, c->memory, c->guard, c->result};
	claim("symbols",
		implies(c->guard, and_(not_(eq(sum.sym, none)), and_(not_(eq(x.sym, none)), not_(eq(y.sym, none))))));
	claim("what adds up",
		implies(c->guard, ite(is_low, eq(extract(31, 0, sum.x), extract(31, 0, z)), eq(sum.x, z))));
	answer_number(&as, 0, sum.x, valid(&sum.n), member(&sum.n, sum.x));
}

/* void wv_state_note_bound(st, of, below, shift) */
static void call_note_bound(const struct called *c)
{
	struct held of = value_held(c, 1), below = value_held(c, 2);
	claim("a bound", implies(c->guard, ule(lshr(below.x, zext(c->args[3].part[0], 64)), of.x)));
}

/*
 * void wv_state_note_less(st, v, than, ones): of ones fewer, if they are some of its; or shorter, if some power of two
 * is between them.
 */
static void call_note_less(const struct called *c)
{
	struct held v = value_held(c, 1), than = value_held(c, 2);
	term fewer = and_(eq(band(v.x, than.x), v.x), not_(eq(v.x, than.x))),
	     shorter = ult(v.x, band(than.x, bnot(v.x)));
	claim("less", implies(c->guard, ite(returned_true(&c->args[3]), fewer, shorter)));
}

/* void wv_state_note_choice(st, is, a, b) */
static void call_note_choice(const struct called *c)
{
	struct held is = value_held(c, 1), side[2] = {value_held(c, 2), value_held(c, 3)};
	term chosen = truth(false);
	for (unsigned i = 0; i < 2; i++) {
		chosen = or_(chosen, and_(eq(is.x, side[i].x), member(&side[i].n, side[i].x)));
		claim("a side", implies(c->guard, and_(well_kept(&side[i]), holds_identity(&side[i]))));
	}
	claim("a choice", implies(c->guard, chosen));
}

/* void wv_state_promote(st, n, base, d): each register is what it was, or holds the same as a pointer. */
static void call_promote(const struct called *c)
{
	struct content n = content_load(&c->args[1]), base = content_load(&c->args[2]), d = content_load(&c->args[3]);
	term numbers = and_(is_kind(&n, WV_NUM), and_(is_kind(&base, WV_PTR), eq(base.h.n.umin, base.h.n.umax)));
	term given = and_(c->guard, numbers), there = sum_of(region_base(base.region), base.h.x);
	claim("how far from the pointer", implies(given, eq(d.h.x, difference_of(n.h.x, there))));
	claim("what is so far", implies(given, and_(holds(&n.h), and_(holds(&base.h), holds(&d.h)))));
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		if (!before.reg[reg])
			continue;
		struct value at = register_at(reg), other = exec_struct(c->memory, "struct.wv_val", 0);
		struct content is = content_load(&at);
		term turns = fresh_bool();
		exec_store(c->memory, &other, offsetof(struct wv_val, kind), bits(8, WV_PTR));
		exec_store(c->memory, &other, offsetof(struct wv_val, region), base.region);
		given_about(&other, difference_of(is.h.x, region_base(base.region)), false);
		assume(implies(turns, and_(given, is_kind(&is, WV_NUM))));
		at.place[0].when = turns;
		memory_copy_bytes(c->memory, &at, &other, sizeof(struct wv_val));
	}
}

/* bool wv_flags_assume_value(flags, cond, v) */
static void call_assume_value(const struct called *c)
{
	struct held v = value_held(c, 2);
	struct value n = field_of(&c->args[2], offsetof(struct wv_val, n));
	struct number r = number_fresh();
	term told = fresh_bool(), has = has_number(&v),
	     is = machine_condition(&before.flags, (enum wv_cond)constant_at(c, 1));
	claim("a value that is well kept", implies(c->guard, well_kept(&v)));
	number_store(c->memory, &n, &r);
	ask_about(&r, v.x);
	assume(implies(and_(is, holds(&v)), told));
	assume(implies(and_(has, and_(well_kept(&v), told)), valid(&r)));
	assume(implies(and_(is, and_(has, and_(well_kept(&v), holds(&v)))), member(&r, v.x)));
	*c->result = exec_bits(told);
}

/* ---- what quotients are told; see quotient.c ---- */

static struct held operand_of(const struct called *c, unsigned i, unsigned width)
{
	struct held h = value_held(c, i);
	claim("a number for a quotient",
		implies(c->guard, and_(eq(h.kind, bits(8, WV_NUM)),
					  and_(well_kept(&h), and_(holds(&h), eq(low_zext(h.x, width), h.x))))));
	return h;
}

static void result_is(const struct called *c, unsigned i, term x, term when)
{
	if (!c->args[i].n)
		return;
	struct held h = value_held(c, i);
	claim("a result for a quotient", implies(c->guard, and_(has_number(&h), well_kept(&h))));
	claim("what a quotient is told", implies(and_(c->guard, when), same_sum(h.x, x)));
}

/* (ctx, width, a, b, low, high) */
static void call_quotient_product(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held a = operand_of(c, 2, w), b = operand_of(c, 3, w);
	claim("the factors", implies(c->guard, and_(eq(a.x, run.x), eq(b.x, run.y))));
	result_is(c, 4, run.made[0], truth(true));
	result_is(c, 5, run.made[1], truth(true));
}

/* (ctx, v, count, r) */
static void call_quotient_right(const struct called *c)
{
	struct held v = operand_of(c, 1, run.width);
	claim("a count", implies(c->guard, ult(c->args[2].part[0], bits(32, run.width))));
	result_is(c, 3, lshr(v.x, zext(c->args[2].part[0], 64)), truth(true));
}

/* (ctx, width, v, count, r) */
static void call_quotient_left(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held v = operand_of(c, 2, w);
	claim("a count", implies(c->guard, ult(c->args[3].part[0], bits(32, w))));
	result_is(c, 4, low_zext(shl(v.x, zext(c->args[3].part[0], 64)), w), truth(true));
}

/* (ctx, width, v, off, r) */
static void call_quotient_rounded(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held v = operand_of(c, 2, w);
	term off = c->args[3].part[0];
	claim("low ones", implies(c->guard, eq(band(off, add(off, bits(64, 1))), bits(64, 0))));
	result_is(c, 4, low_zext(band(v.x, bnot(off)), w), truth(true));
}

/* The number of that argument, a value, is narrowed. */
static void answer_less(const struct called *c, unsigned i)
{
	struct held r = value_held(c, i);
	struct value n = field_of(&c->args[i], offsetof(struct wv_val, n));
	struct called as = {&n, c->memory, c->guard, c->result};
	claim("a number that is narrowed", implies(c->guard, holds(&r)));
	answer_number(&as, 0, r.x, valid(&r.n), and_(has_number(&r), holds(&r)));
}

/* (ctx, width, a, b, scale, r), of which a or b may be nowhere */
static void claim_sum(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	term sum = bits(64, 0), numbers = truth(true);
	for (unsigned i = 2; i < 4; i++) {
		if (!c->args[i].n)
			continue;
		struct held h = value_held(c, i);
		claim("an addend for a quotient", implies(c->guard, and_(well_kept(&h), holds(&h))));
		sum = sum_of(sum, i == 2 ? h.x : times(c->args[4].part[0], h.x));
		numbers = and_(numbers, eq(h.kind, bits(8, WV_NUM)));
	}
	result_is(c, 5, low_zext(sum, w), numbers);
}

/* … and the number of *r is narrowed */
static void call_quotient_sum(const struct called *c)
{
	claim_sum(c);
	answer_less(c, 5);
}

/* (ctx, width, a, b, r): the number of *r is narrowed */
static void call_quotient_difference(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held side[2];
	for (unsigned i = 0; i < 2; i++) {
		side[i] = value_held(c, 2 + i);
		claim("a side for a quotient", implies(c->guard, and_(well_kept(&side[i]), holds(&side[i]))));
	}
	result_is(c, 4, low_zext(difference_of(side[0].x, side[1].x), w),
		and_(eq(side[0].kind, bits(8, WV_NUM)), eq(side[1].kind, bits(8, WV_NUM))));
	answer_less(c, 4);
}

/* ---- what multiples are told; see scaled.c ---- */

/* (ctx, width, a, b, scale, r), as a quotient; and of a pointer, whose offset is moved */
static void call_scaled_sum(const struct called *c)
{
	if (c->args[2].n && c->args[3].n && constant_at(c, 1) == 64) {
		struct held a = value_held(c, 2), b = value_held(c, 3), r = value_held(c, 5);
		term moved = and_(
			eq(a.kind, bits(8, WV_PTR)), and_(eq(b.kind, bits(8, WV_NUM)), eq(r.kind, bits(8, WV_PTR))));
		claim("an offset that is moved",
			implies(and_(c->guard, moved), eq(r.x, sum_of(a.x, times(c->args[4].part[0], b.x)))));
	}
	claim_sum(c);
}

/* (ctx, width, a, b, r), likewise */
static void call_scaled_difference(const struct called *c)
{
	struct held a = value_held(c, 2), b = value_held(c, 3), r = value_held(c, 4);
	term moved = and_(eq(a.kind, bits(8, WV_PTR)), and_(eq(b.kind, bits(8, WV_NUM)), eq(r.kind, bits(8, WV_PTR))));
	if (constant_at(c, 1) == 64)
		claim("an offset that is moved back", implies(and_(c->guard, moved), eq(r.x, difference_of(a.x, b.x))));
	else
		claim("numbers of so many bits",
			implies(c->guard,
				and_(eq(r.kind, bits(8, WV_NUM)), implies(eq(a.kind, bits(8, WV_NUM)),
									  eq(low_zext(a.x, constant_at(c, 1)), a.x)))));
	call_quotient_difference(c);
}

/* void wv_table_extended(ctx, v, wide) */
static void call_extended(const struct called *c)
{
	struct content v = content_load(&c->args[1]), wide = content_load(&c->args[2]);
	claim("a sign extension",
		implies(and_(c->guard, is_kind(&v, WV_NUM)),
			and_(is_kind(&wide, WV_NUM), eq(low_sext(v.h.x, 32), held_by(&wide, bits(64, 0))))));
	claim("a low identity", implies(c->guard, holds_identity(&v.h)));
}

const struct promise tellings[] = {
	{"assume_value", call_assume_value, false},
	{"wv_state_distance", call_distance, false},
	{"wv_flags_assume_value", call_assume_value, false},
	{"wv_state_set_distance", call_set_distance, true},
	{"wv_state_note_sum", call_note_sum, true},
	{"wv_state_note_bound", call_note_bound, true},
	{"wv_state_note_less", call_note_less, true},
	{"wv_state_note_choice", call_note_choice, true},
	{"wv_state_promote", call_promote, true},
	{"wv_quotient_product", call_quotient_product, true},
	{"wv_quotient_right", call_quotient_right, true},
	{"wv_quotient_left", call_quotient_left, true},
	{"wv_quotient_rounded", call_quotient_rounded, true},
	{"wv_quotient_sum", call_quotient_sum, true},
	{"wv_quotient_difference", call_quotient_difference, true},
	{"wv_scaled_left", call_quotient_left, true},
	{"wv_scaled_sum", call_scaled_sum, true},
	{"wv_scaled_difference", call_scaled_difference, true},
	{"wv_table_extended", call_extended, true},
	{NULL, NULL, false},
};
