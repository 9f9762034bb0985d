/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s / d for a constant d is (s · m) >> k for a well-chosen m, and s % d is s - d · (s / d). Compilers write both so:
 *
 *	mov  eax, 0xaaaaaaab
 *	imul rax, rcx             product: rcx · m, no more than 64 bits
 *	shr  rax, 34              quotient: rcx / 6
 *	lea  eax, [rax + rax*2]   three times the quotient
 *	add  eax, eax             six times
 *	sub  ecx, eax             the remainder, so in [0, 5]
 *
 * Intervals alone see nothing of it. So the context remembers the last product of a value and a constant, and the
 * quotient that a shift makes of it. It also remembers a few sums of the quotient's multiples and the dividend, each
 * by its identity and modulo a power of two: q - 8 · q + s is s % 7 too. If such a sum is s less d times the
 * quotient, it is a remainder: s - d · q is less than d, so the bits above those that are computed are zero.
 *
 * Let U be the greatest dividend, d = ceil(2^k / m) and e = m · d - 2^k. The quotient is right for all dividends up
 * to U if U · e < 2^k. For s · m / 2^k = s / d + (s · e) / (d · 2^k), and the second term is then less than 1/d. The
 * fraction of s / d is at most (d - 1) / d, so the sum doesn't reach the next integer.
 *
 * Where m has one bit more than a register, the register holds m, and the factor is 2^w + m. Then s · (2^w + m) >> w
 * is s + h, h being the upper half of s · m, and s + h may need one bit too many as well. So compilers compute ((s -
 * h) >> 1) + h, which is (s + h) >> 1. And where d is even they may divide s >> c by d >> c: that quotient is the
 * quotient of s by d.
 */
#include "quotient.h"

typedef unsigned __int128 u128;

/*
 * The caller has read the whole value, so it has an identity. A pointer may have the same identity, which is its
 * offset's; as a number it is something else.
 */
static bool is_symbol(const struct wv_val *v, uint32_t sym)
{
	return v->kind == WV_NUM && v->sym == sym && v->add == 0;
}

static struct wv_name name_of(const struct wv_val *v)
{
	return (struct wv_name){v->sym, v->lsym, v->ladd, v->add};
}

/* How many low bits of the value are known to be those of the number named. */
static uint8_t bits_alike(const struct wv_name *name, const struct wv_val *v)
{
	if (v->kind != WV_NUM || !name->sym)
		return 0;
	if (v->sym == name->sym && v->add == name->add)
		return 64;
	return v->lsym == name->lsym && v->ladd == name->ladd ? 32 : 0;
}

/* The value as a multiple and what is added to it. False: it isn't known as one. */
static bool multiple_of(const struct wv_quotient *q, const struct wv_val *v, struct wv_multiple *is)
{
	for (unsigned i = 0; i < q->n_multiples && i < WV_MAX_MULTIPLES; i++) {
		uint8_t width = bits_alike(&q->multiple[i].of, v);
		if (width) {
			*is = q->multiple[i];
			is->width = is->width < width ? is->width : width;
			return true;
		}
	}
	uint8_t dividend = bits_alike(&q->of, v), whole = bits_alike(&q->whole, v);
	*is = (struct wv_multiple){
		name_of(v), dividend ? dividend : whole, dividend ? WV_ADDS_DIVIDEND : WV_ADDS_WHOLE, 0};
	return is->width != 0;
}

/*
 * `r` of `width` bits is what is said, modulo 2^is->width; a multiple of the greatest quotient that has 32 bits is that
 * without wrapping around.
 */
static void add_multiple(struct wv_quotient *q, unsigned width, const struct wv_multiple *is, const struct wv_val *r)
{
	if (width < 32)
		return;
	bool all = width == 32 && is->adds == WV_ADDS_NOTHING &&
		   (u128)is->factor * (q->greatest / q->divisor) <= UINT32_MAX;
	uint8_t known = all ? 64 : is->width < width ? is->width : (uint8_t)width;
	q->multiple[q->n_multiples++ % WV_MAX_MULTIPLES] =
		(struct wv_multiple){name_of(r), known, is->adds, is->factor};
}

/* The product, shifted by `count`: is that a quotient, and by what? `r` is that `factor` times, in `width` bits. */
static bool note_quotient(
	struct wv_quotient *q, unsigned count, unsigned width, uint64_t factor, const struct wv_val *r)
{
	unsigned shift = q->shift + q->more + count;
	u128 power = shift > 126 ? 0 : (u128)1 << shift, by = q->by + (q->more ? (u128)1 << q->shift : 0),
	     d = (power - 1) / by + 1;
	u128 e = d * q->by + (q->more ? d << q->shift : 0) - power;
	bool right =
		shift > 0 && shift <= 126 && d >= 2 && d <= q->greatest && e <= UINT64_MAX && q->greatest * e < power;
	struct wv_multiple is = {.width = 64, .adds = WV_ADDS_NOTHING, .factor = factor};
	if (!right || d != q->divisor)
		q->n_multiples = 0;
	q->divisor = right ? (uint64_t)d : 0;
	if (right)
		add_multiple(q, width, &is, r);
	return right;
}

static bool is_factor(const struct wv_val *v)
{
	return wv_num_is_const(&v->n) && v->n.umin > 1;
}

/* `r` is `by` times such a multiple. */
static void multiply_again(
	struct wv_quotient *q, unsigned width, const struct wv_multiple *is, uint64_t by, const struct wv_val *r)
{
	struct wv_multiple all = *is;
	all.factor *= by;
	add_multiple(q, width, &all, r);
}

/* `r` is v · by >> shift: from now on that is the product. */
static void begin_product(
	struct wv_quotient *q, const struct wv_val *v, uint64_t by, unsigned shift, const struct wv_val *r)
{
	struct wv_quotient n = {.of = name_of(v),
		.shifted = q->shifted,
		.down_to = q->down_to,
		.down_by = q->down_by,
		.greatest = v->n.umax,
		.by = by,
		.product = r->sym,
		.shift = shift};
	if (r->add != 0)
		return;
	if (is_symbol(v, q->down_to)) {
		n.whole = q->shifted;
		n.down = q->down_by;
		n.greatest = n.greatest < UINT64_MAX >> n.down ? n.greatest : UINT64_MAX >> n.down;
	}
	*q = n;
	note_quotient(q, 0, 64, 1, r);
}

void wv_quotient_product(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b,
	const struct wv_val *low, const struct wv_val *high)
{
	struct wv_quotient *q = &ctx->quotient;
	struct wv_multiple is;
	if (is_factor(a)) {
		const struct wv_val *t = a;
		a = b;
		b = t;
	}
	if (width < 32 || !is_factor(b))
		return;
	uint64_t by = b->n.umin;
	bool fits = (u128)a->n.umax * by <= (width == 64 ? UINT64_MAX : UINT32_MAX);
	/* a reciprocal is greater */
	if (q->divisor && low && by <= q->divisor << q->down && multiple_of(q, a, &is) && is.adds == WV_ADDS_NOTHING)
		multiply_again(q, width, &is, by, low);
	else if (high)
		begin_product(q, a, by, width, high);
	else if (fits)
		begin_product(q, a, by, 0, low);
}

/* The upper half of a product, where it is no quotient, is a product that compilers go on with. */
static void keep_upper_half(struct wv_quotient *q, unsigned count, const struct wv_val *r)
{
	if (q->shift != 0 || q->more || (count != 16 && count != 32) || r->add != 0)
		return;
	q->shift = count;
	q->product = r->sym;
}

void wv_quotient_right(struct wv_ctx *ctx, const struct wv_val *v, unsigned count, const struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	if (is_symbol(v, q->product)) {
		if (!note_quotient(q, count, 64, 1, r))
			keep_upper_half(q, count, r);
	} else if (is_symbol(v, q->rest) && count == 1 && r->add == 0) {
		q->half = r->sym;
	} else if (v->kind == WV_NUM && r->add == 0) {
		q->shifted = name_of(v);
		q->down_to = r->sym;
		q->down_by = count;
	}
}

/* Of x = s · m >> k it leaves 2^c · (s · m >> (k + c)), of x = s / d it leaves 2^c · (s / (d · 2^c)). */
void wv_quotient_rounded(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *v, uint64_t off, const struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	struct wv_multiple is;
	u128 factor = (u128)off + 1, divisor = q->divisor * factor;
	if (is_symbol(v, q->product)) {
		note_quotient(q, (unsigned)__builtin_popcountll(off), width, off + 1, r);
	} else if (q->divisor && multiple_of(q, v, &is) && is.adds == WV_ADDS_NOTHING && is.factor == 1 &&
		   divisor <= q->greatest) {
		q->n_multiples = 0;
		q->divisor = (uint64_t)divisor;
		is.factor = (uint64_t)factor;
		add_multiple(q, width, &is, r);
	}
}

void wv_quotient_left(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *v, unsigned count, const struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	struct wv_multiple is;
	if (!q->divisor || !multiple_of(q, v, &is) || is.adds != WV_ADDS_NOTHING)
		return;
	is.factor <<= count;
	add_multiple(q, width, &is, r);
}

/* It is at most that; or nothing is: then the code isn't reached. */
static void no_more_than(struct wv_val *r, uint64_t most)
{
	struct wv_num below = wv_num_range(0, most), n = r->n;
	if (wv_num_meet(&n, &below))
		r->n = n;
}

/* `r` is such a sum: perhaps a remainder. */
static void add_sum(struct wv_quotient *q, unsigned width, const struct wv_multiple *is, struct wv_val *r)
{
	uint64_t d = is->adds == WV_ADDS_WHOLE ? q->divisor << q->down : q->divisor, sum = is->factor + d;
	bool computed = is->width >= width && d - 1 <= UINT64_MAX >> (64 - width);
	if (is->adds && computed && (width == 64 ? sum : (uint32_t)sum) == 0)
		no_more_than(r, d - 1);
	else
		add_multiple(q, width, is, r);
}

/* ((s - h) >> 1) + h, in so many bits. Symbol 0 is no number's. */
static bool is_fixed(const struct wv_quotient *q, unsigned width, const struct wv_val *a, const struct wv_val *b)
{
	return q->greatest <= UINT64_MAX >> (64 - width) && is_symbol(a, q->half) && is_symbol(b, q->product);
}

void wv_quotient_sum(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, unsigned scale,
	struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	struct wv_multiple x = {.width = 64}, y = {.width = 64};
	if (width < 32 || r->kind != WV_NUM)
		return;
	if (a && b && scale == 1 && r->add == 0 && (is_fixed(q, width, a, b) || is_fixed(q, width, b, a))) {
		q->product = r->sym;
		q->rest = q->half = 0;
		q->more = true;
		no_more_than(r, q->greatest);
		note_quotient(q, 0, 64, 1, r);
		return;
	}
	if (!q->divisor || (a && !multiple_of(q, a, &x)) || (b && !multiple_of(q, b, &y)))
		return;
	if (y.adds && (x.adds || scale != 1))
		return;
	x.adds += y.adds;
	x.factor += y.factor * scale;
	x.width = x.width < y.width ? x.width : y.width;
	add_sum(q, width, &x, r);
}

/* s less the upper half of s times something, in so many bits: not below zero. */
static bool is_rest(const struct wv_quotient *q, unsigned width, const struct wv_val *a, const struct wv_val *b)
{
	return is_symbol(b, q->product) && !q->more && q->shift && q->by >> 1 >> (q->shift - 1) == 0 &&
	       q->greatest <= UINT64_MAX >> (64 - width) && bits_alike(&q->of, a) >= width;
}

void wv_quotient_difference(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	struct wv_multiple x, y;
	if (width < 32 || r->kind != WV_NUM)
		return;
	if (r->add == 0 && is_rest(q, width, a, b)) {
		no_more_than(r, q->greatest);
		q->rest = r->sym;
		q->half = 0;
	}
	if (!q->divisor || !multiple_of(q, a, &x) || !multiple_of(q, b, &y) || y.adds)
		return;
	x.factor -= y.factor;
	x.width = x.width < y.width ? x.width : y.width;
	add_sum(q, width, &x, r);
}
