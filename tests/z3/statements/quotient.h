/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a struct wv_quotient promises (quotient.c), for the statements about verifier/domain/quotient.c (multiples.c).
 */
#ifndef WARD_Z3_QUOTIENT_H
#define WARD_Z3_QUOTIENT_H

#include "tests/z3/engine/arith.h"
#include "tests/z3/model/number.h"
#include "queries.h"
#include "verifier/domain/state.h"
#include "tests/z3/model/symbolic_state.h"

/* A struct wv_name, and the number that it names. */
struct name {
	term sym, lsym, ladd, x;
};

/* A struct wv_multiple, but for its symbol. */
struct sum {
	term width, adds, factor;
};

/* A struct wv_quotient; `quotient` is what is divided by the divisor. */
struct promise {
	struct name of, whole, shifted;
	term product, rest, half, down_to, greatest, by, shift, down, down_by, more, divisor, n, quotient;
	struct name named[WV_MAX_MULTIPLES];
	struct sum sum[WV_MAX_MULTIPLES];
};

struct promise quotient_promise(const struct memory *m, const struct value *at);
struct sum multiple_load(const struct memory *m, const struct value *at, uint64_t offset);
/* Where `given` holds, all of it is so: assumed; to be proven. */
void assume_promise(const struct promise *p, term given);
void prove_promise(const struct promise *p, term given);
/*
 * Where `given` holds that promise is kept: as it was at first, or as a helper left it, or proven. What is the same as
 * one of these is kept, too.
 */
void keep_promise(const struct promise *p, term given);
term is_kept(const struct promise *p);

term wide_product(term a, term b);
term unsigned_quotient(term n, term d);
term exists(term name); /* it is not 0 */
term has_more(const struct promise *p);
term shifted(term t, term shift);     /* t of 128 bits … */
term low_shifted(term t, term shift); /* … and of 64 of that */
term low_of(term width, term t);      /* the low `width` bits, of 8, 16, 32 or 64 */
/* P, the product, with and without its last bit, if that was shifted off: so many bits were. */
term all_of_product(const struct promise *p);
term whole_product(const struct promise *p);
term last_bit(const struct promise *p);

term adds(const struct sum *s, enum wv_addend what);
term addend(const struct promise *p, enum wv_addend what);
term sum_number(const struct sum *s, const struct promise *p);
term is_wide(const struct sum *s);
term sums_up(const struct sum *s, const struct promise *p);           /* it is a sum of what there is … */
term is_sum_of(const struct sum *s, const struct promise *p, term x); /* … and x is that */
struct sum least_of(const struct sum *s, term width);                 /* what of it is known of a result of `width` */

/* What multiple_of tells; what is asked of the arguments of the others. */
term is_multiple(const struct promise *p, const struct held *v, const struct sum *s);
term multiple_asked(const struct promise *p, term width, const struct sum *s, const struct held *r);
term again_asked(const struct promise *p, term width, const struct sum *s, term by, const struct held *r);
term begin_asked(const struct held *v, term by, term shift, const struct held *r);
term quotient_asked(const struct promise *p, term count, term width, term factor, const struct held *r);
term bound_asked(const struct held *r, term most);

/* Take all helpers by their word but this function. */
void quotient_summaries(const char *function);
/* Called where such a sum is added to what is promised: for laws. */
extern void (*adding)(const struct sum *s, const struct promise *p);
extern struct sum told[2]; /* that multiple_of told last, the last one first */

#endif
