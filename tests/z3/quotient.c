/*
 * quotient.c: quotients by constants, and multiples of them.
 *
 * What a struct wv_quotient promises. Let x be the number that symbol `of` plus of_add stands for. Then, where there is a product at all (`product` is not 0), x is at most `greatest`, and symbol `product`
 * stands for x · by >> shift, which has no more than 64 bits. Where there is a divisor, symbol multiple[i].sym stands for factor · ⌊x / divisor⌋, as integers, so without wrapping around. (Without a divisor
 * there are no multiples.) All this is said of symbols, which don't change what they stand for; so it stays true whatever the code does, and the only thing to prove of each function is that what it adds
 * is true, given what it is called with: the result `r` of an instruction holds what the processor computes of the numbers that the operands hold. A result is a fresh value; an operand is any value, whose
 * symbol may or may not be one that the quotient knows of.
 *
 * The promise of a row about f is that: where the quotient is true, and f's arguments are as its declaration says, what f leaves is true. factor_of, add_multiple and note_quotient have rows of their own and
 * are taken by their word where they are called.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "arith.h"
#include "facts.h"
#include "queries.h"
#include "state.h"
#include "world.h"

static struct memory memory;
static const struct query *row;

/* ---- what is promised ---- */

struct promise {
	term of, of_add, x, product, greatest, by, shift, divisor, n, quotient;
	term symbol[WV_MAX_MULTIPLES], factor[WV_MAX_MULTIPLES];
};

static term wide_product(term a, term b)
{
	struct product p = product(a, b);
	return wide(&p);
}

static term unsigned_quotient(term n, term d)
{
	return quotient(n, d, false).q;
}

#define LOAD(field) exec_load(m, at, offsetof(struct wv_quotient, field), sizeof(((struct wv_quotient *)0)->field))

static struct promise promised(const struct memory *m, const struct value *at)
{
	struct promise p = {LOAD(of), LOAD(of_add), NULL, LOAD(product), LOAD(greatest), LOAD(by), LOAD(shift), LOAD(divisor), LOAD(n_multiples), NULL, {0}, {0}};
	p.x = choose2(add, symbol_number(p.of), p.of_add);
	p.quotient = choose2(unsigned_quotient, p.x, p.divisor);
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++) {
		uint64_t where = offsetof(struct wv_quotient, multiple) + i * sizeof(struct wv_multiple);
		p.symbol[i] = exec_load(m, at, where + offsetof(struct wv_multiple, sym), 4);
		p.factor[i] = exec_load(m, at, where + offsetof(struct wv_multiple, factor), 8);
	}
	return p;
}

static term exists(term name)
{
	return not_(eq(name, bits(width_of(name), 0)));
}

/* t of 128 bits, shifted: by none or by half of them it is taken apart. */
static term shifted(term t, term shift)
{
	uint64_t by;
	if (!is_number(shift, &by))
		return lshr(t, zext(shift, 128));
	return by == 0 ? t : by == 64 ? zext(extract(127, 64, t), 128) : lshr(t, bits(128, by));
}

static term low_shifted(term t, term shift)
{
	uint64_t by;
	term when, yes, no;
	if (is_choice(t, &when, &yes, &no))
		return ite(when, low_shifted(yes, shift), low_shifted(no, shift));
	return is_number(shift, &by) && by == 64 ? extract(127, 64, t) : lower_half(shifted(t, shift));
}

/* x · by >> shift */
static term shifted_product(const struct promise *p)
{
	return shifted(choose2(wide_product, p->x, p->by), p->shift);
}

static term true_product(const struct promise *p)
{
	term shift = or_(eq(p->shift, bits(32, 0)), or_(eq(p->shift, bits(32, 32)), eq(p->shift, bits(32, 64))));
	term given = and_(and_(ule(p->x, p->greatest), ule(bits(64, 2), p->by)), shift);
	return implies(exists(p->product), and_(given, eq(zext(symbol_number(p->product), 128), shifted_product(p))));
}

static term true_divisor(const struct promise *p)
{
	term some = and_(exists(p->product), and_(ule(bits(64, 2), p->divisor), ule(p->divisor, p->greatest)));
	return ite(exists(p->divisor), some, eq(p->n, bits(32, 0)));
}

static term is_multiple(term factor, term quotient, term x)
{
	return eq(choose2(wide_product, factor, quotient), zext(x, 128));
}

static term true_multiple(const struct promise *p, unsigned i)
{
	return implies(and_(exists(p->divisor), ult(bits(32, i), p->n)), is_multiple(p->factor[i], p->quotient, symbol_number(p->symbol[i])));
}

static void assume_promise(const struct promise *p, term given)
{
	assume(implies(given, and_(true_product(p), true_divisor(p))));
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++)
		assume(implies(given, true_multiple(p, i)));
}

static void prove_promise(const struct promise *p, term given)
{
	static const char *const name[WV_MAX_MULTIPLES] = {"the first multiple", "the second multiple", "the third multiple", "the fourth multiple"};
	prove("the product", implies(given, true_product(p)));
	prove("the divisor", implies(given, true_divisor(p)));
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++)
		prove(name[i], implies(given, true_multiple(p, i)));
}

/* ---- what calls are known by ---- */

/* The low `width` bits, of 8, 16, 32 or 64. */
static term low_of(term width, term t)
{
	term r = t;
	for (unsigned w = 32; w >= 8; w /= 2)
		r = ite(eq(width, bits(32, w)), low_zext(t, w), r);
	return r;
}

static term of_64_bits(term t)
{
	return eq(extract(127, 64, t), bits(64, 0));
}

/* Called where a multiple is added by this factor, as a number of 128 bits, to what is promised: for laws. */
static void (*adding)(term factor, const struct promise *p);
static term factor_told[2]; /* that factor_of told last, the last one first */

/* uint64_t factor_of(q, v) */
static term is_factor(const struct promise *p, const struct held *v, term factor)
{
	return implies(exists(factor), and_(and_(exists(p->divisor), eq(v->kind, bits(8, WV_NUM))), is_multiple(factor, p->quotient, v->x)));
}

/* void add_multiple(q, width, factor, r): what is asked of its arguments. */
static term multiple_asked(const struct promise *p, term width, term factor, const struct held *r)
{
	term some = and_(and_(ule(bits(32, 32), width), of_64_bits(factor)), not_(eq(factor, bits(128, 0))));
	return and_(exists(p->divisor), implies(some, eq(r->x, low_of(width, product(lower_half(factor), p->quotient).low))));
}

/* void note_quotient(q, shift, width, factor, r) */
static term quotient_asked(const struct promise *p, term shift, term width, term factor, const struct held *r)
{
	term once = low_shifted(choose2(wide_product, p->x, p->by), shift), some = and_(ule(bits(32, 32), width), of_64_bits(factor));
	return and_(and_(exists(p->product), ule(shift, bits(32, 128))), implies(some, eq(r->x, low_of(width, product(lower_half(factor), once).low))));
}

static void forget(struct memory *m, const struct value *q, uint64_t offset, unsigned bytes)
{
	exec_store(m, q, offset, fresh(8 * bytes));
}

static void forget_multiples(struct memory *m, const struct value *q)
{
	forget(m, q, offsetof(struct wv_quotient, n_multiples), 4);
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++) {
		uint64_t where = offsetof(struct wv_quotient, multiple) + i * sizeof(struct wv_multiple);
		forget(m, q, where + offsetof(struct wv_multiple, sym), 4);
		forget(m, q, where + offsetof(struct wv_multiple, factor), 8);
	}
}

static void need_promise(const struct promise *p, term guard)
{
	prove("a true product for a callee", implies(guard, true_product(p)));
	prove("a true divisor for a callee", implies(guard, true_divisor(p)));
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++)
		prove("true multiples for a callee", implies(guard, true_multiple(p, i)));
}

static bool summarise(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, row->function) == 0 || (strcmp(name, "factor_of") && strcmp(name, "add_multiple") && strcmp(name, "note_quotient")))
		return false;
	struct promise p = promised(m, &args[0]);
	if (name[0] == 'f') {
		struct held v = held_load(m, &args[1], 0);
		term factor = fresh(64);
		assume(is_factor(&p, &v, factor));
		assume(implies(eq(factor, bits(64, 1)), is_multiple(factor, p.quotient, p.quotient))); /* once it is itself */
		factor_told[1] = factor_told[0];
		factor_told[0] = factor;
		*result = exec_bits(factor);
		return true;
	}
	bool adds = name[0] == 'a';
	unsigned at = adds ? 2 : 3; /* a factor of 128 bits comes in halves */
	struct held r = held_load(m, &args[at + 2], 0);
	term factor = concat(args[at + 1].part[0], args[at].part[0]);
	if (adds && adding)
		adding(factor, &p);
	need_promise(&p, guard);
	prove("what a callee needs", implies(guard, adds ? multiple_asked(&p, args[1].part[0], factor, &r) : quotient_asked(&p, args[1].part[0], args[2].part[0], factor, &r)));
	if (!adds)
		forget(m, &args[0], offsetof(struct wv_quotient, divisor), 8);
	forget_multiples(m, &args[0]);
	struct promise after = promised(m, &args[0]);
	assume_promise(&after, guard);
	return true;
}

/* ---- arguments ---- */

static struct promise before;
static struct value context, quotient_at;

static void begin(const struct query *q)
{
	row = q;
	adding = NULL;
	factor_told[0] = factor_told[1] = NULL;
	also_summarise(summarise);
	context = exec_struct(&memory, "struct.wv_ctx", 0);
	quotient_at = field_of(&context, offsetof(struct wv_ctx, quotient));
	before = promised(&memory, &quotient_at);
	assume_promise(&before, truth(true));
}

static struct held value_of(struct value *at)
{
	*at = exec_struct(&memory, "struct.wv_val", 0);
	struct held h = held_load(&memory, at, 0);
	assume(well_kept(&h));
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

static void conclude(term given)
{
	struct promise after = promised(&memory, &quotient_at);
	prove_promise(&after, given);
	prove_hazards(truth(true));
	possible(given);
}

/* ---- rows ---- */

/* uint64_t factor_of(q, v) */
void build_factor_of(const struct query *q)
{
	struct value v;
	begin(q);
	struct held h = value_of(&v);
	struct value args[] = {quotient_at, v};
	term factor = call_function(q, args, &memory).part[0];
	prove("a factor", is_factor(&before, &h, factor));
	prove_hazards(truth(true));
}

/* void add_multiple(q, width, factor, r) */
void build_add_multiple(const struct query *q)
{
	struct value r;
	begin(q);
	term width = width_input(), factor = concat(input("factor above", 64), input("factor", 64)), most = unsigned_quotient(before.greatest, before.divisor), times = lower_half(factor);
	struct held h = value_of(&r);
	assume(and_(has_number(&h), multiple_asked(&before, width, factor, &h)));
	struct value args[] = {quotient_at, exec_bits(width), exec_bits(lower_half(factor)), exec_bits(extract(127, 64, factor)), r};
	call_function(q, args, &memory);
	assume(law_of_dividends(before.x, before.greatest, before.divisor, false));
	assume(law_between(times, times, times, before.quotient, before.quotient, most));
	prove("no greater than of the greatest", implies(ule(before.x, before.greatest), ule(wide_product(times, before.quotient), wide_product(times, most))));
	conclude(truth(true));
}

static void use_law_of_reciprocal(const struct promise *p, term shift)
{
	struct quotient q;
	for (unsigned i = 0; quotient_met(i, &q); i++) {
		if (width_of(q.n) == 128 && !q.is_signed)
			assume(law_of_reciprocal(p->x, p->greatest, p->by, &q, shift));
	}
}

/* void note_quotient(q, shift, width, factor, r) */
void build_note_quotient(const struct query *q)
{
	struct value r;
	begin(q);
	term width = width_input(), shift = input("shift", 32), factor = concat(input("factor above", 64), input("factor", 64));
	struct held h = value_of(&r);
	assume(and_(has_number(&h), quotient_asked(&before, shift, width, factor, &h)));
	struct value args[] = {quotient_at, exec_bits(shift), exec_bits(width), exec_bits(lower_half(factor)), exec_bits(extract(127, 64, factor)), r};
	call_function(q, args, &memory);
	use_law_of_reciprocal(&before, shift);
	conclude(truth(true));
}

static struct held operands[2];

static void multiply_again(term factor, const struct promise *p)
{
	(void)factor;
	for (unsigned i = 0; i < 2 && factor_told[0]; i++)
		assume(law_of_multiple(factor_told[0], p->quotient, operands[i].x, operands[1 - i].x));
}

/* Where one of the operands is a constant, their product is that of the other one and its only value. */
static void use_constant(const struct held *constant, term x)
{
	term least = constant->n.umin, only = and_(eq(least, constant->n.umax), holds_number(constant));
	assume(implies(and_(only, eq(constant->kind, bits(8, WV_NUM))), and_(eq(constant->x, least), eq(wide_product(x, least), wide_product(x, constant->x)))));
}

/* void wv_quotient_product(ctx, width, a, b, low, high): of one half of the product, or both */
void build_quotient_product(const struct query *q)
{
	struct value a, b, low, high;
	begin(q);
	term width = bits(32, q->width);
	operands[0] = operand_value(&a, width);
	operands[1] = operand_value(&b, width);
	term x = operands[0].x, y = operands[1].x, all = wide_product(x, y);
	result_value(&low, low_of(width, lower_half(all)));
	result_value(&high, low_of(width, low_shifted(all, width)));
	low.place[0].when = truth(q->op != ONLY_HIGH);
	high.place[0].when = truth(q->op != ONLY_LOW);
	adding = multiply_again;
	struct value args[] = {context, exec_bits(width), a, b, low, high};
	for (unsigned i = 0; i < 2; i++)
		use_constant(&operands[i], operands[1 - i].x);
	for (unsigned i = 0; i < 2; i++)
		assume(law_between(bits(64, 1), operands[i].x, operands[i].n.umax, operands[1 - i].x, operands[1 - i].x, operands[1 - i].x));
	call_function(q, args, &memory);
	conclude(truth(true));
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
	conclude(truth(true));
}

static term exponent; /* … of the power of two that is rounded to */

/* A power of two times what is left of it. */
static void multiply_power(term factor, const struct promise *p)
{
	assume(law_of_quotients(before.x, before.divisor, exponent, p->divisor));
	assume(law_of_power(lower_half(factor), exponent, p->quotient));
	assume(law_of_power(lower_half(factor), exponent, before.divisor));
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
	term power = lower_half(add(zext(off, 128), bits(128, 1)));
	term count = extract(31, 0, popcount(off)), all = choose2(wide_product, before.x, before.by);
	assume(law_of_shifts(all, before.shift, count));
	assume(law_of_power(power, exponent, lower_half(lshr(all, zext(add(before.shift, count), 128)))));
	struct value args[] = {context, exec_bits(width), v, exec_bits(off), r};
	call_function(q, args, &memory);
	conclude(truth(true));
}

static term shift_count;

static void shift_multiple(term factor, const struct promise *p)
{
	assume(law_of_shifted(factor_told[0], operands[0].x, lower_half(factor), shift_count, p->quotient));
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
	conclude(truth(true));
}

static term scale;

static void add_multiples(term factor, const struct promise *p)
{
	bool both = row->op == 0;
	term zero = bits(64, 0), t = both ? factor_told[1] : row->op == 1 ? factor_told[0] : zero, u = row->op == 1 ? zero : factor_told[0];
	assume(law_of_multiples(t, row->op == 2 ? zero : operands[0].x, u, row->op == 1 ? zero : operands[1].x, scale, lower_half(factor), p->quotient));
}

/* void wv_quotient_sum(ctx, width, a, b, scale, r): of both, or one of them */
void build_quotient_sum(const struct query *q)
{
	struct value at[2], r, none = {.kind = POINTER};
	begin(q);
	term width = bits(32, q->width), by = input("scale", 32), any = truth(false), zero = bits(64, 0);
	for (unsigned s = 1; s <= 8; s *= 2)
		any = or_(any, eq(by, bits(32, s)));
	assume(any);
	scale = zext(by, 64);
	for (unsigned i = 0; i < 2; i++)
		operands[i] = value_of(&at[i]);
	for (unsigned i = 0; i < 2; i++)
		assume(implies(has_number(&operands[i]), holds(&operands[i])));
	term x = q->op == 2 ? zero : operands[0].x, y = q->op == 1 ? zero : operands[1].x;
	term numbers = and_(q->op == 2 ? truth(true) : eq(operands[0].kind, bits(8, WV_NUM)), q->op == 1 ? truth(true) : eq(operands[1].kind, bits(8, WV_NUM)));
	struct held h = value_of(&r);
	assume(and_(has_number(&h), implies(numbers, eq(h.x, low_of(width, add(x, product(y, scale).low))))));
	adding = add_multiples;
	struct value args[] = {context, exec_bits(width), q->op == 2 ? none : at[0], q->op == 1 ? none : at[1], exec_bits(by), r};
	call_function(q, args, &memory);
	conclude(truth(true));
}

static void subtract_multiples(term factor, const struct promise *p)
{
	(void)factor;
	assume(law_of_difference(factor_told[1], operands[0].x, factor_told[0], operands[1].x, p->quotient));
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
	term x = operands[0].x, y = operands[1].x, z = low_of(width, sub(x, y)), is_number = eq(operands[0].kind, bits(8, WV_NUM));
	is_number = and_(is_number, eq(operands[1].kind, bits(8, WV_NUM)));
	struct held h = value_of(&r);
	assume(and_(has_number(&h), and_(holds(&h), implies(is_number, eq(h.x, z)))));
	adding = subtract_multiples;
	witness(h.x);
	assume(law_of_rest(before.x, before.divisor, y));
	struct value args[] = {context, exec_bits(width), at[0], at[1], r};
	call_function(q, args, &memory);
	struct held after = held_load(&memory, &r, 0);
	prove("a member", holds_number(&after));
	prove("valid", valid(&after.n));
	conclude(truth(true));
}
