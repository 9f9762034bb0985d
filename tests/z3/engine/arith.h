/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remainders and products of two unknowns, which no solver decides at 64 × 64 bits. Here they are uninterpreted
 * functions; a proof uses only instances of the laws listed in arith.c. Each law is proven over the integers
 * (arith_lemmas.c), where it is easy for Z3. So what is proven with them holds for the real operations. A
 * counterexample found with them may be spurious, so it is replayed with numbers.
 */
#ifndef WARD_Z3_ARITH_H
#define WARD_Z3_ARITH_H

#include "term.h"

/* In a search for counterexamples they are what they are. */
extern bool arith_exact;

struct product {
	term a, b;
	term low;  /* of the product */
	term high; /* upper half of the unsigned product */
	term signed_high;
};

/* x mod m. */
term rem(term x, term m);
struct product product(term a, term b);
term sum_mod(term x, term y, term m);  /* (x + y) mod m for x, y < m, as an unknown function */
term plus_mod(term x, term y, term m); /* the same, spelt out */
term wide(const struct product *p);    /* the unsigned product, 128 bits */
term wide_signed(const struct product *p);
/* The low 128 bits of a product of 128 bits: that of 64 bits where both factors have no more. */
term arith_product_128(term a, term b);
term lower_half(term t); /* of 128 bits */

/* What the laws say of all remainders and products met so far becomes known: */
void arith_laws(void);

/* n / d rounded towards zero, and what is left. */
struct quotient {
	term n, d;
	bool is_signed;
	term q, r;
};
struct quotient quotient(term n, term d, bool is_signed);

/* Of those that were asked for, i-th; false: there are no more. */
bool quotient_met(unsigned i, struct quotient *q);

/* How many bits are set; of what that was asked, i-th, or NULL. And law "subset" of all of which that was asked. */
term popcount(term x);
term counted(unsigned i);
void use_law_subset(void);

/* … and law "compose" of what is taken modulo k. */
void use_law_compose(term k, term m);

/* Instances that are asked for where they are needed. Each is true of any numbers. */
term law_up(term x, term r, term y, term m); /* from y up to x, where x mod m is r */
term law_down(term x, term r, term y, term m);
term law_sum(term x, term y, term m);        /* (x + y) mod m, with and without wrapping around */
term law_difference(term x, term y, term m); /* (x - y) mod m, likewise */
term law_scale(term x, term m, term c);      /* (x · c) mod (m · c) */
term law_shift(term x, term m, term n);      /* the same for c = 2^n */

/* Products of a ≤ x ≤ b and c ≤ y ≤ d, unsigned; signed. */
term law_between(term a, term x, term b, term c, term y, term d);
term law_corners(term a, term x, term b, term c, term y, term d);
/* Quotients of n ≤ m by d; of n by c ≤ d of one sign; what is left. */
term law_of_dividends(term n, term m, term d, bool is_signed);
term law_of_divisors(term n, term c, term d, bool is_signed);
term law_of_remainder(term n, term d, bool is_signed);
term law_zeros(term a, term b);
term law_truncate(term a, term b, term c, term d, unsigned width); /* low bits of products of equal low bits */

/*
 * Quotients by multiplication: of x ≤ most by what 2^k / (m + 2^s) is, rounded up, of which the quotient q.q is one
 * less; by 2^k / m, unless `more`. k is s + after. See arith_lemmas.c.
 */
term law_of_reciprocal(term x, term most, term m, term more, term s, const struct quotient *q, term after);
/* x / (d · 2^c) where that is `divisor`, and 2^c · y. */
term law_of_quotients(term x, term d, term c, term divisor);
/* The same, of y = x >> c. */
term law_of_shifted_dividend(term x, term y, term d, term c, term divisor);
term law_of_power(term power, term c, term y);
/* x >> a >> b is x >> (a + b), of 128 bits. */
term law_of_shifts(term x, term a, term b);
/* (2^n - 1) · y */
term law_of_ones(term y, unsigned n);
/*
 * Multiples of q, modulo 2^64: by·t times q is t times q, multiplied by `by`; a and t + u · 2^c times it are a sum; a
 * and t - u times it a difference; where t + u is 0, modulo 2^width, t times it is what u times it lacks.
 */
term law_of_multiple(term t, term q, term by);
term law_of_multiples(term a, term t, term u, term c, term q);
term law_of_difference(term a, term t, term u, term q);
term law_of_opposites(term t, term u, term q, unsigned width);
/* The multiple of x by t + u · 2^c, as an integer, where t and u have 32 bits and c is less. */
term law_of_scaled(term t, term u, term c, term x);
/* x less (x / d) · d is what is left. */
term law_of_rest(term x, term d);

/* b · x and a, and the quotient a / b, rounded towards zero: on which side of it x is. */
term law_of_rounding(term a, term b, term x);
/* … the same, unsigned: where b · x is at most a. */
term law_of_floor(term a, term b, term x);
/* A quotient by 2 at least, or -2 at most, is a half at most. */
term law_of_halves(term a, term b);

/* From y to the next z, without wrapping around, that has the remainder r. */
term law_of_onto(term z, term y, term r, term m);

/* From y on, of the same remainder, the next one is no farther than x. */
term law_of_next(term x, term y, term m);

/* Where x / m is less than 256, x is less than 256 times m. */
term law_of_few(term x, term m);

/* Where a ≤ x ≤ y ≤ b, x and y are no farther apart than a and b. */
term law_of_ends(term a, term x, term y, term b, bool is_signed);

/* The laws over the integers. */
struct law {
	const char *name, *words;
	term (*refutation)(void); /* satisfiable only if the law is false */
};
extern const struct law laws[];
extern const unsigned n_laws;

#endif
