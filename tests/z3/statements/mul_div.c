/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mul_div.c: products and quotients of double width (SDM vol. 2: MUL, IMUL, MULX, DIV, IDIV). Quotients are rounded
 * towards zero, and the remainder has the dividend's sign. A quotient that doesn't fit raises #DE, and so does a
 * divisor of zero: where the code under test says that it divides, neither may happen.
 */
#include "tests/z3/engine/arith.h"
#include "queries.h"
#include "verifier/domain/mul_div.h"

_Static_assert(sizeof(struct wv_dividend) == 64, "struct wv_dividend has changed");

static struct memory memory;

static bool is_signed(const struct query *q)
{
	return q->op != 0;
}

static term wide_of(term t, bool sign)
{
	return sign ? sext(t, 128) : zext(t, 128);
}

/* A member of *n that comes zero-extended. */
static term factor_of(const char *name, const struct number *n, unsigned width, term *given)
{
	term x = input(name, 64);
	*given = and_(*given, and_(member(n, x), eq(low_zext(x, width), x)));
	witness(x);
	return x;
}

/* ---- products ---- */

/* void wv_num_product(width, is_signed, a, b, low, high) */
void build_product(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b");
	bool sign = is_signed(q);
	unsigned w = q->width;
	term given = truth(true), x = factor_of("x", &a, w, &given), y = factor_of("y", &b, w, &given), low, high;
	struct value args[] = {exec_bits(bits(32, w)), exec_bits(truth(sign)), number_object(&memory, &a),
		number_object(&memory, &b), number_object(&memory, NULL), number_object(&memory, NULL)};
	if (w == 64) {
		struct product p = product(x, y);
		low = p.low, high = sign ? p.signed_high : p.high;
		assume(law_between(a.umin, x, a.umax, b.umin, y, b.umax));
		assume(law_corners(a.smin, x, a.smax, b.smin, y, b.smax));
	} else { /* all of it fits into 64 bits */
		term fx = sign ? low_sext(x, w) : x, fy = sign ? low_sext(y, w) : y, p = product(fx, fy).low,
		     by = bits(64, w);
		term list[] = {fx, fy, p, by, lshr(p, by)};
		for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
			witness(list[i]);
		same_result(low_zext(x, w), x, eq(low_zext(x, w), x));
		same_result(low_zext(y, w), y, eq(low_zext(y, w), y));
		same_result(concrete_shift(WV_SHR, 64, p, by), lshr(p, by), truth(true));
		low = low_zext(p, w), high = low_zext(lshr(p, by), w);
	}
	witness(low);
	witness(high);
	call_function(q, args, &memory);
	prove_result(&memory, &args[4], low, given);
	prove_result(&memory, &args[5], high, given);
}

/* ---- quotients ---- */

struct dividend {
	term min, max, umin, umax;
};

static struct value dividend_object(void)
{
	return exec_object(&memory, (const uint8_t[]){16, 16, 16, 16, 0});
}

static struct dividend dividend_load(const struct value *p)
{
	return (struct dividend){exec_load(&memory, p, 0, 16), exec_load(&memory, p, 16, 16),
		exec_load(&memory, p, 32, 16), exec_load(&memory, p, 48, 16)};
}

static struct value dividend_input(struct dividend *d)
{
	struct value p = dividend_object();
	*d = (struct dividend){input("n.min", 128), input("n.max", 128), input("n.umin", 128), input("n.umax", 128)};
	exec_store(&memory, &p, 0, d->min);
	exec_store(&memory, &p, 16, d->max);
	exec_store(&memory, &p, 32, d->umin);
	exec_store(&memory, &p, 48, d->umax);
	return p;
}

static term signed_member(const struct dividend *d, term n)
{
	return and_(sle(d->min, n), sle(n, d->max));
}

static term unsigned_member(const struct dividend *d, term n)
{
	return and_(ule(d->umin, n), ule(n, d->umax));
}

/* struct wv_dividend wv_dividend_of(width, high, low), wv_dividend_narrow(width, n) */
void build_dividend(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b");
	unsigned w = q->width;
	bool narrow = q->function[12] == 'n';
	term given = truth(true), x = factor_of("x", &a, w, &given), y = narrow ? x : factor_of("y", &b, w, &given);
	term n = narrow ? extract(w - 1, 0, x) : concat(extract(w - 1, 0, x), extract(w - 1, 0, y));
	struct value args[] = {
		dividend_object(), exec_bits(bits(32, w)), number_object(&memory, &a), number_object(&memory, &b)};
	witness(low_sext(x, w));
	call_function(q, args, &memory);
	struct dividend d = dividend_load(&args[0]);
	prove("as a signed number", implies(given, signed_member(&d, sext(n, 128))));
	prove("as an unsigned number", implies(given, unsigned_member(&d, zext(n, 128))));
	prove_hazards(given);
}

/* void widen(quotients, n, from, to) */
void build_widen(const struct query *q)
{
	struct dividend d;
	struct value quotients = exec_object(&memory, (const uint8_t[]){16, 16, 0}), n = dividend_input(&d);
	term from = input("from", 64), to = input("to", 64), x = input("x", 128), y = input("y", 64),
	     least = input("least", 128), most = input("most", 128);
	struct value args[] = {quotients, n, exec_bits(from), exec_bits(to)};
	term ends[] = {sext(from, 128), sext(to, 128)}, by = sext(y, 128);
	exec_store(&memory, &quotients, 0, least);
	exec_store(&memory, &quotients, 16, most);
	assume(quotients_fit(d.min, d.max, from, to));
	call_function(q, args, &memory);
	term r = quotient(x, by, true).q, after_least = exec_load(&memory, &quotients, 0, 16),
	     after_most = exec_load(&memory, &quotients, 16, 16);
	assume(law_of_dividends(d.min, x, by, true));
	assume(law_of_dividends(x, d.max, by, true));
	for (unsigned i = 0; i < 2; i++) {
		assume(law_of_divisors(i ? d.max : d.min, ends[0], by, true));
		assume(law_of_divisors(i ? d.max : d.min, by, ends[1], true));
	}
	/*
	 * From the corners to the edges, and from there inwards; of what lies around the corners nothing else is used.
	 */
	term given = and_(signed_member(&d, x), and_(sle(from, y), sle(y, to))), lo = after_least, hi = after_most;
	if (!arith_exact && !term_replaying())
		lo = fresh(128), hi = fresh(128);
	for (unsigned i = 0; i < 4; i++) {
		term at = quotient(i & 2 ? d.max : d.min, ends[i & 1], true).q;
		prove("a corner", and_(sle(after_least, at), sle(at, after_most)));
		if (lo != after_least)
			assume(and_(sle(lo, at), sle(at, hi)));
	}
	for (unsigned i = 0; i < 4; i++) {
		term end = i & 1 ? d.max : d.min, at = quotient(end, by, true).q, sign = slt(end, bits(128, 0));
		sign = i & 2 ? sign : not_(sign);
		prove("an edge's least", implies(and_(given, sign), sle(lo, at)));
		prove("an edge's most", implies(and_(given, sign), sle(at, hi)));
	}
	prove("at least", implies(given, sle(lo, r)));
	prove("at most", implies(given, sle(r, hi)));
	prove("the least falls", sle(after_least, least));
	prove("the most grows", sle(most, after_most));
	prove_hazards(truth(true));
}

/* struct interval quotients_of(n, d), remainders_of(n, d) */
void build_bounds(const struct query *q)
{
	struct number a = valid_number("divisor");
	struct dividend d;
	bool rest = q->op != 0;
	struct value n = dividend_input(&d), divisor = number_object(&memory, &a);
	term x = input("x", 128), y = input("y", 64), by = sext(y, 128);
	struct value args[] = {exec_object(&memory, (const uint8_t[]){16, 16, 0}), n, divisor};
	struct quotient r = quotient(x, by, true);
	assume(division_fits(&memory, &n, &divisor));
	term given = division_within(&memory, &n, &divisor, x, y);
	if (rest)
		assume(law_of_remainder(x, by, true));
	else
		dividing(x, y);
	call_function(q, args, &memory);
	term least = exec_load(&memory, &args[0], 0, 16), most = exec_load(&memory, &args[0], 16, 16),
	     most_of_all = shl(bits(128, 1), bits(128, 63));
	prove("at least", implies(given, sle(least, rest ? r.r : r.q)));
	prove("at most", implies(given, sle(rest ? r.r : r.q, most)));
	if (rest)
		prove("of 64 bits", and_(slt(sub(bits(128, 0), most_of_all), least), slt(most, most_of_all)));
	prove_hazards(truth(true));
}

/* struct wv_num signed_range(min, max) */
void build_signed_range(const struct query *q)
{
	term x = input("x", 64), min = input("min", 64), max = input("max", 64);
	struct value args[] = {number_object(&memory, NULL), exec_bits(min), exec_bits(max)};
	witness(x);
	call_function(q, args, &memory);
	/* ends out of order: any number */
	prove_result(&memory, &args[0], x, or_(slt(max, min), and_(sle(min, x), sle(x, max))));
}

/* enum wv_division wv_num_divide(width, is_signed, n, divisor, quotient, remainder) */
void build_divide(const struct query *q)
{
	struct number a = valid_number("divisor");
	struct dividend d;
	struct value n = dividend_input(&d), results[] = {number_object(&memory, NULL), number_object(&memory, NULL)};
	bool sign = is_signed(q);
	unsigned w = q->width;
	term x = input("x", 128), given = sign ? signed_member(&d, x) : unsigned_member(&d, x),
	     y = factor_of("y", &a, w, &given);
	term by = wide_of(sign ? low_sext(y, w) : y, sign);
	struct quotient r = quotient(x, by, sign);
	struct value args[] = {
		exec_bits(bits(32, w)), exec_bits(truth(sign)), n, number_object(&memory, &a), results[0], results[1]};
	term left[] = {extract(63, 0, r.q), extract(63, 0, r.r)};
	witness(bits(64, 0));
	if (sign)
		witness(low_sext(y, w));
	for (unsigned i = 0; i < 2; i++) {
		witness(left[i]);
		witness(low_zext(left[i], w));
	}
	dividing(x, sign ? low_sext(y, w) : y);
	struct value told = call_function(q, args, &memory);
	given = and_(given, eq(told.part[0], bits(32, WV_DIVIDES)));
	if (!sign) {
		assume(law_of_remainder(x, by, false));
		assume(law_of_dividends(d.umin, x, by, false));
		assume(law_of_dividends(x, d.umax, by, false));
		assume(law_of_divisors(d.umin, by, zext(a.umax, 128), false));
		assume(law_of_divisors(d.umax, zext(a.umin, 128), by, false));
		assume(law_of_remainder(d.umax, zext(a.umin, 128), false));
	}
	term fits = eq(wide_of(extract(w - 1, 0, r.q), sign), r.q);
	prove("not by zero", implies(given, not_(eq(y, bits(64, 0)))));
	prove("the quotient fits", implies(given, fits));
	prove_result(&memory, &results[0], low_zext(left[0], w), given);
	prove_result(&memory, &results[1], low_zext(left[1], w), given);
}
