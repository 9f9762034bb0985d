/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations on abstract numbers, compared with arithmetic on their members: for any two members, what the
 * operation makes of them must belong to its result. Prints how often each was tried; otherwise prints the
 * counterexample and exits 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/domain/bit_count.h"
#include "draw.h"
#include "verifier/domain/mul_div.h"

enum { TRIALS = 400000 };

static unsigned long trials, failures;

static void print_num(const char *name, const struct wv_num *n)
{
	fprintf(stderr,
		"  %s: u[%#" PRIx64 ", %#" PRIx64 "] s[%" PRId64 ", %" PRId64 "] lu[%#x, %#x] ls[%d, %d] bits %#" PRIx64
		"/%#" PRIx64 " %#" PRIx64 " mod %#" PRIx64 "\n",
		name, n->umin, n->umax, n->smin, n->smax, n->lumin, n->lumax, n->lsmin, n->lsmax, n->bits, n->known,
		n->rem, n->mod);
}

static void expect(bool ok, const char *what, unsigned width, const struct wv_num *a, uint64_t x,
	const struct wv_num *b, uint64_t y, const struct wv_num *r, uint64_t z)
{
	trials++;
	if (ok)
		return;
	if (failures++ > 10)
		exit(1);
	fprintf(stderr, "num: %s at width %u is unsound: x %#" PRIx64 " y %#" PRIx64 " gives %#" PRIx64 "\n", what,
		width, x, y, z);
	print_num("a", a);
	print_num("b", b);
	if (r)
		print_num("r", r);
}

static uint64_t low(uint64_t v, unsigned width)
{
	return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static int64_t low_signed(uint64_t v, unsigned width)
{
	uint64_t sign = UINT64_C(1) << (width - 1);
	return (int64_t)((low(v, width) ^ sign) - sign);
}

static uint64_t concrete_binary(enum wv_op op, uint64_t x, uint64_t y)
{
	switch (op) {
	case WV_ADD: return x + y;
	case WV_SUB: return x - y;
	case WV_AND: return x & y;
	case WV_OR: return x | y;
	case WV_XOR: return x ^ y;
	default: return x * y;
	}
}

static uint64_t concrete_shift(enum wv_op op, unsigned width, uint64_t x, uint64_t by)
{
	by &= width == 64 ? 63 : 31;
	switch (op) {
	case WV_SHL: return low(x << by, width);
	case WV_SHR: return low(x, width) >> by;
	default: return low((uint64_t)(low_signed(x, width) >> by), width);
	}
}

static bool concrete_cond(enum wv_cond cond, unsigned width, uint64_t x, uint64_t y)
{
	uint64_t ux = low(x, width), uy = low(y, width);
	int64_t sx = low_signed(x, width), sy = low_signed(y, width);
	switch (cond) {
	case WV_B: return ux < uy;
	case WV_AE: return ux >= uy;
	case WV_E: return ux == uy;
	case WV_NE: return ux != uy;
	case WV_BE: return ux <= uy;
	case WV_A: return ux > uy;
	case WV_L: return sx < sy;
	case WV_GE: return sx >= sy;
	case WV_LE: return sx <= sy;
	default: return sx > sy;
	}
}

/* One drawn pair of abstract numbers with a member each. */
struct pair {
	struct wv_num a, b;
	uint64_t x, y;
	unsigned width;
};

static struct pair draw_pair(struct draw *d)
{
	struct pair p;
	p.x = draw_value(d);
	p.y = draw_one_in(d, 4) ? p.x + draw_below(d, 5) - 2 : draw_value(d);
	p.a = draw_num(d, p.x);
	p.b = draw_num(d, p.y);
	expect(num_means(&p.a, p.x) && num_means(&p.b, p.y), "sync", 64, &p.a, p.x, &p.b, p.y, NULL, 0);
	expect(wv_num_valid(&p.a) && wv_num_valid(&p.b), "valid", 64, &p.a, p.x, &p.b, p.y, NULL, 0);
	p.x = draw_member(d, &p.a, p.x);
	p.y = draw_member(d, &p.b, p.y);
	p.width = 8u << draw_below(d, 4);
	return p;
}

/*
 * Where the unsigned order leaves one value, the others name it too: who finds a constant may use it in any. That is so
 * of what the verifier makes of numbers of which it is so.
 */
static bool agrees(const struct wv_num *n)
{
	return n->umin != n->umax ||
	       (n->smin == n->smax && n->umin == (uint64_t)n->smin && n->known == UINT64_MAX && n->bits == n->umin);
}

static bool stay_agreed(const struct pair *p, const struct wv_num *r)
{
	return !agrees(&p->a) || !agrees(&p->b) || agrees(r);
}

#define EXPECT_IN(p, what, r, z) \
	expect(num_means(&(r), z) && wv_num_valid(&(r)) && stay_agreed(p, &(r)), what, (p)->width, &(p)->a, (p)->x, \
		&(p)->b, (p)->y, &(r), z)

static void try_binary(struct draw *d, const struct pair *p)
{
	static const enum wv_op ops[] = {WV_ADD, WV_SUB, WV_AND, WV_OR, WV_XOR, WV_IMUL};
	static const char *const names[] = {"add", "sub", "and", "or", "xor", "imul"};
	unsigned i = (unsigned)draw_below(d, 6);
	struct wv_num r = wv_num_binary(ops[i], p->width, &p->a, &p->b);
	EXPECT_IN(p, names[i], r, low(concrete_binary(ops[i], p->x, p->y), p->width));
}

static void try_shift(struct draw *d, const struct pair *p)
{
	static const enum wv_op ops[] = {WV_SHL, WV_SHR, WV_SAR};
	static const char *const names[] = {"shl", "shr", "sar"};
	unsigned i = (unsigned)draw_below(d, 3);
	uint64_t by = draw_one_in(d, 2) ? p->y : draw_below(d, 70);
	struct wv_num count = by == p->y ? p->b : draw_num(d, by), r = wv_num_shift(ops[i], p->width, &p->a, &count);
	EXPECT_IN(p, names[i], r, concrete_shift(ops[i], p->width, p->x, by));
}

static void try_assume(struct draw *d, const struct pair *p)
{
	static const enum wv_cond conds[] = {WV_B, WV_AE, WV_E, WV_NE, WV_BE, WV_A, WV_L, WV_GE, WV_LE, WV_G};
	enum wv_cond cond = conds[draw_below(d, 10)];
	if (!concrete_cond(cond, p->width, p->x, p->y))
		cond ^= 1;
	struct wv_num a = p->a, b = p->b;
	bool ok = wv_num_assume(cond, p->width, &a, &b);
	expect(ok, "assume (denied)", p->width, &p->a, p->x, &p->b, p->y, NULL, cond);
	EXPECT_IN(p, "assume (left)", a, p->x);
	EXPECT_IN(p, "assume (right)", b, p->y);
}

static void try_extend(const struct pair *p)
{
	struct wv_num z = wv_num_zext(&p->a, p->width), s = wv_num_sext(&p->a, p->width),
		      m = wv_num_merge(&p->a, &p->b, p->width);
	EXPECT_IN(p, "zext", z, low(p->x, p->width));
	EXPECT_IN(p, "sext", s, (uint64_t)low_signed(p->x, p->width));
	uint64_t merged = p->width >= 32 ? low(p->y, p->width) : (p->x - low(p->x, p->width)) | low(p->y, p->width);
	EXPECT_IN(p, "merge", m, merged);
}

static void try_lattice(struct draw *d, const struct pair *p)
{
	struct wv_num j = wv_num_join(&p->a, &p->b);
	EXPECT_IN(p, "join (left)", j, p->x);
	EXPECT_IN(p, "join (right)", j, p->y);
	if (wv_num_within(&p->a, &p->b))
		EXPECT_IN(p, "within", p->b, p->x);
	expect(wv_num_within(&p->a, &p->a), "within itself", 64, &p->a, p->x, &p->a, p->x, NULL, 0);
	struct wv_num other = draw_num(d, p->x), m = p->a;
	struct pair met = *p;
	met.b = other;
	expect(wv_num_meet(&m, &other), "meet (denied)", 64, &p->a, p->x, &other, p->x, NULL, 0);
	EXPECT_IN(&met, "meet", m, p->x);
	uint32_t add = (uint32_t)draw_value(d);
	struct wv_num source = draw_num(d, (p->x - add) ^ (draw_bits(d) << 32)), l = p->a;
	met.b = source;
	expect(wv_num_meet_low(&l, &source, add), "meet low (denied)", 32, &p->a, p->x, &source, add, NULL, 0);
	EXPECT_IN(&met, "meet low", l, p->x);
	expect(wv_num_has(&p->a, p->y) == num_means(&p->a, p->y), "has", 64, &p->a, p->y, &p->b, p->y, NULL, 0);
	if (wv_num_is_const(&p->a))
		expect(p->x == p->a.umin, "is_const", 64, &p->a, p->x, &p->b, p->y, NULL, 0);
}

/* ---- counting and picking bits ---- */

static uint64_t popcount(uint64_t x)
{
	uint64_t n = 0;
	for (; x; x &= x - 1)
		n++;
	return n;
}

/* Zeros above the highest set bit, and below the lowest. */
static uint64_t zeros_above(unsigned width, uint64_t x)
{
	uint64_t n = 0;
	while (n < width && !(x >> (width - 1 - n) & 1))
		n++;
	return n;
}

static uint64_t zeros_below(unsigned width, uint64_t x)
{
	uint64_t n = 0;
	while (n < width && !(x >> n & 1))
		n++;
	return n;
}

static uint64_t take_bits(uint64_t x, uint64_t start, uint64_t n)
{
	x = start >= 64 ? 0 : x >> start;
	return n >= 64 ? x : x & ((UINT64_C(1) << n) - 1);
}

/* The bits of x at the places of the mask, bit by bit; or the reverse. */
static uint64_t scatter(uint64_t x, uint64_t mask, bool gather)
{
	uint64_t r = 0;
	for (unsigned at = 0, n = 0; at < 64; at++) {
		if (!(mask >> at & 1))
			continue;
		r |= gather ? (x >> at & 1) << n : (x >> n & 1) << at;
		n++;
	}
	return r;
}

static void try_bits(const struct pair *p)
{
	unsigned w = p->width;
	uint64_t x = low(p->x, w), y = p->y;
	struct wv_num a = wv_num_zext(&p->a, w), mask = wv_num_zext(&p->b, w), r;
	r = wv_num_popcnt(w, &a);
	EXPECT_IN(p, "popcnt", r, popcount(x));
	r = wv_num_lzcnt(w, &a);
	EXPECT_IN(p, "lzcnt", r, zeros_above(w, x));
	r = wv_num_tzcnt(w, &a);
	EXPECT_IN(p, "tzcnt", r, zeros_below(w, x));
	if (!num_means(&a, 0)) {
		r = wv_num_top(w, &a);
		EXPECT_IN(p, "bsr", r, w - 1 - zeros_above(w, x));
	}
	r = wv_num_lowest(WV_BLSI, w, &a);
	EXPECT_IN(p, "blsi", r, low(x & (0 - x), w));
	r = wv_num_lowest(WV_BLSMSK, w, &a);
	EXPECT_IN(p, "blsmsk", r, low(x ^ (x - 1), w));
	r = wv_num_lowest(WV_BLSR, w, &a);
	EXPECT_IN(p, "blsr", r, low(x & (x - 1), w));
	r = wv_num_bzhi(w, &a, &p->b);
	EXPECT_IN(p, "bzhi", r, take_bits(x, 0, y & 0xff));
	r = wv_num_bextr(w, &a, &p->b);
	EXPECT_IN(p, "bextr", r, take_bits(x, y & 0xff, y >> 8 & 0xff));
	r = wv_num_pdep(w, &mask);
	EXPECT_IN(p, "pdep", r, scatter(p->x, low(y, w), false));
	r = wv_num_pext(w, &mask);
	EXPECT_IN(p, "pext", r, scatter(p->x, low(y, w), true));
	r = wv_num_bit(w, &p->b);
	EXPECT_IN(p, "bit", r, UINT64_C(1) << y % w);
}

/* ---- products and quotients of double width ---- */

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

static void try_product(const struct pair *p)
{
	unsigned w = p->width;
	struct wv_num a = wv_num_zext(&p->a, w), b = wv_num_zext(&p->b, w), l, h;
	u128 product = (u128)low(p->x, w) * low(p->y, w);
	wv_num_product(w, false, &a, &b, &l, &h);
	EXPECT_IN(p, "mul, lower half", l, low((uint64_t)product, w));
	EXPECT_IN(p, "mul, upper half", h, low((uint64_t)(product >> w), w));
	product = (u128)((s128)low_signed(p->x, w) * low_signed(p->y, w));
	wv_num_product(w, true, &a, &b, &l, &h);
	EXPECT_IN(p, "imul, lower half", l, low((uint64_t)product, w));
	EXPECT_IN(p, "imul, upper half", h, low((uint64_t)(product >> w), w));
}

static unsigned long divided[2], undivided;

/* What is called divisible must not trap on the processor, and quotient and remainder are in the results. */
static void try_quotient(struct draw *d, const struct pair *p, bool is_signed)
{
	unsigned w = p->width;
	bool narrow = draw_one_in(d, 2);
	uint64_t upper = draw_one_in(d, 2) ? draw_below(d, 9) - 4 : draw_value(d), dividend = low(p->x, w),
		 divisor = low(p->y, w);
	struct wv_num lows = wv_num_zext(&p->a, w), any = draw_num(d, low(upper, w)), highs = wv_num_zext(&any, w),
		      by = wv_num_zext(&p->b, w), q, r;
	struct wv_dividend n = narrow ? wv_dividend_narrow(w, &lows) : wv_dividend_of(w, &highs, &lows);
	enum wv_division division = wv_num_divide(w, is_signed, &n, &by, &q, &r);
	if (division != WV_DIVIDES) {
		undivided++;
		return;
	}
	divided[is_signed]++;
	expect(divisor != 0, "division by zero", w, &p->a, p->x, &p->b, p->y, NULL, 0);
	if (divisor == 0)
		return;
	u128 mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
	if (is_signed) {
		s128 whole = narrow ? (s128)low_signed(dividend, w)
				    : (s128)low_signed(upper, w) * ((s128)mask + 1) + dividend;
		s128 quotient = whole / low_signed(divisor, w), top = (s128)(mask >> 1);
		expect(quotient <= top && quotient >= -top - 1, "idiv (overflow)", w, &p->a, p->x, &p->b, p->y, NULL,
			upper);
		EXPECT_IN(p, "idiv", q, low((uint64_t)quotient, w));
		EXPECT_IN(p, "idiv, remainder", r, low((uint64_t)(whole % low_signed(divisor, w)), w));
	} else {
		u128 whole = narrow ? dividend : ((u128)low(upper, w) << w) + dividend, quotient = whole / divisor;
		expect(quotient <= mask, "div (overflow)", w, &p->a, p->x, &p->b, p->y, NULL, upper);
		EXPECT_IN(p, "div", q, (uint64_t)quotient);
		EXPECT_IN(p, "div, remainder", r, (uint64_t)(whole % divisor));
	}
}

int main(int argc, char **argv)
{
	struct draw d = {argc > 1 ? strtoull(argv[1], NULL, 0) : 1};
	unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 0) : TRIALS;
	printf("num: seed %" PRIu64 "\n", d.state);
	for (unsigned long i = 0; i < wanted; i++) {
		struct pair p = draw_pair(&d);
		try_binary(&d, &p);
		try_shift(&d, &p);
		try_assume(&d, &p);
		try_extend(&p);
		try_lattice(&d, &p);
		try_bits(&p);
		try_product(&p);
		try_quotient(&d, &p, i & 1);
	}
	if (wanted >= TRIALS && (divided[0] < 1000 || divided[1] < 1000)) {
		fprintf(stderr, "num: too few divisions were found possible: %lu, %lu of signed numbers\n", divided[0],
			divided[1]);
		failures++;
	}
	printf("num: %lu and %lu signed divisions found possible, %lu not\n", divided[0], divided[1], undivided);
	printf("num: %lu checks, %lu failures\n", trials, failures);
	return failures != 0;
}
