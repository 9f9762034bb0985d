/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws of arith.c, over the integers and hence for words of any width. Each function builds a formula that has a
 * solution only if its law is false.
 *
 * The formula for "r is the remainder of x by m" is: x = q·m + r for some q, and 0 ≤ r < m. By the law "unique" there
 * is only one such r; so each of the other laws is proven by naming the q.
 */
#include "arith.h"

static term number(int value)
{
	return Z3_mk_int(z3, value, Z3_mk_int_sort(z3));
}

static term unknown(const char *name)
{
	return Z3_mk_const(z3, Z3_mk_string_symbol(z3, name), Z3_mk_int_sort(z3));
}

static term plus(term a, term b)
{
	return Z3_mk_add(z3, 2, (term[]){a, b});
}

static term minus(term a, term b)
{
	return Z3_mk_sub(z3, 2, (term[]){a, b});
}

static term times(term a, term b)
{
	return Z3_mk_mul(z3, 2, (term[]){a, b});
}

static term le(term a, term b)
{
	return Z3_mk_le(z3, a, b);
}

static term lt(term a, term b)
{
	return Z3_mk_lt(z3, a, b);
}

static term same(term a, term b)
{
	return Z3_mk_eq(z3, a, b);
}

static term both(term a, term b)
{
	return Z3_mk_and(z3, 2, (term[]){a, b});
}

static term fails(term given, term claim)
{
	return both(given, Z3_mk_not(z3, claim));
}

/* x = q·m + r, 0 ≤ r < m */
static term divided(term x, term q, term m, term r)
{
	return both(same(x, plus(times(q, m), r)), both(le(number(0), r), lt(r, m)));
}

#define UNKNOWN(name) term name = unknown(#name)

/* Steps e, f ≥ 0 stand for "a ≤ a + e": so the claim comes down to products of numbers that are not negative. */
static term law_monotone(void)
{
	UNKNOWN(a);
	UNKNOWN(b);
	UNKNOWN(e);
	UNKNOWN(f);
	term zero = number(0), c = plus(a, e), d = plus(b, f);
	term given = both(both(le(zero, a), le(zero, b)), both(le(zero, e), le(zero, f)));
	return fails(given, both(le(times(a, b), times(c, b)), le(times(c, b), times(c, d))));
}

static term law_monotone_signed(void)
{
	UNKNOWN(a);
	UNKNOWN(b);
	UNKNOWN(e);
	term zero = number(0), c = plus(a, e), up = le(times(a, b), times(c, b)), down = le(times(c, b), times(a, b));
	return fails(le(zero, e), both(Z3_mk_implies(z3, le(zero, b), up), Z3_mk_implies(z3, le(b, zero), down)));
}

/* Law "monotone, signed" of a ≤ c, times b. */
static term grows_signed(term a, term c, term b)
{
	term up = le(times(a, b), times(c, b)), down = le(times(c, b), times(a, b)), zero = number(0);
	return both(Z3_mk_implies(z3, le(zero, b), up), Z3_mk_implies(z3, le(b, zero), down));
}

/* x goes from a to b while y stays, then y from c to d at either end: by six instances. */
static term law_corner(void)
{
	UNKNOWN(a);
	UNKNOWN(x);
	UNKNOWN(b);
	UNKNOWN(c);
	UNKNOWN(y);
	UNKNOWN(d);
	term given = both(both(le(a, x), le(x, b)), both(le(c, y), le(y, d))), p = times(x, y), above = Z3_mk_false(z3),
	     below = above;
	term corner[] = {times(a, c), times(a, d), times(b, c), times(b, d)};
	given = both(given, both(grows_signed(a, x, y), grows_signed(x, b, y)));
	given = both(given, both(both(grows_signed(c, y, a), grows_signed(y, d, a)),
				    both(grows_signed(c, y, b), grows_signed(y, d, b))));
	for (unsigned i = 0; i < 4; i++) {
		above = Z3_mk_or(z3, 2, (term[]){above, le(corner[i], p)});
		below = Z3_mk_or(z3, 2, (term[]){below, le(p, corner[i])});
	}
	return fails(given, both(above, below));
}

/* An instance of law "monotone": a ≤ b, 0 < m. */
static term grows(term a, term b, term m)
{
	return Z3_mk_implies(z3, both(le(a, b), lt(number(0), m)), le(times(a, m), times(b, m)));
}

/* What it says of two quotients: they are equal, or their multiples of m lie at least m apart. */
static term apart(term q, term p, term m)
{
	return both(both(grows(q, p, m), grows(p, q, m)),
		both(grows(plus(q, number(1)), p, m), grows(plus(p, number(1)), q, m)));
}

static term law_range(void)
{
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(m);
	UNKNOWN(r);
	return fails(
		both(grows(plus(q, number(1)), number(0), m), both(le(number(0), x), divided(x, q, m, r))), le(r, x));
}

static term law_unique(void)
{
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(r);
	UNKNOWN(s);
	return fails(both(apart(q, p, m), both(divided(x, q, m, r), divided(x, p, m, s))), same(r, s));
}

static term law_distance(void)
{
	UNKNOWN(x);
	UNKNOWN(y);
	UNKNOWN(q);
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(r);
	UNKNOWN(s);
	term given = both(both(divided(x, q, m, r), divided(y, p, m, s)), both(apart(q, p, m), le(y, x))),
	     around = plus(r, minus(m, s));
	return fails(given, le(Z3_mk_ite(z3, le(s, r), minus(r, s), around), minus(x, y)));
}

static term law_same(void)
{
	UNKNOWN(x);
	UNKNOWN(y);
	UNKNOWN(p);
	UNKNOWN(d);
	UNKNOWN(m);
	UNKNOWN(s);
	return fails(both(same(minus(x, y), times(d, m)), divided(y, p, m, s)), divided(x, plus(p, d), m, s));
}

static term law_compose(void)
{
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(k);
	UNKNOWN(r);
	UNKNOWN(j);
	UNKNOWN(m);
	UNKNOWN(s);
	UNKNOWN(t);
	term given = both(same(k, times(j, m)), both(divided(x, q, k, r), divided(r, s, m, t)));
	return fails(given, divided(x, plus(times(q, j), s), m, t));
}

static term law_wrap(void) /* what 2^width leaves, from what 2^width - 1 leaves */
{
	UNKNOWN(w);
	UNKNOWN(v);
	UNKNOWN(m);
	UNKNOWN(l);
	term one = number(1), given = divided(minus(w, one), v, m, l), full = same(plus(l, one), m);
	return fails(
		given, Z3_mk_ite(z3, full, divided(w, plus(v, one), m, number(0)), divided(w, v, m, plus(l, one))));
}

static term law_sum_of_two(void)
{
	UNKNOWN(x);
	UNKNOWN(y);
	UNKNOWN(q);
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(a);
	UNKNOWN(b);
	term given = both(divided(x, q, m, a), divided(y, p, m, b)), s = plus(a, b), z = plus(x, y), u = plus(q, p);
	return fails(
		given, Z3_mk_ite(z3, lt(s, m), divided(z, u, m, s), divided(z, plus(u, number(1)), m, minus(s, m))));
}

static term law_difference_of_two(void) /* also what a sum lacks that wraps around: y is 2^width */
{
	UNKNOWN(x);
	UNKNOWN(y);
	UNKNOWN(q);
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(a);
	UNKNOWN(b);
	term given = both(divided(x, q, m, a), divided(y, p, m, b)), d = minus(a, b), z = minus(x, y), u = minus(q, p);
	return fails(
		given, Z3_mk_ite(z3, le(b, a), divided(z, u, m, d), divided(z, minus(u, number(1)), m, plus(d, m))));
}

static term law_scaled(void)
{
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(m);
	UNKNOWN(r);
	UNKNOWN(c);
	term given = both(both(lt(number(0), c), le(number(0), q)), divided(x, q, m, r)), xc = times(x, c),
	     rc = times(r, c);
	return fails(given, both(divided(xc, q, times(m, c), rc), le(rc, xc)));
}

static term law_low_zeros(void)
{
	UNKNOWN(a);
	UNKNOWN(b);
	UNKNOWN(i);
	UNKNOWN(j);
	UNKNOWN(p);
	UNKNOWN(q);
	return fails(
		both(same(a, times(i, p)), same(b, times(j, q))), same(times(a, b), times(times(i, j), times(p, q))));
}

static term law_truncated(void)
{
	UNKNOWN(a);
	UNKNOWN(b);
	UNKNOWN(i);
	UNKNOWN(j);
	UNKNOWN(w);
	term c = plus(a, times(i, w)), d = plus(b, times(j, w)),
	     more = plus(plus(times(a, j), times(b, i)), times(times(i, j), w));
	return fails(truth(true), same(times(c, d), plus(times(a, b), times(more, w))));
}

/* By induction over the bits, lowest first: i of x, j of y, and what of them is counted below, k and l. */
static term law_subset(void)
{
	UNKNOWN(i);
	UNKNOWN(j);
	UNKNOWN(k);
	UNKNOWN(l);
	UNKNOWN(n);
	term zero = number(0), unit = number(1);
	term given = both(both(both(le(zero, i), le(i, j)), le(j, unit)), both(both(le(zero, k), le(k, l)), le(l, n)));
	return fails(given, both(le(plus(k, i), plus(l, j)), le(plus(l, j), plus(n, unit))));
}

/*
 * Likewise: where bit j of the mask is set, bit i is put above what is gathered so far, r < p = 2^(bits of the mask so
 * far).
 */
static term law_gather(void)
{
	UNKNOWN(r);
	UNKNOWN(i);
	UNKNOWN(p);
	term zero = number(0), unit = number(1),
	     given = both(both(le(zero, r), lt(r, p)), both(le(zero, i), le(i, unit)));
	return fails(both(given, grows(i, unit, p)), lt(plus(r, times(i, p)), plus(p, p)));
}

/*
 * n = q·d + r, rounded towards zero, for d > 0; a negative divisor makes a negative quotient of the same size, so for d
 * < 0 the laws below hold of -d and -q. The instances of "monotone" say how q compares with 0 and with another quotient
 * p.
 */
static term rounded(term n, term q, term d, term r)
{
	term zero = number(0), minus_d = minus(zero, d), up = both(le(zero, r), lt(r, d)),
	     down = both(lt(minus_d, r), le(r, zero));
	return both(same(n, plus(times(q, d), r)), Z3_mk_ite(z3, le(zero, n), up, down));
}

static term around_zero(term q, term d)
{
	return both(grows(number(1), q, d), grows(q, number(-1), d));
}

static term law_dividends(void)
{
	UNKNOWN(n);
	UNKNOWN(m);
	UNKNOWN(d);
	UNKNOWN(p);
	UNKNOWN(q);
	UNKNOWN(r);
	UNKNOWN(s);
	term given = both(both(rounded(n, p, d, r), rounded(m, q, d, s)), both(lt(number(0), d), le(n, m)));
	return fails(both(given, both(apart(q, p, d), both(around_zero(p, d), around_zero(q, d)))), le(p, q));
}

static term law_divisors(void) /* of n ≥ 0; -n has the quotient -q, so it is the reverse for n < 0 */
{
	UNKNOWN(n);
	UNKNOWN(c);
	UNKNOWN(d);
	UNKNOWN(p);
	UNKNOWN(q);
	UNKNOWN(r);
	UNKNOWN(s);
	term zero = number(0), given = both(both(rounded(n, p, c, r), rounded(n, q, d, s)),
				       both(both(lt(zero, c), le(c, d)), le(zero, n)));
	given = both(given, both(both(around_zero(p, c), around_zero(q, d)), both(apart(p, q, c), grows(c, d, q))));
	return fails(given, le(q, p));
}

static term law_remainder(void)
{
	UNKNOWN(n);
	UNKNOWN(d);
	UNKNOWN(q);
	UNKNOWN(r);
	term zero = number(0), given = both(both(rounded(n, q, d, r), lt(zero, d)), around_zero(q, d)),
	     less = both(lt(minus(zero, d), r), lt(r, d));
	term no_larger = Z3_mk_ite(z3, le(zero, n), both(le(zero, r), le(r, n)), both(le(r, zero), le(n, r)));
	return fails(given, both(both(less, no_larger), Z3_mk_implies(z3, same(q, zero), same(r, n))));
}

/*
 * Of a positive b; of a negative one the same is said of -a and -b, whose quotient is the same. a = q·b + r, and r has
 * the sign of a.
 */
static term law_rounding(void)
{
	UNKNOWN(a);
	UNKNOWN(b);
	UNKNOWN(q);
	UNKNOWN(r);
	UNKNOWN(x);
	term zero = number(0), one = number(1), up = both(lt(zero, r), lt(zero, b)), down = lt(r, zero);
	term floor = minus(q, Z3_mk_ite(z3, down, one, zero)), ceiling = plus(q, Z3_mk_ite(z3, up, one, zero));
	term given = both(both(rounded(a, q, b, r), lt(zero, b)),
		both(apart(x, q, b), both(apart(x, minus(q, one), b), apart(x, plus(q, one), b))));
	term claim = both(Z3_mk_implies(z3, le(times(x, b), a), le(x, floor)),
		Z3_mk_implies(z3, le(a, times(x, b)), le(ceiling, x)));
	return fails(given, claim);
}

static term law_halves(void) /* -b has the quotient -q */
{
	UNKNOWN(a);
	UNKNOWN(b);
	UNKNOWN(q);
	UNKNOWN(r);
	term zero = number(0), two = number(2), twice = times(two, q),
	     given = both(both(rounded(a, q, b, r), le(two, b)),
		     both(around_zero(q, b), both(grows(two, b, q), grows(two, b, minus(zero, q)))));
	return fails(
		given, Z3_mk_ite(z3, le(zero, a), both(le(zero, q), le(twice, a)), both(le(q, zero), le(a, twice))));
}

/*
 * d = ⌈P / m⌉, e = m·d - P, most·e < P, x ≤ most: then P·q ≤ x·m < P·(q + 1) for q = ⌊x / d⌋. First that e is less than
 * m: P - 1 = (d - 1)·m + r. Then all times d, for m·d = P + e: d·(x·m) = P·x + x·e, which is at least P·x ≥ P·(d·q),
 * and less than P·(x + 1) ≤ P·(d·(q + 1)).
 */
static term law_reciprocal_rest(void)
{
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(d);
	UNKNOWN(r);
	term one = number(1), e = minus(times(m, d), p);
	return fails(divided(minus(p, one), minus(d, one), m, r), both(le(number(0), e), lt(e, m)));
}

static term law_reciprocal(void)
{
	UNKNOWN(p); /* the power */
	UNKNOWN(m);
	UNKNOWN(d);
	UNKNOWN(e);
	UNKNOWN(most);
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(r);
	UNKNOWN(md);
	UNKNOWN(xm);
	UNKNOWN(xe);
	UNKNOWN(dq);
	term zero = number(0), one = number(1), next = plus(dq, d);
	term given = both(
		both(lt(zero, p), lt(zero, d)), both(both(same(md, plus(p, e)), le(zero, e)),
							both(le(zero, x), both(le(x, most), lt(times(most, e), p)))));
	given = both(given, both(same(x, plus(dq, r)), both(le(zero, r), lt(r, d))));
	/* What the names are, x·(m·d) = d·(x·m), and instances of law "monotone". */
	term products = both(both(same(dq, times(d, q)), same(xe, times(x, e))),
		both(same(xm, times(x, m)), same(times(d, xm), plus(times(p, x), xe))));
	term grow = both(both(le(zero, xe), le(xe, times(most, e))),
		both(le(times(p, dq), times(p, x)), le(times(p, plus(x, one)), times(p, next))));
	/* Where the claim fails, it does d times. */
	term low = times(p, q), high = times(p, plus(q, one));
	term fewer = Z3_mk_implies(z3, lt(xm, low), lt(times(d, xm), times(p, dq))),
	     more = Z3_mk_implies(z3, le(high, xm), le(times(p, next), times(d, xm)));
	return fails(both(both(given, products), both(grow, both(fewer, more))), both(le(low, xm), lt(xm, high)));
}

/* x = q·d + r, q = p·f + s: x = p·(d·f) + (s·d + r). */
static term law_nested(void)
{
	UNKNOWN(x);
	UNKNOWN(d);
	UNKNOWN(f);
	UNKNOWN(q);
	UNKNOWN(r);
	UNKNOWN(p);
	UNKNOWN(s);
	/* law "monotone" */
	term rest = plus(times(s, d), r),
	     step = both(le(number(0), times(s, d)), le(times(plus(s, number(1)), d), times(f, d)));
	return fails(both(both(divided(x, q, d, r), divided(q, p, f, s)), step), divided(x, p, times(d, f), rest));
}

static term law_multiples(void)
{
	UNKNOWN(t);
	UNKNOWN(u);
	UNKNOWN(q);
	UNKNOWN(by);
	term sum = same(times(plus(t, times(u, by)), q), plus(times(t, q), times(times(u, q), by))),
	     difference = same(times(minus(t, u), q), minus(times(t, q), times(u, q)));
	return fails(Z3_mk_true(z3), both(both(sum, difference), same(times(times(t, by), q), times(times(t, q), by))));
}

static term law_ends(void)
{
	UNKNOWN(a);
	UNKNOWN(x);
	UNKNOWN(y);
	UNKNOWN(b);
	return fails(both(le(a, x), both(le(x, y), le(y, b))),
		both(le(number(0), minus(y, x)), le(minus(y, x), minus(b, a))));
}

/* The divisor is u + 1, the quotients q and q + t, which is no less (law "dividends"). */
static term law_rests(void)
{
	UNKNOWN(q);
	UNKNOWN(t);
	UNKNOWN(u);
	UNKNOWN(r);
	UNKNOWN(s);
	UNKNOWN(x);
	UNKNOWN(y);
	term zero = number(0), one = number(1), m = plus(u, one), p = plus(q, t);
	term given =
		both(both(le(zero, u), le(zero, t)), both(both(divided(x, q, m, r), divided(y, p, m, s)), le(x, y)));
	/* a product of two that are not negative */
	given = both(given, Z3_mk_implies(z3, le(one, t), le(zero, times(minus(t, one), u))));
	return fails(given, le(minus(x, q), minus(y, p)));
}

/* y = p·m + s, and the claim names the quotient. */
static term law_onto(void)
{
	UNKNOWN(y);
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(s);
	UNKNOWN(r);
	term given = both(divided(y, p, m, s), both(le(number(0), r), lt(r, m))),
	     near = divided(plus(y, minus(r, s)), p, m, r);
	term far = divided(plus(y, plus(minus(m, s), r)), plus(p, number(1)), m, r);
	return fails(given, Z3_mk_ite(z3, le(s, r), near, far));
}

static term law_next(void)
{
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(y);
	UNKNOWN(p);
	UNKNOWN(m);
	UNKNOWN(r);
	term zero = number(0), given = both(both(divided(x, q, m, r), divided(y, p, m, r)), lt(y, x));
	/* a product of two that are not negative */
	given = both(given, Z3_mk_implies(z3, le(q, p), le(zero, times(minus(p, q), m))));
	given = both(given, Z3_mk_implies(z3, lt(p, q), le(zero, times(minus(minus(q, p), number(1)), m))));
	return fails(given, both(le(plus(y, m), x), divided(plus(y, m), plus(p, number(1)), m, r)));
}

static term law_few(void)
{
	UNKNOWN(x);
	UNKNOWN(q);
	UNKNOWN(m);
	UNKNOWN(r);
	term zero = number(0), most = number(255), given = both(divided(x, q, m, r), le(q, most));
	/* a product of two that are not negative */
	given = both(given, Z3_mk_implies(z3, le(q, most), le(zero, times(minus(most, q), m))));
	return fails(given, lt(x, times(number(256), m)));
}

const struct law laws[] = {
	{"ends", "a ≤ x ≤ y ≤ b: y - x ≤ b - a", law_ends},
	{"monotone", "a ≤ c and b ≤ d: a·b ≤ c·d, unsigned", law_monotone},
	{"monotone", "a ≤ c: a·b ≤ c·b or, b negative, the reverse", law_monotone_signed},
	{"corners", "a product of intervals is least and greatest at their ends", law_corner},
	{"range", "x mod m ≤ x", law_range},
	{"unique", "a number has one remainder", law_unique},
	{"same", "if m divides x - y, x mod m = y mod m", law_same},
	{"distance", "from y up to x ≥ it is as far as from y mod m up to x mod m, at least", law_distance},
	{"compose", "if m divides k, x mod m = (x mod k) mod m", law_compose},
	{"wrap", "2^w mod m from (2^w - 1) mod m", law_wrap},
	{"sum", "(x + y) mod m from x mod m and y mod m", law_sum_of_two},
	{"difference", "(x - y) mod m from x mod m and y mod m", law_difference_of_two},
	{"scale", "x·c mod m·c = (x mod m)·c", law_scaled},
	{"zeros", "low zeros of factors add up in the product", law_low_zeros},
	{"dividends", "n ≤ m: n / d ≤ m / d or, d negative, the reverse; rounded towards zero", law_dividends},
	{"divisors", "0 < c ≤ d, 0 ≤ n: n / d ≤ n / c; n or c, d negative likewise", law_divisors},
	{"remainder", "what a division leaves has the dividend's sign, is no larger, and smaller than the divisor",
		law_remainder},
	{"rounding", "b·x ≤ a: x ≤ ⌊a / b⌋, a ≤ b·x: ⌈a / b⌉ ≤ x; both from the quotient towards zero, 0 < b",
		law_rounding},
	{"rest", "x ≤ y, 0 < m: x - ⌊x / m⌋ ≤ y - ⌊y / m⌋", law_rests},
	{"onto", "r < m: the first z ≥ y with z mod m = r is y + r - y mod m, or m more", law_onto},
	{"next", "x mod m = y mod m, y < x: y + m ≤ x, and (y + m) mod m = y mod m", law_next},
	{"few", "⌊x / m⌋ < 256: x < 256·m", law_few},
	{"halves", "2 ≤ b: a / b is no greater than half of a, and of its sign, or zero", law_halves},
	{"reciprocal", "m·⌈P / m⌉ is above P by less than m", law_reciprocal_rest},
	{"reciprocal", "⌊x·m / P⌋ = ⌊x / d⌋ for d = ⌈P / m⌉ and all x ≤ U where U·(m·d - P) < P", law_reciprocal},
	{"nested", "⌊⌊x / d⌋ / f⌋ = ⌊x / (d·f)⌋", law_nested},
	{"multiples", "sums, differences and products of multiples of q are multiples of q", law_multiples},
	{"subset", "x & ~y = 0: x has no more bits than y, which has no more than its width", law_subset},
	{"gather", "bits gathered by a mask are as many as its bits", law_gather},
	{"truncate", "low bits of a product are those of low bits", law_truncated},
};
const unsigned n_laws = sizeof laws / sizeof laws[0];
