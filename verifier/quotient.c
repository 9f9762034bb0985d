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
 * Intervals alone see nothing of it. So the context remembers the last product of a value and a constant, the quotient that a shift makes of
 * it, and a few multiples of that quotient, each by its identity: what has it is, as an integer, what is said here. A difference between the
 * dividend and d times the quotient then is a remainder.
 *
 * The quotient is right for all dividends up to the greatest, U, if with d = ceil(2^k / m) and e = m · d - 2^k it holds that U · e < 2^k. For
 * s · m / 2^k = s / d + (s · e) / (d · 2^k), where the second term is then less than 1/d, too little to take s / d, whose fraction is at most (d - 1) / d,
 * to the next integer.
 */
#include "quotient.h"

typedef unsigned __int128 u128;

/* Who asks has read the whole value, so it has an identity. A pointer may have the same, which is its offset's, and is something else as a number. */
static bool is_symbol(const struct wv_val *v, uint32_t sym)
{
	return v->kind == WV_NUM && v->sym == sym && v->add == 0;
}

/* How many times the quotient the value is; 0: not known. */
static uint64_t factor_of(const struct wv_quotient *q, const struct wv_val *v)
{
	for (unsigned i = 0; i < q->n_multiples && i < WV_MAX_MULTIPLES; i++) {
		if (is_symbol(v, q->multiple[i].sym))
			return q->multiple[i].factor;
	}
	return 0;
}

/* `r` is `factor` times the quotient, if that is so without wrapping. */
static void add_multiple(struct wv_quotient *q, unsigned width, u128 factor, const struct wv_val *r)
{
	u128 most = width == 64 ? UINT64_MAX : UINT32_MAX;
	if (width < 32 || factor == 0 || factor > most || factor * (q->greatest / q->divisor) > most || r->add != 0)
		return;
	q->multiple[q->n_multiples++ % WV_MAX_MULTIPLES] = (struct wv_multiple){r->sym, (uint64_t)factor};
}

static void set_divisor(struct wv_quotient *q, uint64_t divisor)
{
	if (divisor != q->divisor)
		q->n_multiples = 0;
	q->divisor = divisor;
}

/* The product by `by`, shifted by `shift` in all: is that a quotient, and by what? `r` is that `factor` times, in `width` bits. */
static void note_quotient(struct wv_quotient *q, unsigned shift, unsigned width, u128 factor, const struct wv_val *r)
{
	u128 power = shift > 126 ? 0 : (u128)1 << shift, d = shift == 0 ? 0 : (power - 1) / q->by + 1, e = (u128)q->by * d - power;
	bool right = shift > 0 && shift <= 126 && d >= 2 && d <= q->greatest && (u128)q->greatest * e < power;
	set_divisor(q, right ? (uint64_t)d : 0);
	if (right)
		add_multiple(q, width, factor, r);
}

static bool is_factor(const struct wv_val *v)
{
	return wv_num_is_const(&v->n) && v->n.umin > 1;
}

void wv_quotient_product(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, const struct wv_val *low, const struct wv_val *high)
{
	struct wv_quotient *q = &ctx->quotient;
	if (is_factor(a)) {
		const struct wv_val *t = a;
		a = b;
		b = t;
	}
	if (width < 32 || !is_factor(b))
		return;
	uint64_t times = q->divisor ? factor_of(q, a) : 0, greatest = a->n.umax, by = b->n.umin;
	if (times && low) {
		add_multiple(q, width, (u128)times * by, low);
		return;
	}
	bool fits = (u128)greatest * by <= (width == 64 ? UINT64_MAX : UINT32_MAX);
	const struct wv_val *r = high ? high : low;
	if ((!high && !fits) || r->add != 0)
		return;
	*q = (struct wv_quotient){.of = a->sym, .of_add = a->add, .greatest = greatest, .by = by, .product = r->sym, .shift = high ? width : 0};
	note_quotient(q, q->shift, 64, 1, r);
}

void wv_quotient_right(struct wv_ctx *ctx, const struct wv_val *v, unsigned count, const struct wv_val *r)
{
	if (is_symbol(v, ctx->quotient.product))
		note_quotient(&ctx->quotient, ctx->quotient.shift + count, 64, 1, r);
}

/* Of x = s · m >> k it leaves 2^c · (s · m >> (k + c)), of x = s / d it leaves 2^c · (s / (d · 2^c)). */
void wv_quotient_rounded(struct wv_ctx *ctx, unsigned width, const struct wv_val *v, uint64_t off, const struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	u128 factor = (u128)off + 1, divisor = q->divisor * factor;
	if (is_symbol(v, q->product)) {
		note_quotient(q, q->shift + (unsigned)__builtin_popcountll(off), width, factor, r);
	} else if (factor_of(q, v) == 1 && divisor <= q->greatest) {
		set_divisor(q, (uint64_t)divisor);
		add_multiple(q, width, factor, r);
	}
}

void wv_quotient_left(struct wv_ctx *ctx, unsigned width, const struct wv_val *v, unsigned count, const struct wv_val *r)
{
	if (ctx->quotient.divisor)
		add_multiple(&ctx->quotient, width, (u128)factor_of(&ctx->quotient, v) << count, r);
}

void wv_quotient_sum(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, unsigned scale, const struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	if (!q->divisor)
		return;
	u128 x = a ? factor_of(q, a) : 0, y = b ? factor_of(q, b) : 0;
	if ((!a || x) && (!b || y))
		add_multiple(q, width, x + y * scale, r);
}

void wv_quotient_difference(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, struct wv_val *r)
{
	struct wv_quotient *q = &ctx->quotient;
	if (!q->divisor || width < 32 || r->kind != WV_NUM)
		return;
	uint64_t x = factor_of(q, a), y = factor_of(q, b);
	if (x > y && y) {
		add_multiple(q, width, x - y, r);
	} else if (y == q->divisor && a->kind == WV_NUM && a->sym == q->of && a->add == q->of_add && a->n.umax <= (width == 64 ? UINT64_MAX : UINT32_MAX)) {
		struct wv_num rest = wv_num_range(0, q->divisor - 1), n = r->n;
		if (wv_num_meet(&n, &rest)) /* or nothing is: then the code isn't reached */
			r->n = n;
	}
}
