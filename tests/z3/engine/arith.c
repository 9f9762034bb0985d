/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders and products as uninterpreted functions, and instances of the laws that hold of the real ones. */
#include "arith.h"

#include "facts.h"

bool arith_exact;

/* ---- the operations ---- */

enum { MAX_APPS = 1000 };

static struct {
	term x, m, r;
} rems[MAX_APPS];
static unsigned n_rems;

static struct product products[MAX_APPS];
static unsigned n_products;

static bool constant(term t)
{
	uint64_t unused;
	return is_number(t, &unused);
}

static bool is_small(term t, uint64_t number)
{
	uint64_t value;
	return is_number(t, &value) && value == number;
}

term rem(term x, term m)
{
	term when, yes, no;
	uint64_t power;
	if (is_number(m, &power) && power > 1 && (power & (power - 1)) == 0)
		return band(x, bits(width_of(x), power - 1));
	if ((constant(x) && constant(m)) || arith_exact)
		return op2(Z3_mk_bvurem, x, m);
	/* Of a choice the choice of remainders: so the same numbers are seen to be the same. */
	if (is_choice(x, &when, &yes, &no))
		return ite(when, rem(yes, m), rem(no, m));
	if (is_choice(m, &when, &yes, &no))
		return ite(when, rem(x, yes), rem(x, no));
	for (unsigned i = 0; i < n_rems; i++) {
		if (rems[i].x == x && rems[i].m == m)
			return rems[i].r;
	}
	if (n_rems == MAX_APPS)
		give_up("too many remainders");
	unsigned at = n_rems++;
	rems[at].x = x;
	rems[at].m = m;
	rems[at].r = fresh(width_of(x));
	return rems[at].r;
}

static struct {
	term x, y, m, r;
} sums[MAX_APPS];
static unsigned n_sums;

term sum_mod(term x, term y, term m)
{
	if (arith_exact)
		return plus_mod(x, y, m);
	for (unsigned i = 0; i < n_sums; i++) {
		if (sums[i].x == x && sums[i].y == y && sums[i].m == m)
			return sums[i].r;
	}
	if (n_sums == MAX_APPS)
		give_up("too many sums");
	sums[n_sums].x = x;
	sums[n_sums].y = y;
	sums[n_sums].m = m;
	return sums[n_sums++].r = fresh(width_of(x));
}

struct product product(term a, term b)
{
	unsigned width = width_of(a);
	if ((constant(a) && constant(b)) || arith_exact) {
		term u = op2(Z3_mk_bvmul, zext(a, 2 * width), zext(b, 2 * width)),
		     s = op2(Z3_mk_bvmul, sext(a, 2 * width), sext(b, 2 * width));
		return (struct product){a, b, extract(width - 1, 0, u), extract(2 * width - 1, width, u),
			extract(2 * width - 1, width, s)};
	}
	if (is_small(a, 0) || is_small(b, 0))
		return (struct product){a, b, bits(width, 0), bits(width, 0), bits(width, 0)};
	if (is_small(a, 1) || is_small(b, 1)) {
		term other = is_small(a, 1) ? b : a, sign = sext(extract(width - 1, width - 1, other), width);
		return (struct product){a, b, other, bits(width, 0), sign};
	}
	for (unsigned i = 0; i < n_products; i++) {
		if ((products[i].a == a && products[i].b == b) || (products[i].a == b && products[i].b == a))
			return products[i];
	}
	if (n_products == MAX_APPS)
		give_up("too many products");
	return products[n_products++] = (struct product){a, b, fresh(width), fresh(width), fresh(width)};
}

term wide(const struct product *p)
{
	return concat(p->high, p->low);
}

term wide_signed(const struct product *p)
{
	return concat(p->signed_high, p->low);
}

term lower_half(term t)
{
	term of;
	if (is_concat(t) && width_of(operand(t, 1)) == 64)
		return operand(t, 1);
	return is_extension(t, 64, &of) ? of : extract(63, 0, t);
}

static term fits_half(term t)
{
	term of;
	return is_extension(t, 64, &of) ? truth(true) : eq(extract(127, 64, t), bits(64, 0));
}

term arith_product_128(term a, term b)
{
	if (is_small(a, 0) || is_small(b, 0))
		return bits(128, 0);
	if (arith_exact || Z3_get_ast_kind(z3, a) == Z3_NUMERAL_AST || Z3_get_ast_kind(z3, b) == Z3_NUMERAL_AST)
		return op2(Z3_mk_bvmul, a, b);
	struct product p = product(lower_half(a), lower_half(b));
	/* Times 2^64 all moves up; of other factors that long nothing is known. */
	term moved = ite(eq(b, concat(bits(64, 1), bits(64, 0))), concat(lower_half(a), bits(64, 0)), fresh(128));
	return ite(fits_half(a), ite(fits_half(b), wide(&p), moved), fresh(128));
}

static term zero_like(term t)
{
	return bits(width_of(t), 0);
}

static term nonzero(term t)
{
	return not_(eq(t, zero_like(t)));
}

/* ---- quotients ---- */

static struct quotient quotients[40];
static unsigned n_quotients;

struct quotient quotient(term n, term d, bool is_signed)
{
	if ((Z3_get_ast_kind(z3, n) == Z3_NUMERAL_AST && Z3_get_ast_kind(z3, d) == Z3_NUMERAL_AST) || arith_exact)
		return (struct quotient){n, d, is_signed, op2(is_signed ? Z3_mk_bvsdiv : Z3_mk_bvudiv, n, d),
			op2(is_signed ? Z3_mk_bvsrem : Z3_mk_bvurem, n, d)};
	for (unsigned i = 0; i < n_quotients; i++) {
		if (quotients[i].n == n && quotients[i].d == d && quotients[i].is_signed == is_signed)
			return quotients[i];
	}
	if (n_quotients == sizeof quotients / sizeof quotients[0])
		give_up("too many quotients");
	return quotients[n_quotients++] = (struct quotient){n, d, is_signed, fresh(width_of(n)), fresh(width_of(n))};
}

bool quotient_met(unsigned i, struct quotient *q)
{
	if (i < n_quotients)
		*q = quotients[i];
	return i < n_quotients;
}

static term at_most(term a, term b, bool is_signed)
{
	return is_signed ? sle(a, b) : ule(a, b);
}

static term negative(term t)
{
	return slt(t, zero_like(t));
}

/* Of which the quotient by -1 overflows. */
static term least_signed(term t)
{
	unsigned width = width_of(t);
	return eq(t, shl(bits(width, 1), bits(width, width - 1)));
}

/* Law "halves". */
term law_of_halves(term a, term b)
{
	unsigned width = width_of(a);
	term q = quotient(a, b, true).q, two = bits(width, 2), half = shl(bits(width, 1), bits(width, width - 2));
	return implies(
		or_(sle(two, b), sle(b, sub(zero_like(b), two))), and_(sle(sub(zero_like(q), half), q), sle(q, half)));
}

/* Law "rounding": what is one off towards zero is rounded the other way. */
term law_of_rounding(term a, term b, term x)
{
	struct quotient q = quotient(a, b, true);
	struct product p = product(b, x);
	term zero = zero_like(a), one = bits(width_of(a), 1), same_sign = eq(negative(a), negative(b)),
	     rest = nonzero(q.r), by = wide_signed(&p), of = sext(a, 128);
	term floor = sub(q.q, ite(and_(rest, not_(same_sign)), one, zero)),
	     ceiling = add(q.q, ite(and_(rest, same_sign), one, zero));
	term up = and_(implies(sle(by, of), sle(x, floor)), implies(sle(of, by), sle(ceiling, x))),
	     down = and_(implies(sle(of, by), sle(x, floor)), implies(sle(by, of), sle(ceiling, x)));
	return implies(and_(nonzero(b), nonzero(bnot(b))), ite(negative(b), down, up));
}

/* Law "dividends": quotients grow with the dividend, or fall if the divisor is negative. */
term law_of_dividends(term n, term m, term d, bool is_signed)
{
	term p = quotient(n, d, is_signed).q, q = quotient(m, d, is_signed).q;
	term grow = at_most(p, q, is_signed), fall = at_most(q, p, is_signed),
	     up = is_signed ? slt(zero_like(d), d) : nonzero(d);
	term down = is_signed ? and_(negative(d), not_(least_signed(n))) : truth(false);
	return implies(at_most(n, m, is_signed), and_(implies(up, grow), implies(down, fall)));
}

/* Law "ends": the differences are less than 2^width, in either order. */
term law_of_ends(term a, term x, term y, term b, bool is_signed)
{
	term within = and_(at_most(a, x, is_signed), and_(at_most(x, y, is_signed), at_most(y, b, is_signed)));
	return implies(within, ule(sub(y, x), sub(b, a)));
}

/*
 * Law "divisors": as divisors of one sign grow, the quotient of a number that is not negative falls; that of one that
 * is grows.
 */
term law_of_divisors(term n, term c, term d, bool is_signed)
{
	term p = quotient(n, c, is_signed).q, q = quotient(n, d, is_signed).q, zero = zero_like(d);
	if (!is_signed)
		return implies(and_(nonzero(c), ule(c, d)), ule(q, p));
	term one_sign = or_(slt(zero, c), negative(d)), least = least_signed(n);
	return implies(and_(and_(sle(c, d), one_sign), not_(least)), ite(negative(n), sle(p, q), sle(q, p)));
}

/* Law "remainder": it is smaller than the divisor, no larger than the dividend, and of its sign. */
term law_of_remainder(term n, term d, bool is_signed)
{
	struct quotient q = quotient(n, d, is_signed);
	term zero = zero_like(n), minus_d = sub(zero, d), none = implies(eq(q.q, zero), eq(q.r, n));
	if (!is_signed)
		return implies(nonzero(d), and_(and_(ult(q.r, d), ule(q.r, n)), none));
	term high = and_(and_(sle(zero, q.r), sle(q.r, n)), slt(q.r, ite(negative(d), minus_d, d)));
	term low = and_(and_(sle(q.r, zero), sle(n, q.r)), slt(ite(negative(d), d, minus_d), q.r));
	return implies(nonzero(d), and_(none, ite(negative(n), low, high)));
}

/* ---- quotients by multiplication, and multiples of them ---- */

static term wide_product(term a, term b)
{
	struct product p = product(a, b);
	return wide(&p);
}

/*
 * Law "reciprocal", of the factor m + 2^s, or m; and law "nested": x · 2^s + x · m, shifted by s, is x and what x · m
 * is, shifted by s. All is below 2^128: the factor times d is below 2^k and the factor, what it is above 2^k is below
 * the factor, and most · e is a product of 64 bits. Those of the law that are longer, its proof alone has.
 */
term law_of_reciprocal(term x, term most, term m, term more, term s, const struct quotient *q, term after)
{
	term one = bits(128, 1), zero = bits(128, 0), k = add(s, after), power = shl(one, zext(k, 128)),
	     by = add(zext(m, 128), ite(more, shl(one, zext(s, 128)), zero));
	term d = add(q->q, one), small = lower_half(d),
	     e = sub(add(wide_product(m, small), ite(more, shl(d, zext(s, 128)), zero)), power);
	term given = and_(and_(nonzero(m), eq(q->d, by)),
		and_(eq(q->n, sub(power, one)), and_(ult(bits(32, 0), k), ule(k, bits(32, 126)))));
	term right = and_(and_(ule(x, most), eq(extract(127, 64, e), bits(64, 0))),
		ult(wide_product(most, lower_half(e)), power));
	term all = add(lshr(wide_product(x, m), zext(s, 128)), ite(more, zext(x, 128), zero));
	term same = eq(lshr(all, zext(after, 128)), zext(quotient(x, small, false).q, 128));
	given = and_(given, and_(ule(s, bits(32, 64)), ule(after, bits(32, 126))));
	return implies(and_(given, eq(extract(127, 64, d), bits(64, 0))), and_(ult(e, by), implies(right, same)));
}

/* Law "nested". */
term law_of_quotients(term x, term d, term c, term divisor)
{
	term power = shl(bits(64, 1), c),
	     given = and_(ult(c, bits(64, 64)), and_(nonzero(d), eq(zext(divisor, 128), wide_product(d, power))));
	return implies(given, eq(quotient(x, divisor, false).q, lshr(quotient(x, d, false).q, c)));
}

term law_of_shifted_dividend(term x, term y, term d, term c, term divisor)
{
	term given = and_(and_(ult(c, bits(64, 64)), nonzero(d)),
		and_(eq(zext(divisor, 128), shl(zext(d, 128), zext(c, 128))), eq(y, lshr(x, c))));
	return implies(given, eq(quotient(x, divisor, false).q, quotient(y, d, false).q));
}

/* Law "nested", of powers of two; counts are of 32 bits. */
term law_of_shifts(term x, term a, term b)
{
	term most = bits(32, 64), given = and_(ule(a, most), ule(b, most));
	return implies(given, eq(lshr(x, zext(add(a, b), 128)), lshr(lshr(x, zext(a, 128)), zext(b, 128))));
}

/* That is what shifting is. */
term law_of_power(term power, term c, term y)
{
	return implies(and_(ult(c, bits(64, 64)), eq(power, shl(bits(64, 1), c))),
		eq(wide_product(power, y), shl(zext(y, 128), zext(c, 128))));
}

/* Law "multiples". */
term law_of_ones(term y, unsigned n)
{
	term long_y = zext(y, 128);
	return eq(wide_product(bits(64, n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1), y),
		sub(shl(long_y, bits(128, n)), long_y));
}

/* Law "multiples": modulo 2^64, as everything in it is sums and products. */
term law_of_multiple(term t, term q, term by)
{
	return eq(product(product(t, by).low, q).low, product(product(t, q).low, by).low);
}

term law_of_multiples(term a, term t, term u, term c, term q)
{
	term sum = add(t, shl(u, c)), once = product(t, q).low, more = shl(product(u, q).low, c),
	     all = add(a, product(sum, q).low);
	return implies(ult(c, bits(64, 64)), and_(eq(all, add(add(a, once), more)), eq(all, add(once, add(a, more)))));
}

term law_of_difference(term a, term t, term u, term q)
{
	return eq(add(a, product(sub(t, u), q).low), sub(add(a, product(t, q).low), product(u, q).low));
}

/* Law "multiples": of 128 bits none wraps around. */
term law_of_scaled(term t, term u, term c, term x)
{
	term most = bits(64, UINT32_MAX), given = and_(and_(ule(t, most), ule(u, most)), ult(c, bits(64, 32)));
	return implies(given,
		eq(wide_product(add(t, shl(u, c)), x), add(wide_product(t, x), shl(wide_product(u, x), zext(c, 128)))));
}

/* Law "rounding". */
term law_of_floor(term a, term b, term x)
{
	return implies(and_(nonzero(b), ule(wide_product(b, x), zext(a, 128))), ule(x, quotient(a, b, false).q));
}

/* Law "multiples", of t + u; and law "truncate". */
term law_of_opposites(term t, term u, term q, unsigned width)
{
	term none = bits(width, 0), sum = extract(width - 1, 0, add(t, u)),
	     all = add(product(t, q).low, product(u, q).low);
	return implies(eq(sum, none), eq(extract(width - 1, 0, all), none));
}

/* What a quotient is; and law "remainder". */
term law_of_rest(term x, term d)
{
	struct quotient q = quotient(x, d, false);
	return implies(
		nonzero(d), and_(eq(wide_product(d, q.q), zext(sub(x, q.r), 128)), and_(ule(q.r, x), ult(q.r, d))));
}

/* Law "onto". */
term law_of_onto(term z, term y, term r, term m)
{
	term s = rem(y, m), gap = ite(ule(s, r), sub(r, s), add(sub(m, s), r));
	return implies(and_(and_(nonzero(m), ult(r, m)), and_(eq(z, add(y, gap)), ule(y, z))), eq(rem(z, m), r));
}

term law_of_next(term x, term y, term m)
{
	term given = and_(and_(nonzero(m), eq(rem(x, m), rem(y, m))), ult(y, x));
	return implies(given, and_(ule(m, sub(x, y)), eq(rem(add(y, m), m), rem(y, m))));
}

term law_of_few(term x, term m)
{
	unsigned width = width_of(x), wide = width + 9;
	return implies(and_(nonzero(m), ult(quotient(x, m, false).q, bits(width, 256))),
		ult(zext(x, wide), shl(zext(m, wide), bits(wide, 8))));
}

/* ---- counts of bits ---- */

static struct {
	term x, n;
} counts[20];
static unsigned n_counts;

term popcount(term x)
{
	uint64_t value;
	unsigned width = width_of(x);
	if (is_number(x, &value))
		return bits(width, (uint64_t)__builtin_popcountll(value));
	if (arith_exact) {
		term sum = bits(width, 0);
		for (unsigned i = 0; i < width; i++)
			sum = add(sum, zext(extract(i, i, x), width));
		return sum;
	}
	for (unsigned i = 0; i < n_counts; i++) {
		if (counts[i].x == x)
			return counts[i].n;
	}
	if (n_counts == sizeof counts / sizeof counts[0])
		give_up("too many counts");
	counts[n_counts].x = x;
	return counts[n_counts++].n = fresh(width);
}

term counted(unsigned i)
{
	return i < n_counts ? counts[i].x : NULL;
}

/* Law "subset": of less bits there are no more; of no bit none, of some one at least, of all `width`. */
void use_law_subset(void)
{
	for (unsigned i = 0; i < n_counts && !arith_exact && !term_replaying(); i++) {
		term x = counts[i].x, n = counts[i].n;
		unsigned width = width_of(x);
		define(and_(ule(n, bits(width, width)), eq(eq(x, zero_like(x)), eq(n, zero_like(x)))));
		for (unsigned j = 0; j < n_counts; j++)
			define(implies(eq(band(x, bnot(counts[j].x)), zero_like(x)), ule(n, counts[j].n)));
	}
}

/* ---- laws of remainders ---- */

/* Law "range": r < m and r ≤ x. Law "unique": x = 0·m + x if x < m, x = 1·m + (x - m) if m ≤ x < 2m. */
static void rem_alone(unsigned i)
{
	term x = rems[i].x, m = rems[i].m, r = rems[i].r;
	term once = and_(ule(m, x), ult(sub(x, m), m));
	define(implies(nonzero(m), ult(r, m)));
	define(implies(ult(x, m), eq(r, x)));
	define_last(implies(nonzero(m), ule(r, x)));
	define_last(implies(and_(nonzero(m), once), eq(r, sub(x, m))));
}

/* Equal arguments have equal remainders. */
static void rem_pair(unsigned i, unsigned j)
{
	define(implies(and_(eq(rems[i].m, rems[j].m), eq(rems[i].x, rems[j].x)), eq(rems[i].r, rems[j].r)));
}

/* Law "same": what m divides the difference of has the same remainder. */
static void rem_same(unsigned i)
{
	term p, q, m = rems[i].m;
	if (is_difference(rems[i].x, &p, &q))
		define(implies(
			and_(and_(nonzero(m), ule(q, p)), eq(rems[i].r, zero_like(m))), eq(rem(p, m), rem(q, m))));
}

/* Law "compose": where m divides k, x mod m is (x mod k) mod m. */
static term rem_compose(unsigned i, term m)
{
	term k = rems[i].m, divides = and_(and_(nonzero(k), nonzero(m)), eq(rem(k, m), zero_like(m)));
	return implies(divides, eq(rem(rems[i].x, m), rem(rems[i].r, m)));
}

static struct {
	term k, m;
} compositions[MAX_APPS];
static unsigned n_compositions;

void use_law_compose(term k, term m)
{
	if (n_compositions == MAX_APPS)
		give_up("too many moduli");
	compositions[n_compositions].k = k;
	compositions[n_compositions++].m = m;
}

static void rem_laws(void)
{
	for (unsigned c = 0; c < n_compositions; c++) {
		unsigned n = n_rems;
		for (unsigned i = 0; i < n; i++) {
			if (rems[i].m == compositions[c].k)
				define(rem_compose(i, compositions[c].m));
		}
	}
	unsigned n = n_rems;
	for (unsigned i = 0; i < n; i++)
		rem_same(i);
	for (unsigned i = 0; i < n_rems; i++) {
		rem_alone(i);
		for (unsigned j = 0; j < i; j++)
			rem_pair(i, j);
	}
}

/*
 * Law "distance": going from y up to x one passes, or ends at, the first number from y on that has x's remainder r.
 * Downwards likewise.
 */
term law_up(term x, term r, term y, term m)
{
	term s = rem(y, m), gap = ite(ule(s, r), sub(r, s), add(sub(m, s), r)), z = add(y, gap);
	return implies(and_(and_(nonzero(m), eq(rem(x, m), r)), ule(y, x)), and_(ule(y, z), ule(z, x)));
}

term law_down(term x, term r, term y, term m)
{
	term s = rem(y, m), gap = ite(ule(r, s), sub(s, r), add(s, sub(m, r)));
	return implies(and_(and_(nonzero(m), eq(rem(x, m), r)), ule(x, y)), and_(ule(gap, y), ule(x, sub(y, gap))));
}

/* 2^width mod m: one more than that of the greatest number, modulo m. */
static term rem_of_wrap(term m)
{
	return rem(add(rem(bits(width_of(m), UINT64_MAX), m), bits(width_of(m), 1)), m);
}

/* x + y modulo m for x, y < m. */
term plus_mod(term x, term y, term m)
{
	return ite(ule(sub(m, y), x), sub(x, sub(m, y)), add(x, y));
}

/* -x mod m */
static term negated(term x, term m)
{
	return ite(eq(x, zero_like(x)), x, sub(m, x));
}

/* Law "sum": remainders add up; a sum that wraps around lacks 2^width. */
term law_sum(term x, term y, term m)
{
	term z = add(x, y), r = sum_mod(rem(x, m), rem(y, m), m);
	return implies(nonzero(m), eq(rem(z, m), ite(ult(z, x), sum_mod(r, negated(rem_of_wrap(m), m), m), r)));
}

term law_difference(term x, term y, term m)
{
	term z = sub(x, y), r = sum_mod(rem(x, m), negated(rem(y, m), m), m);
	return implies(nonzero(m), eq(rem(z, m), ite(ult(x, y), sum_mod(r, rem_of_wrap(m), m), r)));
}

/* What sum_mod means, and equal sums of equals. */
static void sum_laws(void)
{
	for (unsigned i = 0; i < n_sums; i++) {
		term in_range = and_(ult(sums[i].x, sums[i].m), ult(sums[i].y, sums[i].m));
		define(implies(in_range, ult(sums[i].r, sums[i].m)));
		for (unsigned j = 0; j < i; j++) {
			term equal = and_(
				and_(eq(sums[i].x, sums[j].x), eq(sums[i].y, sums[j].y)), eq(sums[i].m, sums[j].m));
			define(implies(equal, eq(sums[i].r, sums[j].r)));
		}
		define_last(implies(in_range, eq(sums[i].r, plus_mod(sums[i].x, sums[i].y, sums[i].m))));
	}
}

/* Law "scale": where nothing overflows, remainders scale with both sides. */
term law_scale(term x, term m, term c)
{
	struct product xc = product(x, c), mc = product(m, c), rc = product(rem(x, m), c);
	term fits = and_(eq(xc.high, zero_like(x)), eq(mc.high, zero_like(x)));
	term scaled = and_(eq(rc.high, zero_like(x)), eq(rem(xc.low, mc.low), rc.low));
	return implies(and_(fits, and_(nonzero(m), nonzero(c))), scaled);
}

term law_shift(term x, term m, term n)
{
	term xs = shl(x, n), ms = shl(m, n);
	term fits = and_(eq(lshr(xs, n), x), eq(lshr(ms, n), m));
	return implies(and_(fits, nonzero(m)), eq(rem(xs, ms), shl(rem(x, m), n)));
}

/* ---- laws of products ---- */

/* Law "truncate": the low bits of a product depend on the low bits of the factors alone. */
term law_truncate(term a, term b, term c, term d, unsigned width)
{
	struct product p = product(a, b), q = product(c, d);
	term same = and_(eq(extract(width - 1, 0, a), extract(width - 1, 0, c)),
		eq(extract(width - 1, 0, b), extract(width - 1, 0, d)));
	return implies(same, eq(extract(width - 1, 0, p.low), extract(width - 1, 0, q.low)));
}

term law_zeros(term a, term b)
{
	struct product p = product(a, b);
	unsigned width = width_of(a);
	term zeros = add(ctz(a), ctz(b)), one = bits(width, 1),
	     kept = eq(band(p.low, sub(shl(one, zeros), one)), bits(width, 0));
	return ite(ule(bits(width, width), zeros), eq(p.low, bits(width, 0)), kept);
}

/* Equal factors have equal products. */
static term product_pair(unsigned i, unsigned j)
{
	const struct product *p = &products[i], *q = &products[j];
	term straight = and_(eq(p->a, q->a), eq(p->b, q->b)), crossed = and_(eq(p->a, q->b), eq(p->b, q->a));
	term same = and_(eq(p->low, q->low), and_(eq(p->high, q->high), eq(p->signed_high, q->signed_high)));
	return width_of(p->a) == width_of(q->a) ? implies(or_(straight, crossed), same) : truth(true);
}

/* Law "monotone". */
term law_between(term a, term x, term b, term c, term y, term d)
{
	struct product least = product(a, c), p = product(x, y), most = product(b, d);
	term given = and_(and_(ule(a, x), ule(x, b)), and_(ule(c, y), ule(y, d)));
	return implies(given, and_(ule(wide(&least), wide(&p)), ule(wide(&p), wide(&most))));
}

/* Law "corners". */
term law_corners(term a, term x, term b, term c, term y, term d)
{
	struct product p = product(x, y), corner[] = {product(a, c), product(a, d), product(b, c), product(b, d)};
	term given = and_(and_(sle(a, x), sle(x, b)), and_(sle(c, y), sle(y, d))), above = truth(false),
	     below = truth(false);
	for (unsigned i = 0; i < 4; i++) {
		above = or_(above, sle(wide_signed(&corner[i]), wide_signed(&p)));
		below = or_(below, sle(wide_signed(&p), wide_signed(&corner[i])));
	}
	return implies(given, and_(above, below));
}

/* Equal numbers have equal quotients. */
static term quotient_pair(unsigned i, unsigned j)
{
	const struct quotient *p = &quotients[i], *q = &quotients[j];
	if (width_of(p->n) != width_of(q->n) || p->is_signed != q->is_signed)
		return truth(true);
	return implies(and_(eq(p->n, q->n), eq(p->d, q->d)), and_(eq(p->q, q->q), eq(p->r, q->r)));
}

void arith_laws(void)
{
	rem_laws();
	sum_laws();
	for (unsigned i = 0; i < n_quotients; i++) {
		for (unsigned j = 0; j < i; j++)
			define(quotient_pair(i, j));
	}
	for (unsigned i = 0; i < n_products; i++) {
		for (unsigned j = 0; j < i; j++)
			define(product_pair(i, j));
	}
}
