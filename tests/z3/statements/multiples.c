/* SPDX-License-Identifier: Apache-2.0 */
/* multiples.c: what verifier/domain/quotient.c does to a quotient keeps its promises (quotient.c). */
#include <stddef.h>

#include "tests/z3/engine/facts.h"
#include "quotient.h"

static struct memory memory;
static const struct query *row;

/* ---- arguments ---- */

static struct promise before;
static struct value context, quotient_at;

static void begin(const struct query *q)
{
	row = q;
	quotient_summaries(q->function);
	context = exec_struct(&memory, "struct.wv_ctx", 0);
	quotient_at = field_of(&context, offsetof(struct wv_ctx, quotient));
	before = quotient_promise(&memory, &quotient_at);
	assume_promise(&before, truth(true));
	keep_promise(&before, truth(true));
	likely(and_(eq(before.of.x, bits(64, 0)), eq(before.whole.x, bits(64, 0))));
}

static struct held value_of(struct value *at)
{
	*at = exec_struct(&memory, "struct.wv_val", 0);
	struct held h = held_load(&memory, at, 0);
	assume(and_(well_kept(&h), holds_identity(&h)));
	return h;
}

/* What an operand that is read holds, as a whole number. */
static struct held operand_value(struct value *at, term width)
{
	struct held h = value_of(at);
	assume(and_(eq(h.kind, bits(8, WV_NUM)), and_(holds(&h), eq(h.x, low_of(width, h.x)))));
	return h;
}

/* A result that holds x. */
static struct held result_value(struct value *at, term x)
{
	struct held h = value_of(at);
	assume(and_(has_number(&h), eq(h.x, x)));
	return h;
}

static term width_input(void)
{
	term width = input("width", 32), any = truth(false);
	for (unsigned w = 8; w <= 64; w *= 2)
		any = or_(any, eq(width, bits(32, w)));
	assume(any);
	return width;
}

static void conclude(void)
{
	struct promise after = quotient_promise(&memory, &quotient_at);
	prove_promise(&after, truth(true));
	prove_hazards(truth(true));
	possible(truth(true));
}

/* Of a function that leaves all as it was, or as the helper that it calls last leaves it. */
static void conclude_left(void)
{
	struct promise after = quotient_promise(&memory, &quotient_at);
	prove("as it was, or as a helper left it", is_kept(&after));
	prove_hazards(truth(true));
	possible(truth(true));
}

/* A result of which more may have become known. */
static void prove_known(const struct value *r)
{
	struct held after = held_load(&memory, r, 0);
	prove("a member", holds_number(&after));
	prove("valid", valid(&after.n));
}

/* ---- rows ---- */

/* struct wv_multiple, anywhere */
static struct value sum_argument(void)
{
	return exec_struct(&memory, "struct.wv_multiple", 0);
}

/* bool multiple_of(q, v, is) */
void build_multiple_of(const struct query *q)
{
	struct value v;
	begin(q);
	struct held h = value_of(&v);
	struct value args[] = {quotient_at, v, sum_argument()};
	term is = call_function(q, args, &memory).part[0];
	struct sum s = multiple_load(&memory, &args[2], 0);
	prove("a multiple",
		implies(is_bool(is) ? is : exists(is),
			implies(or_(exists(before.divisor), eq(before.n, bits(32, 0))), is_multiple(&before, &h, &s))));
	prove_hazards(truth(true));
}

/* void add_multiple(q, width, is, r) */
void build_add_multiple(const struct query *q)
{
	struct value r, at;
	begin(q);
	term width = width_input();
	struct held h = value_of(&r);
	at = sum_argument();
	struct sum s = multiple_load(&memory, &at, 0);
	assume(and_(has_number(&h), multiple_asked(&before, width, &s, &h)));
	struct value args[] = {quotient_at, exec_bits(width), at, r};
	call_function(q, args, &memory);
	term most = unsigned_quotient(before.greatest, before.divisor), all = wide_product(s.factor, before.quotient);
	assume(law_of_dividends(before.of.x, before.greatest, before.divisor, false));
	assume(law_between(s.factor, s.factor, s.factor, before.quotient, before.quotient, most));
	prove("no greater than of the greatest", ule(all, wide_product(s.factor, most)));
	term fits = and_(and_(eq(width, bits(32, 32)), adds(&s, WV_ADDS_NOTHING)),
		ule(wide_product(s.factor, most), bits(128, UINT32_MAX)));
	prove("nothing that wraps around", implies(fits, eq(h.x, lower_half(all))));
	conclude();
}

/* void multiply_again(q, width, is, by, r) */
void build_multiply_again(const struct query *q)
{
	struct value r, at;
	begin(q);
	term width = bits(32, q->width), by = input("by", 64);
	struct held h = value_of(&r);
	at = sum_argument();
	struct sum s = multiple_load(&memory, &at, 0);
	assume(and_(has_number(&h), again_asked(&before, width, &s, by, &h)));
	assume(law_of_multiple(s.factor, before.quotient, by));
	struct value args[] = {quotient_at, exec_bits(width), at, exec_bits(by), r};
	call_function(q, args, &memory);
	conclude();
}

/* void begin_product(q, v, by, shift, r): nothing shifted off, or as much as a register has */
void build_begin_product(const struct query *q)
{
	struct value v, r;
	begin(q);
	term by = input("by", 64), shift = bits(32, q->width);
	struct held number = value_of(&v), h = value_of(&r);
	assume(begin_asked(&number, by, shift, &h));
	struct value args[] = {quotient_at, v, exec_bits(by), exec_bits(shift), r};
	call_function(q, args, &memory);
	conclude();
}

/* void no_more_than(r, most) */
void build_no_more_than(const struct query *q)
{
	struct value r;
	begin(q);
	term most = input("most", 64);
	struct held h = value_of(&r);
	assume(bound_asked(&h, most));
	witness(h.x);
	struct value args[] = {r, exec_bits(most)};
	call_function(q, args, &memory);
	prove_known(&r);
	conclude();
}

/* What d times the quotient leaves of y, and of x. */
static void prove_rests(const struct sum *s, const struct held *h, unsigned width)
{
	term down = zext(before.down, 64), all = shl(before.divisor, down), dividend[] = {before.of.x, before.whole.x},
	     d[] = {before.divisor, all};
	term given[] = {exists(before.divisor), and_(exists(before.divisor), exists(before.whole.sym))},
	     is[] = {adds(s, WV_ADDS_DIVIDEND), adds(s, WV_ADDS_WHOLE)};
	prove("all of the divisor",
		implies(given[1], eq(zext(all, 128), shl(zext(before.divisor, 128), zext(down, 128)))));
	assume(law_of_shifted_dividend(before.whole.x, before.of.x, before.divisor, down, all));
	for (unsigned i = 0; i < 2; i++) {
		struct quotient q = quotient(dividend[i], d[i], false);
		assume(law_of_rest(dividend[i], d[i]));
		assume(law_of_opposites(s->factor, d[i], before.quotient, width));
		prove("the quotient", implies(given[i], eq(q.q, before.quotient)));
		prove("what is left",
			implies(given[i],
				and_(eq(sub(dividend[i], q.r), product(d[i], before.quotient).low), ult(q.r, d[i]))));
		term sum = extract(width - 1, 0, add(s->factor, d[i])),
		     fits = ule(sub(d[i], bits(64, 1)), bits(64, UINT64_MAX >> (64 - width)));
		term computed = and_(and_(given[i], is[i]),
			and_(fits, and_(ule(bits(8, (uint64_t)width), s->width), eq(sum, bits(width, 0)))));
		prove("the remainder", implies(computed, eq(h->x, q.r)));
	}
}

/* void add_sum(q, width, is, r) */
void build_add_sum(const struct query *q)
{
	struct value r, at;
	begin(q);
	term width = bits(32, q->width);
	struct held h = value_of(&r);
	at = sum_argument();
	struct sum s = multiple_load(&memory, &at, 0);
	assume(and_(and_(has_number(&h), holds_number(&h)),
		and_(multiple_asked(&before, width, &s, &h), eq(h.x, low_of(width, h.x)))));
	prove_rests(&s, &h, q->width);
	struct value args[] = {quotient_at, exec_bits(width), at, r};
	call_function(q, args, &memory);
	prove_known(&r);
	conclude();
}

static void use_law_of_reciprocal(const struct promise *p, term after)
{
	struct quotient q;
	for (unsigned i = 0; quotient_met(i, &q); i++) {
		if (width_of(q.n) == 128 && !q.is_signed)
			assume(law_of_reciprocal(p->of.x, p->greatest, p->by, has_more(p), p->shift, &q, after));
	}
}

static term shifted_product, shifted_off, times;

static term law_of_times(term once, term quotient)
{
	return law_truncate(times, once, times, quotient, 64);
}

/* All is as before but for the divisor: without multiples. */
static void keep_without_multiples(term divisor)
{
	struct promise p = before;
	p.divisor = divisor;
	p.n = bits(32, 0);
	prove_promise(&p, truth(true));
	keep_promise(&p, truth(true));
}

/* What was shifted is the quotient; and where multiples are kept, it is the one that there was. */
static void find_quotient(const struct sum *s, const struct promise *p)
{
	prove("the product, shifted at once",
		implies(exists(p->divisor),
			eq(zext(shifted_product, 128), lshr(all_of_product(&before), zext(shifted_off, 128)))));
	prove("the quotient", implies(exists(p->divisor), eq(shifted_product, p->quotient)));
	times = s->factor;
	assume(choose2(law_of_times, shifted_product, p->quotient));
	keep_without_multiples(p->divisor);
	prove("another quotient, or that which there was", is_kept(p));
}

static void split_by_shift(void)
{
	term c[8];
	for (unsigned i = 0; i < 8; i++)
		c[i] = and_(eq(before.shift, bits(32, i < 2 ? 0 : 8u << i / 2)), eq(before.more, bits(8, i % 2)));
	split_by(c, 8);
}

/* bool note_quotient(q, count, width, factor, r) */
void build_note_quotient(const struct query *q)
{
	struct value r;
	begin(q);
	term width = width_input(), count = input("count", 32), factor = input("factor", 64),
	     after = add(last_bit(&before), count);
	struct held h = value_of(&r);
	assume(and_(has_number(&h), quotient_asked(&before, count, width, factor, &h)));
	shifted_off = after;
	shifted_product = low_shifted(whole_product(&before), count);
	split_by_shift();
	adding = find_quotient;
	struct value args[] = {quotient_at, exec_bits(count), exec_bits(width), exec_bits(factor), r};
	call_function(q, args, &memory);
	assume(law_of_shifts(all_of_product(&before), last_bit(&before), count));
	use_law_of_reciprocal(&before, after);
	keep_without_multiples(bits(64, 0));
	conclude_left();
}

static struct held operands[2];

/* Where one of the operands is a constant, their product is that of the other one and its only value. */
static void use_constant(const struct held *constant, term x)
{
	term least = constant->n.umin, only = and_(eq(least, constant->n.umax), holds_number(constant));
	assume(implies(and_(only, eq(constant->kind, bits(8, WV_NUM))),
		and_(eq(constant->x, least), eq(wide_product(x, least), wide_product(x, constant->x)))));
}

/* Of either operand, which is such a sum, times the other one. */
static void multiply_operands(const struct sum *s, const struct promise *p)
{
	term once = product(s->factor, p->quotient).low;
	for (unsigned width = 32; width <= 64; width *= 2) {
		for (unsigned i = 0; i < 2; i++)
			assume(law_truncate(
				operands[i].x, operands[1 - i].n.umin, once, operands[1 - i].n.umin, width));
	}
}

/* void wv_quotient_product(ctx, width, a, b, low, high): of one half of the product, or both */
void build_quotient_product(const struct query *q)
{
	struct value a, b, low, high;
	begin(q);
	term width = bits(32, q->width);
	operands[0] = operand_value(&a, width);
	operands[1] = operand_value(&b, width);
	term x = operands[0].x, y = operands[1].x, all = wide_product(x, y),
	     greatest = bits(64, q->width == 64 ? UINT64_MAX : UINT32_MAX),
	     upper = low_of(width, low_shifted(all, width));
	result_value(&low, low_of(width, lower_half(all)));
	result_value(&high, upper);
	low.place[0].when = truth(q->op != ONLY_HIGH);
	high.place[0].when = truth(q->op != ONLY_LOW);
	adding = multiply_operands;
	struct value args[] = {context, exec_bits(width), a, b, low, high};
	for (unsigned i = 0; i < 2; i++) {
		use_constant(&operands[i], operands[1 - i].x);
		use_constant(&operands[i], operands[1 - i].n.umax);
	}
	for (unsigned i = 0; i < 2; i++)
		assume(law_between(operands[i].x, operands[i].x, operands[i].n.umax, operands[1 - i].x,
			operands[1 - i].x, operands[1 - i].x));
	assume(law_between(x, x, greatest, y, y, greatest));
	prove("the upper half", eq(zext(upper, 128), shifted(all, width)));
	for (unsigned i = 0; i < 2; i++) {
		const struct held *v = &operands[i], *constant = &operands[1 - i];
		term by = constant->n.umin, given = and_(eq(by, constant->n.umax), ule(bits(64, 2), by)),
		     product = wide_product(v->x, by);
		prove("a product of a constant", implies(given, eq(all, product)));
		prove("a product that fits", implies(and_(given, ule(wide_product(v->n.umax, by), zext(greatest, 128))),
						     eq(zext(low_of(width, lower_half(all)), 128), product)));
	}
	call_function(q, args, &memory);
	conclude_left();
}

/* void wv_quotient_right(ctx, v, count, r) */
void build_quotient_right(const struct query *q)
{
	struct value v, r;
	begin(q);
	term count = input("count", 32);
	struct held h = operand_value(&v, bits(32, 64));
	assume(ult(count, bits(32, 64)));
	result_value(&r, lshr(h.x, zext(count, 64)));
	struct value args[] = {context, v, exec_bits(count), r};
	call_function(q, args, &memory);
	conclude();
}

static term exponent; /* … of the power of two that is rounded to */

/* A power of two times what is left of it. */
static void multiply_power(const struct sum *s, const struct promise *p)
{
	assume(law_of_quotients(before.of.x, before.divisor, exponent, p->divisor));
	assume(law_of_power(s->factor, exponent, p->quotient));
	assume(law_of_power(s->factor, exponent, before.divisor));
	assume(law_of_power(shl(bits(64, 1), exponent), exponent, before.divisor));
}

/* void wv_quotient_rounded(ctx, width, v, off, r) */
void build_quotient_rounded(const struct query *q)
{
	struct value v, r;
	begin(q);
	term width = bits(32, q->width), one = bits(64, 1), off;
	exponent = input("exponent", 64);
	off = sub(shl(one, exponent), one);
	struct held h = operand_value(&v, width);
	assume(and_(ule(exponent, bits(64, q->width)), eq(popcount(off), exponent))); /* so many ones has 2^n - 1 */
	result_value(&r, low_of(width, band(h.x, bnot(off))));
	adding = multiply_power;
	term power = add(off, one), count = extract(31, 0, popcount(off)),
	     left = low_shifted(whole_product(&before), count);
	assume(law_of_power(power, exponent, left));
	assume(implies(eq(power, bits(64, 0)), eq(product(power, left).low, bits(64, 0))));
	struct value args[] = {context, exec_bits(width), v, exec_bits(off), r};
	call_function(q, args, &memory);
	conclude_left();
}

static term shift_count;

static void shift_multiple(const struct sum *s, const struct promise *p)
{
	(void)s;
	assume(law_of_multiples(bits(64, 0), bits(64, 0), told[0].factor, shift_count, p->quotient));
}

/* void wv_quotient_left(ctx, width, v, count, r) */
void build_quotient_left(const struct query *q)
{
	struct value v, r;
	begin(q);
	term width = bits(32, q->width), count = input("count", 32);
	shift_count = zext(count, 64);
	assume(ult(count, width));
	operands[0] = operand_value(&v, width);
	result_value(&r, low_of(width, shl(operands[0].x, shift_count)));
	adding = shift_multiple;
	struct value args[] = {context, exec_bits(width), v, exec_bits(count), r};
	call_function(q, args, &memory);
	conclude_left();
}

static term scale, scale_bits;

static void add_multiples(const struct sum *s, const struct promise *p)
{
	struct sum none = {bits(8, 64), bits(8, 0), bits(64, 0)},
		   t = row->op == 0   ? told[1]
		       : row->op == 1 ? told[0]
				      : none,
		   u = row->op == 1 ? none : told[0];
	assume(law_of_power(scale, scale_bits, u.factor));
	for (unsigned i = 0; i < 3; i++)
		assume(law_of_multiples(addend(p, i), t.factor, u.factor, scale_bits, p->quotient));
	term all = sum_number(s, p), x = sum_number(&t, p), y = sum_number(&u, p),
	     factor = eq(s->factor, add(t.factor, shl(u.factor, scale_bits)));
	term first = and_(factor, and_(adds(&u, WV_ADDS_NOTHING), eq(s->adds, t.adds)));
	term second =
		and_(and_(factor, eq(scale_bits, bits(64, 0))), and_(adds(&t, WV_ADDS_NOTHING), eq(s->adds, u.adds)));
	prove("a sum with a multiple", implies(first, eq(all, add(x, shl(y, scale_bits)))));
	prove("a multiple with a sum", implies(second, eq(all, add(x, y))));
}

/* What half the rest and the product add up to, to begin with. */
static void prove_fixed(void)
{
	term t = shifted(choose2(wide_product, before.of.x, before.by), before.shift), y = zext(before.of.x, 128),
	     once = zext(symbol_number(before.product), 128);
	term fixed = zext(add(symbol_number(before.half), symbol_number(before.product)), 128);
	prove("no more yet", implies(exists(before.half),
				     and_(eq(once, t), eq(symbol_number(before.half),
							       lshr(sub(before.of.x, symbol_number(before.product)),
								       bits(64, 1))))));
	prove("the product is no more", implies(exists(before.half), ule(once, y)));
	prove("half and product", implies(exists(before.half), eq(fixed, lshr(add(once, y), bits(128, 1)))));
}

/* void wv_quotient_sum(ctx, width, a, b, scale, r): of both, or one of them */
void build_quotient_sum(const struct query *q)
{
	struct value at[2], r, none = {.kind = POINTER};
	begin(q);
	term width = bits(32, q->width), by = input("scale", 32), any = truth(false), zero = bits(64, 0);
	scale_bits = zero;
	for (unsigned n = 0; n < 4; n++) {
		any = or_(any, eq(by, bits(32, 1u << n)));
		scale_bits = ite(eq(by, bits(32, 1u << n)), bits(64, n), scale_bits);
	}
	assume(any);
	scale = zext(by, 64);
	for (unsigned i = 0; i < 2; i++)
		operands[i] = value_of(&at[i]);
	for (unsigned i = 0; i < 2; i++)
		assume(implies(has_number(&operands[i]), holds(&operands[i])));
	term x = q->op == 2 ? zero : operands[0].x, y = q->op == 1 ? zero : operands[1].x;
	term numbers = and_(q->op == 2 ? truth(true) : eq(operands[0].kind, bits(8, WV_NUM)),
		q->op == 1 ? truth(true) : eq(operands[1].kind, bits(8, WV_NUM)));
	struct held h = value_of(&r);
	assume(and_(
		has_number(&h), and_(holds(&h), implies(numbers, eq(h.x, low_of(width, add(x, shl(y, scale_bits))))))));
	adding = add_multiples;
	prove_fixed();
	struct value args[] = {
		context, exec_bits(width), q->op == 2 ? none : at[0], q->op == 1 ? none : at[1], exec_bits(by), r};
	call_function(q, args, &memory);
	prove_known(&r);
	conclude_left();
}

static void subtract_multiples(const struct sum *s, const struct promise *p)
{
	const struct sum *t = &told[1], *u = &told[0];
	for (unsigned i = 0; i < 3; i++)
		assume(law_of_difference(addend(p, i), t->factor, u->factor, p->quotient));
	term given =
		and_(eq(s->factor, sub(t->factor, u->factor)), and_(adds(u, WV_ADDS_NOTHING), eq(s->adds, t->adds)));
	prove("a difference of sums", implies(given, eq(sum_number(s, p), sub(sum_number(t, p), sum_number(u, p)))));
}

/* A factor of fewer bits than are shifted off leaves no more than there was. */
static void prove_rest(void)
{
	for (unsigned n = 16; n <= 64; n *= 2) {
		term ones = bits(64, n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
		assume(law_of_ones(before.of.x, n));
		assume(law_between(before.by, before.by, ones, before.of.x, before.of.x, before.of.x));
		term given = and_(and_(exists(before.product), not_(has_more(&before))),
			and_(eq(before.shift, bits(32, n)), ule(before.by, ones)));
		prove("a product that is no more", implies(given, ule(symbol_number(before.product), before.of.x)));
	}
}

/* void wv_quotient_difference(ctx, width, a, b, r) */
void build_quotient_difference(const struct query *q)
{
	struct value at[2], r;
	begin(q);
	term width = bits(32, q->width);
	for (unsigned i = 0; i < 2; i++) {
		operands[i] = value_of(&at[i]);
		assume(holds(&operands[i]));
	}
	term x = operands[0].x, y = operands[1].x, z = low_of(width, sub(x, y)),
	     is_number = eq(operands[0].kind, bits(8, WV_NUM));
	is_number = and_(is_number, eq(operands[1].kind, bits(8, WV_NUM)));
	struct held h = value_of(&r);
	assume(and_(has_number(&h), and_(holds(&h), implies(is_number, eq(h.x, z)))));
	adding = subtract_multiples;
	prove_rest();
	struct value args[] = {context, exec_bits(width), at[0], at[1], r};
	call_function(q, args, &memory);
	prove_known(&r);
	conclude();
}
